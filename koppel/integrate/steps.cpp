// Fixed steps by equations between their ends (problem/step_equations.hpp): generalised-α,
// energy-momentum and variational. Newton's method with the exact Jacobian of every iterate, rows
// and unknowns scaled by powers of h, down to round-off: what a rule conserves is conserved as
// exactly as its equations are solved.
#include <algorithm>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/node_step.hpp>
#include <koppel/integrate/null_space_solver.hpp>

namespace koppel {
namespace {

constexpr int kMaxNewtonIterations = 25;

double power(double h, int exponent) { return exponent == 0 ? 1 : exponent == 1 ? h : h * h; }

class Stepper {
 public:
  Stepper(const Segment& segment, Outcome& outcome, StepRule rule, std::span<const double> c,
          bool by_null_space)
      : segment_(segment),
        outcome_(outcome),
        equations_(*segment.problem.steps_of(rule).equations),
        work_(equations_.make_workspace(c)),
        step_(segment.problem, outcome, equations_.has_mean_multipliers()),
        s_(equations_.size()),
        y_(outcome.y) {
    for (const StepEquations::Stage& stage : equations_.stages()) {
      if (by_null_space) {
        std::vector<char> is_multiplier;
        for (const int exponent : stage.exponent) is_multiplier.push_back(exponent == 2);
        null_space_.emplace_back(stage.pattern, is_multiplier);
      } else {
        solver_.emplace_back(stage.pattern);
      }
      values_.emplace_back(static_cast<std::size_t>(stage.pattern.num_entries()));
      delta_.emplace_back(stage.size());
    }
  }

  // `lateness`: how much later than the node carried accelerations are, in steps.
  double run(double lateness);

 private:
  bool begin(double h, double lateness);
  std::string_view take(double t, double h);
  std::string_view solve(std::size_t k, double h);
  bool factor(std::size_t k, double h);
  double correct(std::size_t k, double h);
  void read_y();

