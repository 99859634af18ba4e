#include <koppel/simulate/forward_run.hpp>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/seconds_since.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/results/excess.hpp>
#include <koppel/simulate/angle_jumps.hpp>
#include <koppel/simulate/code_report.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/simulate/passage_log.hpp>
#include <koppel/simulate/progress_watch.hpp>
#include <koppel/simulate/skipped_laws.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/simulate/table_ends.hpp>
#include <koppel/simulate/why_failed.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

void add(const Statistics& more, Statistics& sum) {
  sum.steps += more.steps;
  sum.rejected += more.rejected;
  sum.evaluations += more.evaluations;
  sum.jacobians += more.jacobians;
  sum.factorizations += more.factorizations;
  sum.iterations += more.iterations;
  sum.order = std::max(sum.order, more.order);
}

}  // namespace

Prepared ForwardRun::prepared() {
  prepare();
  if (now_.departure) refuse_departure();
  return {now_.choice,       now_.equations, now_.independent, now_.state,           now_.problem,
          now_.descriptor(), now_.start,     now_.impulses,    out_.summary.messages};
}

void ForwardRun::tell(std::string message) {
  if (callbacks_.message) callbacks_.message(message);
  out_.summary.messages.push_back(std::move(message));
}

Simulation ForwardRun::go() {
  const Clock::time_point start = Clock::now();
  take_native_failure();  // of others
  const CodeTaken before = code_taken_so_far();
  prepare();
  now_.stage("warm up", [&] { warm_up(); });
  std::string native_failure;
  const auto tell_native_failure = [&] {
    std::string text = take_native_failure();
    if (text.empty() || !native_failure.empty()) return;
    tell(native_failure = std::move(text));
  };
  tell_native_failure();
  now_.stage("observe", [&] {
    out_.observation.emplace(now_.equations, model_, now_.state, options_.reactions);
    tell_missing_reactions();
    if (options_.derivatives != 0) {
      check_derivatives();
      out_.observation->add_derivatives({formulate(now_.independent, "index3", now_.state),
                                         now_.equations, options_.derivatives});
    }
  });
  for (std::string& text : remarks_on_start(model_, *now_.evaluator, now_.state, now_.rank)) {
    tell(std::move(text));
  }
  if (!now_.jumps.empty()) tell(describe(now_.jumps));
  EventSides events = find_sides(*now_.evaluator, now_.state);
  for (std::string& text : events.remarks) tell(std::move(text));
  now_.start.sides = std::move(events.sides);
  out_.summary.setup_seconds = seconds_since(start);
  if (callbacks_.chosen) callbacks_.chosen(now_.choice);
  now_.stage("integrate", [&] { integrate_all(); });
  tell_native_failure();  // code may be made only when it has shown to pay
  out_.summary.native = describe_code(options_.native, before, native_failure);
  now_.stage("summarize", [&] { summarize(); });
  out_.stages = std::move(now_.stages);
  return std::move(out_);
}

void ForwardRun::prepare() {
  now_.run();
  out_.summary.redundant = now_.redundant;
  out_.summary.index = now_.found.index;
}

void ForwardRun::tell_missing_reactions() {
  if (options_.reactions == ReactionAxes::None) return;
  const std::vector<std::string> names = joints_without_reactions(model_, now_.equations);
  if (names.empty()) return;
  std::string all = "'" + names[0] + "'";
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 1; i < std::min(names.size(), kMost); ++i) all += ", '" + names[i] + "'";
  if (names.size() > kMost) all += ", …";
  tell("no reactions of " + all + ": " + now_.equations->coordinates + " coordinates satisfy " +
       (names.size() == 1 ? "it" : "them") +
       " without multipliers. Use absolute coordinates for the reactions of all joints.");
}

void ForwardRun::warm_up() {
  if (now_.start.t >= options_.end) return;
  integrate(now_.problem, now_.choice.integrator, now_.start, options_.end, integrate_options(),
            [](const Step&) { return false; });
}

