#include <koppel/study/extreme_search.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppel {
namespace {

constexpr int kReach = 3;
constexpr double kRoundOff = 4 * std::numeric_limits<double>::epsilon();

using Seven = std::array<double, 2 * kReach + 1>;

// The derivative at s of the polynomial through (−3, y₀), (−2, y₁), …, (3, y₆) is Σ wⱼ yⱼ with
//   wⱼ = Σ_{m ≠ j} 1/(j − m) Π_{k ≠ j, m} (s − k)/(j − k).
constexpr Seven slope_weights(double s) {
  Seven out{};
  for (int j = -kReach; j <= kReach; ++j) {
    for (int m = -kReach; m <= kReach; ++m) {
      if (m == j) continue;
      double product = 1.0 / (j - m);
      for (int k = -kReach; k <= kReach; ++k) {
        if (k != j && k != m) product *= (s - k) / (j - k);
      }
      out[static_cast<std::size_t>(j + kReach)] += product;
    }
  }
  return out;
}

constexpr std::array<Seven, 2 * kReach + 1> kAtPoints = [] {
  std::array<Seven, 2 * kReach + 1> out{};
  for (int s = -kReach; s <= kReach; ++s) {
    out[static_cast<std::size_t>(s + kReach)] = slope_weights(s);
  }
  return out;
}();

double slope(const Seven& weights, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * y[j];
  return sum;
}

}  // namespace

// The present step, as seen by all searches.
struct ExtremeSearch::Within {
  double t0, t1;
  double first, last;  // the ends of the step, of which this may be a part
  const Values& values;
  const Found& found;

  std::span<const double> at(double t) const {
    const double clock = t == last    ? std::nextafter(t, -HUGE_VAL)
                         : t == first ? std::nextafter(t, HUGE_VAL)
                                      : t;
    return values(t, clock);
  }
};

void ExtremeSearch::begin(double t, std::span<const double> values) {
  for (const Extreme& extreme : asked_) {
    values_.push_back(values[extreme.output]);
    places_.push_back({stretch_, t, false});
  }
  is_stationary_.assign(asked_.size(), false);
  samples_.resize(asked_.size());
}

void ExtremeSearch::look(double t0, double t1, bool at_ends_only, const Values& values,
                         const Found& found) {
  const Within step{t0, t1, t0, t1, values, found};
  if (!at_ends_only && t1 > t0) return look_within(step, 0);
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    const double sign = asked_[k].is_largest ? 1 : -1;
    const bool is_last =
        sign * step.at(t1)[asked_[k].output] > sign * step.at(t0)[asked_[k].output];
    offer(k, is_last ? t1 : t0, false, step);
  }
}

void ExtremeSearch::look_within(const Within& step, int depth) {
  constexpr int kDeepest = 10;
  const auto time = [&](int i) {
    return i == kParts ? step.t1 : step.t0 + (step.t1 - step.t0) * i / kParts;
  };
  for (int i = 0; i <= kParts; ++i) {
    const std::span<const double> now = step.at(time(i));
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      samples_[k][static_cast<std::size_t>(i)] =
          asked_[k].is_largest ? now[asked_[k].output] : -now[asked_[k].output];
    }
  }
  bool is_deep = depth == kDeepest;
  for (std::size_t k = 0; k < asked_.size() && !is_deep; ++k) {
    if (is_resolved(k, step)) continue;
    const double middle = time(kParts / 2);
    look_within({step.t0, middle, step.first, step.last, step.values, step.found}, depth + 1);
    look_within({middle, step.t1, step.first, step.last, step.values, step.found}, depth + 1);
    return;
  }
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    refine(k, step);
    const auto first = samples_[k].begin();
    const auto largest = std::max_element(first, samples_[k].end());
    offer(k, time(static_cast<int>(largest - first)), false, step);
  }
}

