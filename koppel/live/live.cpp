#include <koppel/live/live.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/live/recorder.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>

namespace koppel {
namespace {

constexpr double kNanoseconds = 1e9;  // nanoseconds

void require(bool holds, const std::string& message, const char* hint = "") {
  if (!holds) throw Error("live.bad-option", message, hint);
}

// The compiled step and outputs of a model, and what they work on.
class Machine {
 public:
  Machine(const Prepared& prepared, const FixedCostOptions& options, Native native)
      : prepared_(prepared),
        step_(prepared.problem.fixed_cost.step(options)),
        outputs_(symbols_of_state(prepared.equations), output_values(prepared.equations),
                 {.native = native}),
        step_work_(step_->make_workspace()),
        outputs_work_(outputs_.make_workspace()),
        y(prepared.start.y),
        u(prepared.state.u),
        outputs(outputs_.num_outputs()),
        before_(y.size()),
        in_(outputs_.num_inputs()) {
    std::copy(prepared.state.p.rbegin(), prepared.state.p.rend(), in_.rbegin());
  }

  // From t to t + h with the inputs u. False, and y as it was, where a value is not finite.
  bool advance(double t, double h) noexcept {
    std::copy(y.begin(), y.end(), before_.begin());
    step_->set_inputs(u, step_work_);
    if (step_->advance(t, h, y, step_work_)) return true;
    std::copy(before_.begin(), before_.end(), y.begin());
    return false;
  }

  void observe(double t) noexcept {
    const auto count = static_cast<std::ptrdiff_t>(prepared_.problem.num_differential());
    in_[0] = t;
    const auto next = std::copy(y.begin(), y.begin() + count, in_.begin() + 1);
    std::copy(u.begin(), u.end(), next);
    outputs_.evaluate(in_, outputs, outputs_work_);
  }

  // Some steps that are thrown away: code and data are in the caches, pages in memory.
  void warm_up(double h) noexcept {
    const auto start = y;
    for (int k = 0; k < 20; ++k) {
      advance(prepared_.start.t, h);
      observe(prepared_.start.t);
      std::copy(start.begin(), start.end(), y.begin());
    }
  }

 private:
  static std::vector<Expr> output_values(const Equations& equations) {
    std::vector<Expr> out;
    for (const NamedExpr& output : equations.outputs) out.push_back(output.value);
    return out;
  }

  const Prepared& prepared_;
  std::shared_ptr<const FixedCostStep> step_;
  Function outputs_;
  FixedCostStep::Workspace step_work_;
  Workspace outputs_work_;

 public:
  std::vector<double> y, u, outputs;

 private:
  std::vector<double> before_, in_;
};

// Between two rows.
class RowStep : public Step {
 public:
  RowStep(double from, double to, std::span<const double> y0, std::span<const double> y1)
      : Step(from, to), y0_(y0), y1_(y1) {}
  void evaluate(double t, std::span<double> y) const override {
    const double part = (t - t0) / (t1 - t0);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = (1 - part) * y0_[i] + part * y1_[i];
  }
  int order() const override { return 1; }

 private:
  std::span<const double> y0_, y1_;
};

// HealthWatch for rows, in a thread of its own.
class RowWatch {
 public:
  RowWatch(const Prepared& prepared, double distance, bool has_every_step,
           const HealthOptions& options)
      : problem_(prepared.problem),
        distance_(distance),
        t_(prepared.start.t),
        y_(prepared.start.y),
        watch_(options, std::nullopt, row_names(prepared.equations)) {
    if (!has_every_step || !prepared.equations->u.empty()) problem_.energy = {};
    watch_.expect_impulses(prepared.impulses);
    watch_.begin(problem_, t_, y_);
  }

  void note(double t, std::span<const double> y) {
    if (t <= t_ || watch_.has_failed()) return;
    if (t - t_ > 1.5 * distance_) {  // rows in between were left out
      watch_.go_on(problem_, t, y);
    } else if (!watch_.note(RowStep(t_, t, y_, y))) {
      has_failed_.store(true, std::memory_order_relaxed);
    }
    t_ = t;
    std::copy(y.begin(), y.end(), y_.begin());
  }

  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  Health health() const { return watch_.health(); }

