#include <koppel/study/recording.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/study/observed.hpp>
#include <koppel/study/passed_jump.hpp>

namespace koppel {
namespace {

// Of those that derivatives go through: explicit steps where nothing is said.
SimulateOptions with_method(SimulateOptions options) {
  if (options.integrator.is_open()) options.integrator = "dop853";
  options.projection = Projection::Full;
  return options;
}

}  // namespace

TracedMotion::Recording::Recording(const Model& model, const TraceOptions& options)
    : Recording(prepare(model, with_method(options.run)), options) {
  check_jumps(model, prepared_.equations, state_, options.run.end);
}

TracedMotion::Recording::Recording(Prepared prepared, const TraceOptions& options)
    : options_(options),
      prepared_(std::move(prepared)),
      state_(prepared_.state),
      extremes_(options.extremes) {
  messages_ = prepared_.messages;
  if (!prepared_.equations->events.empty()) evaluator_.emplace(prepared_.equations);
  make_map();
  switches_ =
      find_switch_times(prepared_.equations, state_.p, state_.u, prepared_.problem.breakpoints);
  if (!can_add_nodes()) {
    if (!switches_.empty()) {
      messages_.push_back(
          "fixed-cost steps meet switches at their ends: derivatives by the times of switches are "
          "zero.");
    }
    switches_.clear();
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
    map_ = make_fixed_cost_map(prepared_.problem.fixed_cost.terms(rule), e.u.size());
  } else {
    const ProjectorTerms projection = make_projector_terms(e, state_.p, state_.u);
    map_ = integrator.is("taylor") ? make_flow_map(rates, projection, options_.run.tolerance)
                                   : make_explicit_map(rates, projection, integrator);
  }
  values_.resize(options_.outputs.size());
}

void TracedMotion::Recording::begin_stretch(double t, std::span<const double> y) {
  if (!stretches_.empty()) extremes_.begin_stretch();
  stretches_.push_back(std::make_unique<Stretch>(map_->size(), given_of(state_), options_.memory));
  stretches_.back()->tape.push(t, y);
  y_.assign(y.begin(), y.end());
}

bool TracedMotion::Recording::note(const Step& step) {
  look_for_extremes(step);
  step.evaluate(step.t1, y_);
  stretches_.back()->tape.push(step.t1, y_);
  return true;
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
  std::vector<std::string> names;
  for (const Equations::Row& row : prepared_.equations->rows) names.push_back(row.name);
  HealthWatch watch(run.health, run.step ? std::nullopt : std::optional(run.tolerance), names);
  Start start = prepared_.start;
  if (evaluator_) start.sides = find_sides(*evaluator_, state_).sides;
  begin_stretch(start.t, start.y);
  watch.begin(prepared_.problem, start.t, start.y);
  observation_->evaluate(start.t, y_, stretches_.back()->given, values_, *observed_);
  extremes_.begin(start.t, values_);
  PassedJump jump;
  jump.take(prepared_.problem);
  std::vector<double> y(start.y.size());
  const Observer observer = [&](const Step& step) {
    jump.note(step, [&](double t) -> std::span<const double> {
      step.evaluate(t, y);
      return y;
    });
    return watch.note(step) && note(step);
  };
  auto next = switches_.begin();
  while (true) {
    while (next != switches_.end() && next->t <= start.t) ++next;
    const bool is_switch = next != switches_.end() && next->t < run.end;
    outcome_ = integrate(prepared_.problem, prepared_.choice.integrator, start,
                         is_switch ? next->t : run.end, with, observer);
    if (is_switch && outcome_.status == Outcome::Status::Done) {
      pass_switch(*next, outcome_);
      start = {outcome_.t, outcome_.y, outcome_.sides};
      continue;
    }
    if (outcome_.status != Outcome::Status::Event || !go_on(outcome_)) break;
    start = {outcome_.t, outcome_.y, outcome_.sides};
    watch.go_on(prepared_.problem, start.t, start.y);
    jump.take(prepared_.problem);
  }
  if (outcome_.status == Outcome::Status::Event) outcome_.status = Outcome::Status::Done;
  std::string text = jump.text();
  for (const Health::Reason& reason : watch.health().reasons) {
    text += (text.empty() ? "" : " ") + reason.text;
  }
  if (watch.has_failed()) outcome_.status = Outcome::Status::Failed;
  if (text.empty()) return;
  outcome_.text = text;
  if (outcome_.status == Outcome::Status::Done) outcome_.status = Outcome::Status::Doubtful;
}

bool TracedMotion::Recording::go_on(Outcome& outcome) {
  const std::vector<Equations::Event>& events = prepared_.equations->events;
  const std::vector<int> happened = take_happened(outcome.sides);
  if (prepared_.choice.integrator.is_fixed_cost()) {
    throw Error("study.event",
                fmt::format("at t = {:.6g} s {}: derivatives of fixed-cost steps do not go through "
                            "events.",
                            outcome.t, names_of(events, happened)),
                "Use `integrator = dop853`.");
  }
  constexpr std::size_t kMany = 100;
  constexpr double kSoon = 1e-6;  // of the run, for all of them
  if (stretches_.size() > kMany &&
      outcome.t - stretches_[stretches_.size() - kMany]->tape.t(0) < kSoon * options_.run.end) {
    outcome.status = Outcome::Status::Failed;
    outcome.text =
        fmt::format("{} again and again: the impacts come to rest", names_of(events, happened));
    return false;
  }
  Stretch& stretch = *stretches_.back();
  // The step that ended with the event may have been seen already.
  if (outcome.t > stretch.tape.t(stretch.tape.num_nodes() - 1)) {
    stretch.tape.push(outcome.t, outcome.y);
  }
  stretch.happened = happened;
  stretch.ends = std::any_of(happened.begin(), happened.end(), [&](int event) {
    return events[static_cast<std::size_t>(event)].stops;
  });
  const std::vector<int> sides = outcome.sides;
  JumpMap::Happening what{happened,      sides, stretch.ends, outcome.t, stretch.tape.back(), {},
                          stretch.given, {}};
  if (stretch.ends) {
    stretch.jump.emplace(rates_function(), *evaluator_, what);
    return false;
  }
  const auto part = [&](int first, int count) {
    const auto begin = outcome.y.begin() + first;
    return std::vector<double>(begin, begin + count);
  };
  Problem& problem = prepared_.problem;
  state_.t = outcome.t;
  state_.q = part(0, problem.num_q);
  state_.v = part(problem.num_q, problem.num_v);
  state_.x = part(problem.num_q + problem.num_v, problem.num_x);
  if (auto why = happen(happened, sides, *evaluator_, state_)) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = std::move(*why);
    return false;
  }
  const bool changes = std::any_of(happened.begin(), happened.end(), [&](int event) {
    return !events[static_cast<std::size_t>(event)].changes.empty();
  });
  if (changes) {
    std::vector<double> breaks = problem.breakpoints;
    problem = formulate(prepared_.independent, prepared_.choice.formulation, state_);
    problem.breakpoints = std::move(breaks);
  }
  for (const int event : happened) {
    const auto i = static_cast<std::size_t>(event);
    if (events[i].restitution) outcome.sides[i] *= -1;
  }
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
  stretch.jump.emplace(rates_function(), *evaluator_, what);
  begin_stretch(outcome.t, outcome.y);
  return outcome.t < options_.run.end;
}

