#include <koppel/study/optimize.hpp>

#include <nlopt.h>
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/needed_library.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>

namespace koppel {
namespace {

constexpr double kFeasible = 1e-6;  // of a limit, relative to its size

// Evaluates (1) in variables from 0 to 1, each point once for goal and limits.
class Goal {
 public:
  Goal(const Model& model, const std::vector<ParameterOrigin>& origins,
       const OptimizeOptions& options, const OptimizeCallbacks& callbacks)
      : options_(options),
        callbacks_(callbacks),
        space_(model, origins, names(options)),
        reach_(options.limits.size(), 0.0) {
    sensitivity_.run = with_fixed_cost(space_.model(), options.run);
    sensitivity_.of = options.minimize;
    for (const Limit& limit : options.limits) sensitivity_.of.push_back(limit.criterion);
    Model trial = space_.model();
    add_quantities(sensitivity_.of, {}, trial);  // throws where a name is not known
  }

  const StudiedParameters& space() const { return space_; }
  std::size_t size() const { return options_.over.size(); }
  std::size_t num_limits() const { return options_.limits.size(); }
  double width(std::size_t i) const { return options_.over[i].high - options_.over[i].low; }

  std::vector<double> from_unit(const double* x) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < size(); ++i) out.push_back(options_.over[i].at(x[i]));
    return out;
  }
  std::vector<double> to_unit(const std::vector<double>& values) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < size(); ++i) {
      out.push_back(std::clamp((values[i] - options_.over[i].low) / width(i), 0.0, 1.0));
    }
    return out;
  }

  const Evaluation& at(const std::vector<double>& values) {
    if (last_ && last_->at == values) {
      if (last_->is_good()) keep(*last_);
      return *last_;
    }
    const long number = ++num_evaluations;
    std::optional<Evaluation> known;
    if (callbacks_.known) known = callbacks_.known(values);
    last_ = known ? std::move(*known) : compute(values);
    if (!last_->is_good()) {
      ++num_failures;
      if (failure.empty()) failure = last_->why;
    } else {
      keep(*last_);
    }
    if (callbacks_.evaluated && !callbacks_.evaluated(*last_, number)) is_stopped = true;
    return *last_;
  }

  // What excesses of a limit are compared with: its bound, or where that is next to nothing, as 0
  // is, a hundredth of what its criterion changes by over the range of a parameter.
  double size_of_limit(std::size_t k) const {
    return std::max(std::abs(options_.limits[k].bound), 0.01 * reach_[k]);
  }
  double violation(const Evaluation& e) const {
    double most = 0;
    for (std::size_t k = 0; k < e.limits.size(); ++k) {
      if (e.limits[k] > 0) most = std::max(most, e.limits[k] / size_of_limit(k));
    }
    return most;
  }
  bool is_feasible(const Evaluation& e) const { return violation(e) <= kFeasible; }
  // One that keeps the limits before one that does not.
  bool is_better(const Evaluation& a, const Evaluation& b) const {
    if (is_feasible(a) != is_feasible(b)) return is_feasible(a);
    return is_feasible(a) ? a.value < b.value : violation(a) < violation(b);
  }

  void forget_best() { best.reset(); }
  std::optional<Evaluation> best;
  long num_evaluations = 0, num_failures = 0;
  std::string failure;
  bool is_stopped = false;

 private:
  static std::vector<std::string> names(const OptimizeOptions& options) {
    std::vector<std::string> out;
    for (const Range& range : options.over) out.push_back(range.name);
    return out;
  }

  Evaluation compute(const std::vector<double>& values) const {
    Evaluation out;
    out.at = values;
    try {
      const Sensitivity s = find_sensitivity(space_, values, sensitivity_);
      if (s.status != Outcome::Status::Done) {
        if (s.status == Outcome::Status::Stopped) throw Stopped{};
        out.why = s.text.empty() ? "the run did not come to its end" : s.text;
        return out;
      }
      fill(s, out);
    } catch (const Error& error) {
      if (error.has(Cause::Method)) throw;
      out.why = error.what();
    }
    return out;
  }

  void fill(const Sensitivity& s, Evaluation& out) const {
    const double sign = options_.maximizes ? -1 : 1;
    const std::size_t m = options_.minimize.size();
    out.gradient.assign(size(), 0.0);
    for (std::size_t i = 0; i < s.values.size(); ++i) {
      std::vector<double> slopes;
      for (std::size_t j = 0; j < size(); ++j) {
        slopes.push_back(s.derivatives(static_cast<int>(i), static_cast<int>(j)));
      }
      if (i < m) {
        out.value += sign * s.values[i];
        for (std::size_t j = 0; j < size(); ++j) out.gradient[j] += sign * slopes[j];
        continue;
      }
      const Limit& limit = options_.limits[i - m];
      const double turn = limit.is_upper ? 1 : -1;
      out.limits.push_back(turn * (s.values[i] - limit.bound));
      for (double& slope : slopes) slope *= turn;
      out.limit_slopes.push_back(std::move(slopes));
    }
    if (!std::isfinite(out.value)) out.why = "the criterion is not finite";
  }

  void keep(const Evaluation& e) {
    for (std::size_t k = 0; k < e.limits.size(); ++k) {
      for (std::size_t i = 0; i < size(); ++i) {
        reach_[k] = std::max(reach_[k], std::abs(e.limit_slopes[k][i]) * width(i));
      }
    }
    if (!best || is_better(e, *best)) best = e;
  }

  const OptimizeOptions& options_;
  const OptimizeCallbacks& callbacks_;
  StudiedParameters space_;
  SensitivityOptions sensitivity_;
  std::optional<Evaluation> last_;
  std::vector<double> reach_;  // of each limit, as far as it is known
};