 private:
  static std::vector<std::string> row_names(const Equations& e) {
    std::vector<std::string> names;
    for (const Equations::Row& row : e.rows) names.push_back(row.name);
    return names;
  }

  Problem problem_;
  double distance_, t_;
  std::vector<double> y_;
  HealthWatch watch_;
  std::atomic<bool> has_failed_{false};
};

// Makes rows of what the loop has put into the ring: t, y, u.
class Rows {
 public:
  Rows(const Prepared& prepared, const Model& model, const LiveCallbacks& callbacks,
       RowWatch& watch, LiveResult& result)
      : problem_(prepared.problem),
        kept_(prepared.problem.rows),
        watch_(watch),
        observation_(prepared.equations, model, prepared.state),
        callbacks_(callbacks),
        result_(result),
        multipliers_(prepared.equations->num_rows()) {
    if (!prepared.equations->u.empty()) observation_.add_inputs(prepared.equations);
    row_.resize(observation_.num_columns());
    work_.emplace(observation_.make_workspace());
  }

  const std::vector<Column>& columns() const { return observation_.columns(); }

  void take(std::span<const double> raw) {
    const auto y = raw.subspan(1, static_cast<std::size_t>(problem_.size()));
    const auto q = static_cast<std::size_t>(problem_.num_q),
               v = static_cast<std::size_t>(problem_.num_v),
               x = static_cast<std::size_t>(problem_.num_x);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      multipliers_[static_cast<std::size_t>(kept_[i])] = y[q + v + x + i];
    }
    observation_.evaluate({raw[0], y.first(q), y.subspan(q, v), y.subspan(q + v, x), multipliers_,
                           raw.subspan(1 + y.size())},
                          row_, *work_);
    const std::size_t violation = observation_.violation_column();
    result_.max_position_violation = std::max(result_.max_position_violation, row_[violation]);
    result_.max_velocity_violation = std::max(result_.max_velocity_violation, row_[violation + 1]);
    ++result_.rows;
    watch_.note(raw[0], y);
    if (callbacks_.row) callbacks_.row(row_);
  }

 private:
  const Problem& problem_;
  const std::vector<int>& kept_;  // rows that have multipliers
  RowWatch& watch_;
  Observation observation_;
  const LiveCallbacks& callbacks_;
  LiveResult& result_;
  std::vector<double> multipliers_, row_;
  std::optional<Observation::Workspace> work_;
};

// The loop itself. Does not allocate.
class Loop {
 public:
  Loop(Machine& machine, double t_start, double h, const LiveOptions& options,
       std::span<Channel* const> channels, const LiveCallbacks& callbacks, Clock& clock,
       Recorder& recorder, const RowWatch& watch, LiveResult& result)
      : machine_(machine),
        t_start_(t_start),
        h_(h),
        options_(options),
        channels_(channels),
        callbacks_(callbacks),
        clock_(clock),
        recorder_(recorder),
        watch_(watch),
        out_(result) {}

  void run() noexcept {
    const double last = std::ceil((options_.end - t_start_) / h_ * (1 - 1e-10));
    publish(t_start_);
    start_ = clock_.now();
    const std::int64_t begin = start_;
    for (long k = 0; static_cast<double>(k) < last; ++k) {
      if (!step(k)) break;
    }
    out_.wall_seconds = static_cast<double>(clock_.now() - begin) / kNanoseconds;
    out_.reached = time(out_.steps);
  }

  bool has_overflowed() const { return has_overflowed_; }

 private:
  double time(long k) const { return t_start_ + static_cast<double>(k) * h_; }
  bool is_paced() const { return out_.period > 0; }
  std::int64_t release(long k) const {
    return start_ + std::llround(static_cast<double>(k) * out_.period * kNanoseconds);
  }

  bool end(LiveResult::Status status) {
    out_.status = status;
    return false;
  }

  bool is_stopped() const { return callbacks_.is_stopped && callbacks_.is_stopped(); }

