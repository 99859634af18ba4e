#include <koppel/study/recording.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// Of those that derivatives go through: explicit steps where nothing is said.
SimulateOptions with_method(SimulateOptions options) {
  if (options.integrator.is_open()) options.integrator = "dop853";
  options.projection = Projection::Full;
  return options;
}

Exprs named_outputs(const Equations& e, const std::vector<std::string>& names) {
  Exprs out;
  for (const std::string& name : names) {
    const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                 [&](const auto& output) { return output.name == name; });
    if (it == e.outputs.end()) {
      throw Error("study.unknown-output", fmt::format("the model has no output '{}'.", name));
    }
    out.push_back(it->value);
  }
  return out;
}

std::vector<double> given_of(const State& state) {
  std::vector<double> out = state.p;
  out.insert(out.end(), state.u.begin(), state.u.end());
  return out;
}

// The multipliers of [g; a] as they stand in outputs, and what they are: parts of z, 0 where a row
// is left out.
struct Multipliers {
  Exprs symbols, values;
};
Multipliers multipliers_of(const Equations& e, const Exprs& z) {
  Multipliers out{multiplier_symbols(e), {}};
  for (std::size_t i = 0; i < e.num_rows(); ++i) out.values.push_back(z[e.num_v() + i]);
  for (const Equations::LeftOut& left : e.left_out) {
    out.symbols.push_back(multiplier_symbol(e, left.row));
    out.values.emplace_back(0);
  }
  return out;
}

}  // namespace

TracedMotion::Recording::Recording(const Model& model, const TraceOptions& options)
    : model_(model),
      options_(options),
      prepared_(prepare(model, with_method(options.run))),
      state_(prepared_.state) {
  messages_ = prepared_.messages;
  const Equations& e = prepared_.equations;
  if (!find_jumps(model, e.p, state_.p, {state_.t, options.run.end}).empty()) {
    throw Error("study.jump",
                "a drive or another course of time jumps: there are no derivatives across it.",
                "Use a smooth course.");
  }
  if (!e.events.empty()) evaluator_.emplace(prepared_.equations);
  make_map();
  if (!can_add_nodes()) return;
  std::vector<double>& breaks = prepared_.problem.breakpoints;
  breaks.insert(breaks.end(), options.times.begin(), options.times.end());
  std::sort(breaks.begin(), breaks.end());
}

void TracedMotion::Recording::make_map() {
  const Equations& e = prepared_.independent;
  const RightHandSideTerms rates = make_linear_rates(prepared_.independent, state_);
  const Multipliers multipliers = multipliers_of(e, solution_symbols(rates));
  const Exprs asked = named_outputs(e, options_.outputs);
  const Exprs outputs = substitute(asked, multipliers.symbols, multipliers.values);
  observation_.emplace(rates, outputs);
  observed_.emplace(observation_->make_workspace());
  const Integrator& integrator = prepared_.choice.integrator;
  if (integrator.is_fixed_cost()) {
    const FixedCostOptions rule = integrator.fixed_cost(options_.run.projection);
    map_ = make_fixed_cost_map(prepared_.problem.fixed_cost.terms(rule), e.u.size());
  } else {
    map_ = make_explicit_map(rates, make_projector_terms(e, state_.p, state_.u), integrator);
  }
  values_.resize(outputs.size());
}

void TracedMotion::Recording::begin_stretch(double t, std::span<const double> y) {
  stretches_.push_back(std::make_unique<Stretch>(map_->size(), given_of(state_)));
  stretches_.back()->tape.push(t, y);
  y_.assign(y.begin(), y.end());
}

bool TracedMotion::Recording::note(const Step& step) {
  look_for_extremes(step);
  step.evaluate(step.t1, y_);
  stretches_.back()->tape.push(step.t1, y_);
  return true;
}

// The outputs' values between the ends of a step by its dense output; an extreme is where their
// rate passes through zero.
void TracedMotion::Recording::look_for_extremes(const Step& step) {
  if (options_.extremes.empty()) return;
  const bool at_ends_only = prepared_.choice.integrator.is_fixed_cost();
  const int num_parts = at_ends_only ? 1 : 16;
  const double h = step.t1 - step.t0;
  const std::vector<double>& given = stretches_.back()->given;
  const auto value = [&](double t, std::size_t output) {
    step.evaluate(t, y_);
    observation_->evaluate(t, y_, given, values_, *observed_);
    return values_[output];
  };
  for (std::size_t k = 0; k < options_.extremes.size(); ++k) {
    const auto [output, is_largest] = options_.extremes[k];
    const double sign = is_largest ? 1 : -1;
    for (int i = 0; i <= num_parts; ++i) {
      double t = i == num_parts ? step.t1 : step.t0 + h * i / num_parts;
      if (!(sign * value(t, output) > sign * extremes_[k])) continue;
      // Of order 6, from values far enough apart for round-off.
      const double d = h / 64;
      const auto rate = [&](double at) {
        const auto between = [&](int m) { return value(at + m * d, output); };
        return (45 * (between(1) - between(-1)) - 9 * (between(2) - between(-2)) +
                (between(3) - between(-3))) /
               (60 * d);
      };
      double low = std::max(t - h / num_parts, step.t0 + 3 * d);
      double high = std::min(t + h / num_parts, step.t1 - 3 * d);
      if (!at_ends_only && low < high && sign * rate(low) > 0 && sign * rate(high) < 0) {
        for (int bisection = 0; bisection < 48; ++bisection) {
          const double middle = 0.5 * (low + high);
          (sign * rate(middle) > 0 ? low : high) = middle;
        }
        t = 0.5 * (low + high);
      }
      extremes_[k] = value(t, output);
      extreme_times_[k] = t;
    }
  }
}

