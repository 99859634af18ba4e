// What was asked of a recorded run: samples at times and at extremes, and what moves with events.
#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include <koppel/study/observed.hpp>
#include <koppel/study/recording.hpp>

namespace koppel {

bool TracedMotion::Recording::has_node(const ExtremePlace& place) const {
  const StateTape& tape = stretches_[place.stretch]->tape;
  for (std::size_t k = 0; k < tape.num_nodes(); ++k) {
    if (tape.t(k) == place.t) return true;
  }
  return false;
}

// The nearest node. In another run with the same events, ends of stretches have moved by less than
// the tolerance; they stay ends.
TracedMotion::Sample TracedMotion::Recording::sample_at(const ExtremePlace& place) const {
  Sample out;
  out.stretch = std::min(place.stretch, stretches_.size() - 1);
  out.side = place.is_before ? Side::Before : Side::After;
  out.is_extreme = true;
  const StateTape& tape = stretches_[out.stretch]->tape;
  for (std::size_t k = 1; k < tape.num_nodes(); ++k) {
    if (std::abs(tape.t(k) - place.t) <= std::abs(tape.t(out.node) - place.t)) out.node = k;
  }
  out.t = tape.t(out.node);
  return out;
}

// One where a step ends then; else up to four around it. A step that an event cut very short ends
// at none of them: the weights would be as large as it is short.
TracedMotion::Recording::Window TracedMotion::Recording::window_at(double t, std::size_t stretch,
                                                                   std::size_t nearest) const {
  constexpr std::size_t kNodes = 4;
  constexpr double kThere = 1e-9, kShort = 1e-2;  // of a step
  const StateTape& tape = stretches_[stretch]->tape;
  const double h = options_.run.step.value_or(0);
  std::size_t first = 0, last = tape.num_nodes() - 1;
  if (!options_.interpolates || can_add_nodes() || last == 0 ||
      std::abs(tape.t(nearest) - t) <= kThere * h) {
    return {t, stretch, nearest, 1};
  }
  if (last > 1 && tape.t(1) - tape.t(0) < kShort * h) ++first;
  if (last > first + 1 && tape.t(last) - tape.t(last - 1) < kShort * h) --last;
  const std::size_t count = std::min(kNodes, last - first + 1);
  const std::size_t below = tape.t(nearest) > t ? nearest - 1 : nearest;
  const std::size_t from = std::max(below, first + 1) - 1;
  return {t, stretch, std::min(from, last + 1 - count), count};
}

namespace {

// Of values at nodes, in the polynomial through them at t: wᵢ = Π (t − tⱼ)/(tᵢ − tⱼ), j ≠ i.
std::vector<double> lagrange_weights(std::span<const double> nodes, double t) {
  std::vector<double> out(nodes.size(), 1.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i) out[i] *= (t - nodes[j]) / (nodes[i] - nodes[j]);
    }
  }
  return out;
}

}  // namespace

void TracedMotion::Recording::find_samples(std::span<const ExtremePlace> extremes,
                                           TracedMotion& to) const {
  std::vector<double> times = options_.times;
  const double from = stretches_.front()->tape.t(0), end = outcome_.t;
  times.insert(times.end(), {from, end});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<Window> windows;
  std::size_t stretch = 0, node = 0;
  const auto at = [&](std::size_t i, std::size_t k) { return stretches_[i]->tape.t(k); };
  for (const double t : times) {
    if (t < from || t > end) continue;
    // The node nearest to it; before an event, where one happens then.
    while (true) {
      const bool is_last = node + 1 == stretches_[stretch]->tape.num_nodes();
      if (is_last && (stretch + 1 == stretches_.size() || t <= at(stretch, node))) break;
      if (!is_last && std::abs(at(stretch, node + 1) - t) > std::abs(at(stretch, node) - t)) break;
      is_last ? (++stretch, node = 0) : ++node;
    }
    windows.push_back(window_at(t, stretch, node));
  }
  std::vector<std::pair<std::size_t, std::size_t>> nodes;  // with their stretches
  for (const Window& in : windows) {
    for (std::size_t k = 0; k < in.count; ++k) nodes.emplace_back(in.stretch, in.first + k);
  }
  if (options_.interpolates) {
    assert(extremes.empty());
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const Window& in : windows) {
      const auto first =
          std::lower_bound(nodes.begin(), nodes.end(), std::pair(in.stretch, in.first));
      std::vector<double> around;
      for (std::size_t k = 0; k < in.count; ++k) around.push_back(at(in.stretch, in.first + k));
      to.readings_.push_back(
          {in.t, static_cast<std::size_t>(first - nodes.begin()), lagrange_weights(around, in.t)});
    }
  }
  for (const auto& [i, k] : nodes) to.samples_.push_back({i, k, at(i, k)});
  if (stretches_.back()->ends) to.samples_.back().side = Side::Before;
  std::vector<std::pair<Sample, std::size_t>> all;  // with its place among the extremes, from 1 on
  for (std::size_t k = 0; k < extremes.size(); ++k) all.emplace_back(sample_at(extremes[k]), k + 1);
  for (const Sample& sample : to.samples_) all.emplace_back(sample, 0);
  // Of those at the same node extremes come first: the last of all is the end.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.stretch, a.first.node) < std::pair(b.first.stretch, b.first.node);
  });
  to.samples_.clear();
  to.extreme_samples_.resize(extremes.size());
  for (auto& [sample, which] : all) {
    if (which > 0) to.extreme_samples_[which - 1] = to.samples_.size();
    to.samples_.push_back(std::move(sample));
  }
}

