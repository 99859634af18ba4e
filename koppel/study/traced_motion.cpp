#include <koppel/study/traced_motion.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/recording.hpp>

namespace koppel {

// Integrals are states of their own, so that steps are as short as they need.
Model with_integrals(Model model, const TraceOptions& options) {
  for (const std::size_t i : options.integrated) {
    const std::string& name = options.outputs[i];
    const auto output = std::find_if(model.outputs.begin(), model.outputs.end(),
                                     [&](const Output& given) { return given.name == name; });
    if (output == model.outputs.end()) continue;  // told where outputs are looked for
    const std::string state = fmt::format("integral[{}]", model.first_order.size());
    model.first_order.push_back({state, model.graph->symbol(state), output->value, {}});
  }
  return model;
}

TracedMotion::TracedMotion(Prepared prepared, const TraceOptions& options) {
  Recording recording(std::move(prepared), options);
  recording.run();
  recording.hand_over(*this);
}

TracedMotion::TracedMotion(const Model& given, const TraceOptions& options) {
  const Model model = with_integrals(given, options);
  Recording recording(model, options);
  recording.run();
  // Where extremes lie inside, once more with a node there.
  std::vector<double> times = recording.extreme_times();
  extreme_times_ = times;
  const auto is_node = [&](double t) { return recording.has_node(t); };
  if (!std::all_of(times.begin(), times.end(), is_node) && recording.can_add_nodes()) {
    TraceOptions more = options;
    more.times.insert(more.times.end(), times.begin(), times.end());
    std::sort(more.times.begin(), more.times.end());
    Recording again(model, more);
    again.run();
    again.hand_over(*this);
  } else {
    recording.hand_over(*this);
  }
}

TracedMotion::~TracedMotion() = default;

long TracedMotion::num_steps() const {
  long count = 0;
  for (const auto& stretch : stretches_) {
    count += static_cast<long>(stretch->tape.num_nodes()) - 1;
  }
  return count;
}

std::size_t TracedMotion::bytes() const {
  std::size_t sum = 0;
  for (const auto& stretch : stretches_) sum += stretch->tape.bytes();
  return sum;
}

const TracedMotion::Sample& TracedMotion::sample_at(double t) const {
  return *std::min_element(samples_.begin(), samples_.end(), [&](const Sample& a, const Sample& b) {
    return std::abs(a.t - t) < std::abs(b.t - t);
  });
}

// By differences of order 6.
std::vector<double> TracedMotion::drift_at_end() const {
  const Stretch& last = *stretches_.back();
  SolvedFunction::Workspace work = observation_->make_workspace();
  std::vector<double> out(observation_->size(), 0.0), ahead(out), behind(out);
  constexpr double kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60}, kStep = 1e-3;
  for (int k = 1; k <= 3; ++k) {
    observation_->evaluate(end_ + k * kStep, last.tape.back(), last.given, ahead, work);
    observation_->evaluate(end_ - k * kStep, last.tape.back(), last.given, behind, work);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += kWeights[k - 1] * (ahead[i] - behind[i]) / kStep;
    }
  }
  return out;
}

std::vector<TracedMotion::Direction> TracedMotion::directions(
    const Matrix& start_by_p, const std::vector<std::vector<double>>& of_parameters) const {
  return make_directions(start_by_p, of_parameters, equations_);
}

std::vector<TracedMotion::Direction> make_directions(
    const Matrix& start_by_p, const std::vector<std::vector<double>>& of_parameters,
    const Equations& e) {
  std::vector<TracedMotion::Direction> out;
  for (const std::vector<double>& dp : of_parameters) {
    TracedMotion::Direction direction{
        std::vector<double>(static_cast<std::size_t>(start_by_p.rows)), dp};
    for (int j = 0; j < start_by_p.columns; ++j) {
      const double by = dp[static_cast<std::size_t>(j)];
      for (int i = 0; by != 0 && i < start_by_p.rows; ++i) {
        direction.start[static_cast<std::size_t>(i)] += start_by_p(i, j) * by;
      }
    }
    direction.given.resize(e.p.size() + e.u.size(), 0.0);
    out.push_back(std::move(direction));
  }
  return out;
}

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

[[noreturn]] void fail_at(double t) {
  throw Error("study.singular",
              fmt::format("the derivatives of the step at t = {:.6g} s do not exist: a matrix is "
                          "singular there.",
                          t));
}

}  // namespace

