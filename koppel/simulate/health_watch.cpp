#include <koppel/simulate/health_watch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/simulate/health_limits.hpp>
#include <koppel/simulate/row_size.hpp>

namespace koppel {
namespace {

constexpr double kShareOfAStep = 0.1;  // of a limit

double largest(std::span<const double> values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

int points_for(int order) { return std::max(3, (order + 2) / 3); }

}  // namespace

HealthWatch::HealthWatch(const HealthOptions& options, std::optional<double> tolerance,
                         std::vector<std::string> row_names)
    : options_(options), tolerance_(tolerance), row_names_(std::move(row_names)) {
  if (options_.is_watched) health_.state = Health::State::Good;
}

void HealthWatch::take(const Problem& problem) {
  problem_ = &problem;
  energy_ = problem.energy && problem.energy->is_known() ? &*problem.energy : nullptr;
  pieces_.reset();
  if (energy_ != nullptr) energy_work_ = energy_->make_workspace();
  if (energy_ != nullptr && energy_->has_switches()) pieces_.emplace(*energy_);
  projector_work_ = problem.projector->make_workspace();
  y_.resize(static_cast<std::size_t>(problem.size()));
  ahead_.reset();
}

void HealthWatch::begin(const Problem& problem, double t, std::span<const double> y) {
  take(problem);
  row_size_ = row_sizes(problem, t, y);
  now_.t = t;
  look_at(t, y, now_);
  if (energy_ == nullptr) return;
  start_energy_ = now_.energy.sum();
  potential_min_ = potential_max_ = now_.energy.potential;
  kinetic_max_ = now_.energy.kinetic;
  unit_kinetic_ = energy_->kinetic_at(1, t, y, *energy_work_);
}

void HealthWatch::go_on(const Problem& problem, double t, std::span<const double> y) {
  take(problem);
  Point next = now_;
  next.t = t;
  look_at(t, y, next);
  given_ += next.energy.sum() - now_.energy.sum();
  now_ = next;
}

// What the rates of constraints would be with all velocities off by their own size. Measured again
// when one of them has become twice as fast: the fastest may move no constraint.
void HealthWatch::measure_rate(double t, std::span<const double> y) {
  const Problem& problem = *problem_;
  const std::span<const double> q = problem.q(y), v = problem.v(y);
  constexpr double kSlowest = 1e-3;  // of the largest: what is slower does not count
  const double speed = largest(v);
  if (!std::isfinite(speed)) return;
  speeds_.resize(v.size(), 0.0);
  bool is_faster = false;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!(std::abs(v[i]) > std::max(2 * speeds_[i], kSlowest * speed))) continue;
    speeds_[i] = std::abs(v[i]);
    is_faster = true;
  }
  if (!is_faster) return;
  v_.assign(v.begin(), v.end());
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] *= 1 + beside(i);
  const auto moved = problem.projector->residuals(t, q, v_, *projector_work_).velocity;
  values_.assign(moved.begin(), moved.end());
  const auto here = problem.projector->residuals(t, q, v, *projector_work_).velocity;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double change = std::abs(values_[i] - here[i]) / kBeside;
    if (i < row_size_.size()) {
      rate_ = std::max(rate_, change / row_size_[i]);
    } else {
      slip_ = std::max(slip_, change);
    }
  }
}

void HealthWatch::measure_violation(double t, std::span<const double> y, Point& point) {
  if (row_names_.empty()) return;
  measure_rate(t, y);
  const auto rows =
      problem_->projector->residuals(t, problem_->q(y), problem_->v(y), *projector_work_);
  const auto note = [](double value, std::size_t i, double& most, int& row) {
    if (value <= most) return;
    most = value;
    row = static_cast<int>(i);
  };
  point.position = point.velocity = 0;
  for (std::size_t i = 0; i < rows.position.size(); ++i) {
    note(std::abs(rows.position[i]) / row_size_[i], i, point.position, point.position_row);
  }
  for (std::size_t i = 0; i < rows.velocity.size(); ++i) {
    const double size = i < row_size_.size() ? row_size_[i] * std::max(rate_, kSlowRate)
                                             : std::max(slip_, kSlowRate);
    note(std::abs(rows.velocity[i]) / size, i, point.velocity, point.velocity_row);
  }
}

// All but the integrals, at (t, y).
void HealthWatch::look_at(double t, std::span<const double> y, Point& point) {
  point.t = t;
  const auto num_q = static_cast<std::size_t>(problem_->num_q);
  const auto num_v = static_cast<std::size_t>(problem_->num_v);
  point.runaway = -1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool is_velocity = i >= num_q && i < num_q + num_v;
    if (!std::isfinite(y[i]) || (is_velocity && std::abs(y[i]) > kFastest)) {
      point.runaway = static_cast<int>(i);
      return;
    }
  }
  measure_violation(t, y, point);
  if (energy_ == nullptr) return;
  point.energy = energy_->energies(t, y, *energy_work_);
}

