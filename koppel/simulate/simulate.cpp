#include <koppel/simulate/simulate.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/motion/impulse.hpp>
#include <koppel/analysis/motion/position_jump.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/health_watch.hpp>
#include <koppel/simulate/passage_log.hpp>
#include <koppel/simulate/preparation.hpp>
#include <koppel/simulate/progress_watch.hpp>
#include <koppel/simulate/sampler.hpp>
#include <koppel/simulate/start_remarks.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const char* name_of(Projection projection) {
  switch (projection) {
    case Projection::None: return "none";
    case Projection::Once: return "once";
    case Projection::Full: return "full";
  }
  return "";
}

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

void add(const Statistics& more, Statistics& sum) {
  sum.steps += more.steps;
  sum.rejected += more.rejected;
  sum.evaluations += more.evaluations;
  sum.jacobians += more.jacobians;
  sum.factorizations += more.factorizations;
  sum.iterations += more.iterations;
  sum.order = std::max(sum.order, more.order);
}

// One simulation, stage by stage.
class Run {
 public:
  Run(const Model& model, const SimulateOptions& options, const SimulateCallbacks& callbacks)
      : model_(model),
        options_(options),
        callbacks_(callbacks),
        now_(model, options, [this](std::string text) { tell(std::move(text)); }) {}

  Prepared prepared() {
    prepare();
    if (now_.departure) {
      throw Error("simulate.singular-start",
                  "the start is a singular configuration, or close to one: fixed-cost steps cannot "
                  "start there.",
                  "Start beside it; `simulate` computes the motion away from it.");
    }
    return {now_.choice,  now_.equations, now_.state,           now_.rank.redundant_rows,
            now_.problem, now_.start,     out_.summary.messages};
  }

  void tell(std::string message) {
    if (callbacks_.message) callbacks_.message(message);
    out_.summary.messages.push_back(std::move(message));
  }

  Simulation go() {
    const Clock::time_point start = Clock::now();
    take_native_failure();  // of others
    prepare();
    stage("warm up", [&] { warm_up(); });
    if (std::string text = take_native_failure(); !text.empty()) tell(std::move(text));
    stage("observe", [&] {
      out_.observation.emplace(now_.equations, model_, now_.state, options_.reactions);
      tell_missing_reactions();
      if (options_.derivatives != 0) {
        check_derivatives();
        out_.observation->add_derivatives(now_.equations, now_.state, now_.rank.redundant_rows,
                                          options_.derivatives);
      }
    });
    for (std::string& text : remarks_on_start(model_, *now_.evaluator, now_.state))
      tell(std::move(text));
    if (!now_.jumps.empty()) tell(describe(now_.jumps));
    EventSides events = find_sides(*now_.evaluator, now_.state);
    for (std::string& text : events.remarks) tell(std::move(text));
    now_.start.sides = std::move(events.sides);
    out_.summary.setup_seconds = seconds_since(start);
    if (callbacks_.chosen) callbacks_.chosen(now_.choice);
    stage("integrate", [&] { integrate_all(); });
    stage("summarize", [&] { summarize(); });
    return std::move(out_);
  }

 private:
  template <typename Work>
  void stage(const char* name, Work&& work) {
    const Clock::time_point start = Clock::now();
    work();
    out_.stages.push_back({name, seconds_since(start)});
  }

  void prepare() {
    now_.run();
    out_.stages = std::move(now_.stages);
    out_.summary.redundant = now_.redundant;
    out_.summary.index = now_.found.index;
  }

  std::size_t num_rows() const { return now_.equations.g.size() + now_.equations.mu.size(); }

  // Joints that the coordinates satisfy by themselves have no multipliers.
  void tell_missing_reactions() {
    if (options_.reactions == ReactionAxes::None) return;
    const std::vector<std::string> names = joints_without_reactions(model_, now_.equations);
    if (names.empty()) return;
    std::string all = "'" + names[0] + "'";
    constexpr std::size_t kMost = 5;
    for (std::size_t i = 1; i < std::min(names.size(), kMost); ++i) all += ", '" + names[i] + "'";
    if (names.size() > kMost) all += ", …";
    tell("no reactions of " + all + ": " + now_.equations.coordinates + " coordinates satisfy " +
         (names.size() == 1 ? "it" : "them") +
         " without multipliers. Use absolute coordinates for the reactions of all joints.");
  }