std::vector<TracedMotion::Changes> TracedMotion::forward(
    const std::vector<Direction>& directions) const {
  const std::size_t n = map_->size();
  const std::unique_ptr<StepMap::Workspace> work = map_->make_workspace();
  SolvedFunction::Workspace observed = observation_->make_workspace();
  std::vector<double> values(observation_->size());
  std::vector<Changes> out(directions.size());
  std::vector<std::vector<double>> dy, dgiven;
  for (const Direction& direction : directions) {
    dy.push_back(direction.start);
    dy.back().resize(n, 0.0);
    dgiven.push_back(direction.given);
  }
  auto sample = samples_.begin();
  const auto observe = [&](std::size_t stretch, std::size_t node, double t,
                           std::span<const double> y, std::span<const double> given) {
    while (sample != samples_.end() && sample->stretch == stretch && sample->node == node) {
      if (!observation_->evaluate(t, y, given, values, observed)) fail_at(t);
      for (std::size_t k = 0; k < directions.size(); ++k) {
        out[k].values.emplace_back(values.size());
        observation_->tangent(dy[k], dgiven[k], out[k].values.back(), observed);
      }
      ++sample;
    }
  };
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = *stretches_[i];
    observe(i, 0, stretch.tape.t(0), stretch.tape.front(), stretch.given);
    stretch.tape.forwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      if (!map_->stand_at(at, *work)) fail_at(at.t);
      for (std::size_t k = 0; k < directions.size(); ++k) map_->tangent(dy[k], dgiven[k], *work);
      const bool moves = stretch.jump && stretch.ends && step + 2 == stretch.tape.num_nodes();
      if (!moves) observe(i, step + 1, at.t + at.h, at.y1, at.given);
      return true;
    });
    if (!stretch.jump) continue;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double change = dot(stretch.jump->time().first(n), dy[k]) +
                            dot(stretch.jump->time().subspan(n), dgiven[k]);
      out[k].events.insert(out[k].events.end(), stretch.happened.size(), change);
      if (stretch.ends) out[k].end = change;
      stretch.jump->tangent(dy[k], dgiven[k]);
    }
    if (!stretch.ends) continue;
    observe(i, stretch.tape.num_nodes() - 1, end_, stretch.tape.back(), stretch.given);
    const std::vector<double> drift = drift_at_end();
    for (Changes& changes : out) {
      for (std::size_t j = 0; j < drift.size(); ++j) {
        changes.values.back()[j] += drift[j] * changes.end;
      }
    }
  }
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const auto first = dy[k].begin() + static_cast<std::ptrdiff_t>(first_integral_);
    out[k].integrals.assign(first, first + static_cast<std::ptrdiff_t>(integrals_.size()));
  }
  return out;
}

std::vector<TracedMotion::Direction> TracedMotion::backward(
    const std::vector<Weights>& weights) const {
  const std::size_t n = map_->size();
  const std::unique_ptr<StepMap::Workspace> work = map_->make_workspace();
  SolvedFunction::Workspace observed = observation_->make_workspace();
  std::vector<double> values(observation_->size()), sums(observation_->num_sums());
  std::vector<Direction> out(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    out[k].start.assign(n, 0.0);
    out[k].given.assign(map_->num_given(), 0.0);
    std::copy(weights[k].integrals.begin(), weights[k].integrals.end(),
              out[k].start.begin() + static_cast<std::ptrdiff_t>(first_integral_));
  }
  std::size_t next = samples_.size(), next_event = events_.size();
  const auto observe = [&](std::size_t stretch, std::size_t node, double t,
                           std::span<const double> y, std::span<const double> given) {
    for (; next > 0 && samples_[next - 1].stretch == stretch && samples_[next - 1].node == node;
         --next) {
      if (!observation_->evaluate(t, y, given, values, observed)) fail_at(t);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        std::fill(values.begin(), values.end(), 0.0);
        for (const Weights::OfValue& of : weights[k].values) {
          if (of.sample == next - 1) values[of.output] += of.weight;
        }
        std::fill(sums.begin(), sums.end(), 0.0);
        if (!observation_->adjoint(values, out[k].start, sums, observed)) fail_at(t);
        observation_->spread(sums, out[k].given);
      }
    }
  };
  for (std::size_t i = stretches_.size(); i-- > 0;) {
    const Stretch& stretch = *stretches_[i];
    if (stretch.jump && stretch.ends) {
      observe(i, stretch.tape.num_nodes() - 1, end_, stretch.tape.back(), stretch.given);
    }
    if (stretch.jump) {
      next_event -= stretch.happened.size();
      const std::vector<double> drift = stretch.ends ? drift_at_end() : std::vector<double>();
      for (std::size_t k = 0; k < weights.size(); ++k) {
        double of_time = stretch.ends ? weights[k].end : 0;
        for (std::size_t j = 0; !weights[k].events.empty() && j < stretch.happened.size(); ++j) {
          of_time += weights[k].events[next_event + j];
        }
        for (const Weights::OfValue& of : weights[k].values) {
          if (stretch.ends && of.sample + 1 == samples_.size()) {
            of_time += of.weight * drift[of.output];
          }
        }
        stretch.jump->adjoint(out[k].start, out[k].given);
        const std::span<const double> time = stretch.jump->time();
        for (std::size_t j = 0; j < n; ++j) out[k].start[j] += of_time * time[j];
        for (std::size_t j = n; j < time.size(); ++j) out[k].given[j - n] += of_time * time[j];
      }
    }
    stretch.tape.backwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      observe(i, step + 1, at.t + at.h, at.y1, at.given);
      if (!map_->stand_at(at, *work)) fail_at(at.t);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        if (!map_->adjoint(out[k].start, out[k].given, *work)) fail_at(at.t);
      }
      return true;
    });
    observe(i, 0, stretch.tape.t(0), stretch.tape.front(), stretch.given);
  }
  return out;
}

}  // namespace koppel
