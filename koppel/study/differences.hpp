// Derivatives of functions that are known by their values only. For sources of this folder only.
//
// From values at h, 2h, … on one side or both, differences of order 6 and of order 4 of the same
// values: where the two agree to 1e-8, the one of order 6 is right to round-off, which is some
// 1e-13/h. Where they do not, a mass of some grams or a shaker of some hundred hertz changes the
// function within h, and h becomes a quarter.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace koppel {

struct DifferenceRule {
  std::span<const int> places;            // in units of h
  std::span<const double> sixth, fourth;  // weights there, of both orders
};

inline constexpr int kBothSides[] = {-3, -2, -1, 1, 2, 3};
inline constexpr double kBothSixth[] = {-1.0 / 60, 9.0 / 60,  -45.0 / 60,
                                        45.0 / 60, -9.0 / 60, 1.0 / 60};
inline constexpr double kBothFourth[] = {0, 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12, 0};
inline constexpr DifferenceRule kCentral = {kBothSides, kBothSixth, kBothFourth};

// The value at the place itself is among them.
inline constexpr int kOneSide[] = {0, 1, 2, 3, 4, 5, 6};
inline constexpr double kOneSixth[] = {-49.0 / 20, 6,       -15.0 / 2, 20.0 / 3,
                                       -15.0 / 4,  6.0 / 5, -1.0 / 6};
inline constexpr double kOneFourth[] = {-25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4, 0, 0};
inline constexpr DifferenceRule kForward = {kOneSide, kOneSixth, kOneFourth};

// ∂f/∂s at s = 0 of a vector function, by steps of h or shorter ones. f(s) is empty where the
// function is not known; the result is empty where it never is.
template <typename F>
std::vector<double> slope(F&& f, double h, const DifferenceRule& rule = kCentral) {
  constexpr int kLevels = 10;
  constexpr double kAgree = 1e-8, kRoundOff = 64 * std::numeric_limits<double>::epsilon();
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (int level = 0; level < kLevels; ++level, h /= 4) {
    std::vector<double> sixth, fourth;
    double size = 0;
    bool is_known = true;
    for (std::size_t k = 0; k < rule.places.size() && is_known; ++k) {
      const std::vector<double> there = f(rule.places[k] * h);
      is_known = !there.empty();
      sixth.resize(there.size(), 0.0);
      fourth.resize(there.size(), 0.0);
      for (std::size_t i = 0; i < there.size(); ++i) {
        sixth[i] += rule.sixth[k] * there[i] / h;
        fourth[i] += rule.fourth[k] * there[i] / h;
        size = std::max(size, std::abs(there[i]));
        is_known = is_known && std::isfinite(there[i]);
      }
    }
    if (!is_known) continue;
    double most = 0, apart = 0;
    bool agree = true;
    for (std::size_t i = 0; i < sixth.size(); ++i) {
      const double difference = std::abs(sixth[i] - fourth[i]);
      agree = agree && difference <= kAgree * std::abs(sixth[i]) + kRoundOff * size / h;
      most = std::max(most, std::abs(sixth[i]));
      apart = std::max(apart, difference);
    }
    if (agree) return sixth;
    const double error = most > 0 ? apart / most : apart;
    if (!(error < least)) continue;
    least = error;
    best = std::move(sixth);
  }
  return best;
}

}  // namespace koppel