// Between samples the cubic through the four around is right, or does not come near the best so
// far. It is asked at a place that no period shares with the samples.
bool ExtremeSearch::is_resolved(std::size_t which, const Within& step) const {
  constexpr double kPlace = 0.3819660112501051, kRight = 1e-3;
  const auto& y = samples_[which];
  const double sign = asked_[which].is_largest ? 1 : -1, part = (step.t1 - step.t0) / kParts;
  const auto [least, most] = std::minmax_element(y.begin(), y.end());
  double off = 0, highest = *most, size = std::max(std::abs(*least), std::abs(*most));
  double range = *most - *least;
  for (int i = 0; i < kParts; ++i) {
    const int first = std::clamp(i - 1, 0, kParts - 3);
    const double s = i - first + kPlace;
    const double* const v = &y[static_cast<std::size_t>(first)];
    const double cubic = -v[0] * (s - 1) * (s - 2) * (s - 3) / 6 +
                         v[1] * s * (s - 2) * (s - 3) / 2 - v[2] * s * (s - 1) * (s - 3) / 2 +
                         v[3] * s * (s - 1) * (s - 2) / 6;
    const double there = sign * step.at(step.t0 + part * (i + kPlace))[asked_[which].output];
    off = std::max(off, std::abs(there - cubic));
    highest = std::max(highest, there);
    range = std::max(range, highest - *least);
  }
  if (off <= kRight * range || off <= 1e3 * kRoundOff * size) return true;
  return highest + 2 * off + range < sign * values_[which];
}

// Between two samples with a rise at the first and a fall at the second there is a maximum, though
// it may be hardly above one of them. Slopes are of order 6: from the samples where to search, and
// there from values closer together, yet far enough apart for round-off.
void ExtremeSearch::refine(std::size_t which, const Within& step) {
  const std::span<const double, kParts + 1> y = samples_[which];
  const double sign = asked_[which].is_largest ? 1 : -1, best = sign * values_[which];
  const double t0 = step.t0, t1 = step.t1, part = (t1 - t0) / kParts, d = part / 4;
  std::array<double, kParts + 1> slopes;
  double size = 0;
  for (int i = 0; i <= kParts; ++i) {
    const int middle = std::clamp(i, kReach, kParts - kReach);
    const auto around = y.subspan(static_cast<std::size_t>(middle - kReach));
    slopes[static_cast<std::size_t>(i)] =
        slope(kAtPoints[static_cast<std::size_t>(i - middle + kReach)], around);
    size = std::max(size, std::abs(y[static_cast<std::size_t>(i)]));
  }
  const auto rate = [&](double at) {
    const double middle = std::clamp(at, t0 + kReach * d, t1 - kReach * d);
    Seven near;
    for (int m = -kReach; m <= kReach; ++m) {
      near[static_cast<std::size_t>(m + kReach)] =
          sign * step.at(std::clamp(middle + m * d, t0, t1))[asked_[which].output];
    }
    return slope(slope_weights((at - middle) / d), near);
  };
  for (std::size_t i = 0; i < kParts; ++i) {
    const double rise = slopes[i], fall = -slopes[i + 1];
    if (!(rise >= 0 && fall >= 0 && std::max(rise, fall) > 16 * kRoundOff * size)) continue;
    if (std::max(y[i] + rise, y[i + 1] + fall) < best) continue;  // a bound where y is concave
    double low = t0 + part * static_cast<double>(i), high = std::min(low + part, t1);
    if (!(rate(low) > 0)) low = std::max(low - part, t0);
    if (!(rate(high) < 0)) high = std::min(high + part, t1);
    if (!(rate(low) > 0 && rate(high) < 0)) continue;
    for (int bisection = 0; bisection < 48; ++bisection) {
      const double middle = 0.5 * (low + high);
      (rate(middle) > 0 ? low : high) = middle;
    }
    offer(which, 0.5 * (low + high), true, step);
  }
}

// Values near a maximum are equal to round-off where times are not: the place where the rate is
// zero goes before the end of a step beside it.
void ExtremeSearch::offer(std::size_t which, double t, bool is_stationary, const Within& step) {
  const Extreme& extreme = asked_[which];
  const double value = step.at(t)[extreme.output], sign = extreme.is_largest ? 1 : -1;
  const bool is_preferred = is_stationary && !is_stationary_[which];
  const double margin = is_preferred ? kRoundOff * std::abs(value) : 0;
  if (!(sign * (value - values_[which]) > -margin)) return;
  values_[which] = value;
  places_[which] = {stretch_, t, t == step.last};
  is_stationary_[which] = is_stationary;
  if (step.found) step.found(which);
}

}  // namespace koppel