// What is used of NLopt, by its own names.
struct Nlopt : NeededLibrary {
  Nlopt()
      : NeededLibrary(KOPPEL_NLOPT_LIBRARY, {"study.no-library", "NLopt, which optimises,",
                                             "Install " KOPPEL_NLOPT_LIBRARY "."}) {}

  decltype(::nlopt_create)* nlopt_create = find("nlopt_create");
  decltype(::nlopt_destroy)* nlopt_destroy = find("nlopt_destroy");
  decltype(::nlopt_force_stop)* nlopt_force_stop = find("nlopt_force_stop");
  decltype(::nlopt_optimize)* nlopt_optimize = find("nlopt_optimize");
  decltype(::nlopt_set_lower_bounds1)* nlopt_set_lower_bounds1 = find("nlopt_set_lower_bounds1");
  decltype(::nlopt_set_upper_bounds1)* nlopt_set_upper_bounds1 = find("nlopt_set_upper_bounds1");
  decltype(::nlopt_set_min_objective)* nlopt_set_min_objective = find("nlopt_set_min_objective");
  decltype(::nlopt_add_inequality_mconstraint)* nlopt_add_inequality_mconstraint =
      find("nlopt_add_inequality_mconstraint");
  decltype(::nlopt_set_xtol_abs1)* nlopt_set_xtol_abs1 = find("nlopt_set_xtol_abs1");
  decltype(::nlopt_set_maxeval)* nlopt_set_maxeval = find("nlopt_set_maxeval");
};

const Nlopt& library() {
  static const Nlopt loaded;
  return loaded;
}

// NLopt calls back from C: what is thrown waits outside of it.
struct Call {
  Goal& goal;
  nlopt_opt solver;
  std::exception_ptr thrown = {};

  const Evaluation* evaluate(const double* x) {
    try {
      if (thrown || goal.is_stopped) throw Stopped{};
      check_stop();
      return &goal.at(goal.from_unit(x));
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
      library().nlopt_force_stop(solver);
      return nullptr;
    }
  }
};

double of_goal(unsigned n, const double* x, double* gradient, void* data) {
  auto& call = *static_cast<Call*>(data);
  const Evaluation* e = call.evaluate(x);
  const bool is_good = e != nullptr && e->is_good();
  for (unsigned i = 0; gradient != nullptr && i < n; ++i) {
    gradient[i] = is_good ? e->gradient[i] * call.goal.width(i) : 0;
  }
  return is_good ? e->value : HUGE_VAL;
}

void of_limits(unsigned m, double* result, unsigned n, const double* x, double* gradient,
               void* data) {
  auto& call = *static_cast<Call*>(data);
  const Evaluation* e = call.evaluate(x);
  const bool is_good = e != nullptr && e->is_good();
  for (unsigned k = 0; k < m; ++k) {
    result[k] = is_good ? e->limits[k] : HUGE_VAL;
    for (unsigned i = 0; gradient != nullptr && i < n; ++i) {
      gradient[k * n + i] = is_good ? e->limit_slopes[k][i] * call.goal.width(i) : 0;
    }
  }
}

