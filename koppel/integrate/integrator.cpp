#include <koppel/integrate/integrator.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/integrate/event_watch.hpp>
#include <koppel/integrate/passage.hpp>
#include <koppel/integrate/segment.hpp>
#include <koppel/integrate/variant.hpp>

namespace koppel {
namespace {

using Form = IntegratorInfo::Form;
constexpr int kAnyIndex = std::numeric_limits<int>::max();

// One line joins an integrator.
// clang-format off
constexpr IntegratorInfo kIntegrators[] = {
    {"taylor", "Taylor series of high order on the DAE itself", Form::Series, kAnyIndex, true, true},
    {"radau5", "Radau IIA of order 5, for stiff problems and DAEs", Form::Residual, 3, true, true},
    {"ida", "BDF of orders 1 to 5 on DAEs, of SUNDIALS", Form::Residual, 2, false, true},
    {"cvode", "BDF of orders 1 to 5 on stiff ODEs, of SUNDIALS", Form::RightHandSide, 0, false, true},
    {"dop853", "Runge-Kutta of order 8, of Dormand and Prince", Form::RightHandSide, 0, true, true},
    {"rk4", "Runge-Kutta of order 4", Form::RightHandSide, 0, true, false},
    {"implicit-euler", "backward differences of order 1, robust", Form::Residual, 3, true, true},
    {"midpoint", "the implicit midpoint rule, of order 2", Form::Residual, 3, true, false},
    {"generalized-alpha", "order 2, damping what is faster than the step", Form::Steps, 3, true, false,
     StepRule::GeneralizedAlpha, "the spectral radius at infinite frequency, from 0 to 1, as in generalized-alpha:0.5; null-space"},
    {"energy-momentum", "order 2, keeping energy and momenta exactly", Form::Steps, 3, true, false,
     StepRule::EnergyMomentum, "null-space: multipliers are eliminated from Newton's matrix"},
    {"variational", "order 2, symplectic, keeping momenta", Form::Steps, 3, true, false,
     StepRule::VariationalMidpoint, "the discrete Lagrangian: variational:midpoint or variational:trapezoidal; null-space"},
    {"bdf2", "backward differences of order 2 with a fixed step", Form::Residual, 3, true, false},
    {"bdf3", "backward differences of order 3 with a fixed step", Form::Residual, 3, true, false},
    {"bdf4", "backward differences of order 4 with a fixed step", Form::Residual, 3, true, false},
    {"bdf5", "backward differences of order 5 with a fixed step", Form::Residual, 3, true, false},
    {"explicit-euler", "explicit Euler steps of fixed cost", Form::FixedCost, kAnyIndex, true, false},
    {"linear-implicit", "linear-implicit Euler steps of fixed cost, for real time", Form::FixedCost, kAnyIndex, true, false},
    {"rosenbrock", "a W-method of order 2 with steps of fixed cost", Form::FixedCost, kAnyIndex, true, false,
     {}, {}, FixedCostOptions::Rule::Rosenbrock},
    {"rattle", "order 2 with steps of fixed cost, keeping energy where nothing is stiff", Form::FixedCost, kAnyIndex, true, false,
     {}, {}, FixedCostOptions::Rule::Rattle},
};
using Run = double (*)(const Segment&, Outcome&);
constexpr Run kRun[] = {
    run_taylor, run_radau5, run_ida, run_cvode, run_dop853, run_rk4, run_implicit_euler,
    run_midpoint, run_generalized_alpha, run_energy_momentum, run_variational,
    run_bdf2, run_bdf3, run_bdf4, run_bdf5,
    run_fixed_cost, run_fixed_cost, run_fixed_cost, run_fixed_cost,
};
// clang-format on
static_assert(std::size(kRun) == std::size(kIntegrators));

// A step that touches a breakpoint, or the one before or after, seen without the gap that the
// integration leaves around it.
class ClosedStep : public Step, public PassingStep {
 public:
  ClosedStep(const Step& inner, double from, double to) : Step(from, to), inner_(inner) {}
  void evaluate(double t, std::span<double> y) const override {
    inner_.evaluate(std::clamp(t, inner_.t0, inner_.t1), y);
  }
  void evaluate_some(double t, std::span<const int> places, std::span<double> y) const override {
    inner_.evaluate_some(std::clamp(t, inner_.t0, inner_.t1), places, y);
  }
  int order() const override { return inner_.order(); }
  const SingularPassage* passage() const override {
    const auto* const passing = dynamic_cast<const PassingStep*>(&inner_);
    const SingularPassage* const found = passing == nullptr ? nullptr : passing->passage();
    return found != nullptr && found->t <= t1 ? found : nullptr;
  }

