// Taylor series of high order on the DAE itself [Pryce 1998; Jorba & Zou 2005].
//
// At t_n all unknowns are expanded to order p; the polynomials are followed over a step h and the
// point reached is made consistent again, positions and velocities to round-off, so that nothing
// drifts. How long a step may be is seen in the coefficients (taylor_plan.hpp). Cost of a step is
// O(p²), and with log(1/tolerance) ∼ p log(ρ/h) the cheapest order grows linearly with the digits
// asked for.
//
// Where the equations contain switches (tables, select, abs, … of the state) a series knows nothing
// of the next piece. There the highest derivatives that the polynomials predict for the end of the
// step, and for three points in between, are compared with those of the equations, and the step is
// halved until they agree.
//
// Singular configurations. Where constraints become dependent, at t*, branches of the mechanism's
// motion meet. The motion q(t) is smooth on the branch one came along, but multipliers have a pole
// there, λ ∼ 1/(t* − t), and only Gᵀλ stays finite. At the distance δ = |t* − t| the coefficients
// of λ grow as δ⁻ᵏ, and those of q, in which they cancel, have round-off
//   q[k] = q̂[k] + ε δ⁻ᵏ,      ε ∼ 10⁻¹⁵ (ρ/δ)²,                                          (1)
// which looks like a radius of convergence δ. Steps must lead beyond t*, and three rules do it.
//
// 1. No step ends close to t*. σ(t), the smallest singular value of the constraints in the mass
//    metric with its sign (series_dependence.cpp), is known at both ends of a step; with their
//    ratio r = σ(t)/σ(t + h) it vanishes near
//      t* = t + h r/(r − 1).                                                              (2)
//    A step that would end shortly before t* (r > kNear) or just behind it (r < −kJustBehind) is
//    made shorter: it ends 0.6 h before, and the next one leads over.
// 2. Where the high coefficients are round-off, orders are tried: the end of the step is found with
//    the polynomials of each order k and made consistent, y_k. Differences of these ends
//      e_k = |y_k − y_{k−1}|                                                              (3)
//    fall while terms of the motion are added, and rise again where (1) takes over. Most of (1)
//    leads away from the constraints, and the projection takes it back; (3) sees what is left. The
//    longest step that leads over t*, or away from it, and has two successive e_k far within the
//    tolerance is taken: an error here is amplified on the way to the next passage. Where there is
//    none, it is the one with the least, if that is no more than the tolerance or what round-off
//    and errors of before leave. Longer steps of lower order are tried before shorter ones.
// 3. Where this fails and the next step would lead closer still, the integration ends: behind t*
//    there would be garbage.
// 4. A motion that is off its branch, by the lengths of rods or by the errors of a passage before,
//    turns to another branch near t* instead: steps become as short as the corner is sharp, and
//    steps that lead over t* have an e_k as large as the motion is off. Where that is not above the
//    errors of the run, these would decide how it turns, and the integration ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/segment.hpp>
#include <koppel/integrate/taylor_passage.hpp>
#include <koppel/integrate/taylor_plan.hpp>
#include <koppel/integrate/taylor_step.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Rule 1 looks where σ is below this part of the largest so far.
constexpr double kSmall = 0.5;
constexpr double kNear = 3.5, kJustBehind = 12;
// Rule 2, in tolerances: errors of a step over a singular configuration that end the search, and
// that are taken up to kSlight. The error that round-off may leave.
constexpr double kAim = 1e-2, kLoose = 5, kSlight = 5e-8;
constexpr double kWorst = 1e-9;
// The longest step that is tried, over the way to the singular configuration.
constexpr double kOver = 3.5;
// Steps become shorter by this part where they are tried one after the other.
constexpr double kShorter = 0.85;
// Rule 3: the planned step, over the one that clean coefficients would allow.
constexpr double kHopeless = 1e-3;
// Rule 4: the planned step, over the longest on the way there; from how many tolerances on a corner
// is resolved.
constexpr double kTurns = 1e-3, kResolved = 10;
// Of values: below this no agreement is asked for.
constexpr double kRoundOff = 1e-10;

