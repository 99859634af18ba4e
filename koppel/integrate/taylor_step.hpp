// A step of a Taylor series: its polynomials (taylor.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <koppel/integrate/expanded_step.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/integrate/passage.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

// The unknowns between two consistent points, as seen by the observer.
class TaylorStep : public Step, public PassingStep, public ExpandedStep {
 public:
  // `projector`: where round-off was taken back at the end, the constraints are satisfied in
  // between as well; else null. `between`: where the polynomials do not reach the multipliers at
  // the end, finds them from the motion at every time after t + `reach`; else null. `missed` is a
  // workspace.
  TaylorStep(const Problem& problem, const SeriesSolver& from, double t, double h,
             std::span<const double> y_end, std::span<double> missed,
             Projector::Workspace* projector, SeriesSolver* between = nullptr, double reach = 0,
             const SingularPassage* passage = nullptr)
      : Step(t, t + h),
        problem_(problem),
        places_(problem.series->terms().y),
        from_(from),
        h_(h),
        y_end_(y_end),
        missed_(missed),
        projector_(projector),
        between_(between),
        reach_(reach),
        passage_(passage) {}

  void evaluate(double t, std::span<double> y) const override {
    if (t == t1) {
      std::copy(y_end_.begin(), y_end_.end(), y.begin());
      return;
    }
    // The end was moved onto the constraints; what that is apart from the polynomial is spread over
    // the step with the power of the first term that the polynomial lacks, round-off with that of
    // the last one it has.
    const int power = from_.followed() + (projector_ == nullptr ? 3 : 2);
    const double s = t - t0, theta = std::pow(s / h_, power);
    from_.evaluate(places_, s, y);
    if (theta > 1e-30) {
      if (!knows_missed_) find_missed();
      for (std::size_t i = 0; i < places_.size(); ++i) y[i] += theta * missed_[i];
    }
    if (projector_ != nullptr) project(t, y);
    if (is_beyond_reach(t)) solve(t, y);
  }
  // The polynomials alone: what the end was moved by is within the tolerance.
  void evaluate_some(double t, std::span<const int> places, std::span<double> y) const override {
    if (projector_ != nullptr || is_beyond_reach(t)) return evaluate(t, y);
    for (const int i : places) {
      y[static_cast<std::size_t>(i)] = value(static_cast<std::size_t>(i), t - t0);
    }
  }
  const SingularPassage* passage() const override { return passage_; }
  const SeriesSolver* expansion() const override {
    return from_.followed() == from_.last_stage() ? &from_ : nullptr;
  }
  int order() const override { return from_.followed() + 2; }

 private:
  bool is_beyond_reach(double t) const { return between_ != nullptr && t - t0 > reach_; }

  void find_missed() const {
    from_.evaluate(places_, h_, missed_);
    for (std::size_t i = 0; i < places_.size(); ++i) missed_[i] = y_end_[i] - missed_[i];
    knows_missed_ = true;
  }

  // A small move only: in the singular configuration itself there is no nearest point.
  void project(double t, std::span<double> y) const {
    constexpr double kSmall = 1e-4;
    std::vector<double> moved(y.begin(), y.end());
    const std::span<double> to = moved;
    problem_.projector->project(t, problem_.q(to), problem_.v(to), Projection::Once, *projector_);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (!(std::abs(moved[i] - y[i]) <= kSmall * std::max(1.0, std::abs(y[i])))) return;
    }
    std::copy(moved.begin(), moved.end(), y.begin());
  }

  // What follows from the motion, at t.
  void solve(double t, std::span<double> y) const {
    between_->set_time(t);
    from_.follow(t - t0, *between_);
    if (between_->make_consistent() != SeriesSolver::Status::Ok) return;
    int last = 0;
    for (const auto [unknown, order] : places_) {
      last = std::max(last, order - from_.offset(unknown));
    }
    if (between_->expand(last) != SeriesSolver::Status::Ok) return;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto [unknown, order] = places_[i];
      if (order < from_.offset(unknown)) continue;
      y[i] = factorial(order) * between_->coefficient(unknown, order);
    }
  }

  static double factorial(int n) {
    double product = 1;
    for (int l = 2; l <= n; ++l) product *= l;
    return product;
  }

  double value(std::size_t i, double s) const {
    const auto [unknown, order] = places_[i];
    return factorial(order) * from_.evaluate(unknown, order, s);
  }

  const Problem& problem_;
  const std::vector<SeriesTerms::Place>& places_;
  const SeriesSolver& from_;
  double h_;
  std::span<const double> y_end_;
  std::span<double> missed_;  // by the polynomials at the end
  mutable bool knows_missed_ = false;
  Projector::Workspace* projector_;
  SeriesSolver* between_;
  double reach_;
  const SingularPassage* passage_;
};

}  // namespace koppel
