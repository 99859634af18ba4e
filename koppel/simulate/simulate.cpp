#include <koppel/simulate/simulate.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/assembly.hpp>
#include <koppel/analysis/impulse.hpp>
#include <koppel/analysis/massless.hpp>
#include <koppel/analysis/rank.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/native.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/formulation/time_features.hpp>
#include <koppel/integrate/passage.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/health_watch.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/simulate/progress_watch.hpp>
#include <koppel/simulate/sampler.hpp>
#include <koppel/simulate/singular_start.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/simulate/stiff_choice.hpp>

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

// The rows of [g; a] that are not left out.
std::vector<int> rows_kept(std::size_t num_rows, const std::vector<int>& leave_out) {
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(num_rows); ++i) {
    if (!std::binary_search(leave_out.begin(), leave_out.end(), i)) kept.push_back(i);
  }
  return kept;
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
      : model_(model), options_(options), callbacks_(callbacks) {}

  Prepared prepared() {
    prepare();
    if (departure_) {
      throw Error("simulate.singular-start",
                  "the start is a singular configuration, or close to one: steps of fixed cost "
                  "cannot begin there.",
                  "Start beside it; `koppel run` computes the motion away from it.");
    }
    return {out_.choice, out_.equations,       state_, rank_.redundant_rows, problem_,
            start_,      out_.summary.messages};
  }

  Simulation go() {
    const Clock::time_point start = Clock::now();
    take_native_failure();  // of others
    prepare();
    stage("warm up", [&] { warm_up(); });
    if (std::string text = take_native_failure(); !text.empty()) tell(std::move(text));
    stage("observe", [&] {
      out_.observation.emplace(out_.equations, model_, state_, options_.reactions);
      tell_missing_reactions();
      if (options_.derivatives != 0) {
        check_derivatives();
        out_.observation->add_derivatives(out_.equations, state_, rank_.redundant_rows,
                                          options_.derivatives);
      }
    });
    for (std::string& text : remarks_on_start(model_, *evaluator_, state_)) tell(std::move(text));
    if (!jumps_.empty()) tell(describe(jumps_));
    EventSides events = find_sides(*evaluator_, state_);
    for (std::string& text : events.remarks) tell(std::move(text));
    start_.sides = std::move(events.sides);
    out_.summary.setup_seconds = seconds_since(start);
    if (callbacks_.chosen) callbacks_.chosen(out_.choice);
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

  void tell(std::string message) {
    if (callbacks_.message) callbacks_.message(message);
    out_.summary.messages.push_back(std::move(message));
  }

  // Joints that the coordinates satisfy by themselves have no multipliers.
  void tell_missing_reactions() {
    if (options_.reactions == ReactionAxes::None) return;
    const std::vector<std::string> names = joints_without_reactions(model_, out_.equations);
    if (names.empty()) return;
    std::string all = "'" + names[0] + "'";
    constexpr std::size_t kMost = 5;
    for (std::size_t i = 1; i < std::min(names.size(), kMost); ++i) all += ", '" + names[i] + "'";
    if (names.size() > kMost) all += ", …";
    tell("no reactions of " + all + ": " + out_.equations.coordinates + " coordinates satisfy " +
         (names.size() == 1 ? "it" : "them") +
         " without multipliers. Use absolute coordinates for the reactions of all joints.");
  }

  void prepare() {
    const Wanted wanted{options_.coordinates, options_.formulation, options_.integrator,
                        options_.reactions != ReactionAxes::None};
    look_at(choose_coordinates(model_, wanted));
    if (const auto better =
            better_coordinates(model_, out_.equations.coordinates, wanted, found_)) {
      look_at(*better);
    }
    stage("choose", [&] { make_choice(wanted); });
    stage("formulate", [&] { make_problem(); });
  }

  // All that is known before the choice, in these coordinates.
  void look_at(const std::string& coordinates) {
    out_.summary.redundant.clear();
    stage("derive", [&] { out_.equations = derive(model_, coordinates); });
    stage("compile", [&] { evaluator_.emplace(out_.equations); });
    stage("assemble", [&] { find_start(); });
    stage("rank", [&] { find_rank(); });
    stage("analyse", [&] { found_ = find_out(model_, *evaluator_, state_, rank_, options_.end); });
  }

  void find_start() {
    const Assembly assembly =
        assemble(*evaluator_, place_bodies(model_, out_.equations.coordinates));
    if (!assembly) throw Error("assembly.impossible", assembly.text);
    notes_.clear();
    if (!assembly.move.empty()) {
      notes_.push_back("start: " + assembly.move +
                       " from where it was expected, so that the constraints hold.");
    }
    for (const Gap& wish : assembly.missed) {
      notes_.push_back(
          fmt::format("start: the wish for '{}' is missed by {:.3g}.", wish.name, wish.size));
    }
    state_ = assembly.state;
  }

  std::size_t num_rows() const { return out_.equations.g.size() + out_.equations.mu.size(); }

  void find_rank() {
    rank_ = analyze_rank(*evaluator_, state_);
    SingularStart start = leave_singular_start(*evaluator_, state_, rank_);
    departure_ = std::move(start.departure);
    notes_.insert(notes_.end(), start.notes.begin(), start.notes.end());
    for (const int row : rank_.redundant_rows) {
      out_.summary.redundant.push_back(row_name(out_.equations, row));
    }
  }

  void make_choice(const Wanted& wanted) {
    if (!found_.is_determined) {
      const std::string motions = name_motions(find_massless(*evaluator_, state_));
      throw Error("simulate.massless",
                  fmt::format("the mass matrix is singular along an unconstrained direction: "
                              "nothing determines the acceleration of {}.",
                              motions.empty() ? "some motion" : motions),
                  "Give what moves there a mass or an inertia, or constrain it.");
    }
    check_coordinates(model_, *evaluator_, state_);
    for (const std::string& note : notes_) tell(note);
    out_.choice = choose(found_, out_.equations.coordinates, with_fixed_cost(wanted));
    out_.summary.index = found_.index;
    if (found_.is_stiff && find_integrator(out_.choice.integrator).name == "dop853") {
      tell(
          fmt::format("the problem is stiff (some motion decays with {:.2g}/s): an explicit "
                      "integrator takes many small steps. Try --integrator radau5.",
                      found_.fastest_decay));
    }
  }

  // The wish with an integrator, where any with steps of fixed cost is asked for.
  Wanted with_fixed_cost(Wanted wanted) {
    if (wanted.integrator != kFixedCost) return wanted;
    const FixedCostChoice choice =
        choose_fixed_cost(*evaluator_, state_, options_.step, wanted.formulation);
    wanted.integrator = choice.integrator;
    tell(fmt::format("steps of fixed cost by {}: {}.", choice.integrator, choice.reason));
    return wanted;
  }

  void make_problem() {
    FormulationOptions options;
    options.step = options_.step.value_or(0);
    if (options_.baumgarte > 0 && options_.step) {
      options.alpha = options.beta = options_.baumgarte / *options_.step;
    }
    options.leave_out = rank_.redundant_rows;
    options.compile.native = options_.native;
    problem_ = formulate(out_.equations, out_.choice.formulation, state_, options);
    check_pair(problem_, out_.choice.integrator, options_.step.has_value(), out_.equations, state_);
    add_breakpoints();
    start_ = {state_.t, start_values(problem_, *evaluator_, state_)};
    choose_partition();
  }

  // What is known of the laws of time over the whole run: switches, short features, jumps.
  void add_breakpoints() {
    const Equations& e = out_.equations;
    std::vector<Expr> laws = e.f;
    for (const auto* part : {&e.g, &e.b, &e.r}) laws.insert(laws.end(), part->begin(), part->end());
    std::vector<Expr> given = e.p;
    std::vector<double> values = state_.p;
    given.insert(given.end(), e.u.begin(), e.u.end());
    values.insert(values.end(), state_.u.begin(), state_.u.end());
    const Interval range{state_.t, options_.end};
    if (!(range.width() > 0)) return;
    jumps_ = find_jumps(model_, e.p, state_.p, range);
    // Fixed-cost steps keep to the clock and meet a rate that jumps at the next tick.
    if (find_integrator(out_.choice.integrator).form == IntegratorInfo::Form::Descriptor) {
      jumps_.clear();
    }
    std::vector<double>& breaks = problem_.breakpoints;
    breaks = find_breakpoints(laws, e.t, given, values, range);
    const std::vector<double> more = find_time_features(laws, e.t, given, values, range, breaks);
    breaks.insert(breaks.end(), more.begin(), more.end());
    std::sort(breaks.begin(), breaks.end());
  }

  // Where the integration has to stop next: just before a jump, or at the end.
  double next_stop() const {
    for (const Jump& jump : jumps_) {
      if (jump.t > start_.t) return std::nextafter(jump.t, start_.t);
    }
    return options_.end;
  }

  // True where what is prescribed has changed its rate by a jump, and the motion goes on from
  // there.
  bool go_on_after_jump(Outcome& outcome, Sampler& sampler) {
    if (outcome.status != Outcome::Status::Done || !(outcome.t < options_.end)) return false;
    take_state(outcome);
    for (const Jump& jump : jumps_) {
      if (std::nextafter(jump.t, start_.t) != outcome.t) continue;
      out_.summary.events.push_back({jump.name, jump.t});
      state_.t = std::nextafter(jump.t, options_.end);
    }
    state_.v = velocities_after_jump(*evaluator_, state_);
    return restart(outcome, sampler, "the jump");
  }

  // From state_, which is made consistent to round-off.
  bool restart(Outcome& outcome, Sampler& sampler, const std::string& after) {
    Projector::Workspace work = problem_.projector->make_workspace();
    if (!problem_.projector->project(state_.t, state_.q, state_.v, Projection::Full, work)) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = fmt::format("the constraints cannot be satisfied after {}", after);
      return false;
    }
    start_ = {state_.t, start_values(problem_, *evaluator_, state_), outcome.sides};
    sampler.watch(problem_, rows_kept(num_rows(), rank_.redundant_rows), num_rows());
    watch_->go_on(problem_, start_.t, start_.y);
    return start_.t < options_.end;
  }

  // Puts the names in the place of `stiff=auto`.
  void choose_partition() {
    std::string& integrator = out_.choice.integrator;
    const std::size_t at = integrator.find(kStiffAuto);
    if (at == std::string::npos) return;
    const StiffChoice choice = choose_stiff(problem_, integrator, start_, *options_.step,
                                            options_.end, options_.projection);
    integrator.replace(at, kStiffAuto.size(), "stiff=" + choice.stiff);
    tell(choice.text());
  }

  // Parts of a problem are compiled when they are first used. A first step that is thrown away
  // moves that out of the time of integration.
  void warm_up() {
    if (start_.t >= options_.end) return;
    integrate(problem_, out_.choice.integrator, start_, options_.end, integrate_options(),
              [](const Step&) { return false; });
  }

  void integrate_all() {
    const std::vector<Column>& columns = out_.observation->columns();
    out_.trajectory = Trajectory(columns);
    const double from = departure_ ? departure_->begin.t : start_.t;
    Sampler sampler(*out_.observation, options_.sampling, from, options_.end, callbacks_,
                    out_.trajectory);
    if (callbacks_.begin) callbacks_.begin(columns);
    sampler.watch(problem_, rows_kept(num_rows(), rank_.redundant_rows), num_rows());
    make_watch();
    const Clock::time_point before = Clock::now();
    ProgressWatch progress(options_.end, integrate_options().max_steps, out_.choice, found_,
                           [&](std::string text) { tell(std::move(text)); });
    const Observer observer = [&](const Step& step) {
      if (!watch_->note(step)) return false;
      note_passage(step);
      return sampler(step) && (options_.step || progress(step));
    };
    Outcome outcome;
    outcome.status = Outcome::Status::Stopped;
    const bool goes_on = begin(sampler, observer);
    if (departure_ && goes_on && start_.t >= options_.end) {
      outcome.status = Outcome::Status::Done;
    } else if (goes_on) {
      IntegrateOptions options = integrate_options();
      options.judge = &*watch_;
      try {
        do {
          outcome =
              integrate(problem_, out_.choice.integrator, start_, next_stop(), options, observer);
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
    note_more_passages();
    note_undefined(sampler);
    if (outcome.status == Outcome::Status::Done) note_events(outcome);
  }

  void note_events(const Outcome& outcome) {
    take_state(outcome);
    std::vector<std::string> names;
    for (const Summary::Event& event : out_.summary.events) names.push_back(event.name);
    for (std::string& text : remarks_on_end(*evaluator_, state_, names)) tell(std::move(text));
  }

  void make_watch() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < num_rows(); ++i) {
      names.push_back(row_name(out_.equations, static_cast<int>(i)));
    }
    const std::optional<double> tolerance =
        options_.step ? std::optional<double>() : options_.tolerance;
    HealthOptions health = options_.health;
    const IntegratorInfo::Form form = find_integrator(out_.choice.integrator).form;
    if (form == IntegratorInfo::Form::Steps ||
        (form == IntegratorInfo::Form::Residual && problem_.index == 3)) {
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
        departure_
            ? Start{departure_->begin.t, start_values(problem_, *evaluator_, departure_->begin), {}}
            : start_;
    if (!sampler.begin(first.t, first.y)) return false;
    watch_->begin(problem_, first.t, first.y);
    return !departure_ || observer(FirstStep(problem_, *evaluator_, *departure_));
  }

  IntegrateOptions integrate_options() const {
    IntegrateOptions options;
    options.tolerance = options_.tolerance;
    options.step = options_.step;
    options.order = options_.order;
    options.projection = options_.projection;
    return options;
  }

  void take_state(const Outcome& outcome) {
    const auto at = [&](int first, int count) {
      const auto begin = outcome.y.begin() + first;
      return std::vector<double>(begin, begin + count);
    };
    state_.t = outcome.t;
    state_.q = at(0, problem_.num_q);
    state_.v = at(problem_.num_q, problem_.num_v);
    state_.x = at(problem_.num_q + problem_.num_v, problem_.num_x);
  }

  // True where an event happened and the motion goes on from there.
  bool go_on_after_event(Outcome& outcome, Sampler& sampler) {
    if (outcome.status != Outcome::Status::Event) return false;
    const std::vector<Equations::Event>& events = out_.equations.events;
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
          fmt::format("{} {} again and again: impacts come to rest here, and contact that lasts "
                      "is not modelled; let the event stop the run, or use a force of contact "
                      "instead",
                      names, happened.size() == 1 ? "happens" : "happen"));
    }
    take_state(outcome);
    if (auto problem = happen(happened, *evaluator_, state_)) {
      return fail(std::move(*problem));
    }
    if (changes) {
      out_.observation->set_values(state_);
      try {
        make_problem();
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
    if (rank_.redundant_rows.empty() || outcome.t <= start_.t) return false;
    take_state(outcome);
    const RankReport rank = analyze_rank(*evaluator_, state_);
    if (rank.redundant_rows == rank_.redundant_rows || rank.rank != rank_.rank) return false;
    tell(fmt::format("at t = {:.6g} s other constraints are left out as repeating the rest.",
                     outcome.t));
    rank_ = rank;
    make_problem();
    start_.sides = outcome.sides;
    sampler.watch(problem_, rows_kept(num_rows(), rank_.redundant_rows), num_rows());
    watch_->go_on(problem_, start_.t, start_.y);
    return true;
  }

  // Told one by one up to a number that a person reads.
  static constexpr int kTold = 10;
  void note_passage(const Step& step) {
    const auto* const passing = dynamic_cast<const PassingStep*>(&step);
    const SingularPassage* const passage = passing == nullptr ? nullptr : passing->passage();
    if (passage == nullptr) return;
    last_passage_ = passage->t;
    if (++num_passages_ > kTold) return;
    const std::vector<int> kept = rows_kept(num_rows(), rank_.redundant_rows);
    std::vector<std::string> owners;
    for (const int row : passage->rows) {
      owners.push_back(
          fmt::format("'{}'", row_owner(out_.equations, kept[static_cast<std::size_t>(row)])));
    }
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    tell(
        fmt::format("passed a singular configuration at t = {:.6g} s: the constraints of {} depend "
                    "on each other there.",
                    passage->t, fmt::join(owners, ", ")));
  }
  void note_more_passages() {
    if (num_passages_ <= kTold) return;
    tell(fmt::format("passed {} singular configurations in all, the last at t = {:.6g} s.",
                     num_passages_, last_passage_));
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
    for (const Equations::Event& event : out_.equations.events) {
      if (event.changes.empty()) continue;
      throw Error("simulate.bad-option",
                  fmt::format("event '{}' changes parameters, and derivatives are asked for; they "
                              "would be those of the parameters at the start.",
                              event.name),
                  "Leave out --derivatives.");
    }
  }

  void summarize() {
    Summary& s = out_.summary;
    s.model = model_.name;
    s.status = name_of(out_.status);
    s.end = options_.end;
    s.dof = rank_.degrees_of_freedom;
    s.coordinates = out_.choice.coordinates;
    s.formulation = out_.choice.formulation;
    s.integrator = out_.choice.integrator;
    const IntegratorInfo::Form form = find_integrator(s.integrator).form;
    const bool drifts = form == IntegratorInfo::Form::RightHandSide && num_rows() > 0;
    s.projection = drifts ? name_of(options_.projection) : "";
    if (form == IntegratorInfo::Form::Descriptor && num_rows() > 0) {
      s.projection = options_.projection == Projection::None ? "none" : "once";
    }
    s.choice = out_.choice.reason;
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
  }

  const Model& model_;
  const SimulateOptions& options_;
  const SimulateCallbacks& callbacks_;
  Simulation out_;
  std::optional<Evaluator> evaluator_;
  State state_;
  RankReport rank_;
  std::optional<Departure> departure_;  // from a singular start
  Findings found_;
  std::vector<std::string> notes_;  // about the start
  Problem problem_;
  Start start_;
  std::optional<HealthWatch> watch_;
  std::vector<Jump> jumps_;
  Statistics statistics_;
  int num_passages_ = 0;  // of singular configurations
  double last_passage_ = 0;
};

void require(bool holds, const std::string& message) {
  if (!holds) throw Error("simulate.bad-option", message);
}

}  // namespace

