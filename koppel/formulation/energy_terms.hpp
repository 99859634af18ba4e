// The terms of the balance of energy (problem/energy_balance.hpp).
#pragma once

#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/energy_balance.hpp>

namespace koppel {

// `near` is a state in whose surroundings the terms are compared, with the values of parameters and
// inputs.
EnergyTerms make_energy_terms(const Equations& equations, const State& near);

}  // namespace koppel
