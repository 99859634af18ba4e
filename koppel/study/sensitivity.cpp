#include <koppel/study/sensitivity.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/seconds_since.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/study/no_derivatives.hpp>
#include <koppel/study/recording.hpp>
#include <koppel/study/second_derivatives.hpp>
#include <koppel/study/start_tangent.hpp>
#include <koppel/study/traced_motion.hpp>
#include <koppel/study/varied_run.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;
using Mode = SensitivityOptions::Mode;

void refuse_tracking(const Model& model) {
  if (model.tracking.empty()) return;
  throw Error("study.tracking",
              fmt::format("tracking '{}' chooses its force in every step: there are no derivatives "
                          "of such a run.",
                          model.tracking[0].name),
              "Leave tracking out of the model.")
      .about(model.tracking[0].name)
      .because(Cause::Method);
}

// Steps that are differentiated as they were taken.
bool is_traced(const Integrator& integrator) {
  return integrator.is_open() || integrator.is_fixed_cost() || integrator.has_stages();
}

class Differentiation {
 public:
  Differentiation(const Model& model, const std::vector<std::vector<double>>& of_parameters,
                  const SensitivityOptions& options, Sensitivity& out)
      : model_(model),
        of_parameters_(of_parameters),
        options_(options),
        out_(out),
        asked_(ask(options)) {
    choose_mode();
    out.derivatives =
        Matrix(static_cast<int>(options.of.size()), static_cast<int>(of_parameters.size()));
    const Integrator& integrator = options.run.integrator;
    is_traced(integrator) || out.is_adjoint ? trace() : vary();
    // At a singular pose, which the motion passes, the varied equations may have no solution that
    // round-off leaves alone. Then the steps of its own series are differentiated.
    if (out.status == Outcome::Status::Failed && integrator.is_series() && !out.is_adjoint) {
      forget();
      trace();
    }
    check_finite();
    doubt_order();
  }

 private:
  void choose_mode() {
    const std::size_t n = of_parameters_.size(), m = options_.of.size();
    const Integrator& integrator = options_.run.integrator;
    const bool has_adjoint = is_traced(integrator) || integrator.is_series();
    if (options_.mode == Mode::Adjoint && !has_adjoint) {
      throw Error("study.integrator",
                  fmt::format("adjoint derivatives go through steps of 'dop853', 'rk4', 'taylor' "
                              "and of fixed cost, not of '{}'.",
                              integrator.text()),
                  "Use one of these, or forward derivatives.")
          .because(Cause::Method);
    }
    if (options_.mode == Mode::Adjoint && !options_.times.empty()) {
      throw Error("study.bad-option", "derivatives over time are found forwards.",
                  "Leave the mode open, or ask for forward derivatives.");
    }
    // A direction takes a run and a half, weights two; both stand on a run of their own.
    const bool is_cheaper = 3 * n > 4 * m;
    out_.is_adjoint =
        options_.mode == Mode::Adjoint ||
        (options_.mode == Mode::Auto && is_cheaper && has_adjoint && options_.times.empty());
    if (options_.mode != Mode::Auto) return;
    const auto count = [](std::size_t k, const char* one, const char* many) {
      return fmt::format("{} {}", k, k == 1 ? one : many);
    };
    out_.reason = fmt::format("{}, {}", count(n, "parameter", "parameters"),
                              count(m, "criterion", "criteria"));
    if (is_cheaper && !out_.is_adjoint) {
      out_.reason = has_adjoint ? "over time" : integrator.text() + " has no adjoint";
    }
  }

  void check_finite() {
    const std::vector<double>& all = out_.derivatives.values;
    if (has_failed() ||
        std::all_of(all.begin(), all.end(), [](double d) { return std::isfinite(d); }))
      return;
    out_.status = Outcome::Status::Failed;
    out_.text =
        "a derivative is not finite: an operation has no derivative at the end of its range.";
  }

  // Events that happen at once and together, as where a bar falls flat onto two supports: beside
  // the motion they happen one after the other, where a parameter changes their times differently.
  void look_at(const Coincidence& at, const Equations& e, double change, std::size_t parameter) {
    constexpr double kApart = 1e-7;  // of the run, for a parameter that changes by its size
    const double least = std::max(kApart, 100 * options_.run.tolerance) * options_.run.end;
    if (!(std::abs(change) * size_of(parameter) > least)) return;
    const std::string& name = out_.parameters[parameter];
    if (std::find(apart_by_.begin(), apart_by_.end(), name) == apart_by_.end()) {
      apart_by_.push_back(name);
    }
    if (!at_once_.empty() && first_apart_ <= at.t) return;
    first_apart_ = at.t;
    at_once_ = names_of(e.events, std::array{at.first, at.other});
  }

