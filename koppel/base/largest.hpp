// The norm max |x_i|; 0 where there is nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace koppel {

inline double largest(std::span<const double> x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

}  // namespace koppel
