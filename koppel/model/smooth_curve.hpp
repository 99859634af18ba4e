// Smooth curves through way-points and near samples, for references and drives.
//
// Piece i, of length h, is the polynomial of degree 2n + 1 that has given Taylor coefficients a_k
// at its left end and b_k at its right one, k = 0 … n, in τ = (x − x_i)/h [Hermite 1878]:
//   p(τ) = Σ_k a_k L_k(τ) + (−1)ᵏ b_k L_k(1 − τ),
//   L_k(τ) = τᵏ (1 − τ)ⁿ⁺¹ Σ_{j ≤ n−k} C(n+j, j) τʲ.                                       (1)
// Neighbours share the coefficients at their knot: derivatives up to order n are continuous
// whatever these are. They are chosen to make the curve as even as possible,
//   min  Σ_s (p(x_s) − y_s)²/N + κ ∫ (p⁽ⁿ⁺¹⁾)² dx.                                         (2)
// Through way-points the values at the knots are given, and only the integral is left: that is the
// interpolating spline of degree 2n + 1, with 2n continuous derivatives inside. Two way-points at
// rest give the rest-to-rest polynomial of time_law.hpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace koppel {

inline constexpr int kMaxCurveSmoothness = 8;

enum class CurveEnds {
  Rest,  // derivatives 1 … n vanish at both ends; constant before and after
  Free,  // chosen by (2); the first and the last polynomial go on
};

// As for piecewise_polynomial (expr/algebra/piecewise.hpp).
struct Curve {
  std::vector<double> knots;
  std::vector<std::vector<double>> coefficients;

  double operator()(double x) const;
};

// x ascends strictly; at least two points; 1 ≤ n ≤ kMaxCurveSmoothness.
Curve curve_through(std::span<const double> x, std::span<const double> y, int n, CurveEnds ends);

// A curve that is nowhere further than `tolerance` from a sample: with the fewest pieces, which are
// doubled up to one for two samples, and then the evenest one (the largest κ). Short pieces would
// make derivatives of order n sensitive to round-off, by h⁻ⁿ. Nothing where there is none.
struct NearCurve {
  Curve curve;
  double deviation = 0;  // the largest
};
std::optional<NearCurve> curve_near(std::span<const double> x, std::span<const double> y,
                                    double tolerance, int n, CurveEnds ends);

}  // namespace koppel
