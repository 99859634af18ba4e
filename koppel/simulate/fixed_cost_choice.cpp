#include <koppel/simulate/fixed_cost_choice.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/seconds_since.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/simulate/deviation.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGood = 1e-3;                 // of the motion: what a plot does not show
constexpr double kReferenceTolerance = 1e-10;  // far below kGood, and reached in double precision
constexpr int kNumSamples = 200;

// The eigenvalues of more velocities would take longer than they help.
constexpr std::size_t kMaxSize = 150;
// Up to so many bodies the steps of all coordinates are made and counted. Beyond that, the branches
// decide: mass matrices in joint coordinates have entries for all pairs of bodies on a branch, and
// on long ones that makes longer steps than constraints do (twenty rods in a row), on short ones
// shorter steps (the vehicle with a trailer: 58,810 operations, in natural coordinates 221,308).
constexpr std::size_t kMaxCounted = 10;
constexpr int kDeepest = 7;

// Whether an eigenvalue s of the motion, linearised at the start, has |s| h > 1. Rattle is stable
// up to |Im s| h = 2 (rattle_step.hpp); beyond 1 a swing has less than six steps.
bool is_stiff_at(const Model& model, const std::string& coordinates, double h) try {
  const Shared<Equations> equations = derive(model, coordinates);
  if (equations->num_v() > kMaxSize) return false;
  const Evaluator evaluator(equations);
  const Assembly assembly = assemble(evaluator, place_bodies(model, equations));
  if (!assembly) return false;
  double fastest = 0;
  for (const Mode& mode : find_modes(linearize(evaluator, assembly.state))) {
    fastest = std::max(fastest, std::abs(mode.eigenvalue));
  }
  return fastest * h > 1;
} catch (const Error&) {
  return false;  // what is wrong, a trial says
}

// The most joints between the ground and a body, by the shortest way.
int depth_of(const Model& model) {
  std::vector<int> depth(model.bodies.size(), -1);
  depth[0] = 0;
  int deepest = 0;
  for (bool goes_on = true; goes_on; ++deepest) {
    goes_on = false;
    for (const Joint& joint : model.joints) {
      const auto a = static_cast<std::size_t>(joint.a.body),
                 b = static_cast<std::size_t>(joint.b.body);
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        if (depth[from] != deepest || depth[to] >= 0) continue;
        depth[to] = deepest + 1;
        goes_on = true;
      }
    }
  }
  return deepest - 1;
}

// Of a step of rattle; many where there is none.
std::size_t count_operations(const Model& model, SimulateOptions options, const char* coordinates) {
  options.coordinates = coordinates;
  options.formulation = {};
  options.integrator = "rattle";
  try {
    const Prepared prepared = prepare(model, options);
    const FixedCostOptions rattle = options.integrator.fixed_cost(options.projection);
    return prepared.problem.fixed_cost.step(rattle)->function().num_instructions();
  } catch (const Error&) {
    return std::numeric_limits<std::size_t>::max();
  }
}

std::vector<std::string> coordinates_to_try(const Model& model, const SimulateOptions& options) {
  if (!is_open(options.coordinates)) return {options.coordinates};
  const std::vector<std::string> sets = coordinate_sets(model);
  if (sets.size() == 1) return sets;
  const bool is_joint_shorter =
      model.bodies.size() - 1 <= kMaxCounted
          ? count_operations(model, options, "joint") < count_operations(model, options, "natural")
          : depth_of(model) <= kDeepest;
  return !is_joint_shorter ? std::vector<std::string>{"natural", "joint"}
                           : std::vector<std::string>{"joint", "natural"};
}

std::vector<Integrator> integrators_to_try(const Formulation& formulation, bool is_stiff) {
  std::vector<Integrator> out;
  if (formulation.is_open() || formulation.info().is_free) {
    out = {"rattle", "rosenbrock"};
  } else if (formulation.info().closes_positions) {
    out = {"rattle", "linear-implicit"};
  } else if (formulation == "index1") {
    return {"rosenbrock", "linear-implicit"};
  } else {
    return {"linear-implicit"};
  }
  if (is_stiff) std::swap(out[0], out[1]);
  return out;
}

std::vector<SimulateOptions> fixed_cost_candidates(const Model& model,
                                                   const SimulateOptions& options,
                                                   const std::vector<std::string>& sets) {
  std::vector<SimulateOptions> out;
  const bool is_stiff = is_stiff_at(model, sets[0], *options.step);
  for (const std::string& coordinates : sets) {
    for (const Integrator& integrator : integrators_to_try(options.formulation, is_stiff)) {
      out.push_back(options);
      out.back().coordinates = coordinates;
      out.back().integrator = integrator;
    }
  }
  return out;
}