  void doubt_order() {
    if (apart_by_.empty() || has_failed()) return;
    std::string by;
    for (const std::string& name : apart_by_) by += (by.empty() ? "" : ", ") + name;
    out_.status = Outcome::Status::Doubtful;
    out_.text += fmt::format(
        "{}at t = {:.6g} s {} happen at once, and their times change differently with {}: what "
        "follows depends on which comes first, and has no such derivatives.",
        out_.text.empty() ? "" : " ", first_apart_, at_once_, by);
  }

  void trace() {
    const Clock::time_point before = Clock::now();
    const TracedMotion motion(model_, asked_.trace);
    out_.run_seconds = seconds_since(before);
    take(motion.choice(), motion.status(), motion.text(), motion.num_steps());
    out_.messages = motion.messages();
    if (has_failed()) return;
    motion.refuse_without_derivatives({of_parameters_, out_.parameters});
    const double duration = motion.end() - motion.start().t;
    const std::vector<int> events = events_of(motion.equations(), motion.events());
    std::vector<std::size_t> samples;
    for (const Asked::Of& of : asked_.of) {
      samples.push_back(of.extreme < 0 ? motion.samples().size() - 1
                                       : motion.extreme_samples()[at(of.extreme)]);
    }
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      const Asked::Of& of = asked_.of[i];
      double value = of.is_time ? motion.events()[at(events[i])].t
                     : of.integral >= 0
                         ? motion.integrals()[at(of.integral)] / (of.is_mean ? duration : 1)
                         : motion.samples()[samples[i]].values[of.output];
      out_.values.push_back(value);
    }
    const Clock::time_point middle = Clock::now();
    const Matrix start = start_tangent(model_, motion.equations(), motion.start());
    const std::vector<TracedMotion::Direction> directions =
        motion.directions(start, of_parameters_);
    out_.is_adjoint ? go_backward(motion, directions, samples, events, duration)
                    : go_forward(motion, directions, samples, events, duration);
    out_.derivative_seconds = seconds_since(middle);
  }

  void go_forward(const TracedMotion& motion,
                  const std::vector<TracedMotion::Direction>& directions,
                  const std::vector<std::size_t>& samples, const std::vector<int>& events,
                  double duration) {
    const std::vector<TracedMotion::Changes> changes = motion.forward(directions);
    for (std::size_t c = 0; c < motion.coincidences().size(); ++c) {
      for (std::size_t j = 0; j < changes.size(); ++j) {
        look_at(motion.coincidences()[c], motion.equations(), changes[j].apart[c], j);
      }
    }
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      const Asked::Of& of = asked_.of[i];
      for (std::size_t j = 0; j < changes.size(); ++j) {
        const TracedMotion::Changes& change = changes[j];
        double d = of.is_time         ? change.events[at(events[i])]
                   : of.integral >= 0 ? change.integrals[at(of.integral)]
                                      : change.values[samples[i]][of.output];
        if (of.is_mean) d = (d - out_.values[i] * change.end) / duration;
        out_.derivatives(static_cast<int>(i), static_cast<int>(j)) = d;
      }
    }
    if (options_.times.empty()) return;
    begin_course();
    for (std::size_t k = 0; k < motion.samples().size(); ++k) {
      const TracedMotion::Sample& sample = motion.samples()[k];
      if (sample.is_extreme) continue;
      std::vector<double> row = {sample.t};
      for (std::size_t i = 0; i < sample.values.size(); ++i) {
        row.push_back(sample.values[i]);
        for (const TracedMotion::Changes& change : changes) row.push_back(change.values[k][i]);
      }
      out_.course.append(row);
    }
  }

  void go_backward(const TracedMotion& motion,
                   const std::vector<TracedMotion::Direction>& directions,
                   const std::vector<std::size_t>& samples, const std::vector<int>& events,
                   double duration) {
    std::vector<TracedMotion::Weights> weights;
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      const Asked::Of& of = asked_.of[i];
      TracedMotion::Weights& with = weights.emplace_back();
      if (of.is_time) {
        with.events.assign(motion.events().size(), 0.0);
        with.events[at(events[i])] = 1;
      } else if (of.integral < 0) {
        with.values.push_back({samples[i], of.output, 1});
      } else {
        with.integrals.assign(motion.integrals().size(), 0.0);
        with.integrals[at(of.integral)] = of.is_mean ? 1 / duration : 1;
        if (of.is_mean) with.end = -out_.values[i] / duration;
      }
    }
    const std::size_t num_apart = motion.coincidences().size();
    for (std::size_t c = 0; c < num_apart; ++c) {
      std::vector<double>& apart = weights.emplace_back().apart;
      apart.assign(num_apart, 0.0);
      apart[c] = 1;
    }
    const std::vector<TracedMotion::Direction> at_start = motion.backward(weights);
    for (std::size_t i = 0; i < at_start.size(); ++i) {
      for (std::size_t j = 0; j < directions.size(); ++j) {
        double sum = 0;
        const TracedMotion::Direction& direction = directions[j];
        for (std::size_t k = 0; k < direction.start.size(); ++k) {
          sum += at_start[i].start[k] * direction.start[k];
        }
        for (std::size_t k = 0; k < direction.given.size(); ++k) {
          sum += at_start[i].given[k] * direction.given[k];
        }
        if (i >= asked_.of.size()) {
          look_at(motion.coincidences()[i - asked_.of.size()], motion.equations(), sum, j);
          continue;
        }
        out_.derivatives(static_cast<int>(i), static_cast<int>(j)) = sum;
      }
    }
  }

  // By runs of the varied equations, one for each parameter. A change of each by its own size is
  // of the size of the motion.
  void vary() {
    const Clock::time_point before = Clock::now();
    const Model model = with_integrals(model_, asked_.trace);
    VariedRun run(model, asked_.trace);
    const Prepared& prepared = run.prepared();
    const Matrix start = start_tangent(model, prepared.equations, prepared.state);
    refuse_contradictions(prepared.equations, prepared.state, {},
                          {of_parameters_, out_.parameters});
    const std::vector<TracedMotion::Direction> directions =
        make_directions(start, of_parameters_, prepared.equations);
    out_.messages = prepared.messages;
    for (std::size_t j = 0; j < directions.size(); ++j) {
      TracedMotion::Direction direction = directions[j];
      const double size = size_of(j);
      for (std::vector<double>* part : {&direction.start, &direction.given}) {
        for (double& d : *part) d *= size;
      }
      const VariedRun::Result result = run.go(direction);
      take(prepared.choice, result.status, result.text, result.steps);
      if (has_failed()) return;
      put(prepared, result, static_cast<int>(j), size);
    }
    put_course();
    out_.derivative_seconds = seconds_since(before);
  }

  void put(const Prepared& prepared, const VariedRun::Result& result, int j, double size) {
    const double duration = result.end - prepared.state.t;
    const std::vector<int> events = events_of(prepared.equations, result.events);
    for (const Coincidence& at : result.coincidences) {
      look_at(at, prepared.equations, at.change / size, static_cast<std::size_t>(j));
    }
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      const Asked::Of& of = asked_.of[i];
      double value = 0, d = 0;
      if (of.is_time) {
        value = result.events[at(events[i])].t;
        d = result.events[at(events[i])].change;
      } else if (of.extreme >= 0) {
        value = result.extremes[at(of.extreme)];
        d = result.extreme_changes[at(of.extreme)];
      } else if (of.integral >= 0) {
        value = result.integrals[at(of.integral)];
        d = result.integral_changes[at(of.integral)];
        if (of.is_mean) value /= duration;
        if (of.is_mean) d = (d - value * result.end_change) / duration;
      } else {
        value = result.values.back()[of.output];
        d = result.changes.back()[of.output];
      }
      if (j == 0) out_.values.push_back(value);
      out_.derivatives(static_cast<int>(i), j) = d / size;
    }
    if (!options_.times.empty()) results_.push_back(result);
  }

  // What came of vary().
  void forget() {
    out_.status = Outcome::Status::Done;
    out_.text.clear();
    out_.steps = 0;
    out_.values.clear();
    apart_by_.clear();
    at_once_.clear();
  }

  void put_course() {
    if (options_.times.empty()) return;
    begin_course();
    for (std::size_t k = 0; k < results_[0].times.size(); ++k) {
      std::vector<double> row = {results_[0].times[k]};
      for (std::size_t i = 0; i < asked_.trace.outputs.size(); ++i) {
        row.push_back(results_[0].values[k][i]);
        for (std::size_t j = 0; j < results_.size(); ++j) {
          // A run that an event ends may miss the last time.
          const VariedRun::Result& of = results_[j];
          row.push_back(of.changes[std::min(k, of.changes.size() - 1)][i] / size_of(j));
        }
      }
      out_.course.append(row);
    }
  }

  void take(const Choice& choice, Outcome::Status status, const std::string& text, long steps) {
    out_.choice = choice;
    if (status != Outcome::Status::Done) out_.status = status;
    if (!text.empty()) out_.text = text;
    out_.steps = std::max(out_.steps, steps);
  }
  bool has_failed() const {
    return out_.status == Outcome::Status::Failed || out_.status == Outcome::Status::Stopped;
  }

  // For each criterion that is the time of an event, which of those that happened it is.
  std::vector<int> events_of(const Equations& e, const std::vector<EventTime>& happened) const {
    std::vector<int> out;
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      const std::string& name = options_.of[i].quantity;
      const auto it = std::find_if(happened.begin(), happened.end(), [&](const EventTime& event) {
        return e.events[at(event.event)].name == name;
      });
      if (asked_.of[i].is_time && it == happened.end()) {
        throw Error("study.no-event",
                    fmt::format("event '{}' does not happen before the end of the run.", name),
                    "Let the run be longer.")
            .about(name);
      }
      out.push_back(it == happened.end() ? -1 : static_cast<int>(it - happened.begin()));
    }
    return out;
  }

  void begin_course() {
    std::vector<Column> columns = {{"t", "s", Group::Time}};
    for (const std::string& quantity : asked_.trace.outputs) {
      columns.push_back({quantity, "", Group::Outputs});
      for (const std::string& parameter : out_.parameters) {
        columns.push_back(
            {fmt::format("d({})/d({})", quantity, parameter), "", Group::Derivatives});
      }
    }
    out_.course = Trajectory(std::move(columns));
  }
  double size_of(std::size_t parameter) const {
    const double value = out_.parameter_values[parameter];
    return value != 0 ? std::abs(value) : 1;
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Model& model_;
  const std::vector<std::vector<double>>& of_parameters_;
  const SensitivityOptions& options_;
  Sensitivity& out_;
  Asked asked_;
  std::vector<std::string> apart_by_;  // parameters that change the order of events
  std::string at_once_;                // the first of these events, at that time
  double first_apart_ = 0;
  std::vector<VariedRun::Result> results_;  // where the course over time is asked for
};

}  // namespace

