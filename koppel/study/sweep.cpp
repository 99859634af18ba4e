#include <koppel/study/sweep.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <new>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/base/threads.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/sweep_bands.hpp>
#include <koppel/study/switch_rows.hpp>

namespace koppel {
namespace {

Settings settings_of(const Samples& samples, std::size_t number) {
  Settings out;
  const std::vector<double> values = samples.point(number);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string text;
    append_number(text, values[i]);
    out.emplace_back(samples.design().ranges[i].name, std::move(text));
  }
  return out;
}

std::string in_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  const auto is_double_space = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), is_double_space), text.end());
  return text;
}

SweepRow failed(const std::string& id, std::string reason) {
  return {SweepRow::Status::Failed, {}, id, in_one_line(std::move(reason)), {}};
}

SweepRow row_of(const Simulation& simulation, const Sweep& sweep) {
  const std::span<const Criterion> criteria = sweep.criteria;
  if (simulation.status == Outcome::Status::Failed) {
    return failed("simulate.failed",
                  fmt::format("at t = {:.8g} s: {}", simulation.summary.reached, simulation.text));
  }
  SweepRow row;
  row.values = evaluate(criteria, simulation.trajectory, simulation.summary.events);
  if (!sweep.band_times.empty()) {
    row.series = sample_series(criteria, sweep.band_times, simulation.trajectory);
  }
  if (simulation.status == Outcome::Status::Doubtful) {
    row.status = SweepRow::Status::Doubtful;
    row.id = "simulate.doubtful";
    row.reason = in_one_line(simulation.text);
    return row;
  }
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    if (std::isfinite(row.values[i])) continue;
    SweepRow doubtful = not_finite(criteria[i]);
    doubtful.values = std::move(row.values);
    doubtful.series = std::move(row.series);
    return doubtful;
  }
  return row;
}

// Rows are spread over the time that was asked for: where an event ends the run before half of it,
// they are few, and what they are reduced to is poor.
bool has_few_rows(const Simulation& simulation, const SimulateOptions& options) {
  const Sampling& sampling = options.sampling;
  const std::span<const double> t = simulation.trajectory.time();
  return !sampling.every_step && sampling.times.empty() &&
         t.back() - t.front() < 0.5 * (options.end - t.front());
}

// What is reduced over time, from rows that are spread over the time until the end that it had.
void take_courses(const Model& model, SimulateOptions options, const Simulation& simulation,
                  const Sweep& sweep, SweepRow& row) {
  const auto is_of_course = [](const Criterion& criterion) {
    return criterion.reduction != Reduce::Final && criterion.reduction != Reduce::Time;
  };
  if (std::none_of(sweep.criteria.begin(), sweep.criteria.end(), is_of_course)) return;
  options.end = simulation.trajectory.time().back();
  if (!(options.end > simulation.trajectory.time().front())) return;
  const Simulation again = simulate(model, options);
  if (again.status == Outcome::Status::Stopped) throw Stopped{};
  if (again.status == Outcome::Status::Failed) return;
  const std::vector<double> values =
      evaluate(sweep.criteria, again.trajectory, simulation.summary.events);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_of_course(sweep.criteria[i])) row.values[i] = values[i];
  }
}

void check_parameters(const Samples& samples, const Model& model) {
  std::vector<std::string> known;
  for (const Parameter& parameter : model.parameters) {
    known.emplace_back(parameter.symbol.name());
  }
  for (const Range& range : samples.design().ranges) {
    if (std::find(known.begin(), known.end(), range.name) != known.end()) continue;
    const std::string meant = suggest(range.name, known);
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    throw Error("study.unknown-parameter",
                fmt::format("the model has no parameter '{}' to be varied.", range.name),
                known.empty() ? "It has none at all."
                              : fmt::format("parameters: {}.{}", all,
                                            meant.empty() ? "" : " Did you mean '" + meant + "'?"));
  }
}

// Columns of the table have one name each.
void check_column(const Sweep& sweep, const std::string& label) {
  bool is_taken = false;
  for (const Range& range : sweep.samples.design().ranges) is_taken |= range.name == label;
  for (const char* own : {"variant", "status", "error", "reason"}) is_taken |= label == own;
  if (!is_taken) return;
  throw Error("study.bad-criterion",
              fmt::format("criterion '{0}' has the name of another column of the table.", label),
              fmt::format("Give it another one, such as {}_1 = …", label));
}

}  // namespace

const char* name_of(SweepRow::Status status) {
  switch (status) {
    case SweepRow::Status::Done: return "done";
    case SweepRow::Status::Doubtful: return "doubtful";
    case SweepRow::Status::Failed: return "failed";
  }
  return "";
}

