// The real-time integrators: fixed-cost steps (problem/fixed_cost.hpp), all of one length. Dense
// output is linear, but for forces that steps choose and hold. Events are where a shorter step of
// the same kind ends: as accurate as steps are, and on the constraints as they are.
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/clocked_steps.hpp>
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

// With the step that it was taken by.
class Line : public LinearStep {
 public:
  Line(const Problem& problem, const FixedCostStep& step, FixedCostStep::Workspace& work)
      : LinearStep(static_cast<std::size_t>(problem.size())),
        start(y0),
        num_state_(static_cast<std::size_t>(problem.num_differential())),
        step_(step),
        work_(work) {}

  // Reactions are those of the line: a short step has round-off over its length in them.
  bool shorten(double t, std::span<double> y) const override {
    if (!(t0 < t && t < t1) || t - t0 < kShortestStep * (t1 - t0)) return false;
    std::vector<double>& shorter = shorter_;
    shorter = start;
    if (!step_.advance(t0, t - t0, shorter, work_)) return false;
    evaluate(t, y);
    std::copy_n(shorter.begin(), num_state_, y.begin());
    return true;
  }

  std::vector<double> start;  // as the step has it: what is held has its old value

 private:
  std::size_t num_state_;
  const FixedCostStep& step_;
  FixedCostStep::Workspace& work_;
  mutable std::vector<double> shorter_;
};

}  // namespace

double run_fixed_cost(const Segment& segment, Outcome& outcome) {
  const FixedCostOptions options = segment.integrator.fixed_cost(segment.options.projection);
  const auto step = segment.problem.fixed_cost.step(options);
  FixedCostStep::Workspace work = step->make_workspace();
  Line line(segment.problem, *step, work);
  line.y1 = outcome.y;
  outcome.statistics.order = options.order();

  // No mechanism comes here: what does is an instability on its way to infinity.
  constexpr double kFar = 1e12;
  const auto num_state = static_cast<std::size_t>(segment.problem.num_differential());
  const double bound = kFar * std::max(1.0, largest_of(std::span(line.y1).first(num_state)));

  const ClockedSteps steps(outcome.t, segment.tick, segment.t_end, *segment.options.step);
  const double h = steps.h();
  for (long k = 1; k <= steps.count(); ++k) {
    line.t0 = outcome.t;
    line.t1 = steps.end(k);
    std::copy(line.y1.begin(), line.y1.end(), line.y0.begin());
    line.start = line.y0;
    const bool is_finite = steps.length(k) < kShortestStep * *segment.options.step ||
                           step->advance(line.t0, steps.length(k), line.y1, work);
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
