// Velocities after an impulse that is consistent with the constraints.
//
// With impulses P on the motions J (rates ṡ = J v + s_t of some quantities) and impulses Λ of the
// constraints C = [G; a], which hold before and after,
//   M (v⁺ − v⁻) + Cᵀ Λ = Jᵀ P,     C (v⁺ − v⁻) = 0.                                       (1)
// Either P is given, or what becomes of ṡ: J (v⁺ − v⁻) = Δṡ, as in an impact, where the one rate ṡ
// becomes −e ṡ (Newton's law of restitution): Δṡ = −(1 + e) ṡ.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/analysis/evaluator.hpp>

namespace koppel {

// v⁺ for given P on the quantities with these rates.
std::vector<double> velocities_after_impulse(const Evaluator& evaluator, const State& state,
                                             std::span<const Expr> rates,
                                             std::span<const double> P);

// v⁺ after an impact: `rate`, of q, v and t and linear in v, becomes −e times what it was. Nothing
// where no motion that the constraints allow has that rate.
std::optional<std::vector<double>> velocities_after_impact(const Evaluator& evaluator,
                                                           const State& state, Expr rate, double e);

}  // namespace koppel
