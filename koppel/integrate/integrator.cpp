#include <koppel/integrate/integrator.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/integrate/event_watch.hpp>
#include <koppel/integrate/excursions.hpp>
#include <koppel/integrate/expanded_step.hpp>
#include <koppel/integrate/explicit_system.hpp>
#include <koppel/integrate/linear_step.hpp>
#include <koppel/integrate/passage.hpp>
#include <koppel/integrate/segment.hpp>

namespace koppel {
namespace {

using Form = IntegratorInfo::Form;
constexpr int kAnyIndex = std::numeric_limits<int>::max();

// One entry joins an integrator.
constexpr IntegratorInfo kIntegrators[] = {
    {.name = "taylor",
     .description = "Taylor series of high order on the DAE itself",
     .form = Form::Series,
     .max_index = kAnyIndex,
     .has_adaptive_step = true,
     .run = run_taylor,
     .formulation = "index3",
     .is_explicit = true},
    {.name = "radau5",
     .description = "Radau IIA of order 5, for stiff problems and DAEs",
     .form = Form::Residual,
     .max_index = 3,
     .has_adaptive_step = true,
     .run = run_radau5,
     .formulation = "ggl",
     .is_stiff_solver = true},
#ifdef KOPPEL_SUNDIALS
    {.name = "ida",
     .description = "BDF of orders 1 to 5 on DAEs, of SUNDIALS",
     .form = Form::Residual,
     .max_index = 2,
     .has_fixed_step = false,
     .has_adaptive_step = true,
     .run = run_ida,
     .formulation = "ggl",
     .is_stiff_solver = true,
     .is_backward_difference = true},
    {.name = "cvode",
     .description = "BDF of orders 1 to 5 on stiff ODEs, of SUNDIALS",
     .has_fixed_step = false,
     .has_adaptive_step = true,
     .run = run_cvode,
     .formulation = "index1",
     .is_stiff_solver = true,
     .is_backward_difference = true},
#endif
    {.name = "dop853",
     .description = "Runge-Kutta of order 8, of Dormand and Prince",
     .has_adaptive_step = true,
     .run = run_dop853,
     .formulation = "index1",
     .is_explicit = true,
     .explicit_rule = ExplicitRule::DormandPrince8},
    {.name = "rk4",
     .description = "Runge-Kutta of order 4",
     .run = run_rk4,
     .formulation = "index1",
     .is_explicit = true,
     .explicit_rule = ExplicitRule::Classical4},
    // Errors of backward Euler are so large that they would outweigh what a second set of
    // multipliers is good for.
    {.name = "implicit-euler",
     .description = "backward differences of order 1, robust",
     .form = Form::Residual,
     .max_index = 3,
     .has_adaptive_step = true,
     .run = run_implicit_euler,
     .formulation = "index2",
     .is_backward_difference = true},
    {.name = "midpoint",
     .description = "the implicit midpoint rule, of order 2",
     .form = Form::Residual,
     .max_index = 3,
     .run = run_midpoint,
     .formulation = "ggl"},
    {.name = "generalized-alpha",
     .description = "order 2, damping what is faster than the step",
     .form = Form::Steps,
     .max_index = 3,
     .run = run_generalized_alpha,
     .formulation = "ggl",
     .rule = StepRule::GeneralizedAlpha,
     .read = read_generalized_alpha,
     .variants = "the spectral radius at infinite frequency, from 0 to 1, as in "
                 "generalized-alpha:0.5; null-space"},
    {.name = "energy-momentum",
     .description = "order 2, keeping energy and momenta exactly",
     .form = Form::Steps,
     .max_index = 3,
     .run = run_energy_momentum,
     .formulation = "index3",
     .rule = StepRule::EnergyMomentum,
     .read = read_energy_momentum,
     .variants = "null-space: multipliers are eliminated from Newton's matrix"},
    {.name = "variational",
     .description = "order 2, symplectic, keeping momenta",
     .form = Form::Steps,
     .max_index = 3,
     .run = run_variational,
     .formulation = "index3",
     .rule = StepRule::VariationalMidpoint,
     .read = read_variational,
     .variants = "the discrete Lagrangian: variational:midpoint or variational:trapezoidal; "
                 "null-space"},
    {.name = "bdf2",
     .description = "backward differences of order 2 with a fixed step",
     .form = Form::Residual,
     .max_index = 3,
     .run = run_bdf2,
     .formulation = "ggl",
     .is_backward_difference = true},
    {.name = "bdf3",
     .description = "backward differences of order 3 with a fixed step",
     .form = Form::Residual,
     .max_index = 3,
     .run = run_bdf3,
     .formulation = "ggl",
     .is_backward_difference = true},
    {.name = "bdf4",
     .description = "backward differences of order 4 with a fixed step",
     .form = Form::Residual,
     .max_index = 3,
     .run = run_bdf4,
     .formulation = "ggl",
     .is_backward_difference = true},
    {.name = "bdf5",
     .description = "backward differences of order 5 with a fixed step",
     .form = Form::Residual,
     .max_index = 3,
     .run = run_bdf5,
     .formulation = "ggl",
     .is_backward_difference = true},
    {.name = "explicit-euler",
     .description = "explicit Euler, fixed-cost steps",
     .form = Form::FixedCost,
     .max_index = kAnyIndex,
     .run = run_fixed_cost,
     .formulation = "ggl",
     .jacobian = FixedCostOptions::Jacobian::None,
     .read = read_explicit_euler},
    {.name = "linear-implicit",
     .description = "linear-implicit Euler, fixed-cost steps for real time",
     .form = Form::FixedCost,
     .max_index = kAnyIndex,
     .run = run_fixed_cost,
     .formulation = "ggl",
     .names_jacobian = true,
     .pulls_hands = true,
     .read = read_linear_implicit},
    {.name = "rosenbrock",
     .description = "a W-method of order 2, fixed-cost steps",
     .form = Form::FixedCost,
     .max_index = kAnyIndex,
     .run = run_fixed_cost,
     .formulation = "index1",
     .fixed_cost_rule = FixedCostOptions::Rule::Rosenbrock,
     .read = read_rosenbrock},
    {.name = "rattle",
     .description = "order 2, fixed-cost steps that keep energy where nothing is stiff",
     .form = Form::FixedCost,
     .max_index = kAnyIndex,
     .run = run_fixed_cost,
     .formulation = "ggl",
     .fixed_cost_rule = FixedCostOptions::Rule::Rattle,
     .read = read_rattle},
};

const IntegratorInfo& find_row(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const IntegratorInfo& info : kIntegrators) {
    if (info.name == name) return info;
    names.emplace_back(info.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  if (name == "ida" || name == "cvode") {
    throw Error("integrate.no-sundials",
                fmt::format("integrator '{}' is of SUNDIALS, which this build has not", name),
                "use radau5 for stiff problems; or install libsundials-dev and build again; bin/koppel then does so by itself.");
  }
  std::string hint = "integrators: " + list + ".";
  if (const std::string meant = suggest(name, names); !meant.empty()) {
    hint += fmt::format(" Did you mean '{}'?", meant);
  }
  throw Error("integrate.unknown-integrator", fmt::format("there is no integrator '{}'", name),
              hint);
}

// A step that touches a breakpoint, or the one before or after, seen without the gap that the
// integration leaves around it.
class ClosedStep : public Step, public PassingStep, public ExpandedStep {
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
  const SeriesSolver* expansion() const override {
    const auto* const expanded = dynamic_cast<const ExpandedStep*>(&inner_);
    return expanded == nullptr || t0 != inner_.t0 ? nullptr : expanded->expansion();
  }

 private:
  const Step& inner_;
};

// A step whose values within are those of shorter steps.
class ShortenedStep : public Step {
 public:
  explicit ShortenedStep(const Step& inner) : Step(inner.t0, inner.t1), inner_(inner) {}
  void evaluate(double t, std::span<double> y) const override {
    if (!inner_.shorten(t, y)) inner_.evaluate(t, y);
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

// Where the line between the ends shows that something happens, shorter steps say what and when.
std::optional<EventWatch::Found> find_in_shorter_steps(const Step& step, EventWatch& watch,
                                                       std::span<double> y) {
  EventWatch closer = watch;
  const auto found = watch.look(step, y);
  if (!found) return found;
  watch = std::move(closer);
  return watch.look(ShortenedStep(step), y);
}

// The step up to an event at y.
LinearStep cut(const Step& step, double t, std::span<const double> y) {
  LinearStep out(y.size());
  out.t0 = step.t0;
  out.t1 = t;
  step.evaluate(step.t0, out.y0);
  std::copy(y.begin(), y.end(), out.y1.begin());
  return out;
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

const char* name_of(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::Event:
    case Outcome::Status::Done: return "done";
    case Outcome::Status::Doubtful: return "doubtful";
    case Outcome::Status::Stopped: return "stopped";
    case Outcome::Status::Failed: return "failed";
  }
  return "";
}

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

void Integrator::read(std::string_view text) {
  if (text.empty() || text == "auto") return;
  wants_fixed_cost_ = text == kFixedCost;
  if (wants_fixed_cost_) return;
  const std::size_t colon = text.find(':');
  info_ = &find_row(text.substr(0, colon));
  if (colon != std::string_view::npos) add_variant(text.substr(colon + 1));
}

const IntegratorInfo& Integrator::info() const { return is_open() ? find_row(text()) : *info_; }

void Integrator::add_variant(std::string_view text) { info().read(info(), text, variant); }

std::string Integrator::text() const {
  if (wants_fixed_cost_) return std::string(kFixedCost);
  return is_open() ? "" : std::string(info_->name) + write_variant(variant);
}

FixedCostOptions Integrator::fixed_cost(Projection projection) const {
  FixedCostOptions out;
  out.rule = info().fixed_cost_rule;
  out.jacobian = variant.jacobian.value_or(info().jacobian);
  if (variant.updates) out.updates = *variant.updates;
  if (variant.stiff) out.stiff = *variant.stiff;
  out.projects = projection != Projection::None;
  return out;
}

const IntegratorInfo& find_integrator(std::string_view text) { return Integrator(text).info(); }

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

namespace {

// Where a force or an acceleration that time prescribes jumps, so do multipliers. Those of problems
// of index 2 and 3 follow from the accelerations alone, and dense output of the first step goes
// through what they are at its beginning.
void renew_multipliers(const Problem& problem, double t, std::span<double> y) {
  if (!problem.rates) return;
  const auto n = static_cast<std::size_t>(problem.num_differential());
  RightHandSide::Workspace work = problem.rates->make_workspace();
  std::vector<double> rate(n);
  if (!problem.rates->evaluate(t, y.first(n), rate, work)) return;
  Multipliers(problem, *problem.rates).read(work, y);
}

}  // namespace

// Between breakpoints b₁ < b₂ the integration runs from the number after b₁ to the one before b₂,
// so that conditions such as t < b and the knots of tables are on one side throughout.
Outcome integrate(const Problem& problem, const Integrator& integrator, const Start& start,
                  double end, const IntegrateOptions& options, const Observer& observer) {
  const IntegratorInfo& info = integrator.info();
  check(info, problem, start, end, options);
  const auto run = start.y.empty() ? run_empty : info.run;

  Outcome outcome{.t = start.t, .y = start.y, .text = {}, .sides = {}, .statistics = {}};
  // Fixed-cost steps keep to the clock: no breakpoint moves them.
  const bool is_fixed_cost = info.form == Form::FixedCost;
  const std::vector<double>& breaks = is_fixed_cost ? std::vector<double>() : problem.breakpoints;
  auto next = std::lower_bound(breaks.begin(), breaks.end(), start.t);
  std::optional<EventWatch> watch;
  if (problem.events) watch.emplace(problem, start, !is_fixed_cost);
  std::optional<EventWatch::Found> found;
  // Long steps of series may hold several swings.
  std::optional<Excursions> excursions;
  if (problem.switches && !is_fixed_cost && !options.step) {
    excursions.emplace(problem, info.form == Form::Series ? 32 : 8, info.is_explicit);
  }
  struct Turn {
    double from, to;  // where the step begins, and where it must end
    std::vector<double> y;
  };
  std::optional<Turn> turn;
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
      if (excursions) {
        if (const auto over = excursions->look(step)) {
          turn = {step.t0, over->t, std::vector<double>(outcome.y.size())};
          step.evaluate(step.t0, turn->y);
          return false;
        }
      }
      if (!observer && !watch) return !is_stop_requested();
      const double left = step.t0 == t0 ? from : step.t0, right = step.t1 == t1 ? to : step.t1;
      const ClosedStep whole(step, left, right);
      const auto shown = [&](const Step& seen) { return !observer || observer(seen); };
      bool goes_on = true;
      if (watch && is_fixed_cost) {
        found = find_in_shorter_steps(step, *watch, y_event);
        if (found) outcome.tick = step.t1;
        goes_on = found ? shown(cut(step, found->t, y_event)) : shown(step);
      } else {
        if (watch) found = watch->look(whole, y_event);
        goes_on = shown(found ? ClosedStep(step, left, found->t) : whole);
      }
      is_stopped = !goes_on || is_stop_requested();
      return !found && !is_stopped;
    };
    outcome.t = t0;
    if (starts_at_break && info.form == Form::Residual) renew_multipliers(problem, t0, outcome.y);
    try {
      for (double until = t1; t0 < t1;) {
        h_guess = run({problem, options, integrator, closed, until, h_guess, start.tick}, outcome);
        const bool turns = turn.has_value();
        if (turns) {  // the last step is taken again, up to there
          outcome.status = Outcome::Status::Done;
          outcome.t = turn->from;
          outcome.y = std::move(turn->y);
          --outcome.statistics.steps;
          ++outcome.statistics.rejected;
          h_guess = turn->to - turn->from;
        }
        if (outcome.status != Outcome::Status::Done || outcome.t == t1) break;
        until = turns ? turn->to : t1;
        turn.reset();
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