void SimulateOptions::validate() const {
  require(std::isfinite(end) && end > 0,
          fmt::format("the end time is {}; it must be positive.", end));
  require(tolerance > 0 && tolerance < 1,
          fmt::format("the tolerance is {}; it must lie between 0 and 1.", tolerance));
  require(!step || (std::isfinite(*step) && *step > 0),
          fmt::format("the step is {}; it must be positive.", step.value_or(0)));
  require(health.loosen > 0, fmt::format("health limits are loosened by {}; the factor must be "
                                         "positive.",
                                         health.loosen));
  require(order >= 0, fmt::format("the order is {}; it must be positive.", order));
  require(
      baumgarte == 0 || (baumgarte > 0 && step && std::isfinite(baumgarte)),
      fmt::format("Baumgarte's parameter is {}; it must be positive and needs a step.", baumgarte));
  require(sampling.every_step || !sampling.times.empty() || sampling.count >= 2,
          fmt::format("{} samples are asked for; there must be at least 2, the start and the end.",
                      sampling.count));
  require(std::is_sorted(sampling.times.begin(), sampling.times.end()),
          "the times of samples must ascend.");
}

SimulateOptions options_of(const Model& model) {
  SimulateOptions options;
  options.end = model.run.end;
  options.coordinates = model.run.coordinates;
  options.formulation = model.run.formulation;
  options.integrator = model.run.integrator;
  options.step = model.run.step;
  if (model.run.tolerance) options.tolerance = *model.run.tolerance;
  if (model.run.samples) options.sampling.count = *model.run.samples;
  return options;
}

Simulation simulate(const Model& model, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks) {
  options.validate();
  return Run(model, options, callbacks).go();
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
