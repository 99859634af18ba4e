// Taylor series of high order on the DAE itself [Pryce 1998; Jorba & Zou 2005].
//
// At t_n all unknowns are expanded to order p; the polynomials are followed over a step h and the
// point reached is made consistent again, positions and velocities to round-off, so that nothing
// drifts. Errors are measured in the derivatives z_j of x_j of order d_j − 1, for a mechanism the
// velocities: where these are right, positions are. With weights w_j = max(|z_j|, scale) and the
// largest weighted coefficients
//   m_k = max_j |z_j[k]| / w_j,     ρ = min m_k^{−1/k} over the last k ≤ p,
// the radius of convergence seen in them, the first term that is left out is about (h/ρ)ᵖ⁺¹. Error
// per unit step asks for (h/ρ)ᵖ⁺¹ ≤ h σ tolerance, hence
//   h = (σ tolerance · ρᵖ⁺¹)^{1/p}.                                                      (1)
// Cost of a step is O(p²), and with log(1/tolerance) ∼ p log(ρ/h) the cheapest order grows linearly
// with the digits asked for.
//
// Where the equations contain switches (tables, select, abs, … of the state) a series knows nothing
// of the next piece. There the highest derivatives that the polynomials predict for the end of the
// step are compared with those of the new point, and the step is halved until they agree.
//
// Where a mechanism passes a singular configuration its motion is smooth, but close to it the
// matrix of the stages is nearly singular: at distance δ, round-off grows with the order as (1/δ)ᵏ
// and looks like a radius of convergence δ. Low orders are clean; that they show a larger radius
// tells round-off from motion. Round-off leads away from the constraints, not along them, and the
// projection at the end of the step takes it back. So it may have the size kLostDigits there, for a
// step that is right by the clean radius: this is longer than δ and passes over. A step that would
// end so close that even the next one would be tiny is made shorter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <koppel/integrate/segment.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {
namespace {

// σ: errors of the steps add up, and later motion amplifies them.
constexpr double kSafety = 0.2;
// How many coefficients the radius is seen in: motions that start at rest or are symmetric have
// every second or fourth one only.
constexpr int kSeen = 4;
// What round-off may make of the end of a step near a singular configuration.
constexpr double kLostDigits = 2e-8;
// Coefficients are round-off where those of half the order show a radius larger by this factor.
const double kLostFactor = std::log(1.5);
// Near a singular configuration, the projection takes back twice what (h/ρ)ᵖ⁺¹ says and more. Where
// it takes back less than this part, that is no round-off but the mechanism's nature, such as a
// stiff motion, and has to be followed closely.
constexpr double kTakenBack = 0.1;
// So has what lasts longer than the few steps in which a singular configuration is passed, such as
// a stiff motion that is at rest but for round-off.
constexpr int kMostLost = 12;

int order_for(const SeriesSystem& system, const IntegrateOptions& options) {
  // Measured on mechanisms in natural coordinates: the minimum is flat, and somewhat above the
  // −½ log(tolerance) that minimises the cost of the sums alone, because a step also costs a
  // factorisation.
  const int wanted = options.order > 0
                         ? options.order
                         : static_cast<int>(std::lround(3 - 0.62 * std::log(options.tolerance)));
  return std::clamp(wanted, system.max_d() + 4, Series::kMaxOrder);
}

// The unknowns between two consistent points, as seen by the observer.
class TaylorStep : public Step {
 public:
  TaylorStep(const SeriesSystem& system, const SeriesSolver& from, double t, double h,
             std::span<const double> y_end)
      : Step(t, t + h), places_(system.terms().y), from_(from), h_(h), y_end_(y_end) {}

