#include <koppel/simulate/sampler.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/memory.hpp>

namespace koppel {

Sampler::Sampler(const Observation& observation, const Sampling& sampling, double start, double end,
                 const SimulateCallbacks& callbacks, Trajectory& trajectory)
    : observation_(observation),
      callbacks_(callbacks),
      trajectory_(trajectory),
      times_(sampling.times),
      every_step_(sampling.every_step),
      end_(end),
      row_(observation.num_columns()),
      work_(observation.make_workspace()) {
  const std::size_t row_bytes = (row_.size() + 1) * sizeof(double);
  most_rows_ = memory_for_results() / row_bytes;
  if (!times_.empty() || every_step_) return;
  if (static_cast<std::size_t>(std::max(sampling.count, 0)) > most_rows_) {
    throw Error(
        "simulate.too-many-samples",
        fmt::format("{} rows of {} columns take {:.3g} GB of memory; {:.3g} GB may be used.",
                    sampling.count, row_.size(),
                    1e-9 * static_cast<double>(row_bytes) * sampling.count,
                    1e-9 * static_cast<double>(memory_for_results())),
        "Ask for fewer samples.");
  }
  const int intervals = std::max(sampling.count - 1, 1);
  for (int i = 0; i <= intervals; ++i) {
    // The ends are exact.
    times_.push_back(i == intervals ? end : start + (end - start) * (double(i) / intervals));
  }
  trajectory_.reserve(times_.size());
}

void Sampler::watch(const Problem& problem, std::size_t num_rows) {
  problem_ = &problem;
  y_.assign(static_cast<std::size_t>(problem.size()), 0.0);
  multipliers_.assign(num_rows, 0.0);
}

bool Sampler::begin(double t, std::span<const double> y) {
  note(observation_.violation(sample_of(t, y), work_), at_steps_);
  if (every_step_) return add_row(t, y);
  // A motion that begins later than asked for has one row for all times before it.
  const std::size_t first = next_;
  while (next_ < times_.size() && times_[next_] <= t) ++next_;
  return next_ == first || add_row(t, y);
}

bool Sampler::operator()(const Step& step) {
  const auto before = std::chrono::steady_clock::now();
  ++steps_;
  bool go_on = sample(step);
  if (go_on && callbacks_.progress) go_on = callbacks_.progress({step.t1, end_, steps_});
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return go_on;
}

bool Sampler::sample(const Step& step) {
  bool go_on = true, is_end_sampled = false;
  for (; next_ < times_.size() && times_[next_] <= step.t1; ++next_) {
    const double t = times_[next_];
    step.evaluate(t, y_);
    is_end_sampled = t == step.t1;
    go_on = add_row(t, y_, is_end_sampled ? at_steps_ : between_) && go_on;
  }
  if (is_end_sampled) return go_on;
  step.evaluate(step.t1, y_);
  if (every_step_) return add_row(step.t1, y_);
  note(observation_.violation(sample_of(step.t1, y_), work_), at_steps_);
  return go_on;
}

void Sampler::finish(double t, std::span<const double> y) {
  if (trajectory_.empty() || trajectory_.time().back() < t) add_row(t, y);
}

Observation::Sample Sampler::sample_of(double t, std::span<const double> y) {
  const auto q = static_cast<std::size_t>(problem_->num_q);
  const auto v = static_cast<std::size_t>(problem_->num_v);
  const auto x = static_cast<std::size_t>(problem_->num_x);
  const auto first = static_cast<std::size_t>(problem_->num_differential());
  const auto count = static_cast<std::size_t>(problem_->num_lambda + problem_->num_mu);
  for (std::size_t i = 0; i < count; ++i) {
    multipliers_[static_cast<std::size_t>(problem_->rows[i])] = y[first + i];
  }
  const auto u = static_cast<std::size_t>(problem_->num_u);
  return {t, y.first(q), y.subspan(q, v), y.subspan(q + v, x), multipliers_, y.last(u)};
}

void Sampler::note(const Observation::Violation& violation, Observation::Violation& largest) {
  largest.position = std::max(largest.position, violation.position);
  largest.velocity = std::max(largest.velocity, violation.velocity);
}

bool Sampler::add_row(double t, std::span<const double> y) { return add_row(t, y, at_steps_); }

bool Sampler::add_row(double t, std::span<const double> y, Observation::Violation& largest) {
  observation_.evaluate(sample_of(t, y), row_, work_);
  const std::size_t violation = observation_.violation_column();
  note({row_[violation], row_[violation + 1]}, largest);
  if (undefined_column_ < 0) {
    const auto found =
        std::find_if(row_.begin(), row_.end(), [](double value) { return !std::isfinite(value); });
    if (found != row_.end()) {
      undefined_column_ = static_cast<int>(found - row_.begin());
      undefined_time_ = t;
    }
  }
  if (trajectory_.num_rows() >= most_rows_) {
    throw Error(
        "simulate.too-many-samples",
        fmt::format("{} rows of {} columns fill the memory that may be used, at t = {:.6g} s.",
                    trajectory_.num_rows(), row_.size(), t),
        "Ask for fewer samples, or for a number of samples instead of every step.");
  }
  trajectory_.append(row_);
  return !callbacks_.row || callbacks_.row(row_);
}

}  // namespace koppel
