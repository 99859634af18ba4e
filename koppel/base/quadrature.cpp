#include <koppel/base/quadrature.hpp>

#include <cmath>
#include <numbers>

namespace koppel {

// The nodes are the zeros of Legendre's polynomial Pₙ, by Newton's method from
// cos(π (k + 3/4)/(n + 1/2)), and with (k + 1) P_{k+1} = (2k + 1) x P_k − k P_{k−1},
//   Pₙ′ = n (x Pₙ − Pₙ₋₁)/(x² − 1),     w = 2 / ((1 − x²) Pₙ′²)      on [−1, 1].
Quadrature gauss(int n) {
  Quadrature out;
  for (int i = n - 1; i >= 0; --i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    constexpr int kIterations = 10;  // quadratic convergence from three digits on
    for (int j = 0; j < kIterations; ++j) {
      double last = 1, value = x;
      for (int k = 1; k < n; ++k) {
        const double next = ((2 * k + 1) * x * value - k * last) / (k + 1);
        last = value;
        value = next;
      }
      slope = n * (x * value - last) / (x * x - 1);
      x -= value / slope;
    }
    out.at.push_back(0.5 + 0.5 * x);
    out.weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return out;
}

}  // namespace koppel