 private:
  const Step& inner_;
};

// A problem without unknowns: a structure, all of whose points stand still. One step does it.
class EmptyStep : public Step {
 public:
  using Step::Step;
  void evaluate(double, std::span<double>) const override {}
};

double run_empty(const Segment& segment, Outcome& outcome) {
  ++outcome.statistics.steps;
  const EmptyStep step(outcome.t, segment.t_end);
  outcome.t = segment.t_end;
  if (!segment.observer(step)) outcome.status = Outcome::Status::Stopped;
  return 0;
}

void require(bool ok, std::string_view what, double value, std::string_view hint) {
  if (!ok) throw Error("integrate.bad-option", fmt::format("{} is {}", what, value), hint);
}

void check(const IntegratorInfo& info, const Problem& problem, const Start& start, double end,
           const IntegrateOptions& options) {
  options.validate();
  if (const auto reason = why_not(info, problem)) {
    throw Error("integrate.wrong-problem", *reason);
  }
  if (options.step && !info.has_fixed_step) {
    throw Error("integrate.no-fixed-step",
                fmt::format("integrator '{}' chooses its steps itself", info.name),
                "give a tolerance instead of a step");
  }
  if (!options.step && !info.has_adaptive_step) {
    throw Error("integrate.no-step",
                fmt::format("integrator '{}' does not choose its steps", info.name), "give a step");
  }
  if (start.y.size() != static_cast<std::size_t>(problem.size())) {
    throw Error("integrate.bad-start",
                fmt::format("{} starting values for {} unknowns", start.y.size(), problem.size()));
  }
  for (std::size_t i = 0; i < start.y.size(); ++i) {
    if (std::isfinite(start.y[i])) continue;
    throw Error("integrate.bad-start",
                fmt::format("the starting value of '{}' is {}", problem.labels[i], start.y[i]));
  }
  require(std::isfinite(start.t), "the start time", start.t, "it must be finite");
  require(std::isfinite(end) && end >= start.t, "the end time", end,
          fmt::format("it must be finite and not before the start, {}", start.t));
}

}  // namespace

void IntegrateOptions::validate() const {
  require(tolerance > 0 && tolerance < 1, "the tolerance", tolerance, "it lies between 0 and 1");
  require(absolute_scale > 0 && std::isfinite(absolute_scale), "the absolute scale", absolute_scale,
          "it must be positive");
  if (step) require(*step > 0 && std::isfinite(*step), "the step", *step, "it must be positive");
  require(max_step >= 0, "the largest step", max_step, "it must be positive, or 0 for no limit");
  require(max_steps > 0, "the number of steps", static_cast<double>(max_steps),
          "it must be positive");
  require(order >= 0, "the order", order, "it must be positive, or 0 to have it chosen");
}

std::span<const IntegratorInfo> integrators() { return kIntegrators; }

const IntegratorInfo& find_integrator(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  const std::string_view whole = name, variant = variant_of(name);
  name = name.substr(0, name.find(':'));
  for (const IntegratorInfo& info : kIntegrators) {
    if (info.name == name) {
      if (info.form == Form::FixedCost) {
        fixed_cost_options(whole, Projection::None);
      } else {
        check_variant(info, variant);
      }
      return info;
    }
    names.emplace_back(info.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  std::string hint = "integrators: " + list + ".";
  if (const std::string meant = suggest(name, names); !meant.empty()) {
    hint += fmt::format(" Did you mean '{}'?", meant);
  }
  throw Error("integrate.unknown-integrator", fmt::format("there is no integrator '{}'", name),
              hint);
}

std::string names_of_fixed_cost() {
  std::string out;
  for (const IntegratorInfo& info : kIntegrators) {
    if (info.form != Form::FixedCost) continue;
    out += (out.empty() ? "" : ", ") + std::string(info.name);
  }
  return out;
}

std::optional<std::string> why_not(const IntegratorInfo& integrator, const Problem& problem) {
  const auto says = [&](std::string_view needs) {
    return fmt::format("integrator '{}' {}; formulation '{}' gives none", integrator.name, needs,
                       problem.formulation);
  };
  switch (integrator.form) {
    case Form::RightHandSide:
      if (!problem.rhs) return says("needs a right-hand side");
      break;
    case Form::Residual:
      if (!problem.residual) return says("needs a residual");
      if (problem.index > integrator.max_index) {
        return fmt::format(
            "integrator '{}' solves problems up to index {}; formulation '{}' has {}",
            integrator.name, integrator.max_index, problem.formulation, problem.index);
      }
      break;
    case Form::Series:
      if (!problem.series) return says("needs a series");
      break;
    case Form::Steps:
      if (const Problem::Steps& steps = problem.steps_of(integrator.rule); !steps.equations) {
        return fmt::format("integrator '{}' needs {}", integrator.name,
                           steps.needs.empty() ? "equations of steps" : steps.needs);
      }
      break;
    case Form::FixedCost:
      if (!problem.fixed_cost) return says("needs the equations of motion");
      if (const std::string& needs = problem.fixed_cost.needs(integrator.fixed_cost_rule);
          !needs.empty()) {
        return fmt::format("integrator '{}' needs {}", integrator.name, needs);
      }
      break;
  }
  return {};
}

// Between breakpoints b₁ < b₂ the integration runs from the number after b₁ to the one before b₂,
// so that conditions such as t < b and the knots of tables are on one side throughout.
Outcome integrate(const Problem& problem, std::string_view integrator, const Start& start,
                  double end, const IntegrateOptions& options, const Observer& observer) {
  const IntegratorInfo& info = find_integrator(integrator);
  check(info, problem, start, end, options);
  const Run run = start.y.empty() ? run_empty : kRun[&info - kIntegrators];

  Outcome outcome{.t = start.t, .y = start.y, .text = {}, .sides = {}, .statistics = {}};
  // Steps of fixed cost keep to the clock: no breakpoint moves them.
  const std::vector<double>& breaks =
      info.form == Form::FixedCost ? std::vector<double>() : problem.breakpoints;
  auto next = std::lower_bound(breaks.begin(), breaks.end(), start.t);
  std::optional<EventWatch> watch;
  if (problem.events) watch.emplace(problem, start);
  std::optional<EventWatch::Found> found;
  std::vector<double> y_event(start.y.size());
  double from = start.t, h_guess = 0;
  bool is_stopped = is_stop_requested();
  if (is_stopped) outcome.status = Outcome::Status::Stopped;
  while (from < end && outcome.status == Outcome::Status::Done) {
    const bool starts_at_break = next != breaks.end() && *next == from;
    if (starts_at_break) ++next;
    const bool ends_at_break = next != breaks.end() && *next <= end;
    const double to = ends_at_break ? *next : end;
    const double t0 = starts_at_break ? std::nextafter(from, to) : from;
    const double t1 = ends_at_break ? std::nextafter(to, from) : to;

    const Observer closed = [&](const Step& step) {
      if (!observer && !watch) return !is_stop_requested();
      const double left = step.t0 == t0 ? from : step.t0, right = step.t1 == t1 ? to : step.t1;
      const ClosedStep whole(step, left, right);
      if (watch) found = watch->look(whole, y_event);
      const bool goes_on = !observer || observer(found ? ClosedStep(step, left, found->t) : whole);
      is_stopped = !goes_on || is_stop_requested();
      return !found && !is_stopped;
    };
    outcome.t = t0;
    try {
      if (t0 < t1) {
        h_guess = run({problem, options, closed, t1, h_guess, integrator, variant_of(integrator)},
                      outcome);
      }
    } catch (const Stopped&) {
      outcome.status = Outcome::Status::Stopped;
    }
    if (t0 >= t1 || outcome.t == t1) outcome.t = to;
    from = to;
  }
  if (found) {
    outcome.status = is_stopped ? Outcome::Status::Stopped : Outcome::Status::Event;
    outcome.event = found->events.front();
    outcome.t = found->t;
    outcome.y = y_event;
  }
  if (watch) outcome.sides = watch->sides();
  for (std::size_t i = 0; found && i < found->events.size(); ++i) {
    outcome.sides[static_cast<std::size_t>(found->events[i])] *= 2;
  }
  return outcome;
}

}  // namespace koppel
