// The implicit midpoint rule on F(t, y, ẏ) = 0 of index up to 3:
//   F(t + h/2, (y₀ + y₁)/2, (y₁ − y₀)/h) = 0.                                               (1)
// Algebraic variables are values in the middle. Where the index is 2 or 3, equations without rates
// hold at the end of the step instead: constraints are satisfied at nodes [Yang 2017, (3.3)]. Order
// 2; for ODEs symplectic where they are canonical, and exact for quadratic invariants.
//
// Newton's method has the Jacobian of every iterate: by differential variables F_ẏ/h + ½ F_y (F_y
// in rows that hold at the end), by algebraic ones F_y. Index 3 is not projected
// (implicit_euler.cpp).
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/implicit_system.hpp>
#include <koppel/integrate/node_step.hpp>

namespace koppel {
namespace {

constexpr int kMaxMidpointIterations = 25;

class Midpoint {
 public:
  Midpoint(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(segment, outcome.statistics),
        pattern_(segment.problem.residual->pattern()),
        n_(system_.size()),
        solver_(pattern_),
        step_(segment.problem, outcome, true),
        y1_(outcome.y),
        y_(n_),
        rate_(n_),
        delta_(n_),
        at_end_(n_),
        values_(static_cast<std::size_t>(pattern_.num_entries())),
        holds_at_end_(n_, false) {}

  double run();

 private:
  void find_rows_at_end();
  std::string_view take(double t, double h);
  bool residual(double t, double h);
  bool factor(double t, double h);
  void set_middle(double h);

  const Segment& segment_;
  Outcome& outcome_;
  ImplicitSystem system_;
  const Sparsity& pattern_;
  std::size_t n_;
  LinearSolver<double> solver_;
  NodeStep step_;
  std::vector<double> y1_, y_, rate_, delta_, at_end_, values_;
  std::vector<char> holds_at_end_;
  bool any_at_end_ = false;
};

// Those in which no rate occurs.
void Midpoint::find_rows_at_end() {
  if (segment_.problem.index < 2 || !system_.jacobian(outcome_.t, outcome_.y, rate_)) return;
  std::fill(holds_at_end_.begin(), holds_at_end_.end(), true);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (system_.by_rate()[k] != 0) holds_at_end_[static_cast<std::size_t>(pattern_.row[k])] = false;
  }
  any_at_end_ = true;
}

void Midpoint::set_middle(double h) {
  const std::span<const double> y0 = step_.y0();
  for (std::size_t j = 0; j < n_; ++j) {
    const bool moves = system_.is_differential(j);
    y_[j] = moves ? 0.5 * (y0[j] + y1_[j]) : y1_[j];
    rate_[j] = moves ? (y1_[j] - y0[j]) / h : 0;
  }
}

bool Midpoint::residual(double t, double h) {
  set_middle(h);
  if (!system_.residual(t + h / 2, y_, rate_, delta_)) return false;
  if (!any_at_end_) return true;
  if (!system_.residual(t + h, y1_, rate_, at_end_)) return false;
  for (std::size_t i = 0; i < n_; ++i) {
    if (holds_at_end_[i]) delta_[i] = at_end_[i];
  }
  return true;
}

bool Midpoint::factor(double t, double h) {
  const auto fill = [&](bool at_end) {
    for (std::size_t j = 0; j < n_; ++j) {
      const bool moves = system_.is_differential(j);
      const double column = 1 / (system_.exponent(j) == 0   ? 1.0
                                 : system_.exponent(j) == 1 ? h
                                                            : h * h);
      for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if ((holds_at_end_[static_cast<std::size_t>(pattern_.row[at])] != 0) != at_end) continue;
        const double by_y = system_.by_y()[at];
        values_[at] = column * (at_end || !moves ? by_y : 0.5 * by_y + system_.by_rate()[at] / h);
      }
    }
  };
  if (!system_.jacobian(t + h / 2, y_, rate_)) return false;
  fill(false);
  if (any_at_end_) {
    if (!system_.jacobian(t + h, y1_, rate_)) return false;
    fill(true);
  }
  ++outcome_.statistics.factorizations;
  return solver_.factor(values_);
}

std::string_view Midpoint::take(double t, double h) {
  constexpr double kRoundOff = 1e-16, kNearlyRoundOff = 1e-10;
  const std::span<const double> y0 = step_.y0();
  for (std::size_t j = 0; j < n_; ++j) {
    if (system_.is_differential(j)) y1_[j] = y0[j] + h * rate_[j];  // as in the step before
  }
  system_.set_step(h);
  double last = INFINITY;
  for (int iteration = 0; iteration < kMaxMidpointIterations; ++iteration) {
    ++outcome_.statistics.iterations;
    if (!residual(t, h)) return kNoConvergence;
    if (!factor(t, h)) return kSingular;
    system_.solve(solver_, std::span(delta_));
    for (std::size_t j = 0; j < n_; ++j) y1_[j] -= delta_[j];
    const double norm = system_.norm(delta_, y1_), ratio = iteration == 0 ? 1 : norm / last;
    if (!std::isfinite(norm)) return kNoConvergence;
    if (norm <= kRoundOff || (ratio < 0.1 && norm * ratio * ratio <= kRoundOff) ||
        (iteration > 0 && norm <= kNearlyRoundOff && ratio > 0.5)) {
      set_middle(h);
      if (segment_.problem.index == 3) return {};
      return system_.project(t + h, y1_) && all_finite(y1_) ? std::string_view{} : kNoProjection;
    }
    last = norm;
  }
  return kNoConvergence;
}

double Midpoint::run() {
  outcome_.statistics.order = 2;
  const double t_start = outcome_.t;
  const long count = num_equal_steps(t_start, segment_.t_end, *segment_.options.step);
  const double h = (segment_.t_end - t_start) / static_cast<double>(count);
  system_.starting_rates(outcome_.t, outcome_.y, rate_);
  find_rows_at_end();
  y1_ = outcome_.y;
  for (long k = 1; k <= count; ++k) {
    const double t1 = k == count ? segment_.t_end : t_start + static_cast<double>(k) * h;
    step_.begin(outcome_.t);
    if (const std::string_view reason = take(outcome_.t, h); !reason.empty()) {
      fail(outcome_, reason, kTrySmallerStep);
      return h;
    }
    step_.end(t1, y1_);
    outcome_.t = t1;
    std::copy(y1_.begin(), y1_.end(), outcome_.y.begin());
    if (k == count) step_.finish(outcome_.y);
    if (!finish_step(segment_, step_, outcome_)) {
      step_.finish(outcome_.y);
      return h;
    }
  }
  return h;
}

}  // namespace

double run_midpoint(const Segment& segment, Outcome& outcome) {
  return Midpoint(segment, outcome).run();
}

}  // namespace koppel