void TracedMotion::Recording::run() {
  const SimulateOptions& run = options_.run;
  IntegrateOptions with;
  with.tolerance = run.tolerance;
  with.step = run.step;
  std::vector<std::string> names;
  for (const Equations::Row& row : prepared_.equations->rows) names.push_back(row.name);
  HealthWatch watch(run.health, run.step ? std::nullopt : std::optional(run.tolerance), names);
  Start start = prepared_.start;
  if (evaluator_) start.sides = find_sides(*evaluator_, state_).sides;
  begin_stretch(start.t, start.y);
  watch.begin(prepared_.problem, start.t, start.y);
  observation_->evaluate(start.t, y_, stretches_.back()->given, values_, *observed_);
  for (const TraceOptions::Extreme& extreme : options_.extremes) {
    extremes_.push_back(values_[extreme.output]);
    extreme_times_.push_back(start.t);
  }
  const Observer observer = [&](const Step& step) { return watch.note(step) && note(step); };
  while (true) {
    outcome_ =
        integrate(prepared_.problem, prepared_.choice.integrator, start, run.end, with, observer);
    if (outcome_.status != Outcome::Status::Event || !go_on(outcome_)) break;
    start = {outcome_.t, outcome_.y, outcome_.sides};
    watch.go_on(prepared_.problem, start.t, start.y);
  }
  if (outcome_.status == Outcome::Status::Event) outcome_.status = Outcome::Status::Done;
  std::string text;
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
  stretch.ends = std::any_of(happened.begin(), happened.end(), [&](int event) {
    return events[static_cast<std::size_t>(event)].stops;
  });
  JumpMap::Happening what{happened, stretch.ends,  outcome.t, stretch.tape.back(),
                          {},       stretch.given, {}};
  if (stretch.ends) {
    stretch.jump.emplace(*map_, *evaluator_, what);
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
  if (auto why = happen(happened, *evaluator_, state_)) {
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
  stretch.jump.emplace(*map_, *evaluator_, what);
  begin_stretch(outcome.t, outcome.y);
  return outcome.t < options_.run.end;
}

bool TracedMotion::Recording::has_node(double t) const {
  for (const auto& stretch : stretches_) {
    for (std::size_t k = 0; k < stretch->tape.num_nodes(); ++k) {
      if (stretch->tape.t(k) == t) return true;
    }
  }
  return false;
}

void TracedMotion::Recording::find_samples(TracedMotion& to) const {
  std::vector<double> times = options_.times;
  if (!can_add_nodes()) times.insert(times.end(), extreme_times_.begin(), extreme_times_.end());
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
    to.samples_.push_back({stretch, node, at(stretch, node), {}});
  }
}

void TracedMotion::Recording::hand_over(TracedMotion& to) {
  to.status_ = outcome_.status;
  to.text_ = outcome_.text;
  to.end_ = outcome_.t;
  to.equations_ = prepared_.equations;
  to.choice_ = prepared_.choice;
  to.start_ = prepared_.state;
  to.messages_ = std::move(messages_);
  if (to.extreme_times_.empty()) to.extreme_times_ = extreme_times_;
  find_samples(to);
  auto sample = to.samples_.begin();
  const auto observe = [&](std::size_t i, std::size_t node, double t, std::span<const double> at) {
    for (; sample != to.samples_.end() && sample->stretch == i && sample->node == node; ++sample) {
      observation_->evaluate(t, at, stretches_[i]->given, values_, *observed_);
      sample->values = values_;
    }
  };
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = *stretches_[i];
    observe(i, 0, stretch.tape.t(0), stretch.tape.front());
    stretch.tape.forwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      observe(i, step + 1, at.t + at.h, at.y1);
      return sample != to.samples_.end();
    });
  }
  const Equations& e = to.equations_;
  to.first_integral_ = e.num_q() + e.num_v() + e.x.size() - options_.integrated.size();
  const std::span<const double> last = stretches_.back()->tape.back();
  const std::span<const double> sums = last.subspan(to.first_integral_, options_.integrated.size());
  to.integrals_.assign(sums.begin(), sums.end());
  to.map_ = std::move(map_);
  to.observation_ = std::move(observation_);
  to.stretches_ = std::move(stretches_);
}

}  // namespace koppel
