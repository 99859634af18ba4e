#include <koppel/simulate/stiffness.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <koppel/analysis/motion/decay_bound.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

// Stiff: what is fastest among motions that fade is far beyond all oscillations that last, and the
// run long enough to feel it.
constexpr double kRatio = 300, kFelt = 1e4;
// An oscillation fades where it decays by so many powers of e within the run: an implicit
// integrator that has to follow it until it is gone is still faster than an explicit one, which is
// bound by it to the end.
constexpr double kFades = 1e3;
// The eigenvalues of more velocities would take longer than they help.
constexpr std::size_t kMaxSize = 150;

// Slower than this, motion is none within the run.
double slowest(double end) { return 10 / std::max(end, 1e-12); }

}  // namespace

bool has_damping(const Model& model) {
  if (!model.first_order.empty() || !model.dissipation.is_constant(0)) return true;
  std::vector<Expr> rates, efforts;
  for (const Quantity& quantity : model.quantities) rates.push_back(quantity.rate);
  for (const Force& force : model.forces) {
    for (const Action& action : force.actions) efforts.push_back(action.effort);
  }
  return depends_on(efforts, rates);
}

Stiffness find_stiffness(const Model& model, const Evaluator& evaluator, const State& start,
                         double end) {
  Stiffness out;
  if (!has_damping(model) || evaluator.equations->num_v() > kMaxSize) return out;
  const auto is_fast = [&](double rate, double oscillation) {
    return rate > kRatio * oscillation && rate * end > kFelt;
  };
  if (model.first_order.empty()) {
    const std::optional<double> bound = decay_bound(evaluator, start);
    out.fastest_decay = bound.value_or(0);
    if (bound && *bound * end < kFades) return out;
  }
  double oscillation = slowest(end);
  out.fastest_decay = 0;
  double fastest = 0;
  for (const Mode& mode : find_modes(linearize(evaluator, start))) {
    const double decay = -mode.eigenvalue.real();
    out.fastest_decay = std::max(out.fastest_decay, decay);
    if (decay * end > kFades) {
      fastest = std::max(fastest, std::abs(mode.eigenvalue));
    } else {
      oscillation = std::max(oscillation, std::abs(mode.eigenvalue.imag()));
    }
  }
  out.is_stiff = is_fast(fastest, oscillation);
  return out;
}

}  // namespace koppel
