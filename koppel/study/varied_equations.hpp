// The equations of a motion together with those of a small change of it, as Equations again: what
// integrates the motion integrates its derivatives too, and what differentiates a motion gives
// second derivatives.
//
// With D the derivative along (δq, δv, δx, δp, δλ, δμ), the descriptor form (equations.hpp) and its
// variation are
//
//   δq̇ = K δv + (DK) v                                 M v̇ = f − Gᵀλ                          (1)
//   M δv̇ + (DM) v̇ = Df − (DG)ᵀλ − Gᵀδλ                 0 = Dg,  0 = g
//
// and these are a descriptor form of (q, δq), (v, δv) and (λ, δλ), with symmetric matrices, when
// the varied equation stands in the row of v and the equation itself in that of δv:
//
//   [DM  M ] [v̇ ]   [Df]   [DG  G ]ᵀ [λ ]                 [Dg]
//   [M   0 ] [δv̇] = [f ] − [G   0 ]  [δλ],      0 = g̃ =  [g ]                              (2)
//
// It is the complete lift of the system to its tangent bundle [Yano & Ishihara 1973]. Its
// constraints are those of the motion and their derivatives, so that changes satisfy them; its
// projection is the projection of the motion and the derivative of it. λ keeps its symbols.
// Parameters are (p, δp).
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Outputs are those of the equations, then their changes, called d(NAME). Events keep what they
// wait for; what they do to changes is not in the equations (jump_map.hpp). Throws Error
// `study.tracking` where forces are chosen step by step.
Shared<Equations> vary(const Shared<Equations>& equations);
std::string name_of_change(std::string_view name);  // d(NAME)

// (q, δq) and so on, of a state and of changes (δq, δv, δx) and δp.
State varied_state(const State& state, std::span<const double> changes,
                   std::span<const double> of_parameters);

}  // namespace koppel