void ForwardRun::integrate_all() {
  const std::vector<Column>& columns = out_.observation->columns();
  out_.trajectory = Trajectory(columns);
  const double from = now_.departure ? now_.departure->begin.t : now_.start.t;
  const State first = now_.departure ? now_.departure->begin : now_.state;
  Sampler sampler(*out_.observation, options_.sampling, from, options_.end, callbacks_,
                  out_.trajectory);
  if (callbacks_.begin) callbacks_.begin(columns);
  sampler.watch(now_.problem, now_.num_rows());
  make_watch();
  const bool is_controlled = start_clock();
  const Clock::time_point before = Clock::now();
  ProgressWatch progress(options_.end, integrate_options().max_steps, now_.choice, now_.found,
                         StayWatch(*now_.evaluator, now_.state, integrate_options()),
                         [&](std::string text) { tell(std::move(text)); });
  PassageLog passages(now_.equations, out_.summary.singular_passages,
                      [&](std::string text) { tell(std::move(text)); });
  AngleJumps angles(*now_.evaluator, now_.state);
  std::optional<SkippedLaws> skipped;
  if (options_.step && options_.health.is_watched) {
    skipped.emplace(*now_.evaluator, now_.state, now_.choice.integrator.info());
  }
  const Observer observer = [&](const Step& step) {
    if (!watch_->note(step)) return false;
    if (skipped) skipped->note(step, now_.problem, now_.state.p);
    if (options_.health.is_watched) angles.note(step, now_.problem, now_.state.p);
    passages.note(step, now_.problem.rows, [&](double t) { return is_singular(step, t); });
    return sampler(step) && (options_.step || progress(step, now_.problem, now_.state.p)) &&
           !do_rows_fade(step);
  };
  Outcome outcome;
  outcome.status = Outcome::Status::Stopped;
  const bool goes_on = begin(sampler, observer) && is_controlled;
  if (now_.departure && goes_on && now_.start.t >= options_.end) {
    outcome.status = Outcome::Status::Done;
  } else if (goes_on) {
    IntegrateOptions options = integrate_options();
    options.judge = &*watch_;
    try {
      do {
        outcome = integrate(now_.problem, now_.choice.integrator, now_.start, next_stop(), options,
                            observer);
        add(outcome.statistics, statistics_);
      } while (go_on_after_event(outcome, sampler) || go_on_after_jump(outcome, sampler) ||
               go_on_after_sample(outcome, sampler) || choose_rows_anew(outcome, sampler) ||
               go_on_with_other_rows(outcome, sampler));
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
  if (outcome.status == Outcome::Status::Failed && !outcome.y.empty()) {
    take_state(outcome.t, outcome.y);
    const State ahead =
        options_.step ? a_step_later(*now_.evaluator, now_.state, *options_.step) : now_.state;
    const std::string end = describe_table_end(now_.equations, ahead);
    if (!end.empty()) outcome.text = end + ": " + outcome.text;
    const std::string why =
        explain_failed_run(*now_.evaluator, first, now_.state, options_.end, options_.step);
    if (!why.empty()) outcome.text = fmt::format("{} ({})", why, outcome.text);
  }
  judge_wrong_ways(outcome);
  if (angles.found()) doubt(*angles.found(), outcome);
  if (skipped && skipped->found()) doubt(*skipped->found(), outcome);
  if (jumping_event_) doubt(*jumping_event_, outcome);
  note_undefined(sampler, outcome);
  out_.status = outcome.status;
  out_.text = outcome.text;
  passages.summarize();
  if (outcome.status == Outcome::Status::Done) note_events(outcome);
}

namespace {

// At its end, or where an event ends it.
bool has_ended_well(const Outcome& outcome) {
  return outcome.status == Outcome::Status::Done || outcome.status == Outcome::Status::Event;
}

}  // namespace

// Tells the first stretch of each row. From there on the motion is that of another mechanism.
void ForwardRun::judge_wrong_ways(Outcome& outcome) {
  const std::vector<Excess> pushing = find_pushing_cables(*now_.equations, out_.trajectory);
  std::string last;
  for (const Excess& excess : pushing) {
    if (excess.name != last) tell(describe_pushing_cable(excess));
    last = excess.name;
  }
  if (!options_.health.is_watched || !options_.health.judges_one_way) return;
  if (const auto reason = reason_of_wrong_way(pushing)) doubt(*reason, outcome);
}

void ForwardRun::doubt(const Health::Reason& reason, Outcome& outcome) {
  Health& health = out_.summary.health;
  if (health.state == Health::State::Good) health.state = Health::State::Doubtful;
  if (has_ended_well(outcome)) outcome.status = Outcome::Status::Doubtful;
  outcome.text += (outcome.text.empty() ? "" : " ") + reason.text;
  health.reasons.push_back(reason);
}

void ForwardRun::note_events(const Outcome& outcome) {
  take_state(outcome.t, outcome.y);
  std::vector<std::string> names;
  for (const Summary::Event& event : out_.summary.events) names.push_back(event.name);
  for (std::string& text : remarks_on_end(*now_.evaluator, now_.state, names))
    tell(std::move(text));
}

void ForwardRun::make_watch() {
  std::vector<std::string> names;
  for (const Equations::Row& row : now_.equations->rows) names.push_back(row.name);
  const std::optional<double> tolerance =
      options_.step ? std::optional<double>() : options_.tolerance;
  HealthOptions health = options_.health;
  const IntegratorInfo::Form form = now_.choice.integrator.info().form;
  if (form == IntegratorInfo::Form::Steps ||
      (form == IntegratorInfo::Form::Residual && now_.problem.index == 3)) {
    health.judges_velocities = false;
  }
  watch_.emplace(health, tolerance, std::move(names));
  watch_->expect_impulses(now_.impulses);
}

void ForwardRun::take_verdict(Outcome& outcome) {
  out_.summary.health = watch_->health();
  std::string text;
  for (const Health::Reason& reason : out_.summary.health.reasons) {
    text += (text.empty() ? "" : " ") + reason.text;
  }
  if (watch_->has_failed()) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = text;
  } else if (!text.empty() && has_ended_well(outcome)) {
    outcome.status = Outcome::Status::Doubtful;
    outcome.text = text;
  } else if (outcome.status == Outcome::Status::Failed) {
    out_.summary.health.state = Health::State::Failed;
  }
}

bool ForwardRun::begin(Sampler& sampler, const Observer& observer) {
  const Start first =
      now_.departure ? Start{now_.departure->begin.t,
                             start_values(now_.problem, *now_.evaluator, now_.departure->begin),
                             {}}
                     : now_.start;
  if (!sampler.begin(first.t, first.y)) return false;
  watch_->begin(now_.problem, first.t, first.y);
  return !now_.departure || observer(FirstStep(now_.problem, *now_.evaluator, *now_.departure));
}

IntegrateOptions ForwardRun::integrate_options() const {
  IntegrateOptions options;
  options.tolerance = options_.tolerance;
  options.absolute_scale = absolute_scale_for(now_.equations, now_.state);
  options.step = options_.step;
  options.order = options_.order;
  options.projection = options_.projection;
  return options;
}

void ForwardRun::note_undefined(const Sampler& sampler, Outcome& outcome) {
  if (sampler.undefined_column() < 0) return;
  const auto i = static_cast<std::size_t>(sampler.undefined_column());
  const ColumnStatistics statistics = out_.trajectory.statistics(i);
  tell(
      fmt::format("'{}' has no finite value in {} of {} rows, first at t = {:.6g} s; its fields "
                  "there are empty.",
                  out_.trajectory.columns()[i].name, statistics.num_undefined,
                  out_.trajectory.num_rows(), sampler.undefined_time()));
  for (const Equations::Output& output : now_.equations->outputs) {
    if (output.name != out_.trajectory.columns()[i].name) continue;
    const std::string table = table_that_ends(now_.equations, output.value);
    if (table.empty()) continue;
    doubt({Health::What::Outputs, sampler.undefined_time(), 0, 0,
           fmt::format("from t = {:.6g} s on output '{}' needs table '{}' beyond its points, and "
                       "the model says `outside: error`.",
                       sampler.undefined_time(), output.name, table)},
          outcome);
  }
}

void ForwardRun::check_derivatives() const {
  for (const Equations::Event& event : now_.equations->events) {
    if (event.changes.empty()) continue;
    throw Error("simulate.bad-option",
                fmt::format("event '{}' changes parameters, and derivatives are asked for; they "
                            "would be those of the parameters at the start.",
                            event.name),
                "Leave out `derivatives`.")
        .about(event.name)
        .because(Cause::Method);
  }
}

void ForwardRun::summarize() {
  Summary& s = out_.summary;
  s.model = model_.name;
  s.status = name_of(out_.status);
  s.end = options_.end;
  s.dof = now_.rank.degrees_of_freedom;
  s.coordinates = now_.choice.coordinates;
  s.formulation = now_.choice.formulation.text();
  s.integrator = now_.choice.integrator.text();
  const IntegratorInfo::Form form = now_.choice.integrator.info().form;
  const bool drifts = form == IntegratorInfo::Form::RightHandSide && now_.num_rows() > 0;
  s.projection = drifts ? name_of(options_.projection) : std::string_view();
  if (form == IntegratorInfo::Form::FixedCost && now_.num_rows() > 0) {
    s.projection = name_of(std::min(options_.projection, Projection::Once));
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
    s.is_conservative =
        watch_->is_conservative() && s.events.empty() && (!clock_ || clock_->is_empty());
  }
  describe(out_.trajectory, s);
  out_.choice = now_.choice;
  out_.equations = std::move(now_.equations);
}

}  // namespace koppel