Asked ask(const SensitivityOptions& options) {
  Asked out;
  TraceOptions& trace = out.trace;
  trace.run = options.run;
  trace.times = options.times;
  for (const Criterion& criterion : options.of) {
    Asked::Of& of = out.of.emplace_back();
    of.is_time = criterion.reduction == Reduce::Time;
    if (of.is_time) continue;
    const auto it = std::find(trace.outputs.begin(), trace.outputs.end(), criterion.quantity);
    of.output = static_cast<std::size_t>(it - trace.outputs.begin());
    if (it == trace.outputs.end()) trace.outputs.push_back(criterion.quantity);
    switch (criterion.reduction) {
      case Reduce::Final:
      case Reduce::Time: break;
      case Reduce::Mean:
      case Reduce::Integral:
        of.is_mean = criterion.reduction == Reduce::Mean;
        of.integral = static_cast<int>(trace.integrated.size());
        trace.integrated.push_back(of.output);
        break;
      case Reduce::Min:
      case Reduce::Max:
        of.extreme = static_cast<int>(trace.extremes.size());
        trace.extremes.push_back({of.output, criterion.reduction == Reduce::Max});
        break;
    }
  }
  return out;
}

void SensitivityOptions::validate() const {
  if (of.empty()) {
    throw Error("study.bad-option", "nothing is asked for.",
                "Give a criterion, such as rod.angle:max.");
  }
  check_labels(of);
  if (over.empty()) {
    throw Error("study.bad-option", "no parameters are given to differentiate by.",
                "Name parameters, or initial values as start.NAME.");
  }
  run.validate();
}

