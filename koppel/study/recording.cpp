#include <koppel/study/recording.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/integrate/clocked_steps.hpp>
#include <koppel/integrate/expanded_step.hpp>
#include <koppel/integrate/passage.hpp>
#include <koppel/integrate/taylor_plan.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/simulate/preparation.hpp>
#include <koppel/simulate/progress_watch.hpp>
#include <koppel/study/observed.hpp>
#include <koppel/study/pieces.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// Of those that derivatives go through: explicit steps where nothing is said.
SimulateOptions with_method(SimulateOptions options) {
  if (options.integrator.is_open()) options.integrator = "dop853";
  options.projection = Projection::Full;
  return options;
}

// Whether steps depend on reactions where they begin, as those with friction in joints do.
bool needs_reactions(const FixedCostTerms& terms) {
  const auto first = terms.inputs.begin() + 2 +
                     static_cast<std::ptrdiff_t>(terms.q.size() + terms.v.size() + terms.x.size());
  const std::vector<Expr> before(first, first + static_cast<std::ptrdiff_t>(terms.lambda.size()));
  return depends_on(join({terms.q, terms.v, terms.x, terms.lambda}), before);
}

}  // namespace

TracedMotion::Recording::Recording(const Model& model, const TraceOptions& options)
    : Recording(in_pieces(prepare(model, with_method(options.run)), options.run, options.outputs),
                options) {
  check_jumps(model, prepared_.equations, state_, options.run.end);
}

TracedMotion::Recording::Recording(Prepared prepared, const TraceOptions& options)
    : options_(options),
      prepared_(std::move(prepared)),
      state_(prepared_.state),
      extremes_(options.extremes) {
  messages_ = prepared_.messages;
  if (!prepared_.equations->events.empty()) evaluator_.emplace(prepared_.equations);
  missing_.emplace(prepared_.equations, prepared_.choice.integrator);
  make_map();
  switches_ = find_switch_times(prepared_.equations, options.outputs, state_.p, state_.u,
                                prepared_.problem.breakpoints);
  if (!can_add_nodes()) {
    return;
  }
  add_nodes(options.times);
}

void TracedMotion::Recording::add_nodes(std::span<const double> times) {
  std::vector<double>& breaks = prepared_.problem.breakpoints;
  breaks.insert(breaks.end(), times.begin(), times.end());
  std::sort(breaks.begin(), breaks.end());
}

void TracedMotion::Recording::expect(std::span<const ExtremePlace> extremes) {
  std::vector<double> times;
  for (const ExtremePlace& place : extremes) times.push_back(place.t);
  add_nodes(times);
  are_extremes_known_ = true;
}

void TracedMotion::Recording::make_map() {
  const Equations& e = prepared_.independent;
  const RightHandSideTerms rates = make_linear_rates(prepared_.independent, state_);
  observation_.emplace(make_observed(e, rates, options_.outputs));
  observed_.emplace(observation_->make_workspace());
  const Integrator& integrator = prepared_.choice.integrator;
  if (integrator.is_fixed_cost()) {
    const FixedCostOptions rule = integrator.fixed_cost(options_.run.projection);
    const bool has_events = evaluator_.has_value();
    const FixedCostTerms terms = prepared_.problem.fixed_cost.terms(rule);
    map_ = make_fixed_cost_map(terms, e.u.size(), *options_.run.step, has_events);
    if (needs_reactions(terms)) reactions_.emplace(make_reactions(e, rates));
    if (has_events) {
      rates_.emplace(rates, rates_of(rates));
      projection_.emplace(make_projector_terms(e, state_.p, state_.u));
    }
  } else {
    const ProjectorTerms projection = make_projector_terms(e, state_.p, state_.u);
    const double tolerance = options_.run.tolerance;
    const Lazy<SeriesSystem>& series = prepared_.problem.series;
    map_ = integrator.is_series()
               ? make_series_map(series, taylor_order(*series, options_.run.order, tolerance),
                                 rates, projection, tolerance)
               : make_explicit_map(rates, projection, integrator);
  }
  values_.resize(options_.outputs.size());
}

