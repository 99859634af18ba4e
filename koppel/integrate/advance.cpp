#include <koppel/integrate/advance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/stop.hpp>

namespace koppel {

double error_norm(std::span<const double> e, std::span<const double> a, std::span<const double> b,
                  double scale) {
  double norm = 0;
  bool finite = true;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double ratio = std::abs(e[i]) / std::max({std::abs(a[i]), std::abs(b[i]), scale});
    norm = std::max(norm, ratio);
    finite = finite && std::isfinite(ratio) && std::isfinite(b[i]);
  }
  return finite ? norm : std::numeric_limits<double>::infinity();
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

double smallest_step(double t, double t_end) {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t_end));
}

NextStep next_step(double t, double h, const Segment& segment) {
  check_stop();  // attempts may be many where no step is accepted
  const double rest = segment.t_end - t;
  if (segment.options.max_step > 0) h = std::min(h, segment.options.max_step);
  if (h >= 0.99 * rest) return {rest, segment.t_end, true};
  if (2 * h > rest) h = rest / 2;
  return {h, t + h, false};
}

long num_equal_steps(double t, double t_end, double h) {
  const double count = std::ceil((t_end - t) / h * (1 - 1e-10));
  return std::max(1L, std::lround(std::min(count, 1e18)));
}

bool finish_step(const Segment& segment, const Step& step, Outcome& outcome) {
  ++outcome.statistics.steps;
  if (!segment.observer(step)) {
    outcome.status = Outcome::Status::Stopped;
    return false;
  }
  return may_go_on(segment, outcome);
}

bool may_go_on(const Segment& segment, Outcome& outcome) {
  if (outcome.statistics.steps >= segment.options.max_steps && outcome.t < segment.t_end) {
    fail(outcome, fmt::format("the limit of {} steps is reached", segment.options.max_steps));
    return false;
  }
  return true;
}

void fail(Outcome& outcome, std::string_view why, std::string_view addition) {
  outcome.status = Outcome::Status::Failed;
  outcome.text = fmt::format("{}{}", why, addition);
  outcome.is_singular = why == kNoRates || why == kNoProjection || why == kSingular;
}

}  // namespace koppel
