#include <koppel/study/sensitivity.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/study/start_tangent.hpp>
#include <koppel/study/traced_motion.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How a criterion follows from what a TracedMotion knows.
struct Reduced {
  std::size_t output = 0;
  int integral = -1, extreme = -1;
};

// Outputs and what is asked of them, each once.
TraceOptions trace_options(const SensitivityOptions& options, std::vector<Reduced>& reduced) {
  TraceOptions trace;
  trace.run = options.run;
  for (const Criterion& criterion : options.of) {
    Reduced out;
    const auto it = std::find(trace.outputs.begin(), trace.outputs.end(), criterion.quantity);
    out.output = static_cast<std::size_t>(it - trace.outputs.begin());
    if (it == trace.outputs.end()) trace.outputs.push_back(criterion.quantity);
    switch (criterion.reduction) {
      case Reduce::Final: break;
      case Reduce::Mean:
      case Reduce::Integral:
        out.integral = static_cast<int>(trace.integrated.size());
        trace.integrated.push_back(out.output);
        break;
      case Reduce::Min:
      case Reduce::Max:
        out.extreme = static_cast<int>(trace.extremes.size());
        trace.extremes.push_back({out.output, criterion.reduction == Reduce::Max});
        break;
    }
    reduced.push_back(out);
  }
  return trace;
}

class Differentiation {
 public:
  Differentiation(const Model& model, const std::vector<std::vector<double>>& directions,
                  const SensitivityOptions& options, Sensitivity& out)
      : options_(options), out_(out), trace_(trace_options(options, reduced_)) {
    const Clock::time_point before = Clock::now();
    motion_.emplace(model, trace_);
    out.run_seconds = seconds_since(before);
    out.choice = motion_->choice();
    out.status = motion_->status();
    out.text = motion_->text();
    out.messages = motion_->messages();
    out.steps = motion_->num_steps();
    if (out.status == Outcome::Status::Failed || out.status == Outcome::Status::Stopped) return;
    duration_ = motion_->end() - motion_->start().t;
    find_values();
    const Clock::time_point middle = Clock::now();
    const Matrix start = start_tangent(model, motion_->equations(), motion_->start());
    directions_ = motion_->directions(start, directions);
    const std::size_t n = directions.size(), m = options.of.size();
    using Mode = SensitivityOptions::Mode;
    // A direction takes a run and a half, weights two; both stand on a run of their own.
    out.is_adjoint = options.mode == Mode::Adjoint || (options.mode == Mode::Auto && 3 * n > 4 * m);
    out.derivatives = Matrix(static_cast<int>(m), static_cast<int>(n));
    out.is_adjoint ? go_backward() : go_forward();
    out.derivative_seconds = seconds_since(middle);
  }

 private:
  std::size_t sample_of(std::size_t criterion) const {
    const Reduced& reduced = reduced_[criterion];
    const double t = reduced.extreme < 0
                         ? motion_->end()
                         : motion_->extreme_times()[static_cast<std::size_t>(reduced.extreme)];
    const TracedMotion::Sample& sample = motion_->sample_at(t);
    return static_cast<std::size_t>(&sample - motion_->samples().data());
  }
  bool is_mean(std::size_t criterion) const {
    return options_.of[criterion].reduction == Reduce::Mean;
  }

  void find_values() {
    for (std::size_t i = 0; i < reduced_.size(); ++i) {
      const Reduced& reduced = reduced_[i];
      double value = motion_->samples()[sample_of(i)].values[reduced.output];
      if (reduced.integral >= 0) {
        value = motion_->integrals()[static_cast<std::size_t>(reduced.integral)];
      }
      out_.values.push_back(is_mean(i) ? value / duration_ : value);
    }
  }

  void go_forward() {
    const std::vector<TracedMotion::Changes> changes = motion_->forward(directions_);
    for (std::size_t i = 0; i < reduced_.size(); ++i) {
      const Reduced& reduced = reduced_[i];
      for (std::size_t j = 0; j < changes.size(); ++j) {
        double d = changes[j].values[sample_of(i)][reduced.output];
        if (reduced.integral >= 0) {
          d = changes[j].integrals[static_cast<std::size_t>(reduced.integral)];
          if (is_mean(i)) d = (d - out_.values[i] * changes[j].end) / duration_;
        }
        out_.derivatives(static_cast<int>(i), static_cast<int>(j)) = d;
      }
    }
  }

  void go_backward() {
    std::vector<TracedMotion::Weights> weights;
    for (std::size_t i = 0; i < reduced_.size(); ++i) {
      const Reduced& reduced = reduced_[i];
      TracedMotion::Weights of;
      if (reduced.integral < 0) {
        of.values.push_back({sample_of(i), reduced.output, 1});
      } else {
        of.integrals.assign(motion_->integrals().size(), 0.0);
        of.integrals[static_cast<std::size_t>(reduced.integral)] = is_mean(i) ? 1 / duration_ : 1;
        if (is_mean(i)) of.end = -out_.values[i] / duration_;
      }
      weights.push_back(std::move(of));
    }
    const std::vector<TracedMotion::Direction> at_start = motion_->backward(weights);
    for (std::size_t i = 0; i < at_start.size(); ++i) {
      for (std::size_t j = 0; j < directions_.size(); ++j) {
        double sum = 0;
        const TracedMotion::Direction& direction = directions_[j];
        for (std::size_t k = 0; k < direction.start.size(); ++k) {
          sum += at_start[i].start[k] * direction.start[k];
        }
        for (std::size_t k = 0; k < direction.given.size(); ++k) {
          sum += at_start[i].given[k] * direction.given[k];
        }
        out_.derivatives(static_cast<int>(i), static_cast<int>(j)) = sum;
      }
    }
  }

  const SensitivityOptions& options_;
  Sensitivity& out_;
  std::vector<Reduced> reduced_;
  TraceOptions trace_;
  std::optional<TracedMotion> motion_;
  std::vector<TracedMotion::Direction> directions_;
  double duration_ = 0;
};

}  // namespace

Sensitivity find_sensitivity(const StudiedParameters& over, const SensitivityOptions& options) {
  return find_sensitivity(over, over.values(), options);
}

Sensitivity find_sensitivity(const StudiedParameters& over, std::span<const double> values,
                             const SensitivityOptions& options) {
  Model model = over.at(values);
  const std::vector<std::vector<double>> directions = over.directions(model);
  add_quantities(options.of, {}, model);
  Sensitivity out;
  for (const Criterion& criterion : options.of) out.criteria.push_back(criterion.label);
  out.parameters = over.names();
  out.parameter_values.assign(values.begin(), values.end());
  Differentiation(model, directions, options, out);
  return out;
}

}  // namespace koppel
