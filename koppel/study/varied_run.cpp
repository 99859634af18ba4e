#include <koppel/study/varied_run.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/simulate/progress_watch.hpp>
#include <koppel/study/pieces.hpp>

namespace koppel {
namespace {

std::vector<std::string> with_changes(std::vector<std::string> names) {
  const std::size_t n = names.size();
  for (std::size_t i = 0; i < n; ++i) names.push_back(name_of_change(names[i]));
  return names;
}

// z itself: accelerations, then multipliers.
SolvedFunction make_solution(const RightHandSideTerms& rates) {
  return SolvedFunction(rates, solution_symbols(rates));
}

// Without the changes, and without multipliers.
class StepOfMotion : public Step {
 public:
  using At = std::function<std::vector<double>(double t)>;
  StepOfMotion(const Step& step, At at) : Step(step.t0, step.t1), at_(std::move(at)) {}
  void evaluate(double t, std::span<double> y) const override {
    const std::vector<double> motion = at_(t);
    std::copy(motion.begin(), motion.end(), y.begin());
  }

 private:
  At at_;
};

}  // namespace

VariedRun::VariedRun(const Model& model, const TraceOptions& options)
    : options_(options),
      prepared_(in_pieces(prepare(model, options.run), options.run, options.outputs)),
      varied_(vary(prepared_.independent)) {
  const Equations& e = prepared_.equations;
  check_jumps(model, e, prepared_.state, options.run.end);
  if (!e.events.empty()) evaluator_.emplace(prepared_.equations);
  missing_.emplace(e, prepared_.choice.integrator);
  switches_ = find_switch_times(e, options.outputs, prepared_.state.p, prepared_.state.u,
                                prepared_.problem.breakpoints);
  if (!e.events.empty() || !switches_.empty()) {
    const RightHandSideTerms rates = make_linear_rates(prepared_.independent, prepared_.state);
    rates_.emplace(rates, rates_of(rates));
    outputs_.emplace(make_observed(prepared_.independent, rates, options.outputs));
  }
  const State at =
      varied_state(prepared_.state, std::vector<double>(e.num_q() + e.num_v() + e.x.size(), 0.0),
                   std::vector<double>(e.p.size(), 0.0));
  const RightHandSideTerms rates = make_linear_rates(varied_, at);
  observed_.emplace(make_observed(varied_, rates, with_changes(options.outputs)));
  observing_.emplace(observed_->make_workspace());
  solution_.emplace(make_solution(rates));
  values_.resize(observed_->size());
}

// The problem has values of parameters in it.
void VariedRun::formulate_at(const State& state) {
  FormulationOptions with;
  with.step = options_.run.step.value_or(0);
  with.compile.native = options_.run.native;
  problem_ = formulate(varied_, prepared_.choice.formulation, state, with);
  problem_.breakpoints = prepared_.problem.breakpoints;
  problem_.energy = {};  // changes have none
  if (const auto why = why_not(prepared_.choice.integrator.info(), problem_)) {
    throw Error("study.integrator", *why).because(Cause::Method);
  }
}

Start VariedRun::start_at(const State& state) {
  const std::vector<double> y = motion_of(state);
  Start start{state.t, y, {}};
  const auto size = static_cast<std::size_t>(problem_.size());
  if (size > y.size()) {
    SolvedFunction::Workspace work = solution_->make_workspace();
    std::vector<double> z(solution_->size());
    if (!solution_->evaluate(state.t, y, given_, z, work)) {
      throw Error("study.singular", "the equations of motion are singular at the start.");
    }
    const auto n = static_cast<std::ptrdiff_t>(varied_->num_v());
    start.y.insert(start.y.end(), z.begin() + n, z.end());
    start.y.resize(size, 0.0);
    if (problem_.num_w > 0) std::copy_n(z.begin(), n, start.y.end() - n);
  }
  return start;
}

// (q, v, x) of y, or their changes.
std::vector<double> VariedRun::parts(std::span<const double> y, bool of_changes) const {
  const Equations& e = prepared_.equations;
  std::vector<double> out;
  std::size_t first = 0;
  for (const std::size_t count : {e.num_q(), e.num_v(), e.x.size()}) {
    const std::span<const double> part = y.subspan(first + (of_changes ? count : 0), count);
    out.insert(out.end(), part.begin(), part.end());
    first += 2 * count;
  }
  return out;
}

std::span<const double> VariedRun::observe(double t, std::span<const double> y) {
  observed_->evaluate(t, y, given_, values_, *observing_);
  return values_;
}

void VariedRun::sample(double t, std::span<const double> y) {
  const std::span<const double> values = observe(t, y);
  const std::size_t n = options_.outputs.size();
  result_.times.push_back(t);
  result_.values.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
  result_.changes.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
}

bool VariedRun::note(const Step& step) {
  for (; next_time_ < options_.times.size() && options_.times[next_time_] <= step.t1;
       ++next_time_) {
    const double t = options_.times[next_time_];
    if (t < step.t0) continue;
    step.evaluate(t, y_);
    sample(t, y_);
  }
  const auto state_at = [&](double t) {
    step.evaluate(t, y_);
    State out = state_;
    out.t = t;
    put_motion(parts(y_, false), out);
    return out;
  };
  if ((missed_ = missing_->look(step, state_at))) return false;
  if (evaluator_ && (left_zero_ = what_left_zero(*evaluator_, state_at(step.t1)))) return false;
  if (!extremes_->is_empty()) {
    const std::size_t n = options_.outputs.size();
    extremes_->look(
        step.t0, step.t1, false,
        [&](double t, double clock) {
          step.evaluate(t, y_);
          return observe(clock, y_);
        },
        [&](std::size_t which) {
          const std::size_t output = options_.extremes[which].output;
          const ExtremePlace& place = extremes_->places()[which];
          const bool moves = !place.is_before && place.t == stretch_start_ && !shift_.empty();
          result_.extreme_changes[which] = values_[n + output] + (moves ? shift_[output] : 0);
        });
  }
  return true;
}

// Again with nodes where switches were led over, until there are none.
VariedRun::Result VariedRun::go(const TracedMotion::Direction& direction) {
  for (std::size_t count = 0;; ++count) {
    go_once(direction);
    if (!missed_ || count == MissedSwitches::kMost) return result_;
    std::vector<double>& breaks = prepared_.problem.breakpoints;
    breaks.insert(std::upper_bound(breaks.begin(), breaks.end(), *missed_), *missed_);
  }
}

void VariedRun::go_once(const TracedMotion::Direction& direction) {
  const SimulateOptions& run = options_.run;
  const Equations& e = prepared_.equations;
  result_ = {};
  next_time_ = 0;
  shift_.clear();
  passed_.clear();
  left_zero_.reset();
  missed_.reset();
  state_ = prepared_.state;
  dp_.assign(direction.given.begin(),
             direction.given.begin() + static_cast<std::ptrdiff_t>(e.p.size()));
  const State varied = varied_state(state_, direction.start, dp_);
  given_ = given_of(varied);
  formulate_at(varied);
  Start start = start_at(varied);
  if (evaluator_) start.sides = start_sides(*evaluator_, state_);
  y_ = start.y;
  extremes_.emplace(options_.extremes);
  extremes_->begin(start.t, observe(start.t, start.y));
  for (const Extreme& extreme : options_.extremes) {
    result_.extreme_changes.push_back(values_[options_.outputs.size() + extreme.output]);
  }
  IntegrateOptions with;
  with.tolerance = run.tolerance;
  with.absolute_scale = absolute_scale_for(prepared_.equations, prepared_.state);
  with.step = run.step;
  with.order = run.order;
  std::vector<std::string> names;
  for (const Equations::Row& row : varied_->rows) names.push_back(row.name);
  HealthWatch watch(run.health, run.step ? std::nullopt : std::optional(run.tolerance), names);
  watch.begin(problem_, start.t, start.y);
  Outcome outcome;
  auto next = switches_.begin();
  CutAngles angles(prepared_.equations, prepared_.state);
  ProgressWatch progress(run.end, with.max_steps, prepared_.choice, {}, {},
                         [](const std::string&) {});
  const Observer observer = [&](const Step& step) {
    const StepOfMotion motion(step, [&](double t) {
      step.evaluate(t, y_);
      return parts(y_, false);
    });
    angles.note(motion, prepared_.problem, state_.p);
    return watch.note(step) && note(step) && (run.step || progress(step, problem_, state_.p));
  };
  while (next != switches_.end() && next->t <= start.t) ++next;
  while (true) {
    const bool is_switch = next != switches_.end() && next->t < run.end;
    // An event may have come to the same time.
    const bool is_there = is_switch && next->t <= start.t;
    if (!is_there) {
      outcome = integrate(problem_, prepared_.choice.integrator, start,
                          is_switch ? just_before(next->t) : run.end, with, observer);
      result_.steps += outcome.statistics.steps;
    }
    if (is_there || (is_switch && outcome.status == Outcome::Status::Done)) {
      outcome.status = Outcome::Status::Done;
      pass_time(*next++, outcome);
      start = {outcome.t, outcome.y, outcome.sides};
      watch.go_on(problem_, start.t, start.y);
      continue;
    }
    if (outcome.status != Outcome::Status::Event || !go_on(outcome)) break;
    start = {outcome.t, outcome.y, outcome.sides};
    watch.go_on(problem_, start.t, start.y);
  }
  result_.status =
      outcome.status == Outcome::Status::Event ? Outcome::Status::Done : outcome.status;
  result_.text = outcome.text.empty() ? angles.text() : outcome.text;
  if (!progress.why().empty()) {
    result_.status = Outcome::Status::Failed;
    result_.text = progress.why();
  }
  if (missed_) {
    result_.status = Outcome::Status::Failed;
    result_.text = fmt::format(
        "at t = {:.6g} s steps lead over a switch of a law, again and again.", *missed_);
  }
  if (left_zero_) {
    result_.status = Outcome::Status::Failed;
    result_.text = *left_zero_;
  }
  for (const Health::Reason& reason : watch.health().reasons) {
    result_.text += (result_.text.empty() ? "" : " ") + reason.text;
  }
  if (watch.has_failed()) result_.status = Outcome::Status::Failed;
  if (result_.status == Outcome::Status::Done && !result_.text.empty()) {
    result_.status = Outcome::Status::Doubtful;
  }
  if (result_.status == Outcome::Status::Failed) return;
  result_.end = outcome.t;
  result_.extremes = extremes_->values();
  if (result_.times.empty() || result_.times.back() < outcome.t) sample(outcome.t, outcome.y);
  if (result_.end_change != 0) {
    // Outputs that know the time go on with it.
    const std::vector<double> drift = drift_of(*observed_, outcome.t, -1, outcome.y, given_);
    for (std::size_t i = 0; i < options_.outputs.size(); ++i) {
      result_.changes.back()[i] += drift[i] * result_.end_change;
    }
  }
  const std::size_t count = options_.integrated.size();
  for (const bool of_changes : {false, true}) {
    const std::vector<double> all = parts(outcome.y, of_changes);
    (of_changes ? result_.integral_changes : result_.integrals)
        .assign(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
  }
  return;
}

void VariedRun::move_extremes(double t, double change_of_time, std::span<const double> rates_before,
                              std::span<const double> before,
                              std::span<const double> given_before) {
  if (extremes_->is_empty()) return;
  const std::vector<double> rates =
      output_rates(*outputs_, t, -1, before, rates_before, given_before);
  for (std::size_t k = 0; k < options_.extremes.size(); ++k) {
    const ExtremePlace& place = extremes_->places()[k];
    if (place.stretch != extremes_->stretch() || place.t != t || !place.is_before) continue;
    result_.extreme_changes[k] += rates[options_.extremes[k].output] * change_of_time;
  }
}

void VariedRun::begin_stretch(double t, double change_of_time, std::span<const double> rates_after,
                              std::span<const double> after, std::span<const double> given_after) {
  extremes_->begin_stretch();
  stretch_start_ = t;
  if (extremes_->is_empty()) return;
  shift_ = output_rates(*outputs_, t, 1, after, rates_after, given_after);
  for (double& x : shift_) x *= change_of_time;
}

JumpMap::Rates VariedRun::rates_function() const {
  return [this, work = std::make_shared<SolvedFunction::Workspace>(rates_->make_workspace())](
             double t, std::span<const double> y, std::span<const double> given,
             std::span<double> y_rate) { rates_->evaluate(t, y, given, y_rate, *work); };
}

void VariedRun::pass_time(const SwitchTime& at, Outcome& outcome) {
  const JumpMap::Rates rates = rates_function();
  const std::vector<double> y = parts(outcome.y, false);
  std::vector<double> changes = parts(outcome.y, true), before(y.size()), after(y.size());
  const double clock = std::nextafter(at.t, HUGE_VAL);
  const std::vector<double> given = given_of(state_);
  put_motion(y, state_);
  outcome.t = state_.t = at.t;
  if (evaluator_ && outcome.sides.empty()) outcome.sides = start_sides(*evaluator_, state_);
  if (evaluator_) follow_jumps(rates, *evaluator_, clock, state_, outcome.sides);
  const std::vector<double> given_after = given_of(state_);
  rates(std::nextafter(at.t, -HUGE_VAL), y, given, before);
  rates(clock, y, given_after, after);
  double change_of_time = 0;
  for (std::size_t i = 0; i < at.by_p.size(); ++i) change_of_time += at.by_p[i] * dp_[i];
  for (std::size_t i = 0; i < y.size(); ++i) changes[i] += (before[i] - after[i]) * change_of_time;
  move_extremes(just_before(at.t), change_of_time, before, y, given);
  begin_stretch(at.t, change_of_time, after, y, given_after);
  const State varied = varied_state(state_, changes, dp_);
  given_ = given_of(varied);
  if (given != given_after) formulate_at(varied);
  outcome.y = start_at(varied).y;
}

bool VariedRun::go_on(Outcome& outcome) {
  const std::vector<int> happened = take_next(prepared_.equations->events, outcome.sides);
  State before = state_;
  before.t = outcome.t;
  put_motion(parts(outcome.y, false), before);
  for (const std::vector<int>& next : in_turn(happened, outcome.sides, *evaluator_, before)) {
    if (!pass(next, outcome)) return false;
  }
  return outcome.t < options_.run.end;
}

bool VariedRun::pass(const std::vector<int>& happened, Outcome& outcome) {
  const Equations& e = prepared_.equations;
  const bool is_switch = e.events[static_cast<std::size_t>(happened[0])].is_switch;
  const std::vector<double> before = parts(outcome.y, false);
  std::vector<double> changes = parts(outcome.y, true), dgiven = dp_;
  dgiven.resize(e.p.size() + e.u.size(), 0.0);
  constexpr std::size_t kMany = 100;
  constexpr double kSoon = 1e-6;  // of the run, for all of them
  passed_.push_back(outcome.t);
  if (passed_.size() > kMany &&
      outcome.t - passed_[passed_.size() - kMany] < kSoon * options_.run.end) {
    outcome.status = Outcome::Status::Failed;
    outcome.text =
        fmt::format("{} again and again: the motion comes to rest", names_of(e.events, happened));
    return false;
  }
  const bool ends = std::any_of(happened.begin(), happened.end(), [&](int event) {
    return e.events[static_cast<std::size_t>(event)].stops;
  });
  state_.t = outcome.t;
  put_motion(before, state_);
  const std::vector<double> given_before = given_of(state_);
  if (!ends) {
    if (auto why = happen(happened, outcome.sides, *evaluator_, state_)) {
      outcome.status = Outcome::Status::Failed;
      outcome.text = std::move(*why);
      return false;
    }
  }
  const JumpMap::Rates rates = rates_function();
  const std::vector<int> sides = outcome.sides;  // before impacts turn back
  for (const int event : happened) {
    const auto i = static_cast<std::size_t>(event);
    if (e.events[i].restitution) outcome.sides[i] *= -1;
  }
  if (!ends) follow_jumps(rates, *evaluator_, outcome.t, state_, outcome.sides);
  const std::vector<double> after = motion_of(state_);
  const std::vector<double> given_after = given_of(state_);
  const JumpMap::Happening what{happened, sides, ends,         outcome.t,
                                before,   after, given_before, given_after};
  const JumpMap jump =
      is_switch ? pass_switch(rates, *evaluator_, what) : JumpMap(rates, *evaluator_, what);
  const auto along = [&](std::span<const double> by) {
    double sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) sum += by[i] * changes[i];
    for (std::size_t i = 0; i < dgiven.size(); ++i) sum += by[changes.size() + i] * dgiven[i];
    return sum;
  };
  const double change_of_time = along(jump.time());
  for (const JumpMap::Apart& other : jump.apart()) {
    result_.coincidences.push_back({happened[0], other.event, outcome.t, along(other.by)});
  }
  for (const int event : happened) {
    if (!is_switch) result_.events.push_back({event, outcome.t, change_of_time});
  }
  move_extremes(outcome.t, change_of_time, jump.rates_before(), before, given_before);
  if (!ends) begin_stretch(outcome.t, change_of_time, jump.rates_after(), after, given_after);
  jump.tangent(changes, dgiven);
  if (ends) result_.end_change = change_of_time;
  dp_.assign(dgiven.begin(), dgiven.begin() + static_cast<std::ptrdiff_t>(e.p.size()));
  const State varied = varied_state(state_, changes, dp_);
  given_ = given_of(varied);
  if (given_before != given_after) formulate_at(varied);
  outcome.y = start_at(varied).y;
  return !ends;
}

}  // namespace koppel
