// Outputs of equations as functions of the state, with derivatives: multipliers that occur in them
// are found by the equations of motion. For sources of this folder only.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/study/solved_function.hpp>

namespace koppel {

// The outputs with these names. `rates` are those of the equations (linear_rates.hpp). Throws Error
// `study.unknown-output`.
SolvedFunction make_observed(const Equations& equations, const RightHandSideTerms& rates,
                             const std::vector<std::string>& names);

// Parameters and inputs, what maps are given.
std::vector<double> given_of(const State& state);

}  // namespace koppel