HealthWatch::Point HealthWatch::look(const Step& step) {
  if (ahead_ && ahead_from_ == step.t0 && ahead_->t == step.t1) return *ahead_;
  Point end = now_;
  step.evaluate(step.t1, y_);
  look_at(step.t1, y_, end);
  if (end.runaway < 0 && energy_ != nullptr && !energy_->is_conservative()) {
    const Integral more = integrate_power(step);
    end.work += more.work;
    end.exchange += more.exchange;
  }
  ahead_ = end;
  ahead_from_ = step.t0;
  return end;
}

// Methods of order 2 and less are known at the ends of steps only.
HealthWatch::Integral HealthWatch::integrate_power(const Step& step) {
  if (step.order() <= 2) return trapezoid(step);
  if (const int wanted = points_for(step.order()); wanted != num_points_) {
    num_points_ = wanted;
    gauss_ = gauss(wanted);
  }
  if (!pieces_) return gauss_sum(step, step.t0, step.t1);
  // From corner to corner, or a short pulse would be missed as the step may have missed it.
  const auto at = [&](double t) -> std::span<const double> {
    step.evaluate_some(t, energy_->places_of_power(), y_);
    return y_;
  };
  Integral sum;
  double from = step.t0;
  for (const double to : pieces_->find_corners(step.t0, step.t1, at)) {
    sum = sum + refine(step, from, to, gauss_sum(step, from, to), 0);
    from = to;
  }
  return sum;
}

// The power at the ends is that inside the step, should a force jump there.
HealthWatch::Integral HealthWatch::trapezoid(const Step& step) {
  const double h = step.t1 - step.t0;
  const double inside = 4 * std::numeric_limits<double>::epsilon() * std::abs(step.t1);
  Integral sum;
  for (const double t : {step.t0, step.t1}) {
    step.evaluate(t, y_);
    const double shifted = t == step.t0 ? t + inside : t - inside;
    const double power = energy_->power(shifted, y_, *energy_work_);
    sum.work += h / 2 * power;
    sum.exchange += h / 2 * std::abs(power);
  }
  return sum;
}

HealthWatch::Integral HealthWatch::gauss_sum(const Step& step, double t0, double t1) {
  Integral sum;
  for (std::size_t k = 0; k < gauss_.at.size(); ++k) {
    const double t = t0 + (t1 - t0) * gauss_.at[k], weight = (t1 - t0) * gauss_.weight[k];
    step.evaluate_some(t, energy_->places_of_power(), y_);
    const double power = energy_->power(t, y_, *energy_work_);
    sum.work += weight * power;
    sum.exchange += weight * std::abs(power);
  }
  return sum;
}

// Where the power has corners: halves until these agree with the whole.
HealthWatch::Integral HealthWatch::refine(const Step& step, double t0, double t1,
                                          const Integral& whole, int depth) {
  constexpr int kDeepest = 12;
  const double middle = (t0 + t1) / 2;
  const Integral left = gauss_sum(step, t0, middle), right = gauss_sum(step, middle, t1);
  const Integral both = left + right;
  const double allowed = 1e-3 * limits_at(step.t1).energy * std::max(moved(now_), whole.exchange);
  if (depth >= kDeepest || !(std::abs(both.work - whole.work) > allowed)) return both;
  return refine(step, t0, middle, left, depth + 1) + refine(step, middle, t1, right, depth + 1);
}

double HealthWatch::balance(const Point& point) const {
  return point.energy.sum() - start_energy_ - point.work - given_;
}

double HealthWatch::kinetic_max(const Point& point) const {
  return std::max(kinetic_max_, point.energy.kinetic);
}

double HealthWatch::moved(const Point& point) const {
  const double range = std::max(potential_max_, point.energy.potential) -
                       std::min(potential_min_, point.energy.potential);
  const double least =
      least_energy(unit_kinetic_, std::max(std::abs(potential_max_), std::abs(potential_min_)));
  return std::max({kinetic_max(point), range, point.exchange, least});
}

double HealthWatch::counted(const Point& point) const {
  return moved(point) + (tolerance_ ? std::sqrt(kinetic_max(point) * unit_kinetic_) : 0);
}

HealthWatch::Limits HealthWatch::limits_at(double t) const {
  // Implicit methods find multipliers less accurately than the state, by orders of the step.
  const bool needs_them = energy_ != nullptr && energy_->needs_multipliers() && !problem_->rhs;
  const HealthRules rules{tolerance_, options_.loosen, needs_them};
  const HealthLimits limits = rules.doubtful(t, num_steps());
  return {limits.energy, limits.position, limits.velocity};
}