  void evaluate(double t, std::span<double> y) const override {
    if (t == t1) {
      std::copy(y_end_.begin(), y_end_.end(), y.begin());
      return;
    }
    // The end was moved onto the constraints; what that is apart from the polynomial is spread over
    // the step with the power of the first term that the polynomial lacks.
    const double s = t - t0, theta = std::pow(s / h_, from_.order() + 1);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      y[i] = value(i, s);
      if (theta > 1e-30) y[i] += theta * (y_end_[i] - value(i, h_));
    }
  }
  int order() const override { return from_.order(); }

 private:
  double value(std::size_t i, double s) const {
    const auto [unknown, order] = places_[i];
    double factorial = 1;
    for (int l = 2; l <= order; ++l) factorial *= l;
    return factorial * from_.evaluate(unknown, order, s);
  }

  const std::vector<SeriesTerms::Place>& places_;
  const SeriesSolver& from_;
  double h_;
  std::span<const double> y_end_;
};

class Taylor {
 public:
  Taylor(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(*segment.problem.series),
        here_(std::make_unique<SeriesSolver>(system_, order_for(system_, segment.options),
                                             segment.options.tolerance)),
        there_(std::make_unique<SeriesSolver>(system_, here_->order(), segment.options.tolerance)),
        weight_(static_cast<std::size_t>(here_->num_unknowns())) {
    for (const auto [unknown, order] : system_.terms().y) {
      last_shown_ = std::max(last_shown_, order - here_->offset(unknown));
    }
  }

  double run() {
    outcome_.statistics.order = std::max(outcome_.statistics.order, here_->order());
    here_->set_time(outcome_.t);
    for (std::size_t i = 0; i < system_.terms().y.size(); ++i) {
      const auto [unknown, order] = system_.terms().y[i];
      if (order < here_->offset(unknown) || order == 0) {
        here_->set(unknown, order, outcome_.y[i] / factorial(order));
      }
    }
    if (!accept(here_->make_consistent()) || !accept(here_->expand())) return 0;
    plan_ = make_plan(*here_);
    while (outcome_.t < segment_.t_end && advance()) {
    }
    return plan_.h;
  }

 private:
  static double factorial(int n) {
    double f = 1;
    for (int i = 2; i <= n; ++i) f *= i;
    return f;
  }

  bool is_last(double h) const { return h >= segment_.t_end - outcome_.t; }

  void set_weights(const SeriesSolver& at) const {
    for (int j = 0; j < at.num_unknowns(); ++j) {
      const int rate = at.offset(j) - 1;  // z_j is the derivative of this order
      if (rate < 0) continue;             // multipliers follow from the rest
      weight_[static_cast<std::size_t>(j)] =
          1 / std::max(std::abs(at.coefficient(j, rate)), segment_.options.absolute_scale);
    }
  }

  // log m_k.
  double log_norm(const SeriesSolver& at, int k) const {
    double largest = 0;
    for (int j = 0; j < at.num_unknowns(); ++j) {
      const int rate = at.offset(j) - 1;
      if (rate < 0) continue;
      double factor = weight_[static_cast<std::size_t>(j)];
      for (int i = 1; i <= rate; ++i) factor *= k + i;  // (k + rate)!/k!
      largest = std::max(largest, factor * std::abs(at.coefficient(j, k + rate)));
    }
    return std::log(largest);
  }

  // (1)
  static double step_for(int p, double log_radius, double tolerance) {
    // Beyond the radius of convergence no tolerance helps.
    return std::min(0.9 * std::exp(log_radius),
                    std::exp((std::log(tolerance) + (p + 1) * log_radius) / p));
  }

  // log ρ from the coefficients up to order k.
  double log_radius(const SeriesSolver& at, int k) const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSeen && k - i > 0; ++i) {
      least = std::min(least, -log_norm(at, k - i) / (k - i));
    }
    return least;
  }

  struct Plan {
    double h = 0;
    bool is_lost = false;   // the high coefficients are round-off
    double h_if_not = 0;    // if they were not
    double log_radius = 0;  // seen in them
  };

  Plan make_plan(const SeriesSolver& at) const {
    if (segment_.options.step) return {.h = *segment_.options.step};
    const int p = at.last_stage() + 1;
    const double tolerance = kSafety * segment_.options.tolerance;
    set_weights(at);
    const double high = log_radius(at, p), low = log_radius(at, p / 2 + 1);
    const double h = step_for(p, high, tolerance);
    Plan plan{h, low > high + kLostFactor, h, high};
    if (plan.is_lost && num_lost_ < kMostLost) {
      plan.h = std::max(h, std::min(step_for(p, low, tolerance), step_for(p, high, kLostDigits)));
    }
    if (segment_.options.max_step > 0) plan.h = std::min(plan.h, segment_.options.max_step);
    return plan;
  }

  // The part of the planned step that is taken.
  double fit(double h) const {
    const double left = segment_.t_end - outcome_.t;
    if (h >= left) return left;
    return rounded(2 * h > left ? 0.5 * left : h);  // rather than a whole one and a crumb
  }
  // The step that the clock makes of h.
  double rounded(double h) const { return (outcome_.t + h) - outcome_.t; }

  // Sets up `there_`: the point a step ahead, made consistent and expanded.
  SeriesSolver::Status reach(double h) {
    using Status = SeriesSolver::Status;
    there_->set_time(is_last(h) ? segment_.t_end : outcome_.t + h);
    here_->follow(h, *there_);
    const Status status = there_->make_consistent();
    if (status != Status::Ok) return status;
    return is_last(h) ? there_->expand(last_shown_) : there_->expand();
  }

  // A step; a shorter one where the planned one leads to a place that cannot be made consistent, or
  // beyond a switch, or so close to a singular configuration that the next one would be tiny.
  bool advance() {
    constexpr int kMaxTries = 50;
    constexpr double kTiny = 0.1;
    constexpr int kMostRefused = 8;  // then no shorter step mends it
    double h = fit(plan_.h), last_defect = std::numeric_limits<double>::infinity();
    SeriesSolver::Status status = SeriesSolver::Status::NotConverged;
    int num_moves = 0, num_refused = 0;
    for (int i = 0; i < kMaxTries && outcome_.t + h > outcome_.t; ++i) {
      status = reach(h);
      double shorter = 0.5 * h;
      if (status == SeriesSolver::Status::Ok && plan_.is_lost && !is_taken_back(h)) {
        plan_.is_lost = false;
        num_lost_ = 2 * kMostLost;
        shorter = std::min(h, plan_.h_if_not);
      } else if (status == SeriesSolver::Status::Ok) {
        const double defect = measure_defect(h);
        // A defect that halving does not reduce is no switch but round-off.
        if (segment_.options.step || defect <= 1 || defect >= 0.5 * last_defect) {
          const bool is_good = is_accepted(h) || ++num_refused > kMostRefused;
          if (is_good && is_last(h)) return finish_step(h, plan_);
          if (is_good) {
            const Plan next = make_plan(*there_);
            const bool is_too_close = next.is_lost && next.h < kTiny * h;
            if (!is_too_close || ++num_moves > 3) return finish_step(h, next);
            shorter = 0.75 * h;
          }
        }
        last_defect = defect;
      }
      h = rounded(shorter);
      ++outcome_.statistics.rejected;
    }
    return accept(status == SeriesSolver::Status::Ok ? SeriesSolver::Status::NotConverged : status);
  }

  // Whether the projection took back what the high coefficients had in the step that was tried.
  bool is_taken_back(double h) const {
    const int p = here_->last_stage() + 1;
    const double lost = std::exp((p + 1) * (std::log(h) - plan_.log_radius));
    return h <= plan_.h_if_not || there_->largest_correction() > kTakenBack * lost;
  }

  // The difference of the predicted and the new highest derivatives, as the error of x_j it makes
  // over the step, in units of what is allowed.
  double measure_defect(double h) const {
    if (!system_.has_switches()) return 0;
    double worst = 0;
    for (int j = 0; j < here_->num_unknowns(); ++j) {
      const int d = here_->offset(j);
      if (d == 0) continue;
      const double size =
          std::max(std::abs(here_->coefficient(j, 0)), segment_.options.absolute_scale);
      const double difference = there_->coefficient(j, d) - here_->evaluate(j, d, h);
      worst = std::max(worst, std::abs(difference) * std::pow(h, d) / size);
    }
    // The truncated series differs in its d-th derivative by about p^d more than in its value.
    return worst / (segment_.options.tolerance * h * std::pow(here_->order(), system_.max_d()));
  }

  // y at the point reached.
  void read_end(std::span<double> y) const {
    for (std::size_t i = 0; i < system_.terms().y.size(); ++i) {
      const auto [unknown, order] = system_.terms().y[i];
      y[i] = factorial(order) * there_->coefficient(unknown, order);
    }
  }

  double end_of(double h) const { return is_last(h) ? segment_.t_end : outcome_.t + h; }

  // Whether the judge takes the step that was tried.
  bool is_accepted(double h) {
    if (segment_.options.judge == nullptr || segment_.options.step) return true;
    y_end_.resize(outcome_.y.size());
    read_end(y_end_);
    const double t0 = outcome_.t;
    return segment_.options.judge->accepts(TaylorStep(system_, *here_, t0, end_of(h) - t0, y_end_));
  }

  bool finish_step(double h, const Plan& next) {
    const double t0 = outcome_.t, t1 = end_of(h);
    read_end(outcome_.y);
    outcome_.t = t1;
    ++outcome_.statistics.steps;
    ++outcome_.statistics.evaluations;
    if (!segment_.observer(TaylorStep(system_, *here_, t0, outcome_.t - t0, outcome_.y))) {
      outcome_.status = Outcome::Status::Stopped;
      return false;
    }
    outcome_.statistics.factorizations += there_->num_factorizations() - factorizations_[1];
    factorizations_[1] = there_->num_factorizations();
    std::swap(factorizations_[0], factorizations_[1]);
    std::swap(here_, there_);
    plan_ = next;
    num_lost_ = std::clamp(num_lost_ + (next.is_lost ? 1 : -1), 0, 2 * kMostLost);
    if (outcome_.statistics.steps >= segment_.options.max_steps) {
      fail(fmt::format("the limit of {} steps was reached", segment_.options.max_steps));
      return false;
    }
    return true;
  }

  bool accept(SeriesSolver::Status status) {
    switch (status) {
      case SeriesSolver::Status::Ok: return true;
      case SeriesSolver::Status::Singular:
        fail(
            "the system Jacobian is singular: the mechanism is in a singular configuration, or "
            "constraints repeat each other");
        outcome_.is_singular = true;
        break;
      case SeriesSolver::Status::NotConverged:
        fail("no consistent point was found near the end of the step");
        break;
      case SeriesSolver::Status::NotFinite:
        fail("a value is not a finite number: an operation left its domain");
        break;
    }
    return false;
  }

  void fail(std::string text) {
    outcome_.status = Outcome::Status::Failed;
    outcome_.text = std::move(text);
  }

  const Segment& segment_;
  Outcome& outcome_;
  const SeriesSystem& system_;
  // The expansions at the beginning and at the end of a step.
  std::unique_ptr<SeriesSolver> here_, there_;
  mutable std::vector<double> weight_;  // 1/w_j
  // The last stage that y needs. Motions without mass have d_j = 0: their velocities follow from
  // the derivative of the constraints, in stage 1.
  int last_shown_ = 0;
  int num_lost_ = 0;                    // expansions of late whose high coefficients were round-off
  Plan plan_;                           // from here on
  std::vector<double> y_end_;           // of the step that was tried
  int factorizations_[2] = {0, 0};
};

}  // namespace

double run_taylor(const Segment& segment, Outcome& outcome) {
  return Taylor(segment, outcome).run();
}

}  // namespace koppel