void check_has_step(const SimulateOptions& options) {
  if (options.step) return;
  throw Error("simulate.wrong-step", "fixed-cost steps need a step size, and none is given.",
              "Give a step, such as `step = 1e-3`.")
      .because(Cause::Method);
}

// Stops a run that takes too long.
SimulateCallbacks limited() {
  SimulateCallbacks out;
  out.progress = [start = Clock::now()](const Progress&) {
    return seconds_since(start) < kMaxTrialSeconds;
  };
  return out;
}

// The largest of 1, 2, 5 times powers of ten below.
double next_shorter(double step) {
  const double power = std::pow(10, std::floor(std::log10(step * (1 - 1e-9))));
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power < step * (1 - 1e-9)) return digit * power;
  }
  return power / 2;
}

// Whether a is to be preferred to b, which was tried before it and has the simpler step.
bool is_better(const MethodTrial& a, const MethodTrial& b) {
  if (a.holds() != b.holds()) return a.holds();
  if (a.reached != b.reached) return a.reached > b.reached;
  constexpr double kMuch = 3;
  return a.error && (!b.error || kMuch * *a.error < *b.error);
}

std::vector<SimulateOptions> accurate_candidates(const SimulateOptions& options,
                                                 const std::vector<std::string>& sets) {
  std::vector<SimulateOptions> out;
  for (const std::string& coordinates : sets) {
    out.push_back(options);
    out.back().coordinates = coordinates;
    out.back().formulation = "index1";
    out.back().integrator = "dop853";
  }
  return out;
}

// The first of the candidates that is good, or the best.
MethodChoice choose(MethodTrials& trials, const std::vector<SimulateOptions>& candidates) {
  std::vector<MethodTrial> tried;
  std::vector<SimulateOptions> options_of;
  std::optional<Error> refusal;
  for (const SimulateOptions& candidate : candidates) {
    try {
      tried.push_back(trials.run(candidate));
      options_of.push_back(candidate);
    } catch (const Error& error) {
      if (!refusal) refusal = error;  // another method may do
      continue;
    }
    if (tried.back().holds() && tried.back().error.value_or(kGood) <= kGood) break;
  }
  if (tried.empty()) throw *refusal;
  auto best = tried.begin();
  for (auto it = best + 1; it != tried.end(); ++it) {
    if (is_better(*it, *best)) best = it;
  }
  MethodChoice out{options_of[static_cast<std::size_t>(best - tried.begin())], *best, {}};
  tried.erase(best);
  out.others = std::move(tried);
  return out;
}

}  // namespace

Integrator or_fixed_cost(const Integrator& integrator) {
  return integrator.is_open() ? Integrator(kFixedCost) : integrator;
}

std::string describe(const MethodTrial& trial) {
  std::string out = fmt::format("{:g} s", trial.end);
  if (trial.end < trial.asked) out += fmt::format(" of {:g} s", trial.asked);
  out += std::string(": ") + name_of(trial.status);
  if (trial.status == Outcome::Status::Failed) return out;
  const auto percent = [](double x) { return fmt::format("{:.2g} %", 100 * x); };
  out += "; ";
  if (trial.error) {
    out += fmt::format("{} within {}", trial.error_of, percent(*trial.error));
    if (trial.compared < trial.end) out += fmt::format(" up to {:g} s", trial.compared);
    out += ", ";
  }
  out += fmt::format("constraints within {:.2g}", trial.position_violation);
  if (std::isfinite(trial.energy_error)) {
    out += fmt::format(", energy balance within {}", percent(trial.energy_error));
  }
  return out;
}

MethodTrials::MethodTrials(const Model& model, const SimulateOptions& options)
    : model_(model), options_(options), end_(options.end) {
  if (!options.step) return;
  end_ = std::min(end_, static_cast<double>(kMaxTrialSteps) * *options.step);
}

// At ends of steps, where nothing is interpolated.
Sampling MethodTrials::sampling() const {
  Sampling out;
  out.count = kNumSamples + 1;
  if (!options_.step) return out;
  const double h = *options_.step;
  const auto steps = static_cast<long>(std::floor(end_ / h * (1 + 1e-12)));
  const long every = std::max(1L, steps / kNumSamples);
  for (long k = 0; k <= steps; k += every) out.times.push_back(static_cast<double>(k) * h);
  return out;
}

