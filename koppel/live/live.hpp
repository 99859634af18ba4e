// A model in real time: steps of fixed cost, paced by a clock, with inputs from outside at the
// start of each step and outputs to the outside at its end.
//
//   CallbackChannel rig([&](double t, std::span<double> u) { … }, [&](double t, auto y) { … });
//   Channel* channels[] = {&rig};
//   LiveResult r = run_live(model, {.step = 1e-3}, {.end = 60}, channels);
//   r.step.quantile(0.999);  r.missed;
//
// Step k, from t₀ + k h on, is released at k h / speed after the start of the loop:
//
//   wait for the release · read inputs · step · write outputs       (deadline: the next release)
//
// A step that ends after its deadline is counted as missed. What comes then is up to the policy:
// `Continue` keeps to the clock, so that the steps that follow start at once until the loop has
// caught up; `Slip` moves all releases that follow by the delay, so that no steps are crowded, and
// the motion is late from there on; `Stop` ends the loop.
//
// The rows are watched as those of other runs are (health_watch.hpp), in the recording thread: a
// motion that leaves its constraints or gains energy out of nothing ends the loop as failed. The
// energy is that of models without inputs, with a row for every step; lost energy is a note.
//
// Between the first and the last step nothing is allocated in the thread of the loop, and nothing
// but the clock is waited for. Rows of results go through a ring to a thread of their own.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/live/channel.hpp>
#include <koppel/live/clock.hpp>
#include <koppel/live/durations.hpp>
#include <koppel/live/scheduling.hpp>
#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

enum class Late { Continue, Slip, Stop };

struct LiveOptions {
  double end = std::numeric_limits<double>::infinity();  // of the motion
  double speed = 1;  // seconds of the motion in a second of the clock; 0: as fast as possible
  Late late = Late::Continue;
  int every = 1;  // a row for every so many steps
  std::optional<RealTimeOptions> real_time = {};
  Clock* clock = nullptr;  // none: MonotonicClock

  // Throws Error `live.bad-option`.
  void validate() const;
};

// What there is to know before the loop starts.
struct LiveInfo {
  Choice choice;
  Ports ports;
  std::vector<Column> columns;  // of rows
  std::string scheduling;       // empty: as usual
  double setup_seconds = 0;
};

// All may be empty.
struct LiveCallbacks {
  std::function<void(const LiveInfo&)> begin;        // before the loop
  std::function<void(std::span<const double>)> row;  // from the recording thread
  std::function<bool()> is_stopped;                  // before every step; must not allocate
};

struct LiveResult {
  // Doubtful: came to its end, or was stopped, but constraints were violated on the way.
  enum class Status { Done, Doubtful, Stopped, Late, Failed } status = Status::Done;
  std::string text;  // what went wrong
  Health health;
  LiveInfo info;
  double h = 0, period = 0;  // of the motion, of the clock; seconds
  double reached = 0;        // time of the motion
  double wall_seconds = 0;   // of the loop
  long steps = 0;
  long missed = 0;     // deadlines
  double latest = 0;   // the largest delay behind a deadline, seconds
  double slipped = 0;  // by which releases were moved in all, seconds
  Durations step;      // from reading inputs to outputs written
  Durations wake;      // from the release to reading inputs
  long rows = 0, rows_left_out = 0;
  double max_position_violation = 0, max_velocity_violation = 0;  // over all rows
  std::vector<std::pair<std::string, double>> final;              // outputs
  std::vector<std::string> notes;
};

// The integrator must be one with steps of fixed cost; empty: fixed_cost_choice.hpp. Channels are
// opened, and read and written in their order. Throws Error `live.needs-step`,
// `live.wrong-integrator`, `live.has-events`, what channels do, and what prepare() does.
LiveResult run_live(const Model& model, SimulateOptions simulate, const LiveOptions& options,
                    std::span<Channel* const> channels = {}, const LiveCallbacks& callbacks = {});

std::string to_json(const LiveResult& result, const std::string& model);

}  // namespace koppel