SimulateOptions options_for_derivatives(const Model& model) {
  SimulateOptions out = options_of(model);
  out.formulation = {};
  out.integrator = {};
  out.step.reset();
  return out;
}

Sensitivity sensitivity(const Model& model, const SensitivityOptions& options) {
  return sensitivity(model, {}, options);
}

Sensitivity sensitivity(const Model& model, const std::vector<ParameterOrigin>& origins,
                        const SensitivityOptions& options) {
  options.validate();
  return find_sensitivity(StudiedParameters(model, origins, options.over), options);
}

Sensitivity find_sensitivity(const StudiedParameters& over, const SensitivityOptions& options) {
  return find_sensitivity(over, over.values(), options);
}

Sensitivity find_sensitivity(const StudiedParameters& over, std::span<const double> values,
                             const SensitivityOptions& given) {
  Model model = over.at(values);
  SensitivityOptions options = given;
  options.run = with_fixed_cost(model, given.run);
  refuse_tracking(model);
  const std::vector<std::vector<double>> directions = over.directions(model);
  add_quantities(options.of, {}, model);
  Sensitivity out;
  for (const Criterion& criterion : options.of) out.criteria.push_back(criterion.label);
  out.parameters = over.names();
  out.parameter_values.assign(values.begin(), values.end());
  Differentiation(model, directions, options, out);
  const bool is_there =
      out.status == Outcome::Status::Done || out.status == Outcome::Status::Doubtful;
  if (options.with_second && is_there) {
    const Clock::time_point before = Clock::now();
    out.second = find_second_derivatives(over, values, options);
    out.derivative_seconds += seconds_since(before);
  }
  return out;
}

}  // namespace koppel
