// The formulations that compute rates by a reduction (reduction.hpp): explicit, partition, qr,
// svd. For sources of this folder only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <koppel/formulation/formulation.hpp>

namespace koppel {

// Throws Error `formulation.singular-mass` where `explicit` would have to invert a singular matrix
// at the state.
void check_mass(const Equations& equations, const State& state);

// Which of v are independent, by the names of their coordinates or their own; empty where the
// choice is free. Throws Error `formulation.unknown-coordinate`, `formulation.wrong-number`.
std::vector<int> find_independent(const Equations& equations,
                                  const std::vector<std::string>& names);

RightHandSide make_reduced_rhs(const Equations& equations, const Given& given,
                               const FormulationInfo& formulation,
                               const std::vector<int>& independent,
                               const FormulationOptions& options);

}  // namespace koppel