bool HealthWatch::accepts(const Step& step) {
  if (!options_.is_watched) return true;
  const Point end = look(step);
  if (end.runaway >= 0) return false;
  const Limits limits = limits_at(end.t);
  if (end.position > std::max(limits.position, now_.position)) return false;
  if (options_.judges_velocities && end.velocity > std::max(limits.velocity, now_.velocity)) {
    return false;
  }
  if (energy_ == nullptr) return true;
  const double change = std::abs(balance(end) - balance(now_));
  return change <= kShareOfAStep * limits.energy * counted(end);
}

// An impulse is in the multipliers at the end of the step that meets it, and the power of the next
// step begins with these.
bool HealthWatch::meets_impulse(const Step& step) const {
  const double before = step.t0 - (step.t1 - step.t0);
  const auto next = std::lower_bound(impulses_.begin(), impulses_.end(), before);
  return next != impulses_.end() && *next <= step.t1;
}

bool HealthWatch::note(const Step& step) {
  const Point end = look(step);
  ahead_.reset();
  if (end.runaway < 0 && energy_ != nullptr && meets_impulse(step)) {
    given_ += balance(end) - balance(now_);
  }
  if (end.runaway < 0 && energy_ != nullptr) {
    energy_error_ = std::max(energy_error_, std::abs(balance(end)));
  }
  if (options_.is_watched) judge(end);
  if (has_failed()) return false;
  ++steps_;
  now_ = end;
  kinetic_max_ = kinetic_max(end);
  potential_min_ = std::min(potential_min_, end.energy.potential);
  potential_max_ = std::max(potential_max_, end.energy.potential);
  return true;
}

void HealthWatch::judge(const Point& point) {
  if (point.runaway >= 0) {
    exceed(Health::What::Growth, point.t, std::numeric_limits<double>::infinity(), kFastest, 0,
           point.runaway);
    return;
  }
  const Limits limits = limits_at(point.t);
  const HealthLimits fails = HealthRules{.loosen = options_.loosen}.failed(num_steps());
  exceed(Health::What::Position, point.t, point.position, limits.position, fails.position,
         point.position_row);
  if (options_.judges_velocities) {
    exceed(Health::What::Velocity, point.t, point.velocity, limits.velocity, fails.velocity,
           point.velocity_row);
  }
  const double size = energy_ != nullptr ? counted(point) : 0;
  if (!(size > 0)) return;
  const double error = balance(point) / size;
  exceed(Health::What::Energy, point.t, error, limits.energy,
         error > 0 ? fails.energy : std::numeric_limits<double>::infinity(), -1);
}

void HealthWatch::exceed(Health::What what, double t, double value, double limit, double failure,
                         int row) {
  if (std::abs(value) <= limit) return;
  const bool fails = value > failure;
  if (fails) {
    health_.state = Health::State::Failed;
  } else if (health_.state == Health::State::Good) {
    health_.state = Health::State::Doubtful;
  }
  const auto known = std::find_if(health_.reasons.begin(), health_.reasons.end(),
                                  [&](const Health::Reason& r) { return r.what == what; });
  if (known == health_.reasons.end()) {
    health_.reasons.push_back({what, t, value, limit, {}});
    reason_rows_.push_back(row);
  } else if (std::abs(value) > std::abs(known->value)) {
    known->value = value;
    known->limit = limit;
    reason_rows_[static_cast<std::size_t>(known - health_.reasons.begin())] = row;
  }
}

Health HealthWatch::health() const {
  Health out = health_;
  for (std::size_t i = 0; i < out.reasons.size(); ++i) {
    Health::Reason& reason = out.reasons[i];
    const int row = reason_rows_[i];
    if (reason.what == Health::What::Growth) {
      reason.text = fmt::format(
          "at t = {:.6g} s '{}' grows beyond any physical scale: the integration is unstable, or "
          "the motion does not exist further.",
          reason.t, problem_->labels[static_cast<std::size_t>(row)]);
    } else {
      if (row >= 0) reason.subject = row_names_[static_cast<std::size_t>(row)];
      reason.text = describe(reason, fmt::format("from t = {:.6g} s on", reason.t), reason.subject);
    }
  }
  return out;
}

// By all the energy that moved in the run: what had moved by the time of the largest error may be
// next to nothing, right after a start from rest.
double HealthWatch::energy_error() const {
  if (energy_ == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const double size = moved(now_);
  return size > 0 ? energy_error_ / size : 0;
}

}  // namespace koppel