  const Segment& segment_;
  Outcome& outcome_;
  const StepEquations& equations_;
  StepEquations::Workspace work_;
  NodeStep step_;
  std::vector<double> s_, y_;
  std::vector<LinearSolver<double>> solver_;
  std::vector<NullSpaceSolver> null_space_;  // in its place
  std::vector<std::vector<double>> values_, delta_;
};

// s at the start: parts of y, accelerations there, and accelerations at t + lateness h, from the
// state that Euler's method gives for then: both as accurate as the rule needs.
bool Stepper::begin(double h, double lateness) {
  using Kind = StepEquations::Origin::Kind;
  const Problem& problem = segment_.problem;
  const std::vector<double>& y = outcome_.y;
  std::vector<double> now(static_cast<std::size_t>(problem.num_v)), later = now;
  const auto is_carried = [](const StepEquations::Origin& origin) {
    return origin.kind == Kind::Acceleration || origin.kind == Kind::LaterAcceleration;
  };
  const auto& origin = equations_.origin();
  if (std::any_of(origin.begin(), origin.end(), is_carried)) {
    if (!step_.accelerations(outcome_.t, y, now)) return false;
    std::vector<double> moved = y;
    step_.move(lateness * h, moved);
    if (!step_.accelerations(outcome_.t + lateness * h, moved, later)) return false;
  }
  for (std::size_t i = 0; i < s_.size(); ++i) {
    const auto index = static_cast<std::size_t>(origin[i].index);
    switch (origin[i].kind) {
      case Kind::None: s_[i] = 0; break;
      case Kind::Y: s_[i] = y[index]; break;
      case Kind::Acceleration: s_[i] = now[index]; break;
      case Kind::LaterAcceleration: s_[i] = later[index]; break;
    }
  }
  return true;
}

bool Stepper::factor(std::size_t k, double h) {
  const StepEquations::Stage& stage = equations_.stages()[k];
  std::vector<double>& values = values_[k];
  ++outcome_.statistics.jacobians;
  ++outcome_.statistics.factorizations;
  equations_.jacobian(k, values, work_);
  for (std::size_t j = 0; j < stage.size(); ++j) {
    const double column = 1 / power(h, stage.exponent[j]);
    const auto first = static_cast<std::size_t>(stage.pattern.column_start[j]);
    const auto last = static_cast<std::size_t>(stage.pattern.column_start[j + 1]);
    for (std::size_t at = first; at < last; ++at) {
      const auto row = static_cast<std::size_t>(stage.pattern.row[at]);
      values[at] *= column * power(h, stage.row_exponent[row]);
    }
  }
  if (!all_finite(values)) return false;
  return null_space_.empty() ? solver_[k].factor(values) : null_space_[k].factor(values);
}

// s₁ −= J⁻¹Φ; the size of the correction.
double Stepper::correct(std::size_t k, double h) {
  const StepEquations::Stage& stage = equations_.stages()[k];
  std::vector<double>& delta = delta_[k];
  for (std::size_t i = 0; i < stage.size(); ++i) delta[i] *= power(h, stage.row_exponent[i]);
  if (null_space_.empty()) {
    solver_[k].solve(delta);
  } else {
    null_space_[k].solve(delta);
  }
  const auto s = equations_.end(work_).subspan(stage.first, stage.size());
  double norm = 0;
  for (std::size_t j = 0; j < stage.size(); ++j) {
    const double scale = power(h, stage.exponent[j]);
    s[j] -= delta[j] / scale;
    const double size = std::max(scale * std::abs(s[j]), segment_.options.absolute_scale);
    norm = std::max(norm, std::abs(delta[j]) / size);
    if (!std::isfinite(s[j])) return INFINITY;
  }
  return norm;
}

// Newton's method. The next correction is about norm · (norm/last)², the convergence being
// quadratic; below round-off it is not made.
std::string_view Stepper::solve(std::size_t k, double h) {
  constexpr double kRoundOff = 1e-16, kNearlyRoundOff = 1e-10;
  double last = INFINITY;
  for (int iteration = 0; iteration < kMaxNewtonIterations; ++iteration) {
    ++outcome_.statistics.iterations;
    ++outcome_.statistics.evaluations;
    equations_.evaluate(k, delta_[k], work_);
    if (!all_finite(delta_[k])) return kNoConvergence;
    if (!factor(k, h)) return kSingular;
    const double norm = correct(k, h), ratio = iteration == 0 ? 1 : norm / last;
    if (!std::isfinite(norm)) return kNoConvergence;
    if (equations_.stages()[k].is_linear || norm <= kRoundOff) return {};
    if (ratio < 0.1 && norm * ratio * ratio <= kRoundOff) return {};
    if (iteration > 0 && norm <= kNearlyRoundOff && ratio > 0.5) return {};
    last = norm;
  }
  return kNoConvergence;
}

std::string_view Stepper::take(double t, double h) {
  equations_.begin(t, h, s_, work_);
  for (std::size_t k = 0; k < equations_.stages().size(); ++k) {
    if (const std::string_view reason = solve(k, h); !reason.empty()) return reason;
  }
  equations_.carry(work_);
  const std::span<const double> end = equations_.end(work_);
  if (!all_finite(end)) return kNoConvergence;
  std::copy(end.begin(), end.end(), s_.begin());
  return {};
}

void Stepper::read_y() {
  const auto& origin = equations_.origin();
  for (std::size_t i = 0; i < s_.size(); ++i) {
    if (origin[i].kind == StepEquations::Origin::Kind::Y) {
      y_[static_cast<std::size_t>(origin[i].index)] = s_[i];
    }
  }
}

double Stepper::run(double lateness) {
  outcome_.statistics.order = 2;
  const double t_start = outcome_.t;
  const long count = num_equal_steps(t_start, segment_.t_end, *segment_.options.step);
  const double h = (segment_.t_end - t_start) / static_cast<double>(count);
  if (!begin(h, lateness)) {
    fail(outcome_, kNoRates);
    return h;
  }
  for (long k = 1; k <= count; ++k) {
    const double t1 = k == count ? segment_.t_end : t_start + static_cast<double>(k) * h;
    step_.begin(outcome_.t);
    if (const std::string_view reason = take(outcome_.t, h); !reason.empty()) {
      fail(outcome_, reason, kTrySmallerStep);
      return h;
    }
    read_y();
    step_.end(t1, y_);
    outcome_.t = t1;
    std::copy(y_.begin(), y_.end(), outcome_.y.begin());
    if (k == count) step_.finish(outcome_.y);
    if (!finish_step(segment_, step_, outcome_)) {
      step_.finish(outcome_.y);
      return h;
    }
  }
  return h;
}

}  // namespace

// With the spectral radius ρ at infinite frequency [Chung & Hulbert 1993].
double run_generalized_alpha(const Segment& segment, Outcome& outcome) {
  const IntegratorVariant& variant = segment.integrator.variant;
  const double rho = variant.spectral_radius.value_or(0.8);
  const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const double gamma = 0.5 + alpha_f - alpha_m, beta = 0.25 * (0.5 + gamma) * (0.5 + gamma);
  const double c[] = {alpha_m, alpha_f, beta, gamma};
  return Stepper(segment, outcome, StepRule::GeneralizedAlpha, c, variant.by_null_space)
      .run(alpha_m - alpha_f);
}

double run_energy_momentum(const Segment& segment, Outcome& outcome) {
  const IntegratorVariant& variant = segment.integrator.variant;
  return Stepper(segment, outcome, StepRule::EnergyMomentum, {}, variant.by_null_space).run(0);
}

double run_variational(const Segment& segment, Outcome& outcome) {
  const IntegratorVariant& variant = segment.integrator.variant;
  const StepRule rule = variant.is_trapezoidal.value_or(false) ? StepRule::VariationalTrapezoidal
                                                               : StepRule::VariationalMidpoint;
  return Stepper(segment, outcome, rule, {}, variant.by_null_space).run(0);
}

}  // namespace koppel