  // False: the loop is over.
  bool step(long k) {
    if (is_stopped()) return end(LiveResult::Status::Stopped);
    std::int64_t woken = clock_.now();
    const std::int64_t released = is_paced() ? release(k) : woken;
    while (woken < released) {
      clock_.wait_until(released);
      if (is_stopped()) return end(LiveResult::Status::Stopped);
      woken = clock_.now();
    }
    for (Channel* channel : channels_) channel->read(time(k), machine_.u);
    if (watch_.has_failed()) return end(LiveResult::Status::Failed);
    if (!machine_.advance(time(k), h_)) {
      has_overflowed_ = true;
      return end(LiveResult::Status::Failed);
    }
    ++out_.steps;
    publish(time(k + 1));
    const std::int64_t done = clock_.now();
    out_.wake.add(woken - released);
    out_.step.add(done - woken);
    return !is_paced() || keep(done - release(k + 1));
  }

  // `delay` is that behind the deadline.
  bool keep(std::int64_t delay) {
    if (delay <= 0) return true;
    ++out_.missed;
    out_.latest = std::max(out_.latest, static_cast<double>(delay) / kNanoseconds);
    if (options_.late == Late::Stop) return end(LiveResult::Status::Late);
    if (options_.late == Late::Slip) {
      start_ += delay;
      out_.slipped += static_cast<double>(delay) / kNanoseconds;
    }
    return true;
  }

  // Outputs to the channels, and a row.
  void publish(double t) noexcept {
    machine_.observe(t);
    for (Channel* channel : channels_) channel->write(t, machine_.outputs);
    if (out_.steps % options_.every != 0) return;
    const std::span<double> row = recorder_.next();
    if (row.empty()) return;
    row[0] = t;
    const auto next = std::copy(machine_.y.begin(), machine_.y.end(), row.begin() + 1);
    std::copy(machine_.u.begin(), machine_.u.end(), next);
    recorder_.put();
  }

  Machine& machine_;
  double t_start_, h_;
  const LiveOptions& options_;
  std::span<Channel* const> channels_;
  const LiveCallbacks& callbacks_;
  Clock& clock_;
  Recorder& recorder_;
  const RowWatch& watch_;
  LiveResult& out_;
  std::int64_t start_ = 0;
  bool has_overflowed_ = false;
};

Prepared prepare_live(const Model& model, SimulateOptions& options) {
  if (!options.step) {
    throw Error("live.needs-step", "a live loop needs a step, and none is given.",
                "Give one, such as `step = 1e-3`.");
  }
  options.integrator = or_fixed_cost(options.integrator);
  const bool is_open = options.integrator.is_open();
  if (!is_open && !options.integrator.is_fixed_cost()) {
    throw Error("live.wrong-integrator",
                "integrator '" + options.integrator.text() + "' has no fixed-cost steps.",
                fmt::format("Those that have: {}.", names_of_fixed_cost()));
  }
  if (!model.events.empty()) {
    throw Error("live.has-events",
                fmt::format("the model has events ('{}'), which a fixed-cost step cannot handle.",
                            model.events[0].name),
                "Take them out, or use `simulate`.")
        .about(model.events[0].name);
  }
  if (!is_open) return prepare(model, options);
  const MethodChoice choice = choose_fixed_cost(model, options);
  options = choice.options;
  Prepared out = prepare(model, options);
  out.messages.push_back("fixed-cost steps: " + choice.text());
  return out;
}

// The watch's verdict. What is lost of the energy is the method's nature, and is told.
void take_verdict(const RowWatch& watch, LiveResult& r) {
  r.health = watch.health();
  std::string text;
  for (const Health::Reason& reason : r.health.reasons) {
    if (!watch.has_failed() && reason.what == Health::What::Energy && reason.value < 0) {
      r.notes.push_back(reason.text);
    } else {
      text += (text.empty() ? "" : " ") + reason.text;
    }
  }
  if (text.empty()) return;
  while (text.ends_with('.')) text.pop_back();
  r.text = text;
  using Status = LiveResult::Status;
  if (watch.has_failed()) {
    r.status = Status::Failed;
  } else if (r.status == Status::Done || r.status == Status::Stopped) {
    r.status = Status::Doubtful;
  }
}

std::string text_of(const LiveResult& r) {
  switch (r.status) {
    case LiveResult::Status::Failed:
      return "the step gave a value that is not finite: the motion is unstable at this step, or a "
             "matrix is singular; a smaller step may help";
    case LiveResult::Status::Late:
      return fmt::format("a step ended {:.3g} s after its deadline", r.latest);
    default: return "";
  }
}

}  // namespace