void TracedMotion::Recording::pass_switch(const SwitchTime& at, const Outcome& outcome) {
  const std::span<const double> y = std::span(outcome.y).first(map_->size());
  const std::vector<double> given = given_of(state_);
  std::vector<double> before(y.size()), after(y.size()), time = at.by_p;
  const JumpMap::Rates rates = rates_function();
  rates(std::nextafter(at.t, -HUGE_VAL), y, given, before);
  rates(std::nextafter(at.t, HUGE_VAL), y, given, after);
  double largest = 0, jump = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest = std::max({largest, std::abs(before[i]), std::abs(after[i])});
    jump = std::max(jump, std::abs(after[i] - before[i]));
  }
  // A corner: the time does not matter, save to outputs that have a corner too.
  if (jump <= 1e-12 * largest && extremes_.is_empty()) return;
  time.resize(given.size(), 0.0);
  stretches_.back()->jump.emplace(before, after, time);
  begin_stretch(outcome.t, outcome.y);
}

JumpMap::Rates TracedMotion::Recording::rates_function() const {
  return [this](double t, std::span<const double> y, std::span<const double> given,
                std::span<double> y_rate) {
    map_->rates(t, y, given, y_rate, *map_->make_workspace());
  };
}

bool TracedMotion::Recording::has_node(const ExtremePlace& place) const {
  const StateTape& tape = stretches_[place.stretch]->tape;
  for (std::size_t k = 0; k < tape.num_nodes(); ++k) {
    if (tape.t(k) == place.t) return true;
  }
  return false;
}

// The nearest node. In another run with the same events, ends of stretches have moved by less than
// the tolerance; they stay ends.
TracedMotion::Sample TracedMotion::Recording::sample_at(const ExtremePlace& place) const {
  Sample out;
  out.stretch = std::min(place.stretch, stretches_.size() - 1);
  out.side = place.is_before ? Side::Before : Side::After;
  out.is_extreme = true;
  const StateTape& tape = stretches_[out.stretch]->tape;
  for (std::size_t k = 1; k < tape.num_nodes(); ++k) {
    if (std::abs(tape.t(k) - place.t) <= std::abs(tape.t(out.node) - place.t)) out.node = k;
  }
  out.t = tape.t(out.node);
  return out;
}