SweepRow not_finite(const Criterion& criterion) {
  const char* why = criterion.reduction == Reduce::Time ? "event '{}' did not happen."
                                                        : "'{}' is not finite all the time.";
  return {SweepRow::Status::Doubtful,
          {},
          "study.not-finite",
          fmt::format(fmt::runtime(why), criterion.quantity),
          {}};
}

void prepare(Sweep& sweep) {
  Model model = sweep.make_model({});
  check_parameters(sweep.samples, model);
  const SimulateOptions options = sweep.options(model);
  options.validate();
  for (int i = 0; i < sweep.num_band_times; ++i) {
    const int last = sweep.num_band_times - 1;
    sweep.band_times.push_back(i == last ? options.end : options.end * i / last);
  }
  if (sweep.criteria.empty()) sweep.criteria = criteria_of(model);
  if (sweep.criteria.empty()) {
    throw Error("study.bad-criterion", "the model has no outputs, and no criterion is given.",
                "Say what is wanted of each variant, such as body.x:max.");
  }
  check_labels(sweep.criteria);
  for (const Criterion& criterion : sweep.criteria) check_column(sweep, criterion.label);
  // Columns beside those of outputs and quantities need equations to be known.
  Model trial = model;
  try {
    add_quantities(sweep.criteria, {}, trial);
    return;
  } catch (const Error&) {
    const Prepared prepared = prepare(model, options);
    const Observation observation(prepared.equations, model, prepared.state);
    for (const Column& column : observation.columns()) sweep.columns.push_back(column.name);
  }
  add_quantities(sweep.criteria, sweep.columns, model);
}

std::optional<SweepRow> run_variant(const Sweep& sweep, std::size_t number) {
  try {
    Model model = sweep.make_model(settings_of(sweep.samples, number));
    const SimulateOptions options = sweep.options(model);
    add_quantities(sweep.criteria, sweep.columns, model);
    add_switches(sweep.criteria, model);
    const Simulation simulation = simulate(model, options);
    if (simulation.status == Outcome::Status::Stopped) return {};
    SweepRow row = row_of(simulation, sweep);
    if (row.status != SweepRow::Status::Failed && has_few_rows(simulation, options)) {
      take_courses(model, options, simulation, sweep, row);
    }
    return row;
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    return failed(first.id, first.message);
  } catch (const Stopped&) {
    return {};
  } catch (const std::bad_alloc&) {
    return failed("study.no-memory", "there is not enough memory for this variant.");
  } catch (const std::exception& error) {
    return failed("study.unexpected", error.what());
  }
}

SweepQueue::SweepQueue(const std::vector<bool>& is_done)
    : is_done_(is_done),
      num_left_(static_cast<std::size_t>(std::count(is_done.begin(), is_done.end(), false))) {}

std::size_t SweepQueue::next() {
  --num_left_;
  if (!returned_.empty()) {
    const std::size_t number = returned_.back();
    returned_.pop_back();
    return number;
  }
  while (is_done_[next_]) ++next_;
  return next_++;
}

std::optional<std::size_t> SweepQueue::take() {
  const std::lock_guard lock(mutex_);
  if (num_left_ == 0) return {};
  return next();
}

std::vector<std::size_t> SweepQueue::take(std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> out(std::min(most, num_left_));
  for (std::size_t& number : out) number = next();
  return out;
}

void SweepQueue::give_back(std::size_t number) {
  const std::lock_guard lock(mutex_);
  returned_.push_back(number);
  ++num_left_;
}

std::size_t SweepQueue::num_left() const {
  const std::lock_guard lock(mutex_);
  return num_left_;
}

bool run_sweep(const Sweep& sweep, SweepQueue& queue, int jobs,
               const std::function<void(std::size_t, const SweepRow&)>& keep) {
  std::mutex keeping;
  std::exception_ptr problem;
  std::atomic<bool> ends = false, is_stopped = false;
  const auto work = [&] {
    while (!ends) {
      const std::optional<std::size_t> number = queue.take();
      if (!number) return;
      const std::optional<SweepRow> row = run_variant(sweep, *number);
      if (!row) {
        is_stopped = ends = true;
        queue.give_back(*number);
        return;
      }
      const std::lock_guard lock(keeping);
      if (ends) return;
      try {
        keep(*number, *row);
      } catch (...) {  // noted before others come in
        problem = std::current_exception();
        ends = true;
      }
    }
  };
  {
    const std::vector<std::jthread> others = start_threads(jobs - 1, work);
    work();
  }
  if (problem) std::rethrow_exception(problem);
  return !is_stopped;
}

}  // namespace koppel
