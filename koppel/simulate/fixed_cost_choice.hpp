// Which integrator takes steps of fixed cost, where the user leaves it open: `fixed-cost` in the
// place of its name.
//
//   formulation                what moves                     integrator
//   open, ggl, minimal         nothing faster than the step   rattle       order 2, keeps energy
//   open, index1, minimal      stiff at the step              rosenbrock   order 2, L-stable
//   any other                  anything                       linear-implicit
//
// Stiff at the step: an eigenvalue s of the motion, linearised at the start, with |s| h > 1. Rattle
// is stable up to |Im s| h = 2 (rattle_step.hpp); beyond 1 a swing has less than six steps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <koppel/analysis/evaluator.hpp>

namespace koppel {

inline constexpr std::string_view kFixedCost = "fixed-cost";

// `fixed-cost` where the integrator is open, empty or "auto".
std::string or_fixed_cost(const std::string& integrator);

struct FixedCostChoice {
  std::string integrator;
  std::string reason;  // in a line
};

// `formulation` is empty or "auto" where it is open. Throws Error `simulate.wrong-step` without
// step.
FixedCostChoice choose_fixed_cost(const Evaluator& evaluator, const State& start,
                                  std::optional<double> step, const std::string& formulation);

}  // namespace koppel
