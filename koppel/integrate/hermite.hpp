// The cubic through values and rates at both ends of a step of length h: with x from 0 to 1,
//   y = (1 − x) y₀ + x y₁ + x(x − 1)[(1 − 2x)(y₁ − y₀) + h(x − 1) ẏ₀ + h x ẏ₁].
#pragma once

#include <span>

namespace koppel {

inline void hermite(double x, double h, std::span<const double> y0, std::span<const double> y1,
                    std::span<const double> rate0, std::span<const double> rate1,
                    std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double change = y1[i] - y0[i];
    const double bend = (1 - 2 * x) * change + h * ((x - 1) * rate0[i] + x * rate1[i]);
    y[i] = y0[i] + x * change + x * (x - 1) * bend;
  }
}

}  // namespace koppel
