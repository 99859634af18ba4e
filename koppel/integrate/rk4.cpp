// The classical Runge–Kutta method of order 4, with equal steps, and cubic Hermite interpolation,
// whose error is of the same order. Projection moves the end of a step onto the constraints before
// the rates there are taken, so that both the interpolation and the next step start from it.
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/explicit_system.hpp>
#include <koppel/integrate/hermite.hpp>

namespace koppel {
namespace {

class HermiteStep : public Step {
 public:
  explicit HermiteStep(ExplicitSystem& system, std::size_t size)
      : Step(0, 0),
        y0(size),
        y1(size),
        rate0(system.size()),
        rate1(system.size()),
        system_(system) {}

  void evaluate(double t, std::span<double> y) const override {
    evaluate_states(t, y);
    if (t != t0 && t != t1) system_.solve_multipliers(t, y);
  }
  void evaluate_some(double t, std::span<const int> places, std::span<double> y) const override {
    system_.are_states(places) ? evaluate_states(t, y) : evaluate(t, y);
  }
  void evaluate_states(double t, std::span<double> y) const {
    if (t == t0 || t == t1) {
      const std::vector<double>& end = t == t0 ? y0 : y1;
      std::copy(end.begin(), end.end(), y.begin());
      return;
    }
    const double h = t1 - t0, x = (t - t0) / h;
    hermite(x, h, y0, y1, rate0, rate1, y.first(rate0.size()));
    std::copy(y1.begin() + static_cast<std::ptrdiff_t>(rate0.size()), y1.end(),
              y.begin() + static_cast<std::ptrdiff_t>(rate0.size()));
  }

  std::vector<double> y0, y1, rate0, rate1;

 private:
  ExplicitSystem& system_;
};

}  // namespace

double run_rk4(const Segment& segment, Outcome& outcome) {
  ExplicitSystem system(segment, outcome.statistics);
  const std::size_t n = system.size();
  outcome.statistics.order = 4;
  HermiteStep step(system, outcome.y.size());
  std::vector<double> k2(n), k3(n), k4(n), stage(n);

  const double t_start = outcome.t;
  const long count = num_equal_steps(t_start, segment.t_end, *segment.options.step);
  const double h = (segment.t_end - t_start) / static_cast<double>(count);
  const auto point = [&](double factor, const std::vector<double>& k) -> std::span<const double> {
    for (std::size_t i = 0; i < n; ++i) stage[i] = step.y0[i] + factor * k[i];
    return stage;
  };

  if (!system.rate(outcome.t, outcome.y, step.rate1)) {
    fail(outcome, kNoRates);
    return h;
  }
  system.multipliers(outcome.y);
  step.y1 = outcome.y;
  for (long k = 1; k <= count; ++k) {
    const double t = outcome.t;
    const double t1 = k == count ? segment.t_end : t_start + static_cast<double>(k) * h;
    std::swap(step.y0, step.y1);
    std::swap(step.rate0, step.rate1);
    bool ok = system.rate(t + h / 2, point(h / 2, step.rate0), k2) &&
              system.rate(t + h / 2, point(h / 2, k2), k3) && system.rate(t1, point(h, k3), k4);
    if (ok) {
      for (std::size_t i = 0; i < n; ++i) {
        step.y1[i] = step.y0[i] + h / 6 * (step.rate0[i] + 2 * (k2[i] + k3[i]) + k4[i]);
      }
      if (!system.project(t1, step.y1)) {
        fail(outcome, kNoProjection);
        return h;
      }
      ok = system.rate(t1, step.y1, step.rate1) && all_finite(std::span(step.y1).first(n));
    }
    if (!ok) {
      fail(outcome, kNoRates);
      return h;
    }
    system.multipliers(step.y1);
    step.t0 = t;
    step.t1 = outcome.t = t1;
    std::copy(step.y1.begin(), step.y1.end(), outcome.y.begin());
    if (!finish_step(segment, step, outcome)) return h;
  }
  return h;
}

}  // namespace koppel