bool is_converged(nlopt_result result) {
  return result == NLOPT_SUCCESS || result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED;
}

// From a point in [0, 1]ⁿ. Throws Stopped and what evaluation throws.
bool descend(Goal& goal, nlopt_algorithm algorithm, const OptimizeOptions& options,
             std::vector<double> x, int max_evaluations) {
  const auto n = static_cast<unsigned>(goal.size());
  const Nlopt& nlopt = library();
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> solver(nlopt.nlopt_create(algorithm, n),
                                                                 nlopt.nlopt_destroy);
  Call call{goal, solver.get()};
  nlopt.nlopt_set_lower_bounds1(solver.get(), 0);
  nlopt.nlopt_set_upper_bounds1(solver.get(), 1);
  nlopt.nlopt_set_min_objective(solver.get(), of_goal, &call);
  if (goal.num_limits() > 0) {
    std::vector<double> tolerance;
    for (std::size_t k = 0; k < goal.num_limits(); ++k) {
      tolerance.push_back(0.1 * kFeasible * goal.size_of_limit(k));
    }
    nlopt.nlopt_add_inequality_mconstraint(solver.get(), static_cast<unsigned>(goal.num_limits()),
                                           of_limits, &call, tolerance.data());
  }
  nlopt.nlopt_set_xtol_abs1(solver.get(), options.tolerance);
  nlopt.nlopt_set_maxeval(solver.get(), max_evaluations);
  double value = 0;
  const nlopt_result result = nlopt.nlopt_optimize(solver.get(), x.data(), &value);
  if (call.thrown) std::rethrow_exception(call.thrown);
  return is_converged(result);
}

double remaining_slope(const Goal& goal, const Evaluation& e);
constexpr double kFlat = 1e-5;  // a slope, of the value

// Quadratic programming stops where its model of the goal is poor or a run fails; it begins anew
// from the best point, or goes on by moving asymptotes, until the slope is gone, nothing is gained
// any more, or the evaluations are used up.
bool descend_to_the_end(Goal& goal, const OptimizeOptions& options, std::vector<double> x) {
  const long most = goal.num_evaluations + options.max_evaluations;
  bool is_done = false;
  double last = HUGE_VAL;
  for (int pass = 0; goal.num_evaluations < most; ++pass) {
    const long failures = goal.num_failures;
    const auto left = static_cast<int>(most - goal.num_evaluations);
    is_done = descend(goal, pass % 2 == 0 ? NLOPT_LD_SLSQP : NLOPT_LD_MMA, options, x, left);
    if (!goal.best) return false;
    const Evaluation& best = *goal.best;
    const double size = std::max(std::abs(best.value), 1e-300);
    constexpr double kGain = 1e-7;
    const bool is_flat = remaining_slope(goal, best) <= kFlat * size;
    if (is_flat && is_done) return true;
    if (pass > 0 && failures == goal.num_failures && last - best.value <= kGain * size) break;
    last = best.value;
    x = goal.to_unit(best.at);
  }
  return is_done;
}

constexpr double kOnBound = 1e-9;

// Of a slope at x, what bounds do not stop.
Eigen::VectorXd within_bounds(Eigen::VectorXd slope, const std::vector<double>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    double& d = slope[static_cast<long>(i)];
    if ((x[i] < kOnBound && d > 0) || (x[i] > 1 - kOnBound && d < 0)) d = 0;
  }
  return slope;
}

// By the ranges of parameters.
Eigen::VectorXd slope_of(const Goal& goal, const Evaluation& e) {
  Eigen::VectorXd slope(goal.size());
  for (std::size_t i = 0; i < goal.size(); ++i) {
    slope[static_cast<long>(i)] = e.gradient[i] * goal.width(i);
  }
  return slope;
}

bool is_active(const Goal& goal, const Evaluation& e, std::size_t k) {
  return e.limits[k] >= -10 * kFeasible * goal.size_of_limit(k);
}