void TracedMotion::Recording::begin_stretch(double t, std::span<const double> y) {
  if (!stretches_.empty()) extremes_.begin_stretch();
  stretches_.push_back(std::make_unique<Stretch>(map_->size(), given_of(state_), options_.memory));
  stretches_.back()->tape.push(t, y);
  if (reactions_) {
    stretches_.back()->reaction_drift = drift_of(*reactions_, t, 1, y, stretches_.back()->given);
  }
  y_.assign(y.begin(), y.end());
}

bool TracedMotion::Recording::note(const Step& step) {
  look_for_extremes(step);
  missed_ = missing_->look(step, [&](double t) { return state_at(step, t); });
  if (missed_) return false;
  if (!can_add_nodes()) look_for_unseen(step);
  if (const auto* const passing = dynamic_cast<const PassingStep*>(&step)) {
    const SingularPassage* const passage = passing->passage();
    if (passage != nullptr) passed_.push_back(state_at(step, passage->t));
  }
  const State end = state_at(step, step.t1);
  StateTape& tape = stretches_.back()->tape;
  if (rates_) step_start_.assign(tape.back().begin(), tape.back().end());
  tape.push(step.t1, y_, expansion_of(step));
  if (evaluator_) left_zero_ = what_left_zero(*evaluator_, end);
  return !left_zero_;
}

// Switches in a fixed-cost step at which rates jump.
void TracedMotion::Recording::look_for_unseen(const Step& step) {
  for (const SwitchTime& one : switches_) {
    if (one.t > step.t1) return;
    if (one.t <= step.t0) continue;
    state_at(step, one.t);
    if (!switch_rates_) {
      const RightHandSideTerms terms = make_linear_rates(prepared_.independent, state_);
      switch_rates_.emplace(terms, rates_of(terms));
    }
    SolvedFunction::Workspace work = switch_rates_->make_workspace();
    const std::vector<double> given = given_of(state_);
    std::vector<double> before(map_->size(), 0.0), after = before;
    switch_rates_->evaluate(just_before(one.t), y_, given, before, work);
    switch_rates_->evaluate(std::nextafter(one.t, HUGE_VAL), y_, given, after, work);
    if (differ(before, after)) unseen_.push_back(one);
  }
}

// Nothing for steps that begin elsewhere than the one before has ended, as at breakpoints.
std::span<const double> TracedMotion::Recording::expansion_of(const Step& step) {
  const auto* const expanded = dynamic_cast<const ExpandedStep*>(&step);
  const StateTape& tape = stretches_.back()->tape;
  coefficients_.clear();
  if (expanded == nullptr || !tape.keeps_expansions() || step.t0 != tape.t(tape.num_nodes() - 1)) {
    return {};
  }
  if (const SeriesSolver* const series = expanded->expansion()) {
    series->append_expansion(coefficients_);
  }
  return coefficients_;
}

// By the sides that hold in the step.
State TracedMotion::Recording::state_at(const Step& step, double t) {
  step.evaluate(t, y_);
  State out = state_;
  out.t = t;
  put_motion(y_, out);
  return out;
}

// By the dense output of the step.
void TracedMotion::Recording::look_for_extremes(const Step& step) {
  if (extremes_.is_empty() || are_extremes_known_) return;
  const std::vector<double>& given = stretches_.back()->given;
  extremes_.look(step.t0, step.t1, prepared_.choice.integrator.is_fixed_cost(),
                 [&](double t, double clock) {
                   step.evaluate(t, y_);
                   observation_->evaluate(clock, y_, given, values_, *observed_);
                   return std::span<const double>(values_);
                 });
}

