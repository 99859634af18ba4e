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
  const Values& values;
  const Found& found;

  std::span<const double> at(double t) const {
    const double clock = t == t1   ? std::nextafter(t1, -HUGE_VAL)
                         : t == t0 ? std::nextafter(t0, HUGE_VAL)
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
  const Within step{t0, t1, values, found};
  const int num_parts = at_ends_only || !(t1 > t0) ? 1 : kParts;
  const auto time = [&](int i) { return i == num_parts ? t1 : t0 + (t1 - t0) * i / num_parts; };
  for (int i = 0; i <= num_parts; ++i) {
    const std::span<const double> now = step.at(time(i));
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      samples_[k][static_cast<std::size_t>(i)] =
          asked_[k].is_largest ? now[asked_[k].output] : -now[asked_[k].output];
    }
  }
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    if (num_parts == kParts) refine(k, step);
    const auto first = samples_[k].begin();
    const auto largest = std::max_element(first, first + num_parts + 1);
    offer(k, time(static_cast<int>(largest - first)), false, step);
  }
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
  places_[which] = {stretch_, t, t == step.t1};
  is_stationary_[which] = is_stationary;
  if (step.found) step.found(which);
}

}  // namespace koppel