void TracedMotion::Recording::find_moving(const std::vector<Sample>& samples) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    const Stretch& in = *stretches_[sample.stretch];
    const bool is_before = sample.side == Side::Before && sample.node + 1 == in.tape.num_nodes();
    const bool is_after = sample.side == Side::After && sample.node == 0 && sample.stretch > 0;
    if (!is_before && !is_after) continue;
    Stretch& with = *stretches_[sample.stretch - (is_after ? 1 : 0)];
    if (!with.jump) continue;
    with.moving.push_back(
        {k,
         output_rates(*observation_, sample.t, is_before ? -1 : 1,
                      is_before ? in.tape.back() : in.tape.front(),
                      is_before ? with.jump->rates_before() : with.jump->rates_after(), in.given)});
  }
}

void TracedMotion::Recording::hand_over(std::span<const ExtremePlace> extremes, TracedMotion& to) {
  to.status_ = outcome_.status;
  to.text_ = outcome_.text;
  to.end_ = outcome_.t;
  to.equations_ = prepared_.equations;
  to.choice_ = prepared_.choice;
  to.start_ = prepared_.state;
  to.messages_ = std::move(messages_);
  to.first_jump_ = first_jump_;
  to.passed_ = std::move(passed_);
  to.unseen_ = std::move(unseen_);
  find_samples(extremes, to);
  auto sample = to.samples_.begin();
  const auto observe = [&](std::size_t i, std::size_t node, std::span<const double> at) {
    for (; sample != to.samples_.end() && sample->stretch == i && sample->node == node; ++sample) {
      observation_->evaluate(sample->clock(), at, stretches_[i]->given, values_, *observed_);
      sample->values = values_;
      const auto bad = std::find_if_not(values_.begin(), values_.end(),
                                        [](double value) { return std::isfinite(value); });
      if (bad != values_.end() && to.status_ != Outcome::Status::Failed) {
        to.status_ = Outcome::Status::Failed;
        to.text_ = fmt::format("'{}' is not finite at t = {:.6g} s.",
                               options_.outputs[static_cast<std::size_t>(bad - values_.begin())],
                               sample->t);
      }
      // The largest of values at ends of steps moves with its step.
      if (!sample->is_extreme || node == 0 || stretches_[i]->part_of(node) == 0) continue;
      const auto& [part, rates] = stretches_[i]->nodes[node];
      std::vector<double> moving =
          output_rates(*observation_, sample->t, 1, at, rates, stretches_[i]->given);
      for (double& rate : moving) rate *= part;
      stretches_[i - 1]->moving.push_back(
          {static_cast<std::size_t>(sample - to.samples_.begin()), std::move(moving)});
    }
  };
  const std::unique_ptr<StepMap::Workspace> work = map_->make_workspace();
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    Stretch& stretch = *stretches_[i];
    // The last end is that of the run, or another event's, whose time moves by itself.
    if (stretch.nodes.size() >= stretch.tape.num_nodes()) {
      stretch.nodes.resize(stretch.tape.num_nodes() - 1);
    }
    observe(i, 0, stretch.tape.front());
    stretch.tape.forwards(*map_, stretch.given, [&](std::size_t step, const StepMap::At& at) {
      if (step + 1 < stretch.nodes.size()) {
        map_->stand_at(at, *work);
        stretch.nodes[step + 1].rates = map_->by_times(*work).h;
      }
      observe(i, step + 1, at.y1);
      return sample != to.samples_.end();
    });
  }
  find_moving(to.samples_);
  const Equations& e = to.equations_;
  to.first_integral_ = e.num_q() + e.num_v() + e.x.size() - options_.integrated.size();
  const std::span<const double> last = stretches_.back()->tape.back();
  const std::span<const double> sums = last.subspan(to.first_integral_, options_.integrated.size());
  to.integrals_.assign(sums.begin(), sums.end());
  for (const auto& stretch : stretches_) {
    const StateTape& tape = stretch->tape;
    const double t = tape.t(tape.num_nodes() - 1);
    for (const int event : stretch->happened) to.events_.push_back({event, t, 0});
    if (!stretch->jump) continue;
    for (const JumpMap::Apart& other : stretch->jump->apart()) {
      to.coincidences_.push_back({stretch->happened[0], other.event, t});
    }
  }
  to.map_ = std::move(map_);
  to.observation_ = std::move(observation_);
  to.reactions_ = std::move(reactions_);
  to.stretches_ = std::move(stretches_);
}

}  // namespace koppel
