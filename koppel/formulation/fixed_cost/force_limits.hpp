// Forces of several trackings together, within the limits of each.
//
// What is wanted, μ*, has the effect E μ* on what is followed; E is symmetric and positive
// semi-definite but for what stiff forces add. The forces μ that are taken should miss it as little
// as possible in the norm of the masses, whatever is limited:
//
//   min ½ (μ − μ*)ᵀ E (μ − μ*)   with   |μ_t| ≤ F_t for every tracking t. (1)
//
// So each tracking has what it wants, or its force is at its limit; the others then make up for
// what it lacks as far as they are tied to it. The problem is convex and small, and is solved by a
// fixed number of operations. First trackings whose forces are too large are put to their limits,
// and E_uu (μ_u − μ*_u) = E_ul (μ*_l − μ_l) is solved for the rest, one time less than there are
// trackings: that settles who is at the limit. Then come sweeps of the projected Gauss-Seidel
// method, which lead nearer to (1) where one is there wrongly: μ_t ← shortened(μ_t − E_tt⁻¹ [E (μ −
// μ*)]_t).
//
// To shorten a force of several components is (1) for one tracking: in the eigenbasis of E_tt
//
//   μ_i = e_i μ*_i/(e_i + κ)   with κ ≥ 0 such that |μ| = F.                                 (2)
//
// Forces that move nothing give way to those that do. (Shortened along itself, a force near a dead
// point would be spent on the direction that is blocked.) κ is found by four of Newton's steps for
// 1/|μ| = 1/F, which is nearly linear in κ [Moré & Sorensen 1983]: 1e-9 of the limit are left, and
// then taken.
#pragma once

#include <vector>

#include <koppel/formulation/fixed_cost/eigenbasis.hpp>

namespace koppel {

// Components `first` to `first + size − 1` of the forces.
struct LimitedForce {
  std::size_t first, size;
  Expr limit;             // 0, as a constant: none
  Expr mobility;          // the size of its diagonal of E, not zero where joints block
  Eigenbasis basis = {};  // of E_tt; none where it has one component
};

// E by columns.
std::vector<Expr> limit_forces(const std::vector<std::vector<Expr>>& E,
                               const std::vector<Expr>& wanted,
                               const std::vector<LimitedForce>& forces);

}  // namespace koppel