void TracedMotion::Recording::run() {
  const SimulateOptions& run = options_.run;
  IntegrateOptions with;
  with.tolerance = run.tolerance;
  with.absolute_scale = absolute_scale_for(prepared_.equations, prepared_.state);
  with.step = run.step;
  with.order = run.order;
  if (prepared_.choice.integrator.is_fixed_cost()) with.projection = run.projection;
  std::vector<std::string> names;
  for (const Equations::Row& row : prepared_.equations->rows) names.push_back(row.name);
  HealthWatch watch(run.health, run.step ? std::nullopt : std::optional(run.tolerance), names);
  Start start = prepared_.start;
  if (evaluator_) start.sides = start_sides(*evaluator_, state_);
  begin_stretch(start.t, start.y);
  watch.begin(prepared_.problem, start.t, start.y);
  observation_->evaluate(start.t, y_, stretches_.back()->given, values_, *observed_);
  extremes_.begin(start.t, values_);
  std::optional<PassedJump> jump;
  if (prepared_.choice.integrator.is_fixed_cost()) jump.emplace(prepared_);
  CutAngles angles(prepared_.equations, prepared_.state);
  ProgressWatch progress(run.end, with.max_steps, prepared_.choice, {}, {},
                         [](const std::string&) {});
  const Observer observer = [&](const Step& step) {
    angles.note(step, prepared_.problem, state_.p);
    const std::vector<double> before = jump ? y_ : std::vector<double>{};
    const bool goes_on =
        watch.note(step) && note(step) && (run.step || progress(step, prepared_.problem, state_.p));
    if (jump) jump->note(step, before, y_);
    return goes_on;
  };
  auto next = can_add_nodes() ? switches_.begin() : switches_.end();
  while (next != switches_.end() && next->t <= start.t) ++next;
  while (true) {
    const bool is_switch = next != switches_.end() && next->t < run.end;
    // An event may have come to the same time.
    const bool is_there = is_switch && next->t <= start.t;
    if (!is_there) {
      outcome_ = integrate(prepared_.problem, prepared_.choice.integrator, start,
                           is_switch ? just_before(next->t) : run.end, with, observer);
    }
    if (is_there || (is_switch && outcome_.status == Outcome::Status::Done)) {
      outcome_.status = Outcome::Status::Done;
      pass_time(*next++, outcome_);
      start = {outcome_.t, outcome_.y, outcome_.sides};
      watch.go_on(prepared_.problem, start.t, start.y);
      continue;
    }
    if (outcome_.status != Outcome::Status::Event || !go_on(outcome_)) break;
    start = {outcome_.t, outcome_.y, outcome_.sides, outcome_.tick};
    watch.go_on(prepared_.problem, start.t, start.y);
  }
  if (outcome_.status == Outcome::Status::Event) outcome_.status = Outcome::Status::Done;
  std::string text = jump ? jump->text() : angles.text();
  for (const Health::Reason& reason : watch.health().reasons) {
    text += (text.empty() ? "" : " ") + reason.text;
  }
  if (watch.has_failed()) outcome_.status = Outcome::Status::Failed;
  if (!progress.why().empty()) {
    outcome_.status = Outcome::Status::Failed;
    text = progress.why();
  }
  if (missed_) {
    outcome_.status = Outcome::Status::Failed;
    text = fmt::format("at t = {:.6g} s steps lead over a switch of a law, again and again.",
                       *missed_);
  }
  if (left_zero_) {
    outcome_.status = Outcome::Status::Failed;
    text = *left_zero_;
  }
  if (text.empty()) return;
  outcome_.text = text;
  if (outcome_.status == Outcome::Status::Done) outcome_.status = Outcome::Status::Doubtful;
}

