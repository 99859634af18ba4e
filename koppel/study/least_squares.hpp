// Least squares within bounds, of this folder only:
//
//   minimise  ½ Σ r_i(x)²,   low_j ≤ x_j ≤ high_j
//
// by the method of Levenberg and Marquardt [Marquardt 1963] of the Ceres solver, a dense QR
// decomposition in each iteration. Ceres is loaded with the first problem (needed_library.hpp).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <koppel/study/samples.hpp>

namespace koppel {

struct LeastSquares {
  // r and, where J is not empty, ∂r/∂x by rows. False: there are none at this x. What it throws
  // ends the search.
  using Residuals =
      std::function<bool(std::span<const double> x, std::span<double> r, std::span<double> J)>;

  Residuals residuals;
  std::size_t num_residuals = 0;
  std::span<const Range> bounds = {};  // for each of x; those with low < high count
  std::span<const int> held = {};      // of x: they stay as they are
  int max_iterations = 50;
};

struct LeastSquaresEnd {
  enum Kind { Converged, TooManyIterations, Failed } kind;
  std::string message;  // of the solver
};

// From x to the least one. Throws what the residuals throw, and Error `study.no-library`.
LeastSquaresEnd solve(const LeastSquares& problem, std::vector<double>& x);

}  // namespace koppel
