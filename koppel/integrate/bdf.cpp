// Backward differentiation formulas of order k = 2 … 5 with a fixed step on F(t, y, ẏ) = 0:
//   F(t_n, y_n, ẏ_n) = 0,     h ẏ_n = Σ_{j=0}^{k} α_j y_{n−j},                              (1)
// where the right-hand side is the derivative at t_n of the polynomial through the last k + 1
// values. With constant steps the formulas converge with their order on semi-explicit DAEs up to
// index 3 [Brenan, Campbell & Petzold 1996, section 3.2]. The first k − 1 values are made by Radau
// IIA of order 5 with the same step. Dense output is that polynomial.
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/implicit_system.hpp>

namespace koppel {
namespace {

constexpr int kMaxBdfIterations = 12;

// α_0 … α_k.
std::vector<double> differentiation(int k) {
  // h d/dt at t_n of the interpolating polynomial: Σ_{m=1}^{k} ∇ᵐ y_n / m.
  std::vector<double> alpha(static_cast<std::size_t>(k) + 1, 0.0);
  for (int m = 1; m <= k; ++m) {
    double binomial = 1;
    for (int j = 0; j <= m; ++j) {
      alpha[static_cast<std::size_t>(j)] += (j % 2 == 0 ? binomial : -binomial) / m;
      binomial = binomial * (m - j) / (j + 1);
    }
  }
  return alpha;
}

// The last values, newest first, at equal distances.
class PolynomialStep : public Step {
 public:
  PolynomialStep(std::span<const std::vector<double>> values, double from, double to, double h)
      : Step(from, to), values_(values), h_(h) {}
  void evaluate(double t, std::span<double> y) const override {
    if (t == t1 || t == t0) {
      std::copy(values_[t == t1 ? 0 : 1].begin(), values_[t == t1 ? 0 : 1].end(), y.begin());
      return;
    }
    std::fill(y.begin(), y.end(), 0.0);
    const double x = (t - t1) / h_;  // values are at 0, −1, −2, …
    for (std::size_t i = 0; i < values_.size(); ++i) {
      double weight = 1;
      for (std::size_t j = 0; j < values_.size(); ++j) {
        if (j != i) weight *= (x + static_cast<double>(j)) / (double(j) - double(i));
      }
      for (std::size_t n = 0; n < y.size(); ++n) y[n] += weight * values_[i][n];
    }
  }

 private:
  std::span<const std::vector<double>> values_;
  double h_;
};

class Bdf {
 public:
  Bdf(const Segment& segment, Outcome& outcome, int order)
      : segment_(segment),
        outcome_(outcome),
        order_(order),
        alpha_(differentiation(order)),
        system_(segment, outcome.statistics),
        n_(system_.size()),
        solver_(segment.problem.residual->pattern()),
        rate_(n_),
        delta_(n_),
        history_rate_(n_),
        values_(static_cast<std::size_t>(order) + 1, std::vector<double>(n_)) {}

  double run() {
    const double start = outcome_.t;
    const long count = num_equal_steps(start, segment_.t_end, *segment_.options.step);
    const double h = (segment_.t_end - start) / static_cast<double>(count);
    const long first = std::min<long>(count, order_ - 1);
    values_[0] = outcome_.y;
    num_values_ = 1;
    const bool has_first = make_first_values(first, start, h, first == count);
    outcome_.statistics.order = order_;  // not that of the steps to the first values
    if (!has_first) return h;
    for (long i = first; i < count; ++i) {
      const double t1 = i + 1 == count ? segment_.t_end : start + static_cast<double>(i + 1) * h;
      const std::string_view reason = take(h, t1);
      if (!reason.empty()) {
        fail(outcome_, reason, kTrySmallerStep);
        return h;
      }
      const double t0 = outcome_.t;
      outcome_.t = t1;
      std::copy(values_[0].begin(), values_[0].end(), outcome_.y.begin());
      const auto known = std::span(values_).first(num_values_);
      if (!finish_step(segment_, PolynomialStep(known, t0, t1, h), outcome_)) return h;
    }
    return h;
  }

