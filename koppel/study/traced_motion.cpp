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

namespace {

// Again with nodes where switches were led over, until there are none.
template <typename Make>
auto record(Make&& make) {
  std::vector<double> nodes;
  while (true) {
    auto recording = make();
    recording->add_nodes(nodes);
    recording->run();
    if (!recording->missed() || nodes.size() >= MissedSwitches::kMost) {
      return std::pair(std::move(recording), nodes);
    }
    nodes.push_back(*recording->missed());
  }
}

}  // namespace

TracedMotion::TracedMotion(Prepared prepared, const TraceOptions& options) {
  const auto [recording, nodes] =
      record([&] { return std::make_unique<Recording>(prepared, options); });
  recording->hand_over({}, *this);
}

TracedMotion::TracedMotion(const Model& given, const TraceOptions& options) {
  const Model model = with_integrals(given, options);
  const auto [recording, nodes] =
      record([&] { return std::make_unique<Recording>(model, options); });
  // Where extremes lie inside, once more with a node there.
  const std::vector<ExtremePlace>& extremes = recording->extremes();
  std::vector<ExtremePlace> inside;
  for (const ExtremePlace& place : extremes) {
    if (!recording->has_node(place)) inside.push_back(place);
  }
  if (inside.empty() || !recording->can_add_nodes()) {
    recording->hand_over(extremes, *this);
    return;
  }
  Recording again(model, options);
  again.add_nodes(nodes);
  again.expect(inside);
  again.run();
  again.hand_over(extremes, *this);
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

// Laws that switch at a time are on one side of it.
double TracedMotion::Sample::clock() const {
  return side == Side::At ? t : std::nextafter(t, side == Side::Before ? -HUGE_VAL : HUGE_VAL);
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
    direction.given.resize(e.p.size() + e.u.size(), 0.0);
    for (int j = 0; j < start_by_p.columns; ++j) {
      const double by = direction.given[static_cast<std::size_t>(j)];
      for (int i = 0; by != 0 && i < start_by_p.rows; ++i) {
        direction.start[static_cast<std::size_t>(i)] += start_by_p(i, j) * by;
      }
    }
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
  for (Changes& changes : out) {
    changes.values.assign(samples_.size(), std::vector<double>(values.size(), 0.0));
  }
  std::size_t next = 0;
  const auto observe = [&](std::size_t stretch, std::size_t node, std::span<const double> y,
                           std::span<const double> given) {
    for (;
         next < samples_.size() && samples_[next].stretch == stretch && samples_[next].node == node;
         ++next) {
      const double t = samples_[next].clock();
      if (!observation_->evaluate(t, y, given, values, observed)) fail_at(t);
      for (std::size_t k = 0; k < directions.size(); ++k) {
        observation_->tangent(dy[k], dgiven[k], values, observed);
        std::vector<double>& changes = out[k].values[next];
        for (std::size_t j = 0; j < values.size(); ++j) changes[j] += values[j];
      }
    }
  };
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = *stretches_[i];
    observe(i, 0, stretch.tape.front(), stretch.given);
    stretch.tape.forwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      if (!map_->stand_at(at, *work)) fail_at(at.t);
      for (std::size_t k = 0; k < directions.size(); ++k) map_->tangent(dy[k], dgiven[k], *work);
      observe(i, step + 1, at.y1, at.given);
      return true;
    });
    if (!stretch.jump) continue;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double change = dot(stretch.jump->time().first(n), dy[k]) +
                            dot(stretch.jump->time().subspan(n), dgiven[k]);
      out[k].events.insert(out[k].events.end(), stretch.happened.size(), change);
      if (stretch.ends) out[k].end = change;
      for (const Stretch::Moving& moving : stretch.moving) {
        std::vector<double>& changes = out[k].values[moving.sample];
        for (std::size_t j = 0; j < changes.size(); ++j) changes[j] += moving.rates[j] * change;
      }
      stretch.jump->tangent(dy[k], dgiven[k]);
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
  const auto observe = [&](std::size_t stretch, std::size_t node, std::span<const double> y,
                           std::span<const double> given) {
    for (; next > 0 && samples_[next - 1].stretch == stretch && samples_[next - 1].node == node;
         --next) {
      const double t = samples_[next - 1].clock();
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
    if (stretch.jump) {
      next_event -= stretch.happened.size();
      for (std::size_t k = 0; k < weights.size(); ++k) {
        double of_time = stretch.ends ? weights[k].end : 0;
        for (std::size_t j = 0; !weights[k].events.empty() && j < stretch.happened.size(); ++j) {
          of_time += weights[k].events[next_event + j];
        }
        for (const Stretch::Moving& moving : stretch.moving) {
          for (const Weights::OfValue& of : weights[k].values) {
            if (of.sample == moving.sample) of_time += of.weight * moving.rates[of.output];
          }
        }
        stretch.jump->adjoint(out[k].start, out[k].given);
        const std::span<const double> time = stretch.jump->time();
        for (std::size_t j = 0; j < n; ++j) out[k].start[j] += of_time * time[j];
        for (std::size_t j = n; j < time.size(); ++j) out[k].given[j - n] += of_time * time[j];
      }
    }
    stretch.tape.backwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      observe(i, step + 1, at.y1, at.given);
      if (!map_->stand_at(at, *work)) fail_at(at.t);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        if (!map_->adjoint(out[k].start, out[k].given, *work)) fail_at(at.t);
      }
      return true;
    });
    observe(i, 0, stretch.tape.front(), stretch.given);
  }
  return out;
}

}  // namespace koppel
