// Quadrature of Gauss: ∫₀¹ f = Σ w_k f(x_k), exact for polynomials of degree 2n − 1.
#pragma once

#include <vector>

namespace koppel {

struct Quadrature {
  std::vector<double> at, weight;  // on [0, 1], ascending
};

// With n ≥ 1 points.
Quadrature gauss(int n);

}  // namespace koppel
