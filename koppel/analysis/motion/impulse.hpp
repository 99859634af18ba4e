// Velocities after impulses that are consistent with the constraints.
//
// With impulses P on the motions J (rates ṡ = J v + s_t of some quantities) and impulses Λ of the
// constraints C = [G; a], which hold before and after,
//   M (v⁺ − v⁻) + Cᵀ Λ = Jᵀ P,     C (v⁺ − v⁻) = 0.                                       (1)
// Either P is given, or what becomes of ṡ, as in impacts: each rate ṡ_i, turned so that it is
// negative towards the obstacle, becomes −e_i ṡ_i (Newton's law of restitution), or more where
// another impact at the same time pushes it away already. Impacts push and never pull. Together
// [Glocker & Pfeiffer 1995],
//   0 ≤ P  ⊥  W P + (1 + e) ṡ⁻ ≥ 0,     W the rates ṡ that unit impulses on each make by (1),   (2)
// a linear complementarity problem, solved by pivoting on the least index [Murty 1974]. What leaves
// its obstacle already, ṡ⁻ > 0, has ṡ⁻ in the place of (1 + e) ṡ⁻: it must not be pushed back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// v⁺ for given P on the quantities with these rates.
std::vector<double> velocities_after_impulse(const Evaluator& evaluator, const State& state,
                                             std::span<const Expr> rates,
                                             std::span<const double> P);

// v⁺ where the constraints themselves change their rates at this time: what the state's velocities
// lack, C v⁺ + (g_t, b) = 0, comes from impulses of the constraints alone, M (v⁺ − v⁻) + CᵀΛ = 0.
// The same motion in all coordinates.
std::vector<double> velocities_after_jump(const Evaluator& evaluator, const State& state);

// The same where parameters have changed from those of the state before, and with them what the
// velocities mean: the slope of a slide that coordinates along the joints follow. Masses keep their
// velocities w as far as joints and constraints permit,
//   M v⁺ + CᵀΛ = (∂w/∂v)ᵀ I w⁻.
std::vector<double> velocities_after_change(const Evaluator& evaluator, const State& before,
                                            const State& state);

// v⁺ after impacts that happen together, on quantities with these rates, of q, v and t and linear
// in v, and with these coefficients of restitution; `sides`: on which side of zero the obstacle of
// each is, −1 or 1. Nothing where no motion that the constraints allow satisfies (2).
std::optional<std::vector<double>> velocities_after_impacts(const Evaluator& evaluator,
                                                            const State& state,
                                                            std::span<const Expr> rates,
                                                            std::span<const double> e,
                                                            std::span<const int> sides);

}  // namespace koppel
