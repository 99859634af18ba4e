// The real-time integrators: fixed-cost steps (problem/fixed_cost.hpp), all of one length. Dense
// output is linear, but for forces that steps choose and hold.
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/linear_step.hpp>

namespace koppel {
namespace {

constexpr std::string_view kNotFinite =
    "the step gave a value that is not finite: the motion is unstable at this step, or a matrix is "
    "singular";
constexpr std::string_view kBeyondBounds =
    "a position or velocity has grown beyond all bounds: the motion is unstable at this step";

double largest_of(std::span<const double> y) {
  double out = 0;
  for (const double value : y) out = std::max(out, std::abs(value));
  return out;
}

}  // namespace

double run_fixed_cost(const Segment& segment, Outcome& outcome) {
  const FixedCostOptions options = segment.integrator.fixed_cost(segment.options.projection);
  const auto step = segment.problem.fixed_cost.step(options);
  FixedCostStep::Workspace work = step->make_workspace();
  LinearStep line(outcome.y.size());
  line.y1 = outcome.y;
  outcome.statistics.order = options.order();

  // No mechanism comes here: what does is an instability on its way to infinity.
  constexpr double kFar = 1e12;
  const auto num_state = static_cast<std::size_t>(segment.problem.num_differential());
  const double bound = kFar * std::max(1.0, largest_of(std::span(line.y1).first(num_state)));

  const double t_start = outcome.t;
  const long count = num_equal_steps(t_start, segment.t_end, *segment.options.step);
  const double h = (segment.t_end - t_start) / static_cast<double>(count);
  for (long k = 1; k <= count; ++k) {
    line.t0 = outcome.t;
    line.t1 = k == count ? segment.t_end : t_start + static_cast<double>(k) * h;
    std::copy(line.y1.begin(), line.y1.end(), line.y0.begin());
    const bool is_finite = step->advance(line.t0, h, line.y1, work);
    ++outcome.statistics.evaluations;
    outcome.statistics.factorizations += step->num_factorizations();
    if (!is_finite || largest_of(std::span(line.y1).first(num_state)) > bound) {
      fail(outcome, is_finite ? kBeyondBounds : kNotFinite, kTrySmallerStep);
      return h;
    }
    for (const std::size_t i : step->held()) line.y0[i] = line.y1[i];
    outcome.t = line.t1;
    std::copy(line.y1.begin(), line.y1.end(), outcome.y.begin());
    if (!finish_step(segment, line, outcome)) return h;
  }
  return h;
}

}  // namespace koppel
