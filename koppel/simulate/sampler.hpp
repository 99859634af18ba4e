// Sampler: watches an integration and makes rows of a trajectory from its dense output.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <koppel/integrate/integrator.hpp>
#include <koppel/results/observe.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

class Sampler {
 public:
  // From time `start` to `end`. The rows go to the trajectory and to callbacks.row. Throws Error
  // `simulate.too-many-samples` where they cannot be kept in memory, here or by a row.
  Sampler(const Observation& observation, const Sampling& sampling, double start, double end,
          const SimulateCallbacks& callbacks, Trajectory& trajectory);

  // The problem that is integrated from here on; the model has `num_rows` rows of [g; a].
  void watch(const Problem& problem, std::size_t num_rows);

  // The start itself. False: stop.
  bool begin(double t, std::span<const double> y);
  // An accepted step. False: stop.
  bool operator()(const Step& step);
  // A row of its own.
  bool add_row(double t, std::span<const double> y);
  // A last row where the integration ended before its time, unless there is one already.
  void finish(double t, std::span<const double> y);

  const std::vector<double>& times() const { return times_; }  // of all rows, where they are known
  // The largest, at the ends of steps and of rows between them.
  const Observation::Violation& violation_at_steps() const { return at_steps_; }
  const Observation::Violation& violation_between_steps() const { return between_; }
  // The first column that was not finite anywhere, and when; −1: none.
  int undefined_column() const { return undefined_column_; }
  double undefined_time() const { return undefined_time_; }
  double seconds() const { return seconds_; }  // spent here

 private:
  Observation::Sample sample_of(double t, std::span<const double> y);
  static void note(const Observation::Violation& violation, Observation::Violation& largest);
  bool add_row(double t, std::span<const double> y, Observation::Violation& largest);
  bool sample(const Step& step);

  const Observation& observation_;
  const SimulateCallbacks& callbacks_;
  Trajectory& trajectory_;
  std::vector<double> times_;  // still to come: from next_ on
  std::size_t next_ = 0;
  bool every_step_;
  double end_;
  const Problem* problem_ = nullptr;
  std::vector<double> y_, multipliers_, row_;
  Observation::Workspace work_;
  Observation::Violation at_steps_, between_;
  int undefined_column_ = -1;
  double undefined_time_ = 0;
  double seconds_ = 0;
  long steps_ = 0;
  std::size_t most_rows_ = 0;
};

}  // namespace koppel