// Kuhn and Tucker's conditions at a point: what multipliers ≥ 0 of active limits leave of the
// gradient, in the directions that bounds allow.
double remaining_slope(const Goal& goal, const Evaluation& e) {
  const std::size_t n = goal.size();
  const std::vector<double> x = goal.to_unit(e.at);
  const Eigen::VectorXd slope = slope_of(goal, e);
  std::vector<Eigen::VectorXd> active;
  for (std::size_t k = 0; k < e.limits.size(); ++k) {
    if (!is_active(goal, e, k)) continue;
    Eigen::VectorXd a(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[static_cast<long>(i)] = e.limit_slopes[k][i] * goal.width(i);
    }
    active.push_back(a);
  }
  const auto left = [&](const Eigen::VectorXd& rest) { return within_bounds(rest, x); };
  // Those whose multiplier turns out negative do not hold it back; few, so one after the other.
  // What is at a bound has a multiplier of its own, and says nothing about the others.
  Eigen::VectorXd is_free(n);
  for (std::size_t i = 0; i < n; ++i) {
    is_free[static_cast<long>(i)] = x[i] >= kOnBound && x[i] <= 1 - kOnBound ? 1 : 0;
  }
  while (!active.empty()) {
    Eigen::MatrixXd A(n, active.size());
    for (std::size_t k = 0; k < active.size(); ++k) A.col(static_cast<long>(k)) = active[k];
    const Eigen::MatrixXd free_rows = is_free.asDiagonal() * A;
    const Eigen::VectorXd mu = dense::LeastNorm(free_rows).solve(-is_free.cwiseProduct(slope));
    Eigen::Index worst = 0;
    if (mu.minCoeff(&worst) >= 0) return left(slope + A * mu).cwiseAbs().maxCoeff();
    active.erase(active.begin() + worst);
  }
  return left(slope).cwiseAbs().maxCoeff();
}

// Downhill from the best point, as close as parameters are wanted, the goal rises: then it has a
// kink between, unless its slope turns smoothly there. In a smooth bend the difference of the
// slopes on both sides shrinks with their distance, which bisection makes 64 times smaller; at a
// kink it stays. The mean of both slopes of least size is what is left.
std::optional<double> find_slope_at_kink(Goal& goal, const OptimizeOptions& options) {
  constexpr double kClose = 10;  // tolerances
  constexpr int kHalvings = 6;
  const Evaluation best = *goal.best;
  const std::vector<double> x = goal.to_unit(best.at);
  const auto size = static_cast<long>(x.size());
  const Eigen::Map<const Eigen::VectorXd> origin(x.data(), size);
  const Eigen::VectorXd here = within_bounds(slope_of(goal, best), x);
  const Eigen::VectorXd down = -here.normalized();
  const auto slope_at = [&](double distance) -> std::optional<Eigen::VectorXd> {
    const Eigen::VectorXd at = (origin + distance * down).cwiseMax(0).cwiseMin(1);
    const Evaluation& e = goal.at(goal.from_unit(at.data()));
    if (!e.is_good()) return {};
    return within_bounds(slope_of(goal, e), x);
  };
  double low = 0, high = kClose * options.tolerance;
  std::optional<Eigen::VectorXd> before = here, after = slope_at(high);
  if (!after || after->dot(down) < 0) return {};
  const double jump = (*after - *before).dot(down);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    const std::optional<Eigen::VectorXd> between = slope_at(middle);
    if (!between) return {};
    (between->dot(down) < 0 ? low : high) = middle;
    (between->dot(down) < 0 ? before : after) = between;
  }
  const Eigen::VectorXd change = *after - *before;
  if (change.dot(down) < 0.5 * jump) return {};
  const double part = std::clamp(-before->dot(change) / change.squaredNorm(), 0.0, 1.0);
  const double left = (*before + part * change).cwiseAbs().maxCoeff();
  constexpr double kRoundOff = 1e-14;
  return left > kRoundOff * jump ? left : 0;
}

bool is_inside_limits(const Goal& goal, const Evaluation& e) {
  for (std::size_t k = 0; k < e.limits.size(); ++k) {
    if (is_active(goal, e, k)) return false;
  }
  return true;
}

void describe_end(const Goal& goal, const OptimizeOptions& options, Optimum& out) {
  constexpr double kAtBound = 1e-6;
  const std::vector<double> x = goal.to_unit(out.best.at);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < kAtBound) out.at_bounds.push_back(out.parameters[i] + ": low");
    if (x[i] > 1 - kAtBound) out.at_bounds.push_back(out.parameters[i] + ": high");
  }
  for (std::size_t k = 0; k < out.best.limits.size(); ++k) {
    const double over = out.best.limits[k];
    if (is_active(goal, out.best, k)) out.active.push_back(to_string(options.limits[k]));
    if (over > kFeasible * goal.size_of_limit(k)) {
      out.missed.push_back(fmt::format("{} by {:.3g}", to_string(options.limits[k]), over));
    }
  }
  out.remaining_slope = remaining_slope(goal, out.best);
}

