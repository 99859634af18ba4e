// The implicit Euler method on F(t, y, ẏ) = 0 of index up to 3:
//   F(t_{n+1}, y_{n+1}, (y_{n+1} − y_n)/h) = 0                                               (1)
// by Newton's method with the Jacobian (1/h) F_ẏ + F_y of every iterate. Order 1, and robust: the
// method damps whatever it does not resolve. Dense output is linear.
//
// Step control compares with the straight line through the last two points, which is as wrong as
// (1), but to the other side:  y_{n+1} − y_n − h ẏ_n ≈ ½ h (h + h_old) ÿ, the error of (1) being
// ½ h² ÿ. With a local error of order 2 the global error is proportional to the square root of the
// tolerance.
//
// In index 3 nothing is projected: (1) holds positions on the constraints, and velocities are
// differences of those, off the tangent by ½ h q̈ in every step alike. Moving them there would leave
// that error to the next difference quotient, ½ q̈, and to the multipliers. Multipliers of index 2
// and 3 are not looked at: their errors do not propagate.
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/implicit_system.hpp>
#include <koppel/integrate/linear_step.hpp>

namespace koppel {
namespace {

constexpr int kMaxEulerIterations = 12;

class ImplicitEuler {
 public:
  ImplicitEuler(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(segment, outcome.statistics),
        n_(system_.size()),
        solver_(segment.problem.residual->pattern()),
        step_(n_),
        rate_(n_),
        new_rate_(n_),
        delta_(n_) {}

  double run();

 private:
  std::string_view take(double h, double t1);
  double error(double h) const;
  double starting_step(bool knows_rates) const;

  const Segment& segment_;
  Outcome& outcome_;
  ImplicitSystem system_;
  std::size_t n_;
  LinearSolver<double> solver_;
  LinearStep step_;
  std::vector<double> rate_, new_rate_, delta_;
  double last_h_ = 0;
};

// Eq. (1), projected: step_.y1 from step_.y0. A reason where there is none.
std::string_view ImplicitEuler::take(double h, double t1) {
  for (std::size_t i = 0; i < n_; ++i) {
    step_.y1[i] = step_.y0[i] + (system_.is_differential(i) ? h * rate_[i] : 0);
  }
  system_.set_step(h);
  const double enough = std::max(1e-3 * segment_.options.tolerance, 1e-14);
  double last = INFINITY;
  for (int iteration = 1;; ++iteration) {
    if (iteration > kMaxEulerIterations) return kNoConvergence;
    ++outcome_.statistics.iterations;
    for (std::size_t i = 0; i < n_; ++i) new_rate_[i] = (step_.y1[i] - step_.y0[i]) / h;
    if (!system_.residual(t1, step_.y1, new_rate_, delta_)) return kNoConvergence;
    if (!system_.jacobian(t1, step_.y1, new_rate_)) return kNoConvergence;
    if (!system_.factor(1 / h, solver_)) return kSingular;
    system_.solve(solver_, std::span(delta_));
    for (std::size_t i = 0; i < n_; ++i) step_.y1[i] -= delta_[i];
    const double norm = system_.norm(delta_, step_.y1);
    if (!std::isfinite(norm)) return kNoConvergence;
    // Increments that no longer shrink, but are tiny, are round-off.
    if (norm <= enough || (norm <= 1e-10 && norm > 0.5 * last)) break;
    last = norm;
  }
  for (std::size_t i = 0; i < n_; ++i) new_rate_[i] = (step_.y1[i] - step_.y0[i]) / h;
  if (segment_.problem.index == 3) return {};
  return system_.project(t1, step_.y1) && all_finite(step_.y1) ? std::string_view{} : kNoProjection;
}

double ImplicitEuler::error(double h) const {
  double largest = 0;
  const double factor = h / (h + last_h_);
  for (std::size_t i = 0; i < n_; ++i) {
    if (!system_.is_differential(i)) continue;
    const double e = factor * h * std::abs(new_rate_[i] - rate_[i]);
    const double size = std::max(std::abs(step_.y1[i]), segment_.options.absolute_scale);
    largest = std::max(largest, (system_.exponent(i) > 0 ? h : 1) * e / size);
  }
  return largest / segment_.options.tolerance;
}

double ImplicitEuler::starting_step(bool knows_rates) const {
  const double length = segment_.t_end - outcome_.t;
  const double rate = system_.relative_rate(outcome_.y, rate_);
  if (!knows_rates || rate == 0) return 1e-6 * length;
  return std::min(0.1 * std::sqrt(segment_.options.tolerance) / rate, 1e-2 * length);
}

double ImplicitEuler::run() {
  outcome_.statistics.order = 1;
  const bool knows_rates = system_.starting_rates(outcome_.t, outcome_.y, rate_);
  const bool is_fixed = segment_.options.step.has_value();
  double h = segment_.h_guess > 0 ? segment_.h_guess : starting_step(knows_rates);
  if (is_fixed) {
    h = (segment_.t_end - outcome_.t) /
        static_cast<double>(num_equal_steps(outcome_.t, segment_.t_end, *segment_.options.step));
  }
  while (outcome_.t < segment_.t_end) {
    NextStep next = next_step(outcome_.t, h, segment_);
    if (is_fixed && !next.is_last) next = {h, outcome_.t + h, false};
    std::copy(outcome_.y.begin(), outcome_.y.end(), step_.y0.begin());
    std::string_view reason = take(next.h, next.t1);
    double growth = 0.25;
    if (reason.empty() && !is_fixed) {
      const double e = error(next.h);
      growth = std::clamp(0.9 / std::sqrt(std::max(e, 1e-10)), 0.2, 3.0);
      if (e > 1) reason = kTooRough;
    }
    if (reason.empty()) {
      step_.t0 = outcome_.t;
      step_.t1 = outcome_.t = next.t1;
      std::copy(step_.y1.begin(), step_.y1.end(), outcome_.y.begin());
      std::swap(rate_, new_rate_);
      last_h_ = next.h;
      if (!is_fixed) h = next.is_last ? std::max(h, next.h * growth) : next.h * growth;
      if (!finish_step(segment_, step_, outcome_)) return h;
      continue;
    }
    ++outcome_.statistics.rejected;
    if (is_fixed) {
      fail(outcome_, reason, kTrySmallerStep);
      return h;
    }
    h = next.h * std::min(growth, 0.9);
    if (h < smallest_step(outcome_.t, segment_.t_end)) {
      fail(outcome_, reason, kAtAnyStep);
      return h;
    }
  }
  return h;
}

}  // namespace

double run_implicit_euler(const Segment& segment, Outcome& outcome) {
  return ImplicitEuler(segment, outcome).run();
}

}  // namespace koppel