  // Where the integration has to stop next: just before a jump, or at the end.
  double next_stop() const {
    for (const Jump& jump : now_.jumps) {
      if (jump.t > now_.start.t) return std::nextafter(jump.t, now_.start.t);
    }
    return options_.end;
  }

  // True where what is prescribed has jumped, and the motion goes on from there.
  bool go_on_after_jump(Outcome& outcome, Sampler& sampler) {
    if (outcome.status != Outcome::Status::Done || !(outcome.t < options_.end)) return false;
    take_state(outcome.t, outcome.y);
    double after = now_.state.t;
    std::string moved;  // what changes positions
    for (const Jump& jump : now_.jumps) {
      if (std::nextafter(jump.t, now_.start.t) != outcome.t) continue;
      out_.summary.events.push_back({jump.name, jump.t});
      after = std::nextafter(jump.t, options_.end);
      if (jump.is_position) moved = jump.name;
    }
    if (moved.empty()) {
      now_.state.t = after;
      now_.state.v = velocities_after_jump(*now_.evaluator, now_.state);
      return restart(outcome, sampler, "the jump");
    }
    const Assembly assembly = assemble_after_jump(
        *now_.evaluator, place_bodies(model_, now_.equations.coordinates), now_.state, after);
    if (!assembly) {
      outcome.status = Outcome::Status::Failed;
      outcome.text =
          fmt::format("the mechanism cannot follow the jump of '{}': {}", moved, assembly.text);
      return false;
    }
    now_.state = assembly.state;
    return restart(outcome, sampler, "the jump of '" + moved + "'");
  }

