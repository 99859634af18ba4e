// Comparing numbers, with the reason for the tolerance where it is stated.
//
//   EXPECT_TRUE(near(a, b, {.relative = 50 * kEps, .because = "cond(M) ≈ 20"}));
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

namespace koppel::testing {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Tolerance {
  double relative = 0;
  double scale = 0;  // what the error is relative to, where larger than both numbers
  const char* because = "";
};

// |a − b| ≤ relative · max(|a|, |b|, scale). NaN is near nothing.
inline ::testing::AssertionResult near(double a, double b, const Tolerance& tolerance) {
  const double size = std::max({std::abs(a), std::abs(b), tolerance.scale});
  const double error = std::abs(a - b);
  if (a == b || error <= tolerance.relative * size) return ::testing::AssertionSuccess();
  char text[200];
  std::snprintf(text, sizeof text, "%.17g and %.17g differ by %.3g relative to %.3g; at most %.3g",
                a, b, error / size, size, tolerance.relative);
  return ::testing::AssertionFailure() << text << " is allowed (" << tolerance.because << ")";
}

// Equal to the last bit, except that any NaN equals any NaN.
inline bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace koppel::testing
