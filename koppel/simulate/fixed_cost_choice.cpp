#include <koppel/simulate/fixed_cost_choice.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/analysis/linearize.hpp>
#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

// The eigenvalues of more velocities would take longer than they help.
constexpr std::size_t kMaxSize = 150;

// The largest |s|, in 1/s.
double fastest_motion(const Evaluator& evaluator, const State& start) {
  double out = 0;
  if (evaluator.equations.num_v() > kMaxSize) return out;
  for (const Mode& mode : find_modes(linearize(evaluator, start))) {
    out = std::max(out, std::abs(mode.eigenvalue));
  }
  return out;
}

}  // namespace

std::string or_fixed_cost(const std::string& integrator) {
  return integrator.empty() || integrator == "auto" ? std::string(kFixedCost) : integrator;
}

FixedCostChoice choose_fixed_cost(const Evaluator& evaluator, const State& start,
                                  std::optional<double> step, const std::string& formulation) {
  if (!step) {
    throw Error("simulate.wrong-step", "steps of fixed cost are asked for, and no step is given.",
                "Give a step, such as --step 1e-3.");
  }
  const bool is_open = formulation.empty() || formulation == "auto" || formulation == "minimal";
  if (!is_open && formulation != "ggl" && formulation != "index1") {
    return {"linear-implicit", fmt::format("formulation {} is asked for", formulation)};
  }
  const double fastest = fastest_motion(evaluator, start);
  const bool is_stiff = fastest * *step > 1;
  const std::string speed =
      is_stiff ? fmt::format("some motion is faster than the step: {:.2g}/s", fastest)
               : std::string("no motion is faster than the step");
  if (formulation == "index1") return {"rosenbrock", "formulation index1 is asked for"};
  if (!is_stiff) return {"rattle", speed};
  return {formulation == "ggl" ? "linear-implicit" : "rosenbrock", speed};
}

}  // namespace koppel