  // From now_.state, which is made consistent to round-off.
  bool restart(Outcome& outcome, Sampler& sampler, const std::string& after) {
    Projector::Workspace work = now_.problem.projector->make_workspace();
    if (!now_.problem.projector->project(now_.state.t, now_.state.q, now_.state.v, Projection::Full,
                                         work)) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = fmt::format("the constraints cannot be satisfied after {}", after);
      return false;
    }
    now_.start = {now_.state.t, start_values(now_.problem, *now_.evaluator, now_.state),
                  outcome.sides};
    sampler.watch(now_.problem, rows_kept(num_rows(), now_.rank.redundant_rows), num_rows());
    watch_->go_on(now_.problem, now_.start.t, now_.start.y);
    return now_.start.t < options_.end;
  }

  // Parts of a problem are compiled when they are first used. A first step that is thrown away
  // moves that out of the time of integration.
  void warm_up() {
    if (now_.start.t >= options_.end) return;
    integrate(now_.problem, now_.choice.integrator, now_.start, options_.end, integrate_options(),
              [](const Step&) { return false; });
  }

  void integrate_all() {
    const std::vector<Column>& columns = out_.observation->columns();
    out_.trajectory = Trajectory(columns);
    const double from = now_.departure ? now_.departure->begin.t : now_.start.t;
    Sampler sampler(*out_.observation, options_.sampling, from, options_.end, callbacks_,
                    out_.trajectory);
    if (callbacks_.begin) callbacks_.begin(columns);
    sampler.watch(now_.problem, rows_kept(num_rows(), now_.rank.redundant_rows), num_rows());
    make_watch();
    const Clock::time_point before = Clock::now();
    ProgressWatch progress(options_.end, integrate_options().max_steps, now_.choice, now_.found,
                           [&](std::string text) { tell(std::move(text)); });
    PassageLog passages(now_.equations, out_.summary.singular_passages,
                        [&](std::string text) { tell(std::move(text)); });
    const Observer observer = [&](const Step& step) {
      if (!watch_->note(step)) return false;
      passages.note(step, now_.rank.redundant_rows, [&](double t) { return is_singular(step, t); });
      return sampler(step) && (options_.step || progress(step));
    };
    Outcome outcome;
    outcome.status = Outcome::Status::Stopped;
    const bool goes_on = begin(sampler, observer);
    if (now_.departure && goes_on && now_.start.t >= options_.end) {
      outcome.status = Outcome::Status::Done;
    } else if (goes_on) {
      IntegrateOptions options = integrate_options();
      options.judge = &*watch_;
      try {
        do {
          outcome = integrate(now_.problem, now_.choice.integrator, now_.start, next_stop(),
                              options, observer);
          add(outcome.statistics, statistics_);
        } while (go_on_after_event(outcome, sampler) || go_on_after_jump(outcome, sampler) ||
                 choose_rows_anew(outcome, sampler));
      } catch (const Stopped&) {  // by what an event does
        outcome.status = Outcome::Status::Stopped;
      }
      if (!progress.why().empty()) {
        outcome.status = Outcome::Status::Failed;
        outcome.text = progress.why();
      }
      // What a failed watch has seen is no row.
      if (outcome.status != Outcome::Status::Done && !watch_->has_failed()) {
        sampler.finish(outcome.t, outcome.y);
      }
    }
    if (goes_on || watch_->has_failed()) take_verdict(outcome);
    out_.summary.wall_seconds = seconds_since(before) - sampler.seconds();
    const Observation::Violation& at_steps = sampler.violation_at_steps();
    const Observation::Violation& between = sampler.violation_between_steps();
    out_.summary.max_position_violation = at_steps.position;
    out_.summary.max_velocity_violation = at_steps.velocity;
    out_.summary.max_position_violation_between = between.position;
    out_.summary.max_velocity_violation_between = between.velocity;
    out_.status = outcome.status;
    out_.text = outcome.text;
    passages.summarize();
    note_undefined(sampler);
    if (outcome.status == Outcome::Status::Done) note_events(outcome);
  }

  void note_events(const Outcome& outcome) {
    take_state(outcome.t, outcome.y);
    std::vector<std::string> names;
    for (const Summary::Event& event : out_.summary.events) names.push_back(event.name);
    for (std::string& text : remarks_on_end(*now_.evaluator, now_.state, names))
      tell(std::move(text));
  }

  void make_watch() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < num_rows(); ++i) {
      names.push_back(row_name(now_.equations, static_cast<int>(i)));
    }
    const std::optional<double> tolerance =
        options_.step ? std::optional<double>() : options_.tolerance;
    HealthOptions health = options_.health;
    const IntegratorInfo::Form form = find_integrator(now_.choice.integrator).form;
    if (form == IntegratorInfo::Form::Steps ||
        (form == IntegratorInfo::Form::Residual && now_.problem.index == 3)) {
      health.judges_velocities = false;
    }
    watch_.emplace(health, tolerance, std::move(names));
  }

  // What the watch has found makes a run doubtful, or is why it failed.
  void take_verdict(Outcome& outcome) {
    out_.summary.health = watch_->health();
    std::string text;
    for (const Health::Reason& reason : out_.summary.health.reasons) {
      text += (text.empty() ? "" : " ") + reason.text;
    }
    if (watch_->has_failed()) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = text;
    } else if (!text.empty() && outcome.status == Outcome::Status::Done) {
      outcome.status = Outcome::Status::Doubtful;
      outcome.text = text;
    } else if (outcome.status == Outcome::Status::Failed) {
      out_.summary.health.state = Health::State::Failed;
    }
  }

  // The start itself, and the stretch that leads away from it where it is singular.
  bool begin(Sampler& sampler, const Observer& observer) {
    const Start first =
        now_.departure ? Start{now_.departure->begin.t,
                               start_values(now_.problem, *now_.evaluator, now_.departure->begin),
                               {}}
                       : now_.start;
    if (!sampler.begin(first.t, first.y)) return false;
    watch_->begin(now_.problem, first.t, first.y);
    return !now_.departure || observer(FirstStep(now_.problem, *now_.evaluator, *now_.departure));
  }

  IntegrateOptions integrate_options() const {
    IntegrateOptions options;
    options.tolerance = options_.tolerance;
    options.step = options_.step;
    options.order = options_.order;
    options.projection = options_.projection;
    return options;
  }

  void take_state(double t, std::span<const double> y) {
    const auto at = [&](int first, int count) {
      const auto begin = y.begin() + first;
      return std::vector<double>(begin, begin + count);
    };
    now_.state.t = t;
    now_.state.q = at(0, now_.problem.num_q);
    now_.state.v = at(now_.problem.num_q, now_.problem.num_v);
    now_.state.x = at(now_.problem.num_q + now_.problem.num_v, now_.problem.num_x);
  }

  // True where an event happened and the motion goes on from there.
  bool go_on_after_event(Outcome& outcome, Sampler& sampler) {
    if (outcome.status != Outcome::Status::Event) return false;
    const std::vector<Equations::Event>& events = now_.equations.events;
    const std::vector<int> happened = take_happened(outcome.sides);
    const std::string names = names_of(events, happened);
    bool stops = false, changes = false;
    for (const int number : happened) {
      const Equations::Event& event = events[static_cast<std::size_t>(number)];
      out_.summary.events.push_back({event.name, outcome.t});
      stops = stops || event.stops;
      changes = changes || !event.changes.empty();
    }
    if (stops) {
      tell(fmt::format("{} ended the run at t = {:.8g} s.", names, outcome.t));
      return false;
    }
    const auto fail = [&](std::string text) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = std::move(text);
      return false;
    };
    if (repeats(outcome.t)) {
      return fail(
          fmt::format("{} {} again and again: the impacts come to rest, and lasting contact is not "
                      "modelled; let the event stop the run, or use a contact force instead",
                      names, happened.size() == 1 ? "happens" : "happen"));
    }
    take_state(outcome.t, outcome.y);
    if (auto problem = happen(happened, *now_.evaluator, now_.state)) {
      return fail(std::move(*problem));
    }
    if (changes) {
      out_.observation->set_values(now_.state);
      try {
        now_.make_problem();
      } catch (const Error& error) {  // such as a drive that jumps, with the new values
        return fail(fmt::format("after {}: {}", names, error.what()));
      }
    }
    // An impact turns back to the side it came from.
    for (const int number : happened) {
      const auto i = static_cast<std::size_t>(number);
      if (events[i].restitution) outcome.sides[i] *= -1;
    }
    return restart(outcome, sampler, names);
  }

  // Whether so many events have happened within so little time that there is no end of it.
  bool repeats(double t) const {
    constexpr std::size_t kMany = 100;
    constexpr double kSoon = 1e-6;  // of the run, for all of them
    const std::vector<Summary::Event>& events = out_.summary.events;
    return events.size() > kMany && t - events[events.size() - kMany].t < kSoon * options_.end;
  }

  // Where constraints repeat each other, which of them can be left out may depend on the position.
  // True where others are left out now, and the integration can go on from where it failed.
  bool choose_rows_anew(const Outcome& outcome, Sampler& sampler) {
    if (outcome.status != Outcome::Status::Failed) return false;
    if (now_.rank.redundant_rows.empty() || outcome.t <= now_.start.t) return false;
    take_state(outcome.t, outcome.y);
    const RankReport rank = analyze_rank(*now_.evaluator, now_.state);
    if (rank.redundant_rows == now_.rank.redundant_rows || rank.rank != now_.rank.rank) {
      return false;
    }
    tell(fmt::format("at t = {:.6g} s other constraints became redundant and are left out.",
                     outcome.t));
    now_.rank = rank;
    now_.make_problem();
    now_.start.sides = outcome.sides;
    sampler.watch(now_.problem, rows_kept(num_rows(), now_.rank.redundant_rows), num_rows());
    watch_->go_on(now_.problem, now_.start.t, now_.start.y);
    return true;
  }

  // Whether all constraints depend on each other there, and not only those that are kept.
  bool is_singular(const Step& step, double t) {
    if (now_.rank.redundant_rows.empty()) return true;
    std::vector<double> y(static_cast<std::size_t>(now_.problem.size()));
    const auto rank_at = [&](double time) {
      step.evaluate(time, y);
      take_state(time, y);
      return analyze_rank(*now_.evaluator, now_.state, {.here_only = true});
    };
    const RankReport there = rank_at(t), before = rank_at(step.t0);
    constexpr double kSmall = 0.2;  // the time of a passage is known to the tolerance only
    return there.rank < before.rank || there.smallest_pivot < kSmall * before.smallest_pivot;
  }

  void note_undefined(const Sampler& sampler) {
    if (sampler.undefined_column() < 0) return;
    const auto i = static_cast<std::size_t>(sampler.undefined_column());
    const ColumnStatistics statistics = out_.trajectory.statistics(i);
    tell(
        fmt::format("'{}' has no finite value in {} of {} rows, first at t = {:.6g} s; its fields "
                    "there are empty.",
                    out_.trajectory.columns()[i].name, statistics.num_undefined,
                    out_.trajectory.num_rows(), sampler.undefined_time()));
  }

  void check_derivatives() const {
    for (const Equations::Event& event : now_.equations.events) {
      if (event.changes.empty()) continue;
      throw Error("simulate.bad-option",
                  fmt::format("event '{}' changes parameters, and derivatives are asked for; they "
                              "would be those of the parameters at the start.",
                              event.name),
                  "Leave out `derivatives`.");
    }
  }

  void summarize() {
    Summary& s = out_.summary;
    s.model = model_.name;
    s.status = name_of(out_.status);
    s.end = options_.end;
    s.dof = now_.rank.degrees_of_freedom;
    s.coordinates = now_.choice.coordinates;
    s.formulation = now_.choice.formulation;
    s.integrator = now_.choice.integrator;
    const IntegratorInfo::Form form = find_integrator(s.integrator).form;
    const bool drifts = form == IntegratorInfo::Form::RightHandSide && num_rows() > 0;
    s.projection = drifts ? name_of(options_.projection) : "";
    if (form == IntegratorInfo::Form::Descriptor && num_rows() > 0) {
      s.projection = options_.projection == Projection::None ? "none" : "once";
    }
    s.choice = now_.choice.reason;
    s.tolerance = options_.tolerance;
    s.step = options_.step.value_or(0);
    s.order = statistics_.order;
    s.steps = statistics_.steps;
    s.rejected = statistics_.rejected;
    s.evaluations = statistics_.evaluations;
    s.jacobians = statistics_.jacobians;
    s.factorizations = statistics_.factorizations;
    s.iterations = statistics_.iterations;
    if (watch_) {
      s.energy_drift = watch_->energy_error();
      s.is_conservative = watch_->is_conservative() && s.events.empty();
    }
    describe(out_.trajectory, s);
    out_.choice = now_.choice;
    out_.equations = std::move(now_.equations);
  }

  const Model& model_;
  const SimulateOptions& options_;
  const SimulateCallbacks& callbacks_;
  Simulation out_;
  Preparation now_;  // what is integrated, from its start on
  std::optional<HealthWatch> watch_;
  Statistics statistics_;
};

}  // namespace

Simulation simulate(const Model& model, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks) {
  options.validate();
  const auto with_model = [&](Simulation simulation) {
    simulation.model = std::make_shared<const Model>(model);
    return simulation;
  };
  if (options.integrator != kFixedCost) return with_model(Run(model, options, callbacks).go());
  const MethodChoice choice = choose_fixed_cost(model, options);
  Run run(model, choice.options, callbacks);
  run.tell("fixed-cost steps: " + choice.text());
  return with_model(run.go());
}

Prepared prepare(const Model& model, const SimulateOptions& options) {
  options.validate();
  return Run(model, options, {}).prepared();
}

std::optional<Scene> make_scene(const Model& model, const Simulation& simulation,
                                std::size_t max_frames) {
  if (model.bodies.size() < 2) return {};
  Scene scene = make_scene(model);
  add_frames(model, simulation.equations, *simulation.observation, simulation.trajectory,
             max_frames, scene);
  return scene;
}

}  // namespace koppel
