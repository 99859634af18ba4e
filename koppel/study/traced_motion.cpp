#include <koppel/study/traced_motion.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

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

bool TracedMotion::is_ended_by_event() const {
  return !stretches_.empty() && stretches_.back()->ends;
}

std::size_t TracedMotion::bytes() const {
  std::size_t sum = 0;
  for (const auto& stretch : stretches_) sum += stretch->tape.bytes();
  return sum;
}

void TracedMotion::refuse_without_derivatives(const NamedDirections& directions) const {
  refuse_contradictions(equations_, start_, passed_, directions);
  refuse_switch_times(unseen_, directions);
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

void add(double factor, std::span<const double> x, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * x[i];
}

[[noreturn]] void fail_at(double t) {
  throw Error("study.singular",
              fmt::format("the derivatives of the step at t = {:.6g} s do not exist: a matrix is "
                          "singular there.",
                          t));
}

}  // namespace

// A step whose ends t₀ and t₁ move by the parts m₀ and m₁ of a change δτ of the time of the event
// before it. With changes as seen at times that stay, and rates ẏ at both ends,
//
//   δy₁ = Ψ_y (δy₀ + ẏ₀ m₀ δτ) + Ψ_p δp + (Ψ_t m₀ + Ψ_h (m₁ − m₀)) δτ − ẏ₁ m₁ δτ            (1)
//
// where it does not matter which rates are taken at an end, as long as they are the same for the
// steps on both sides.
class TracedMotion::MovingStep {
 public:
  // At the step where the workspace stands.
  MovingStep(const Stretch& stretch, std::size_t step, const StepMap& map,
             StepMap::Workspace& work) {
    const double m0 = stretch.part_of(step), m1 = stretch.part_of(step + 1);
    moves_ = m0 != 0 || m1 != 0;
    if (!moves_) return;
    const StepMap::ByTimes by = map.by_times(work);
    moves_ = !by.h.empty();  // of a short step δy₁ = δy₀: all that δτ adds cancels
    if (!moves_) return;
    start_.assign(map.size(), 0.0);
    end_.assign(map.size(), 0.0);
    add(m0, by.t, end_);
    add(m1 - m0, by.h, end_);
    if (m0 != 0) add(m0, stretch.nodes[step].rates, start_);
    if (m1 != 0) add(-m1, stretch.nodes[step + 1].rates, end_);
  }
  // What (1) adds to a change, before and after the step, for δτ.
  void before(double dt, std::span<double> dy) const {
    if (moves_) add(dt, start_, dy);
  }
  void after(double dt, std::span<double> dy) const {
    if (moves_) add(dt, end_, dy);
  }
  // What weights of a change are to δτ there.
  double of_before(std::span<const double> w) const { return moves_ ? dot(start_, w) : 0; }
  double of_after(std::span<const double> w) const { return moves_ ? dot(end_, w) : 0; }

 private:
  bool moves_ = false;
  std::vector<double> start_, end_;
};

// Reactions λ at the beginning of a stretch are those of the motion there, and stand behind (q, v,
// x) in y: δλ = λ_y δy + λ_p δp + λ_t δτ.
class TracedMotion::FirstReactions {
 public:
  explicit FirstReactions(const std::optional<SolvedFunction>& reactions)
      : reactions_(reactions ? &*reactions : nullptr) {
    if (reactions_ == nullptr) return;
    work_.emplace(reactions_->make_workspace());
    values_.resize(reactions_->size());
    sums_.resize(reactions_->num_sums());
  }

  void stand_at(const Stretch& stretch, std::size_t step, const StepMap::At& at) {
    stretch_ = reactions_ != nullptr && step == 0 ? &stretch : nullptr;
    if (stretch_ == nullptr) return;
    const double t = std::nextafter(at.t, HUGE_VAL);
    if (!reactions_->evaluate(t, at.y0, at.given, values_, *work_)) fail_at(at.t);
  }
  void tangent(double dt, std::span<double> dy, std::span<const double> dgiven) {
    if (stretch_ == nullptr) return;
    const std::span<double> d_lambda = of(dy);
    reactions_->tangent(dy, dgiven, d_lambda, *work_);
    add(dt, stretch_->reaction_drift, d_lambda);
  }
  // Adds to weights of y and p, and returns those of δτ.
  double adjoint(std::span<double> w, std::span<double> w_given, double t) {
    if (stretch_ == nullptr) return 0;
    const std::span<double> w_lambda = of(w);
    const double of_time = dot(stretch_->reaction_drift, w_lambda);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    if (!reactions_->adjoint(w_lambda, w, sums_, *work_)) fail_at(t);
    reactions_->spread(sums_, w_given);
    std::fill(w_lambda.begin(), w_lambda.end(), 0.0);
    return of_time;
  }