 private:
  bool make_first_values(long count, double start, double h, bool is_all) {
    if (count == 0) return true;
    IntegrateOptions options = segment_.options;
    options.step = h;
    const Observer observer = [&](const Step& step) {
      step.evaluate(step.t1, values_.back());
      keep_last();
      return segment_.observer(step);
    };
    const double end = is_all ? segment_.t_end : start + static_cast<double>(count) * h;
    run_radau5({segment_.problem, options, segment_.integrator, observer, end, h}, outcome_);
    return outcome_.status == Outcome::Status::Done && may_go_on(segment_, outcome_);
  }

  // The last place, where the newest value was made, becomes the first.
  void keep_last() {
    std::rotate(values_.begin(), values_.end() - 1, values_.end());
    num_values_ = std::min(num_values_ + 1, values_.size());
  }

  // Eq. (1): puts the new value in front. A reason where there is none.
  std::string_view take(double h, double t1) {
    std::fill(history_rate_.begin(), history_rate_.end(), 0.0);
    for (std::size_t j = 1; j < alpha_.size(); ++j) {
      for (std::size_t i = 0; i < n_; ++i) history_rate_[i] += alpha_[j] * values_[j - 1][i] / h;
    }
    std::vector<double>& y = values_.back();  // not among those that (1) needs
    extrapolate(y);
    system_.set_step(h);
    const double c = alpha_[0] / h, enough = std::max(1e-3 * segment_.options.tolerance, 1e-14);
    double last = INFINITY;
    for (int iteration = 1;; ++iteration) {
      if (iteration > kMaxBdfIterations) return kNoConvergence;
      ++outcome_.statistics.iterations;
      for (std::size_t i = 0; i < n_; ++i) rate_[i] = c * y[i] + history_rate_[i];
      if (!system_.residual(t1, y, rate_, delta_)) return kNoConvergence;
      if (!system_.jacobian(t1, y, rate_)) return kNoConvergence;
      if (!system_.factor(c, solver_)) return kSingular;
      system_.solve(solver_, std::span(delta_));
      for (std::size_t i = 0; i < n_; ++i) y[i] -= delta_[i];
      const double norm = system_.norm(delta_, y);
      if (!std::isfinite(norm)) return kNoConvergence;
      // Increments that no longer shrink, but are tiny, are round-off.
      if (norm <= enough || (norm <= 1e-10 && norm > 0.5 * last)) break;
      last = norm;
    }
    // As in implicit_euler.cpp: in index 3 the values are on the constraints already.
    if (segment_.problem.index != 3 && !(system_.project(t1, y) && all_finite(y))) {
      return kNoProjection;
    }
    keep_last();
    return {};
  }

  // The polynomial through the last values, a step further.
  void extrapolate(std::vector<double>& y) const {
    std::fill(y.begin(), y.end(), 0.0);
    double weight = order_;  // (−1)ʲ C(k, j + 1)
    for (int j = 0; j < order_; ++j) {
      const auto& value = values_[static_cast<std::size_t>(j)];
      for (std::size_t i = 0; i < n_; ++i) y[i] += weight * value[i];
      weight = -weight * (order_ - j - 1) / (j + 2);
    }
  }

  const Segment& segment_;
  Outcome& outcome_;
  int order_;
  std::vector<double> alpha_;
  ImplicitSystem system_;
  std::size_t n_;
  LinearSolver<double> solver_;
  std::vector<double> rate_, delta_, history_rate_;
  std::vector<std::vector<double>> values_;  // newest first; the last place is to make the next in
  std::size_t num_values_ = 0;
};

}  // namespace

double run_bdf2(const Segment& segment, Outcome& outcome) { return Bdf(segment, outcome, 2).run(); }
double run_bdf3(const Segment& segment, Outcome& outcome) { return Bdf(segment, outcome, 3).run(); }
double run_bdf4(const Segment& segment, Outcome& outcome) { return Bdf(segment, outcome, 4).run(); }
double run_bdf5(const Segment& segment, Outcome& outcome) { return Bdf(segment, outcome, 5).run(); }

}  // namespace koppel
