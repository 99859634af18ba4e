// Outputs of equations as functions of the state, with derivatives: multipliers that occur in them
// are found by the equations of motion. For sources of this folder only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/study/solved_function.hpp>

namespace koppel {

// Those with these names, which are there.
std::vector<Expr> named_outputs(const Equations& equations, std::span<const std::string> names);

// The outputs with these names. `rates` are those of the equations (linear_rates.hpp). Throws Error
// `study.unknown-output`.
SolvedFunction make_observed(const Equations& equations, const RightHandSideTerms& rates,
                             const std::vector<std::string>& names);

// The multipliers of the rows that the equations have.
SolvedFunction make_reactions(const Equations& equations, const RightHandSideTerms& rates);

// What outputs change by with the time alone at a state, seen from before (−1) or after (+1) that
// time, where laws may switch. By differences of order 6.
std::vector<double> drift_of(const SolvedFunction& observed, double t, int side,
                             std::span<const double> y, std::span<const double> given);

// Their rates along the motion, ȯ = o_y ẏ + o_t, likewise.
std::vector<double> output_rates(const SolvedFunction& observed, double t, int side,
                                 std::span<const double> y, std::span<const double> y_rate,
                                 std::span<const double> given);

// Parameters and inputs, what maps are given.
std::vector<double> given_of(const State& state);

// (q, v, x) of a state one after the other, and back; what follows them in y is left.
std::vector<double> motion_of(const State& state);
void put_motion(std::span<const double> y, State& state);

}  // namespace koppel
