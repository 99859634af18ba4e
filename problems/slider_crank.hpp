// The slider crank by hand, in natural coordinates q = (x, y, s): crank OA from the origin to A =
// (x, y), rod AB, and the slider B = (s, 0). Thin rods; a rod of mass m between points with
// velocities u and w has T = m/6 (u² + u·w + w²). Hence a constant mass matrix and quadratic
// constraints:
//
//       ⎡ (m₁+m₂)/3      0         m₂/6    ⎤        ⎡       0        ⎤
//   M = ⎢     0      (m₁+m₂)/3      0      ⎥    f = ⎢ −g (m₁ + m₂)/2 ⎥
//       ⎣   m₂/6         0      m₂/3 + m₃  ⎦        ⎣       0        ⎦
//
//   g = ½ (x² + y² − a²),  ½ (d² + y² − b²)   with d = s − x                               (1)
//   G = (x, y, 0), (−d, y, d)
//   M q̈ + Gᵀλ = f.
#pragma once

#include <array>

namespace koppel::problems {

struct SliderCrank {
  double a, b;                // lengths of crank and rod
  double crank, rod, slider;  // masses
  double speed = 0;           // of the slider at the start, with the crank at 45°
  double gravity = 9.81;

  using Vector = std::array<double, 6>;  // q, q̇
  Vector start() const;
};

// models/slider_crank.yaml.
inline constexpr SliderCrank kThinSliderCrank{0.4, 1, 1, 1, 0, -4};
// One with a heavy slider, from rest.
inline constexpr SliderCrank kHeavySliderCrank{1, 2, 1, 2, 1};

// The symmetric matrix [M Gᵀ; G 0] at a position as L D Lᵀ. No pivots are needed: M and G M⁻¹ Gᵀ
// are positive definite.
class SliderCrankMatrix {
 public:
  void factor(const SliderCrank& data, const double* q);
  void solve(std::array<double, 5>& b) const;
  // One step of Newton's method for positions, and velocities, in the mass metric.
  void project(const SliderCrank& data, double* q, double* v) const;

 private:
  double l_[5][5];
  double inverse_[5];  // of D
};

// Index 1 for Runge–Kutta methods (runge_kutta.hpp): accelerations from the matrix above,
// projection after every step.
class SliderCrankRates {
 public:
  using State = SliderCrank::Vector;
  static constexpr bool kProjects = true;

  explicit SliderCrankRates(const SliderCrank& data) : data_(data) {}
  void rate(const State& y, State& y_rate);
  void project(State& y);

 private:
  const SliderCrank& data_;
  SliderCrankMatrix matrix_;
};

// Taylor series on (1) itself, index 3, with one factorisation and one step of projection in every
// step. Returns the number of steps; y becomes the end.
long integrate_taylor(const SliderCrank& data, SliderCrank::Vector& y, double end, double tolerance,
                      int order = 20);

}  // namespace koppel::problems