void TracedMotion::Recording::find_samples(std::span<const ExtremePlace> extremes,
                                           TracedMotion& to) const {
  std::vector<double> times = options_.times;
  const double from = stretches_.front()->tape.t(0), end = outcome_.t;
  times.insert(times.end(), {from, end});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::size_t stretch = 0, node = 0;
  const auto at = [&](std::size_t i, std::size_t k) { return stretches_[i]->tape.t(k); };
  for (const double t : times) {
    if (t < from || t > end) continue;
    // The node nearest to it; before an event, where one happens then.
    while (true) {
      const bool is_last = node + 1 == stretches_[stretch]->tape.num_nodes();
      if (is_last && (stretch + 1 == stretches_.size() || t <= at(stretch, node))) break;
      if (!is_last && std::abs(at(stretch, node + 1) - t) > std::abs(at(stretch, node) - t)) break;
      is_last ? (++stretch, node = 0) : ++node;
    }
    to.samples_.push_back({stretch, node, at(stretch, node)});
  }
  if (stretches_.back()->ends) to.samples_.back().side = Side::Before;
  std::vector<std::pair<Sample, std::size_t>> all;  // with its place among the extremes, from 1 on
  for (std::size_t k = 0; k < extremes.size(); ++k) all.emplace_back(sample_at(extremes[k]), k + 1);
  for (const Sample& sample : to.samples_) all.emplace_back(sample, 0);
  // Of those at the same node extremes come first: the last of all is the end.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.stretch, a.first.node) < std::pair(b.first.stretch, b.first.node);
  });
  to.samples_.clear();
  to.extreme_samples_.resize(extremes.size());
  for (auto& [sample, which] : all) {
    if (which > 0) to.extreme_samples_[which - 1] = to.samples_.size();
    to.samples_.push_back(std::move(sample));
  }
}

void TracedMotion::Recording::find_moving(const std::vector<Sample>& samples) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    const Stretch& in = *stretches_[sample.stretch];
    const bool is_before = sample.side == Side::Before && sample.node + 1 == in.tape.num_nodes();
    const bool is_after = sample.side == Side::After && sample.node == 0 && sample.stretch > 0;
    if (!is_before && !is_after) continue;
    Stretch& with = *stretches_[sample.stretch - (is_after ? 1 : 0)];
    if (!with.jump) continue;
    with.moving.push_back(
        {k,
         output_rates(*observation_, sample.t, is_before ? -1 : 1,
                      is_before ? in.tape.back() : in.tape.front(),
                      is_before ? with.jump->rates_before() : with.jump->rates_after(), in.given)});
  }
}

void TracedMotion::Recording::hand_over(std::span<const ExtremePlace> extremes, TracedMotion& to) {
  to.status_ = outcome_.status;
  to.text_ = outcome_.text;
  to.end_ = outcome_.t;
  to.equations_ = prepared_.equations;
  to.choice_ = prepared_.choice;
  to.start_ = prepared_.state;
  to.messages_ = std::move(messages_);
  find_samples(extremes, to);
  auto sample = to.samples_.begin();
  const auto observe = [&](std::size_t i, std::size_t node, std::span<const double> at) {
    for (; sample != to.samples_.end() && sample->stretch == i && sample->node == node; ++sample) {
      observation_->evaluate(sample->clock(), at, stretches_[i]->given, values_, *observed_);
      sample->values = values_;
    }
  };
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = *stretches_[i];
    observe(i, 0, stretch.tape.front());
    stretch.tape.forwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      observe(i, step + 1, at.y1);
      return sample != to.samples_.end();
    });
  }
  find_moving(to.samples_);
  const Equations& e = to.equations_;
  to.first_integral_ = e.num_q() + e.num_v() + e.x.size() - options_.integrated.size();
  const std::span<const double> last = stretches_.back()->tape.back();
  const std::span<const double> sums = last.subspan(to.first_integral_, options_.integrated.size());
  to.integrals_.assign(sums.begin(), sums.end());
  for (const auto& stretch : stretches_) {
    const StateTape& tape = stretch->tape;
    for (const int event : stretch->happened) {
      to.events_.push_back({event, tape.t(tape.num_nodes() - 1), 0});
    }
  }
  to.map_ = std::move(map_);
  to.observation_ = std::move(observation_);
  to.stretches_ = std::move(stretches_);
}

}  // namespace koppel