// Of events that pass in turn, all but the last end stretches of no length.
bool TracedMotion::Recording::go_on(Outcome& outcome) {
  const std::vector<int> happened = take_next(prepared_.equations->events, outcome.sides);
  State before = state_;
  before.t = outcome.t;
  put_motion(outcome.y, before);
  for (const std::vector<int>& next : in_turn(happened, outcome.sides, *evaluator_, before)) {
    if (!pass(next, outcome)) return false;
  }
  return outcome.t < options_.run.end;
}

bool TracedMotion::Recording::pass(const std::vector<int>& happened, Outcome& outcome) {
  const std::vector<Equations::Event>& events = prepared_.equations->events;
  const bool is_switch = events[static_cast<std::size_t>(happened[0])].is_switch;
  constexpr std::size_t kMany = 100;
  constexpr double kSoon = 1e-6;  // of the run, for all of them
  if (stretches_.size() > kMany &&
      outcome.t - stretches_[stretches_.size() - kMany]->tape.t(0) < kSoon * options_.run.end) {
    outcome.status = Outcome::Status::Failed;
    outcome.text =
        fmt::format("{} again and again: the motion comes to rest", names_of(events, happened));
    return false;
  }
  Stretch& stretch = *stretches_.back();
  // The step that ended with the event may have been seen already.
  if (outcome.t > stretch.tape.t(stretch.tape.num_nodes() - 1)) {
    stretch.tape.push(outcome.t, outcome.y);
  }
  if (!is_switch) stretch.happened = happened;
  stretch.ends = std::any_of(happened.begin(), happened.end(), [&](int event) {
    return events[static_cast<std::size_t>(event)].stops;
  });
  const std::vector<int> sides = outcome.sides;
  JumpMap::Happening what{happened,      sides, stretch.ends, outcome.t, stretch.tape.back(), {},
                          stretch.given, {}};
  const std::vector<double> rates_before = rates_ ? rates_of_last_step() : std::vector<double>{};
  what.rates_before = rates_before;
  if (stretch.ends) {
    stretch.jump.emplace(rates_function(), *evaluator_, what);
    return false;
  }
  const Problem& problem = prepared_.problem;
  take_state(outcome);
  if (auto why = happen(happened, sides, *evaluator_, state_)) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = std::move(*why);
    return false;
  }
  for (const int event : happened) {
    const auto i = static_cast<std::size_t>(event);
    if (events[i].restitution) outcome.sides[i] *= -1;
  }
  follow_jumps(rates_function(), *evaluator_, outcome.t, state_, outcome.sides);
  if (given_of(state_) != stretch.given) formulate_anew();
  Projector::Workspace work = problem.projector->make_workspace();
  if (!problem.projector->project(state_.t, state_.q, state_.v, Projection::Full, work)) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = "the constraints cannot be satisfied after " + names_of(events, happened);
    return false;
  }
  outcome.y = start_values(problem, *evaluator_, state_);
  const std::vector<double> given_after = given_of(state_);
  const std::vector<double> before(stretch.tape.back().begin(), stretch.tape.back().end());
  what.before = before;
  what.after = std::span<const double>(outcome.y).first(map_->size());
  what.given_after = given_after;
  stretch.jump = is_switch ? pass_switch(rates_function(), *evaluator_, what)
                           : JumpMap(rates_function(), *evaluator_, what);
  if (is_switch && !first_jump_ && stretch.jump->changes_rates()) first_jump_ = outcome.t;
  if (rates_) {
    ProjectionMap::Workspace there = projection_->make_workspace();
    const std::span<const double> q(state_.q), v(state_.v);
    if (!projection_->stand_at(outcome.t, q, v, given_after, there)) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = "the constraints are singular after " + names_of(events, happened);
      return false;
    }
    stretch.jump->project(*projection_, there, prepared_.equations);
  }
  begin_stretch(outcome.t, outcome.y);
  if (rates_) find_moving_nodes(outcome);
  return true;
}