 private:
  std::span<double> of(std::span<double> y) const {
    return y.subspan(reactions_->num_y(), reactions_->size());
  }

  const SolvedFunction* reactions_;
  const Stretch* stretch_ = nullptr;
  std::optional<SolvedFunction::Workspace> work_;
  std::vector<double> values_, sums_;
};

std::vector<TracedMotion::Changes> TracedMotion::forward(
    const std::vector<Direction>& directions) const {
  const std::size_t n = map_->size();
  const std::unique_ptr<StepMap::Workspace> work = map_->make_workspace();
  SolvedFunction::Workspace observed = observation_->make_workspace();
  FirstReactions reactions(reactions_);
  std::vector<double> values(observation_->size());
  std::vector<Changes> out(directions.size());
  std::vector<std::vector<double>> dy, dgiven;
  std::vector<double> dt(directions.size(), 0.0);  // of the event before the stretch
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
      const MovingStep moving(stretch, step, *map_, *work);
      reactions.stand_at(stretch, step, at);
      for (std::size_t k = 0; k < directions.size(); ++k) {
        moving.before(dt[k], dy[k]);
        reactions.tangent(dt[k], dy[k], dgiven[k]);
        map_->tangent(dy[k], dgiven[k], *work);
        moving.after(dt[k], dy[k]);
      }
      observe(i, step + 1, at.y1, at.given);
      return true;
    });
    if (!stretch.jump) continue;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const auto along = [&](std::span<const double> by) {
        return dot(by.first(n), dy[k]) + dot(by.subspan(n), dgiven[k]);
      };
      const double change = along(stretch.jump->time());
      for (const JumpMap::Apart& other : stretch.jump->apart()) {
        out[k].apart.push_back(along(other.by));
      }
      out[k].events.insert(out[k].events.end(), stretch.happened.size(), change);
      if (stretch.ends) out[k].end = change;
      for (const Stretch::Moving& moving : stretch.moving) {
        std::vector<double>& changes = out[k].values[moving.sample];
        for (std::size_t j = 0; j < changes.size(); ++j) changes[j] += moving.rates[j] * change;
      }
      stretch.jump->tangent(dy[k], dgiven[k]);
      dt[k] = change;
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
  FirstReactions reactions(reactions_);
  std::vector<double> values(observation_->size()), sums(observation_->num_sums());
  std::vector<Direction> out(weights.size());
  std::vector<double> of_dt(weights.size(), 0.0);  // weights of the time of the event before
  for (std::size_t k = 0; k < weights.size(); ++k) {
    out[k].start.assign(n, 0.0);
    out[k].given.assign(map_->num_given(), 0.0);
    std::copy(weights[k].integrals.begin(), weights[k].integrals.end(),
              out[k].start.begin() + static_cast<std::ptrdiff_t>(first_integral_));
  }
  std::size_t next = samples_.size(), next_event = events_.size();
  std::size_t next_apart = coincidences_.size();
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
      const std::vector<JumpMap::Apart>& apart = stretch.jump->apart();
      next_apart -= apart.size();
      for (std::size_t k = 0; k < weights.size(); ++k) {
        double of_time = stretch.ends ? weights[k].end : std::exchange(of_dt[k], 0);
        for (std::size_t j = 0; !weights[k].events.empty() && j < stretch.happened.size(); ++j) {
          of_time += weights[k].events[next_event + j];
        }
        for (const Stretch::Moving& moving : stretch.moving) {
          for (const Weights::OfValue& of : weights[k].values) {
            if (of.sample == moving.sample) of_time += of.weight * moving.rates[of.output];
          }
        }
        stretch.jump->adjoint(out[k].start, out[k].given);
        const auto add_along = [&](double weight, std::span<const double> by) {
          add(weight, by.first(n), out[k].start);
          add(weight, by.subspan(n), out[k].given);
        };
        add_along(of_time, stretch.jump->time());
        for (std::size_t j = 0; !weights[k].apart.empty() && j < apart.size(); ++j) {
          add_along(weights[k].apart[next_apart + j], apart[j].by);
        }
      }
    }
    stretch.tape.backwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      observe(i, step + 1, at.y1, at.given);
      if (!map_->stand_at(at, *work)) fail_at(at.t);
      const MovingStep moving(stretch, step, *map_, *work);
      reactions.stand_at(stretch, step, at);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        of_dt[k] += moving.of_after(out[k].start);
        if (!map_->adjoint(out[k].start, out[k].given, *work)) fail_at(at.t);
        of_dt[k] += reactions.adjoint(out[k].start, out[k].given, at.t);
        of_dt[k] += moving.of_before(out[k].start);
      }
      return true;
    });
    observe(i, 0, stretch.tape.front(), stretch.given);
  }
  return out;
}

}  // namespace koppel