class Taylor {
 public:
  Taylor(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(*segment.problem.series),
        here_(std::make_unique<SeriesSolver>(
            system_, taylor_order(system_, segment.options.order, segment.options.tolerance),
            segment.options.tolerance)),
        there_(std::make_unique<SeriesSolver>(system_, here_->order(), segment.options.tolerance)),
        planner_(segment.options, segment.problem),
        finder_(segment.problem) {
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
    here_->find_dependence(*here_);
    plan_ = planner_.make(*here_, false);
    const double num_steps = (segment_.t_end - outcome_.t) / plan_.h;
    for (SeriesSolver* const solver : {here_.get(), there_.get()}) solver->expect(num_steps);
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

  // The part of the planned step that is taken.
  double fit(double h) const {
    const double left = segment_.t_end - outcome_.t;
    if (h >= left) return left;
    return rounded(2 * h > left ? 0.5 * left : h);  // rather than a whole one and a crumb
  }
  // The step that the clock makes of h.
  double rounded(double h) const { return (outcome_.t + h) - outcome_.t; }

  // Sets up `there_`: the point a step ahead, made consistent.
  SeriesSolver::Status arrive(double h, int order) {
    there_->set_time(is_last(h) ? segment_.t_end : outcome_.t + h);
    here_->truncate(order - 1);
    here_->follow(h, *there_);
    const SeriesSolver::Status status = there_->make_consistent();
    if (status == SeriesSolver::Status::Ok) there_->find_dependence(*here_);
    return status;
  }
  SeriesSolver::Status expand(double h) {
    return is_last(h) ? there_->expand(last_shown_) : there_->expand();
  }
  bool is_near(const SeriesSolver& at) const { return at.sigma() < kSmall * usual_; }
  // The plan from there_ on.
  TaylorPlan next(double h) {
    return is_last(h) ? plan_ : planner_.make(*there_, is_near(*there_));
  }

  struct Place {
    bool is_good = true;       // rule 1
    bool leads_there = false;  // to a singular configuration
    double better = 0;         // a step that may end better
  };
  Place look(double h) {
    if (!is_near(*there_) || is_last(h)) return {};
    const double r = here_->sigma_over(*there_);
    if (r >= 0 && r <= 1) return {};  // it leads away
    if (r <= kNear && r >= -kJustBehind) return {true, r > 1, 0};
    const double better = h * r / (r - 1) - 0.6 * h;  // (2)
    return {false, r > 1, rounded(better > 0.1 * h ? std::min(better, 0.8 * h) : 0.5 * h)};
  }

  // Rule 2 for a step h: the order with the least of max(e_k, e_{k−1}), and that.
  struct Trial {
    double error = kInfinity;
    int order = 0;
  };
  Trial try_orders(double h) {
    const int p = here_->last_stage() + 1;
    const double enough = kAim * segment_.options.tolerance;
    planner_.set_weights(*here_);
    Trial best;
    double before = kInfinity;
    end_before_.clear();
    for (int k = TaylorPlanner::kSeen + 1; k <= p && best.error > enough; ++k) {
      there_->set_time(is_last(h) ? segment_.t_end : outcome_.t + h);
      here_->truncate(k - 1);
      here_->follow(h, *there_);
      if (there_->make_consistent() != SeriesSolver::Status::Ok) {
        end_before_.clear();
        before = kInfinity;
        continue;
      }
      const double e = compare_ends();
      if (std::max(e, before) < best.error) best = {std::max(e, before), k - 1};
      before = e;
    }
    return best;
  }

  // (3), positions and rates, relative to what is allowed for 1.
  double compare_ends() {
    end_.clear();
    for (int j = 0; j < there_->num_unknowns(); ++j) {
      const int d = there_->offset(j);
      if (!planner_.counts(j)) continue;
      end_.push_back(there_->coefficient(j, std::max(0, d - 1)) * planner_.weight(j));
      if (d > 1) end_.push_back(there_->coefficient(j, 0));
    }
    double largest = end_before_.empty() ? kInfinity : 0;
    for (std::size_t i = 0; i < end_before_.size(); ++i) {
      largest = std::max(largest, std::abs(end_[i] - end_before_[i]));
    }
    end_.swap(end_before_);
    return largest;
  }

  // Rule 2. False where no step is found.
  bool pass() {
    const double tolerance = segment_.options.tolerance;
    Trial best;
    double h_best = 0;
    for (double h = fit(std::max(plan_.h_clean, kOver * approach_.left));
         h > plan_.h && best.error > kAim * tolerance; h = rounded(kShorter * h)) {
      const Trial trial = try_orders(h);
      if (!(trial.error < best.error)) continue;
      if (arrive(h, trial.order) != SeriesSolver::Status::Ok) continue;
      const Place place = look(h);
      if (!place.is_good || place.leads_there || !is_accepted(h, true)) continue;
      best = trial;
      h_best = h;
    }
    approach_.missed = std::min(approach_.missed, best.error);
    const double slight = std::min(kLoose * tolerance, kSlight);
    if (!(best.error <= std::max({tolerance, slight, kWorst}))) return false;
    if (arrive(h_best, best.order) != SeriesSolver::Status::Ok) return false;
    if (expand(h_best) != SeriesSolver::Status::Ok || measure_defects(h_best) > 1) return false;
    finish_step(h_best, next(h_best), true);
    return true;
  }

  // Rule 3.
  bool is_hopeless(double h) {
    return plan_.is_lost && h < kHopeless * plan_.h_clean && look(h).leads_there;
  }

  // Rule 4.
  bool is_undecided() const {
    const double errors = kResolved * std::max(segment_.options.tolerance, kWorst);
    return plan_.h < kTurns * approach_.longest && approach_.missed < errors;
  }

  // A step; a shorter one where the planned one leads to a place that cannot be made consistent, or
  // beyond a switch, or close to a singular configuration.
  bool advance() {
    constexpr int kMaxTries = 50, kMaxMoves = 3;
    // Then no shorter step mends it; a force that acts for a short part of the step needs more.
    const int most_refused = system_.has_switches() ? 30 : 8;
    constexpr int kMostTorn = 100;  // of steps one after the other: the same
    usual_ = std::max(usual_, here_->sigma());
    const int torn_before = num_torn_;
    if (plan_.is_lost && pass()) return outcome_.status == Outcome::Status::Done;
    double h = fit(plan_.h);
    SeriesSolver::Status status = SeriesSolver::Status::NotConverged;
    int num_moves = 0, num_refused = 0;
    for (int i = 0; i < kMaxTries && outcome_.t + h > outcome_.t; ++i) {
      status = arrive(h, plan_.order);
      double shorter = 0.5 * h;
      Place place;
      if (status == SeriesSolver::Status::Ok && !segment_.options.step) {
        if (is_hopeless(h)) return fail_to_pass();
        if (is_undecided()) return fail_to_decide();
        if (num_moves < kMaxMoves) place = look(h);
      }
      if (!place.is_good) {
        ++num_moves;
        shorter = place.better;
      } else if (status == SeriesSolver::Status::Ok) {
        status = expand(h);
      }
      const bool is_torn = place.is_good && status == SeriesSolver::Status::Ok && is_torn_apart(h);
      num_torn_ += is_torn ? 1 : 0;
      if (num_torn_ > kMostTorn) return fail_to_resolve();
      if (place.is_good && status == SeriesSolver::Status::Ok && !is_torn) {
        const double defect = measure_defects(h);
        if (segment_.options.step || defect <= 1) {
          const bool is_good = is_accepted(h, plan_.is_lost) || ++num_refused > most_refused;
          if (num_torn_ == torn_before) num_torn_ = 0;
          if (is_good) return finish_step(h, next(h), plan_.is_lost);
        }
      }
      h = rounded(shorter);
      ++outcome_.statistics.rejected;
    }
    return accept(status == SeriesSolver::Status::Ok ? SeriesSolver::Status::NotConverged : status);
  }

  // Whether the point that the polynomials reach is far from the consistent one: between the ends
  // of the step they are then no motion of the mechanism, though both ends are right. So it is
  // where constraints are nearly dependent all along, and their round-off is never small (rule 2
  // sees only where it becomes large). A coordinate without mass may have come to another branch.
  bool is_torn_apart(double h) const {
    if (segment_.options.step || plan_.is_lost) return false;
    constexpr double kTorn = 1000;  // of the tolerance
    const double allowed = kTorn * std::max(segment_.options.tolerance, kRoundOff);
    for (int j = 0; j < here_->num_unknowns(); ++j) {
      if (!planner_.counts(j)) continue;
      const double end = there_->coefficient(j, 0);
      const double size = std::max(std::abs(end), segment_.options.absolute_scale);
      if (std::abs(end - here_->evaluate(j, 0, h)) > allowed * size) return true;
    }
    return false;
  }

  // Switches of the state, by measure_defect: at the end of the step the first piece may hold
  // again, as where a mass has left a spring and come back.
  double measure_defects(double h) {
    if (!system_.has_switches()) return 0;
    double worst = measure_defect(h, h, *there_);
    SeriesSolver& point = between();
    for (const double part : {0.25, 0.5, 0.75}) {
      if (worst > 1) break;
      point.set_time(outcome_.t + part * h);
      here_->follow(part * h, point);
      const bool is_there = point.make_consistent() == SeriesSolver::Status::Ok &&
                            point.expand(0) == SeriesSolver::Status::Ok;
      worst = std::max(worst, is_there ? measure_defect(h, part * h, point) : kInfinity);
    }
    return worst;
  }

  // The difference of the highest derivatives x_j⁽ᵈ⁾ that are predicted for the time s of a step h
  // and of those at that point, as the error it makes over the step, of x_j′ where d = 2 and of x_j
  // where d = 1 or, without mass, d = 0, in units of what is allowed.
  double measure_defect(double h, double s, const SeriesSolver& point) const {
    double worst = 0;
    for (int j = 0; j < here_->num_unknowns(); ++j) {
      const int d = here_->offset(j);
      if (!planner_.counts(j)) continue;
      const double size =
          std::max(std::abs(here_->coefficient(j, 0)), segment_.options.absolute_scale);
      const double difference = point.coefficient(j, d) - here_->evaluate(j, d, s);
      const int power = d == 0 ? 0 : std::max(1, d - 1);
      worst = std::max(worst, std::abs(difference) * std::pow(h, power) / size);
    }
    // The truncated series differs in its d-th derivative by about p^d more than in its value.
    return worst / (segment_.options.tolerance * std::pow(here_->order(), system_.max_d()));
  }

  // y at the point reached.
  void read_end(std::span<double> y) const {
    for (std::size_t i = 0; i < system_.terms().y.size(); ++i) {
      const auto [unknown, order] = system_.terms().y[i];
      y[i] = factorial(order) * there_->coefficient(unknown, order);
    }
  }

  double end_of(double h) const { return is_last(h) ? segment_.t_end : outcome_.t + h; }

  // `is_lost`: the polynomials have round-off.
  TaylorStep step(double t0, double t1, std::span<const double> y_end, bool is_lost) {
    const bool is_projected = is_lost && segment_.problem.projector;
    missed_.resize(y_end.size());
    if (is_projected && !projector_) {
      projector_.emplace(segment_.problem.projector->make_workspace());
    }
    const double h = t1 - t0, reach = reach_of_multipliers(h);
    return {segment_.problem,
            *here_,
            t0,
            h,
            y_end,
            missed_,
            is_projected ? &*projector_ : nullptr,
            reach < h ? &between() : nullptr,
            is_lost ? 0 : reach,
            passage_ ? &*passage_ : nullptr};
  }

  // How far into the step the polynomials of what follows from the motion, such as multipliers,
  // lead to its values; all of h where they do so at its end. Steps suit the motion: where a load
  // falls on a cable, it is a parabola of any length, and the force in the cable over its length is
  // a series that ends at the time of falling the first length. Up to s < h, a polynomial of degree
  // n with the last terms a_n sⁿ that misses the value at h by m is taken to miss no more than
  //   |a_n| sⁿ,  |a_{n−1}| sⁿ⁻¹  [Jorba & Zou 2005]  and  m (s/h)ⁿ⁺¹.
  double reach_of_multipliers(double h) const {
    constexpr double kReached = 100;  // of the tolerance; ordinary steps have up to 10
    const double allowed = kReached * std::max(segment_.options.tolerance, kRoundOff);
    double reach = h;
    for (const auto [j, order] : system_.terms().y) {
      if (order < here_->offset(j)) continue;
      const double end = there_->coefficient(j, order);
      const double size = std::max(
          {std::abs(here_->coefficient(j, order)), std::abs(end), segment_.options.absolute_scale});
      const double missed = std::abs(end - here_->evaluate(j, order, h));
      if (missed <= allowed * size) continue;
      if (!std::isfinite(missed)) return 0;
      const int n = here_->followed() + here_->offset(j) - order;
      reach = std::min(reach, h * std::pow(allowed * size / missed, 1.0 / (n + 1)));
      for (int i = std::max(1, n - 1); i <= n; ++i) {
        const double a = std::abs(here_->term(j, order, i));
        if (a > 0) reach = std::min(reach, std::pow(allowed * size / a, 1.0 / i));
      }
    }
    return reach;
  }

  // A solver for points within a step.
  SeriesSolver& between() {
    if (!between_) {
      between_ =
          std::make_unique<SeriesSolver>(system_, here_->order(), segment_.options.tolerance);
    }
    return *between_;
  }

  // Whether the judge takes the step that was tried.
  bool is_accepted(double h, bool is_lost) {
    if (segment_.options.judge == nullptr || segment_.options.step) return true;
    y_end_.resize(outcome_.y.size());
    read_end(y_end_);
    return segment_.options.judge->accepts(step(outcome_.t, end_of(h), y_end_, is_lost));
  }

  // Over as soon as σ does not vanish ahead any more.
  void follow_approach(double h) {
    const double r = is_near(*there_) ? here_->sigma_over(*there_) : 0;
    if (!(r > 1)) {
      approach_ = {};
      return;
    }
    approach_.left = h / (r - 1);
    approach_.longest = std::max(approach_.longest, h);
  }

  bool finish_step(double h, const TaylorPlan& next, bool is_lost) {
    const double t0 = outcome_.t, t1 = end_of(h);
    passage_.reset();
    if (is_near(*here_) || is_near(*there_) || here_->may_vanish_before(*there_)) {
      passage_ = finder_.find(*here_, *there_, h);
    }
    follow_approach(h);
    read_end(outcome_.y);
    outcome_.t = t1;
    ++outcome_.statistics.steps;
    ++outcome_.statistics.evaluations;
    if (!segment_.observer(step(t0, t1, outcome_.y, is_lost))) {
      outcome_.status = Outcome::Status::Stopped;
      return false;
    }
    outcome_.statistics.factorizations += there_->num_factorizations() - factorizations_[1];
    factorizations_[1] = there_->num_factorizations();
    std::swap(factorizations_[0], factorizations_[1]);
    std::swap(here_, there_);
    plan_ = next;
    return may_go_on(segment_, outcome_);
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

  bool fail_to_pass() {
    fail(
        "the mechanism comes to a singular configuration, where constraints depend on each other, "
        "and it cannot be passed in this precision; a larger tolerance or other coordinates may "
        "help");
    return false;
  }

  bool fail_to_decide() {
    fail(
        "the mechanism comes so close to a singular configuration, where constraints depend on "
        "each other, that errors of the size of the tolerance decide how it goes on; a smaller "
        "tolerance or other coordinates may help");
    return false;
  }

  bool fail_to_resolve() {
    fail(
        "constraints are nearly dependent, so that round-off hides the motion: joints that are "
        "meant to be in line may be misaligned by rounding");
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
  std::unique_ptr<SeriesSolver> between_;  // within a step, where it is needed
  // The last stage that y needs. Motions without mass have d_j = 0: their velocities follow from
  // the derivative of the constraints, in stage 1.
  int last_shown_ = 0;
  TaylorPlanner planner_;
  TaylorPassage finder_;
  std::optional<SingularPassage> passage_;  // of the last step
  TaylorPlan plan_;                         // from here on
  int num_torn_ = 0;                        // steps refused by is_torn_apart
  // To a singular configuration, over the steps of which each leads closer.
  struct Approach {
    double left = 0;            // the way to it, by (2)
    double longest = 0;         // of these steps
    double missed = kInfinity;  // the least e_k of steps that would lead over it
  };
  Approach approach_;
  double usual_ = 0;                               // the largest σ so far
  std::vector<double> end_, end_before_;           // (3)
  std::vector<double> y_end_;                      // of the step that was tried
  std::vector<double> missed_;                     // by its polynomials, there
  std::optional<Projector::Workspace> projector_;  // made when it is first needed
  int factorizations_[2] = {0, 0};
};

}  // namespace

double run_taylor(const Segment& segment, Outcome& outcome) {
  return Taylor(segment, outcome).run();
}

}  // namespace koppel