std::vector<double> TracedMotion::Recording::rates_of_last_step() {
  const Stretch& stretch = *stretches_.back();
  const std::size_t last = stretch.tape.num_nodes() - 1;
  const double t1 = stretch.tape.t(last), t0 = last > 0 ? stretch.tape.t(last - 1) : t1;
  if (t1 > t0) {
    const std::unique_ptr<StepMap::Workspace> work = map_->make_workspace();
    map_->stand_at({t0, t1 - t0, step_start_, stretch.tape.back(), stretch.given}, *work);
    std::vector<double> rates = map_->by_times(*work).h;
    if (!rates.empty()) return rates;
  }
  std::vector<double> out(map_->size(), 0.0);
  rates_function()(t1, stretch.tape.back(), stretch.given, out);
  return out;
}

// Rates at the first are those after the event, at others those of the step that ends there.
void TracedMotion::Recording::find_moving_nodes(const Outcome& outcome) {
  const std::span<const double> after = stretches_[stretches_.size() - 2]->jump->rates_after();
  const ClockedSteps steps(outcome.t, outcome.tick, options_.run.end, *options_.run.step);
  std::vector<Stretch::Node>& nodes = stretches_.back()->nodes;
  for (long k = 0; steps.moves(k) > 0; ++k) {
    nodes.push_back({steps.moves(k), k > 0 ? std::vector<double>{}
                                           : std::vector<double>(after.begin(), after.end())});
  }
}

// The problem has values of parameters in it.
void TracedMotion::Recording::formulate_anew() {
  Problem& problem = prepared_.problem;
  const bool has_energy = static_cast<bool>(problem.energy);  // changes have none
  std::vector<double> breaks = std::move(problem.breakpoints);
  problem = formulate(prepared_.independent, prepared_.choice.formulation, state_,
                      formulation_options(options_.run));
  problem.breakpoints = std::move(breaks);
  if (!has_energy) problem.energy = {};
}

void TracedMotion::Recording::take_state(const Outcome& outcome) {
  state_.t = outcome.t;
  put_motion(outcome.y, state_);
}

void TracedMotion::Recording::pass_time(const SwitchTime& at, Outcome& outcome) {
  const JumpMap::Rates rates = rates_function();
  const std::vector<double> y(outcome.y.begin(),
                              outcome.y.begin() + static_cast<std::ptrdiff_t>(map_->size()));
  std::vector<double> before(y.size()), after(y.size()), time(y.size(), 0.0);
  const double clock = std::nextafter(at.t, HUGE_VAL);
  const std::vector<double> given = given_of(state_);
  outcome.t = at.t;
  take_state(outcome);
  if (evaluator_ && outcome.sides.empty()) outcome.sides = start_sides(*evaluator_, state_);
  if (evaluator_) follow_jumps(rates, *evaluator_, clock, state_, outcome.sides);
  const std::vector<double> given_after = given_of(state_);
  rates(std::nextafter(at.t, -HUGE_VAL), y, given, before);
  rates(clock, y, given_after, after);
  // At a corner the time does not matter, save to outputs that have a corner too.
  if (!differ(before, after, 1e-12) && extremes_.is_empty() && given == given_after) return;
  time.insert(time.end(), at.by_p.begin(), at.by_p.end());
  time.resize(y.size() + given.size(), 0.0);
  stretches_.back()->jump.emplace(before, after, time);
  if (given != given_after) {
    formulate_anew();
    outcome.y = start_values(prepared_.problem, *evaluator_, state_);
  }
  begin_stretch(outcome.t, outcome.y);
}

JumpMap::Rates TracedMotion::Recording::rates_function() const {
  return [this](double t, std::span<const double> y, std::span<const double> given,
                std::span<double> y_rate) {
    if (rates_) {
      SolvedFunction::Workspace work = rates_->make_workspace();
      rates_->evaluate(t, y, given, y_rate, work);
      return;
    }
    map_->rates(t, y, given, y_rate, *map_->make_workspace());
  };
}

}  // namespace koppel
