#include <koppel/study/extreme_search.hpp>

#include <algorithm>
#include <array>

namespace koppel {
namespace {

constexpr int kReach = 3;

// The derivative at s of the polynomial through (−3, y₀), (−2, y₁), …, (3, y₆).
double slope_at(double s, const std::array<double, 2 * kReach + 1>& y) {
  double sum = 0;
  for (int j = -kReach; j <= kReach; ++j) {
    double weight = 0;
    for (int m = -kReach; m <= kReach; ++m) {
      if (m == j) continue;
      double product = 1.0 / (j - m);
      for (int k = -kReach; k <= kReach; ++k) {
        if (k != j && k != m) product *= (s - k) / (j - k);
      }
      weight += product;
    }
    sum += weight * y[static_cast<std::size_t>(j + kReach)];
  }
  return sum;
}

}  // namespace

void ExtremeSearch::begin(double t, std::span<const double> values) {
  for (const Extreme& extreme : asked_) {
    values_.push_back(values[extreme.output]);
    times_.push_back(t);
  }
}

void ExtremeSearch::look(double t0, double t1, bool at_ends_only, const Value& value,
                         const Found& found) {
  const int num_parts = at_ends_only ? 1 : 16;
  const double h = t1 - t0;
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    const auto [output, is_largest] = asked_[k];
    const double sign = is_largest ? 1 : -1;
    for (int i = 0; i <= num_parts; ++i) {
      double t = i == num_parts ? t1 : t0 + h * i / num_parts;
      if (!(sign * value(t, output) > sign * values_[k])) continue;
      // Of order 6, from values within the step, far enough apart for round-off.
      const double d = h / 64;
      const auto rate = [&](double at) {
        const double middle = std::clamp(at, t0 + kReach * d, t1 - kReach * d);
        std::array<double, 2 * kReach + 1> y;
        for (int m = -kReach; m <= kReach; ++m) {
          y[static_cast<std::size_t>(m + kReach)] = value(middle + m * d, output);
        }
        return slope_at((at - middle) / d, y) / d;
      };
      double low = std::max(t - h / num_parts, t0), high = std::min(t + h / num_parts, t1);
      if (!at_ends_only && low < high && sign * rate(low) > 0 && sign * rate(high) < 0) {
        for (int bisection = 0; bisection < 48; ++bisection) {
          const double middle = 0.5 * (low + high);
          (sign * rate(middle) > 0 ? low : high) = middle;
        }
        t = 0.5 * (low + high);
      }
      values_[k] = value(t, output);
      times_[k] = t;
      if (found) found(k, t);
    }
  }
}

}  // namespace koppel