std::vector<std::vector<double>> starts_of(const Goal& goal, const OptimizeOptions& options) {
  std::vector<std::vector<double>> out = {goal.to_unit(goal.space().values())};
  if (options.starts <= 1) return out;
  Design design;
  design.kind = Design::Kind::Latin;
  design.ranges = options.over;
  for (Range& range : design.ranges) range.count = 0;
  design.count = options.starts - 1;
  design.seed = options.seed;
  const Samples samples(design);
  for (std::size_t k = 0; k < samples.size(); ++k) out.push_back(goal.to_unit(samples.point(k)));
  return out;
}

}  // namespace

void OptimizeOptions::validate() const {
  if (minimize.empty()) {
    throw Error("study.bad-option", "there is nothing to be minimised.",
                "Give a criterion, such as rod.angle:max.");
  }
  if (over.empty()) {
    throw Error("study.bad-option", "no parameters are given to optimise over.",
                "Give them with bounds: name=low:high.");
  }
  for (const Range& range : over) {
    if (range.values.empty() && range.low < range.high && !range.is_logarithmic) continue;
    throw Error("study.bad-range",
                fmt::format("'{}' has no bounds to optimise within.", to_string(range)),
                "Write name=low:high with low below high.");
  }
  if (starts < 1 || max_evaluations < 1 || !(tolerance > 0)) {
    throw Error("study.bad-option",
                "starts, evaluations and the tolerance of an optimisation must be above 0.");
  }
}

void check_question(const Model& model, const std::vector<ParameterOrigin>& origins,
                    const OptimizeOptions& options) {
  options.validate();
  const OptimizeCallbacks none;
  const Goal goal(model, origins, options, none);
}

Optimum optimize(const Model& model, const OptimizeOptions& options,
                 const OptimizeCallbacks& callbacks) {
  return optimize(model, {}, options, callbacks);
}

Optimum optimize(const Model& model, const std::vector<ParameterOrigin>& origins,
                 const OptimizeOptions& options, const OptimizeCallbacks& callbacks) {
  options.validate();
  Goal goal(model, origins, options, callbacks);
  Optimum out;
  out.parameters = goal.space().names();
  std::optional<Evaluation> best;
  bool any_converged = false;
  try {
    // Of the model as it is, also where that is out of bounds.
    out.first = goal.at(goal.space().values());
    for (const std::vector<double>& start : starts_of(goal, options)) {
      goal.forget_best();
      const bool converged = descend_to_the_end(goal, options, start);
      Optimum::FromStart from{goal.from_unit(start.data()), {}, HUGE_VAL, false, converged};
      if (goal.best) {
        from.end = goal.best->at;
        from.value = goal.best->value;
        from.is_feasible = goal.is_feasible(*goal.best);
        const bool is_better = !best || goal.is_better(*goal.best, *best);
        if (is_better) best = goal.best;
        if (is_better) any_converged = converged;
      }
      out.starts.push_back(std::move(from));
    }
    out.end = any_converged ? Optimum::End::Converged : Optimum::End::TooManyEvaluations;
    const auto is_flat = [&] {
      return remaining_slope(goal, *best) <= kFlat * std::max(std::abs(best->value), 1e-300);
    };
    if (any_converged && is_inside_limits(goal, *best) && !is_flat()) {
      goal.best = best;
      out.slope_at_kink = find_slope_at_kink(goal, options);
      best = goal.best;
    }
  } catch (const Stopped&) {
    out.end = Optimum::End::Stopped;
    if (!best) best = goal.best;
  }
  out.evaluations = goal.num_evaluations;
  out.failures = goal.num_failures;
  out.failure = goal.failure;
  if (!best) {
    if (out.end != Optimum::End::Stopped) out.end = Optimum::End::Nothing;
    return out;
  }
  out.best = *best;
  out.is_feasible = goal.is_feasible(*best);
  describe_end(goal, options, out);
  return out;
}

}  // namespace koppel
