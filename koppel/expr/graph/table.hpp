// Functions of one variable given by points: held samples, linear interpolation, C² splines.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace koppel {

// A piecewise polynomial of degree `degree` over n ascending breakpoints x₀ < … < xₙ₋₁:
//   held:   y_i on [x_i, x_{i+1}); y₀ before the first point, y_{n−1} from the last on;
//   linear: through the points;
//   spline: the natural cubic spline (C², y″ = 0 at both ends).
// Outside of the points the last two are continued by their end tangents (a spline is then C²
// everywhere), keep their end values, or are not a number.
// All three have n+1 pieces (one before, n−1 between, one after); the pieces are what
// runtime/table.h evaluates, and their derivatives are piecewise polynomials of the same form.
class TableData {
 public:
  enum class Outside { Extrapolate, Hold, Refuse };
  // Throws Error `expr.bad-table` unless x and y are finite, of equal length ≥ 1 (spline and
  // linear: ≥ 2), and x ascends strictly.
  static TableData held(std::span<const double> x, std::span<const double> y);
  static TableData linear(std::span<const double> x, std::span<const double> y,
                          Outside outside = Outside::Extrapolate);
  static TableData spline(std::span<const double> x, std::span<const double> y,
                          Outside outside = Outside::Extrapolate);

  int degree() const { return degree_; }
  int num_points() const { return num_points_; }
  std::span<const double> breakpoints() const {
    return {data_.data(), static_cast<std::size_t>(num_points_)};
  }
  // Breakpoints, then four coefficients a piece: the layout of runtime/table.h.
  std::span<const double> data() const { return data_; }

  // The m-th derivative at x.
  double evaluate(double x, int m = 0) const;

 private:
  TableData(int degree, std::span<const double> x, std::span<const double> y, Outside outside);
  void refuse_outside();

  int degree_ = 0;
  int num_points_ = 0;
  std::vector<double> data_;
};

}  // namespace koppel