void LiveOptions::validate() const {
  require(end > 0, fmt::format("the end time is {}; it must be positive.", end));
  require(
      speed >= 0 && std::isfinite(speed),
      fmt::format("the speed is {}; it must be positive, or 0 for as fast as possible.", speed));
  require(every > 0,
          fmt::format("a row for every {} steps is asked for; it must be 1 or more.", every));
}

namespace {

// Times of the clock are whole nanoseconds in 64 bits.
void check_pace(double h, double speed) {
  constexpr double kShortest = 1e-9, kLongest = 3600;  // seconds
  require(
      h >= kShortest,
      fmt::format("the step is {} s; a live loop takes steps of {:g} s and longer.", h, kShortest));
  require(speed == 0 || h / speed <= kLongest,
          fmt::format("at the speed {} a step of {} s lasts {:.3g} s of the clock; it may last an "
                      "hour.",
                      speed, h, h / speed),
          "Give a higher `speed`, or a shorter `step`.");
}

// Rows of `width` numbers for four seconds, so that a disk may take its time; not too many of them.
std::size_t ring_size(std::size_t width, double seconds_a_row) {
  constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
  const auto wanted = static_cast<std::size_t>(std::clamp(4 / seconds_a_row, 4096.0, 1e6));
  return std::clamp(kMostNumbers / width, std::size_t{16}, wanted);
}

}  // namespace

LiveResult run_live(const Model& model, SimulateOptions simulate, const LiveOptions& options,
                    std::span<Channel* const> channels, const LiveCallbacks& callbacks) {
  const auto before = std::chrono::steady_clock::now();
  options.validate();
  take_native_failure();  // of others
  if (simulate.step) check_pace(*simulate.step, options.speed);
  const Prepared prepared = prepare_live(model, simulate);
  Machine machine(prepared, prepared.choice.integrator.fixed_cost(simulate.projection),
                  simulate.native);

  LiveResult out;
  out.h = *simulate.step;
  out.period = options.speed > 0 ? out.h / options.speed : 0;
  out.notes = prepared.messages;
  if (std::string text = take_native_failure(); !text.empty()) out.notes.push_back(std::move(text));
  out.info.choice = prepared.choice;
  for (const Expr& u : prepared.equations->u) out.info.ports.inputs.emplace_back(u.name());
  for (const NamedExpr& y : prepared.equations->outputs) out.info.ports.outputs.push_back(y.name);
  for (Channel* channel : channels) channel->open(out.info.ports);
  machine.warm_up(out.h);

  RowWatch watch(prepared, out.h * options.every, options.every == 1, simulate.health);
  Rows rows(prepared, model, callbacks, watch, out);
  out.info.columns = rows.columns();
  const std::size_t width = 1 + machine.y.size() + machine.u.size();
  Recorder recorder(width, ring_size(width, out.h * static_cast<double>(options.every)),
                    [&](std::span<const double> raw) { rows.take(raw); });
  MonotonicClock monotonic;
  std::optional<RealTimeGuard> guard;
  if (options.real_time) {
    guard.emplace(*options.real_time);
    out.info.scheduling = guard->description();
  }
  out.info.setup_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  if (callbacks.begin) callbacks.begin(out.info);
  Loop loop(machine, prepared.start.t, out.h, options, channels, callbacks,
            options.clock != nullptr ? *options.clock : monotonic, recorder, watch, out);
  loop.run();
  guard.reset();
  recorder.finish();
  out.rows_left_out = recorder.num_left_out();
  for (std::size_t i = 0; i < machine.outputs.size(); ++i) {
    out.final.emplace_back(out.info.ports.outputs[i], machine.outputs[i]);
  }
  out.text = text_of(out);
  if (!loop.has_overflowed()) take_verdict(watch, out);
  for (const Channel* channel : channels) {
    for (std::string& note : channel->notes()) out.notes.push_back(std::move(note));
  }
  if (out.rows_left_out > 0) {
    out.notes.push_back(
        fmt::format("{} rows could not be written in time, and are left out.", out.rows_left_out));
  }
  return out;
}

}  // namespace koppel
