// The largest error of the sine and cosine of runtime/trig_float.h over many floats.
#pragma once

#include <koppel/runtime/trig_float.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace koppel::testing {

// In units of the last place of the nearest float; double has 29 bits more.
inline double error_of_float(float found, double exact) {
  int exponent = 0;
  std::frexp(static_cast<float>(exact), &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -125) - 24);
  const double error = std::abs(static_cast<double>(found) - exact) / unit;
  return std::isnan(error) ? INFINITY : error;
}

inline double error_of_turn(float x) {
  const koppel_turned found = koppel_turn(x);
  return std::max(error_of_float(found.sin, std::sin(static_cast<double>(x))),
                  error_of_float(found.cos, std::cos(static_cast<double>(x))));
}

// Of every stride-th float that is not negative.
inline double largest_error_of_turns(std::uint32_t stride) {
  double worst = 0;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += stride) {
    worst = std::max(worst, error_of_turn(koppel_of_bits(bits)));
  }
  return worst;
}

// What runtime/trig_float.h states.
inline constexpr double kLargestErrorOfTurns = 0.83;

}  // namespace koppel::testing
