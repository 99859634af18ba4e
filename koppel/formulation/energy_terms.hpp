// The terms of the balance of energy (problem/energy_balance.hpp).
#pragma once

#include <span>

#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/energy_balance.hpp>

namespace koppel {

// `kept` are the rows of [g; a] whose multipliers y has. `near` is a state in whose surroundings
// the terms are compared, with the values of parameters and inputs.
EnergyTerms make_energy_terms(const Equations& equations, std::span<const int> kept,
                              const State& near);

}  // namespace koppel