// What `run` chooses for the model, at a tight tolerance.
void MethodTrials::find_reference() {
  has_looked_ = true;
  SimulateOptions options;
  options.end = end_;
  options.tolerance = kReferenceTolerance;
  options.sampling = sampling();
  options.health.judges_one_way = false;
  try {
    Simulation s = simulate(model_, options, limited());
    check_stop();
    if (s.trajectory.num_rows() > 1 && s.status != Outcome::Status::Doubtful) {
      reference_ = std::move(s.trajectory);
    }
  } catch (const Error&) {
    // There is no accurate run; what is wrong with the model, the trial itself says.
  }
}

MethodTrial MethodTrials::run(const SimulateOptions& with) {
  SimulateOptions options = with;
  if (!options.integrator.is_open() && options.integrator.info().has_adaptive_step) {
    options.step.reset();  // the caller's; inside, its own
  }
  options.end = end_;
  options.sampling = sampling();
  options.health = {.judges_one_way = false};
  const Simulation s = simulate(model_, options, limited());
  check_stop();
  if (!has_looked_) find_reference();
  MethodTrial out;
  out.coordinates = s.choice.coordinates;
  out.formulation = s.choice.formulation;
  out.integrator = s.choice.integrator;
  out.step = with.step.value_or(0);
  const bool is_cut = s.status == Outcome::Status::Stopped;
  out.asked = options_.end;
  out.end = is_cut ? s.summary.reached : end_;
  out.reached = s.summary.reached;
  const bool is_good = s.summary.health.state == Health::State::Good;
  out.status = !is_cut ? s.status : is_good ? Outcome::Status::Done : Outcome::Status::Doubtful;
  out.text = s.text;
  out.only_damps = out.status == Outcome::Status::Doubtful;
  for (const Health::Reason& reason : s.summary.health.reasons) {
    if (out.subject.empty()) out.subject = reason.subject;
    out.only_damps = out.only_damps && reason.what == Health::What::Energy && reason.value < 0;
  }
  out.position_violation = s.summary.max_position_violation;
  out.velocity_violation = s.summary.max_velocity_violation;
  out.energy_error = s.summary.energy_drift;
  if (reference_) {
    const bool has_outputs = share_outputs(s.trajectory, *reference_);
    if (!has_outputs) out.error_of = "energies";
    const std::vector<double> errors =
        deviations(s.trajectory, *reference_, has_outputs ? Group::Outputs : Group::Energy);
    if (!errors.empty()) {
      out.error = *std::max_element(errors.begin(), errors.end());
      out.compared = errors.size() == options.sampling.times.size()
                         ? out.end
                         : s.trajectory.time()[errors.size() - 1];
    }
  }
  return out;
}

std::string MethodChoice::text() const {
  std::string out = fmt::format("{} in {} coordinates, by a trial of {}", trial.integrator.text(),
                                trial.coordinates, describe(trial));
  for (const MethodTrial& other : others) {
    out += fmt::format("; {} in {} coordinates: {}", other.integrator.text(), other.coordinates,
                       other.error
                           ? fmt::format("{} within {:.2g} %", other.error_of, 100 * *other.error)
                           : name_of(other.status));
  }
  return out + '.';
}

MethodChoice choose_fixed_cost(const Model& model, const SimulateOptions& options) {
  check_has_step(options);
  MethodTrials trials(model, options);
  const std::vector<std::string> sets = coordinates_to_try(model, options);
  return choose(trials, fixed_cost_candidates(model, options, sets));
}

SimulateOptions with_fixed_cost(const Model& model, const SimulateOptions& options) {
  return options.integrator.wants_fixed_cost() ? choose_fixed_cost(model, options).options
                                               : options;
}

MethodChoice choose_accurate(const Model& model, const SimulateOptions& options) {
  check_has_step(options);
  MethodTrials trials(model, options);
  const std::vector<std::string> sets = coordinates_to_try(model, options);
  MethodChoice accurate = choose(trials, accurate_candidates(options, sets));
  if (accurate.trial.holds()) return accurate;
  MethodChoice fixed = choose(trials, fixed_cost_candidates(model, options, sets));
  fixed.others.push_back(accurate.trial);
  return fixed.trial.holds() ? fixed : accurate;
}

std::optional<double> find_step_that_holds(const Model& model, SimulateOptions options) {
  constexpr double kShortest = 1e-3;  // of the step asked for
  const Clock::time_point start = Clock::now();
  const double shortest = kShortest * *options.step;
  while (*options.step > shortest) {
    options.step = next_shorter(*options.step);
    if (choose_fixed_cost(model, options).trial.holds()) return options.step;
    if (seconds_since(start) > kMaxTrialSeconds) break;
  }
  return {};
}

}  // namespace koppel
