#include <koppel/simulate/skipped_laws.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/equations/switch_events.hpp>
#include <koppel/simulate/problem_state.hpp>

namespace koppel {
namespace {

double size_of(const std::vector<double>& f) {
  double largest = 0;
  for (const double x : f) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

SkippedLaws::SkippedLaws(const Evaluator& evaluator, const State& start,
                         const IntegratorInfo& integrator)
    : evaluator_(evaluator), state_(start), integrator_(integrator) {
  for (const Expr argument : switch_functions(evaluator.equations)) {
    names_.push_back(name_of_switch(argument));
  }
}

std::vector<double> SkippedLaws::forces_at(const Problem& problem, double t,
                                           std::span<const double> y) {
  take_motion(problem, t, y, state_);
  std::vector<double> all = evaluator_.f(state_);
  const std::vector<double> more = evaluator_.r(state_);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// On the dense output, and on the line between the ends: explicit methods take further stages for
// their dense output, which may fall where the law holds and then lead anywhere.
double SkippedLaws::largest_difference(const Step& step, const Problem& problem, double about) {
  constexpr int kHalvings = 12;
  std::vector<double> y0(y_.size()), y1(y_.size());
  step.evaluate(step.t0, y0);
  step.evaluate(step.t1, y1);
  const std::vector<double> f0 = forces_at(problem, step.t0, y0),
                            f1 = forces_at(problem, step.t1, y1);
  largest_ = std::max({largest_, size_of(f0), size_of(f1)});
  const double h = step.t1 - step.t0;
  double difference = 0;
  const auto compare_at = [&](double t) {
    const std::vector<double> f = forces_at(problem, t, y_);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double told = f0[i] + (f1[i] - f0[i]) * (t - step.t0) / h;
      difference = std::max(difference, std::abs(f[i] - told));
    }
    largest_ = std::max(largest_, size_of(f));
  };
  const auto look_at = [&](double t) {
    if (!(t > step.t0 && t < step.t1)) return;
    step.evaluate(t, y_);
    compare_at(t);
    const double part = (t - step.t0) / h;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = y0[i] + part * (y1[i] - y0[i]);
    compare_at(t);
  };
  look_at(about);
  for (int k = 1; k <= kHalvings; ++k) {
    look_at(about - std::ldexp(h, -k));
    look_at(about + std::ldexp(h, -k));
  }
  return difference;
}

void SkippedLaws::note(const Step& step, const Problem& problem, std::span<const double> p) {
  constexpr double kCounts = 1e-3;
  if (names_.empty() || !problem.switches) return;
  if (of_ != &*problem.switches) {
    of_ = &*problem.switches;
    // Between the ends of fixed-cost steps is a line.
    const bool is_line = integrator_.form == IntegratorInfo::Form::FixedCost;
    excursions_.emplace(problem, is_line ? 2 : 8, integrator_.is_explicit && !is_line);
    y_.resize(static_cast<std::size_t>(problem.size()));
  }
  const auto found = excursions_->look(step);
  if (!found || found->which >= names_.size()) return;  // others are smooth
  state_.p.assign(p.begin(), p.end());
  const double difference = largest_difference(step, problem, found->t);
  if (!(difference > kCounts * largest_)) return;
  if (count_++ == 0) {
    first_ = found->t;
    name_ = names_[found->which];
  }
  worst_ = std::max(worst_, difference / largest_);
}

std::optional<Health::Reason> SkippedLaws::found() const {
  if (count_ == 0) return {};
  return Health::Reason{
      Health::What::Switch, first_, worst_, 0,
      fmt::format("{} over '{}' = 0 and back, first at t = {:.6g} s: what holds there is not felt. "
                  "Take a shorter step, or give a tolerance in place of the step.",
                  count_ == 1 ? "a step leads" : fmt::format("{} steps lead", count_), name_,
                  first_)};
}

}  // namespace koppel
