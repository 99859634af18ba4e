// Steps of fixed cost by rule: euler_step.hpp, rosenbrock_step.hpp, rattle_step.hpp.
#pragma once

#include <string>

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/problem/fixed_cost.hpp>

namespace koppel {

FixedCostTerms make_fixed_cost_terms(const Descriptor& descriptor, const FixedCostOptions& options);

}  // namespace koppel
