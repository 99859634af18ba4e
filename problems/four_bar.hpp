// N four-bar windows side by side (models/four_bar.yaml) by hand, in natural coordinates: the
// points B_i = (x_i, y_i), i = 0 … N, at the tops of uprights on (i, 0), joined by couplers. Thin
// rods of 1 m and 1 kg as in slider_crank.hpp:
//
//   M_ii = ⅓ (1 + number of couplers at B_i),   M_{i,i+1} = ⅙   (times the 2 × 2 unit matrix)
//   upright i: ½ (|B_i − (i, 0)|² − 1) = 0,     coupler i: ½ (|B_i − B_{i−1}|² − 1) = 0.
//
// With the unknowns in the order B_0, upright 0, coupler 1, B_1, upright 1, coupler 2, … the matrix
// [M Gᵀ; G 0] has half a bandwidth of 4.
#pragma once

#include <cstddef>
#include <vector>

namespace koppel::problems {

// Gaussian elimination with row exchanges of a matrix with `w` diagonals to either side.
class BandMatrix {
 public:
  BandMatrix(std::size_t n, std::size_t w) : n_(n), w_(w), a_(n * (3 * w + 1)), pivot_(n) {}

  void clear() { a_.assign(a_.size(), 0.0); }
  double& operator()(std::size_t i, std::size_t j) { return a_[i * (3 * w_ + 1) + j + w_ - i]; }
  void factor();
  void solve(std::vector<double>& b);

 private:
  std::size_t n_, w_;
  std::vector<double> a_;  // by rows
  std::vector<std::size_t> pivot_;
};

// Index 1 for Runge–Kutta methods (runge_kutta.hpp), projected after every step. y: x_0, y_0, x_1,
// …, and their rates.
class FourBar {
 public:
  using State = std::vector<double>;
  static constexpr bool kProjects = true;

  explicit FourBar(std::size_t N);

  State start() const;  // upright, with ẋ = 1
  void rate(const State& y, State& y_rate);
  void project(State& y);  // one step of Newton's method, in the mass metric

 private:
  void factor(const State& y);
  // Where coordinate c (0: x, 1: y) of B_i and the multipliers at B_i are among the unknowns.
  static std::size_t point(std::size_t i, std::size_t c) { return 4 * i + c; }
  static std::size_t upright(std::size_t i) { return 4 * i + 2; }
  static std::size_t coupler(std::size_t i) { return 4 * i - 1; }  // from B_{i−1} to B_i

  std::size_t N_;
  BandMatrix matrix_;
  std::vector<double> b_;
};

}  // namespace koppel::problems
