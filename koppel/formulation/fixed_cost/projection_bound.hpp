// How far constraints can drift when positions are projected by one Newton step in every step of
// length h [Burgermeister, Arnold & Esterl 2006, section 3.4]. With u the rates of (q, t), P the
// map from a violation to the correction of q, and g″ the second derivative of g by (q, t),
//
//   A₁ = ½ ‖g″(u, u)‖,   A₂ = ½ ‖g″(P·, P·)‖,   A₃ = ‖g″(u, P·)‖,
//   C₂ = A₂,   C₁ = A₃ + 2 h A₂ A₁,   C₀ = A₃ A₁ + h A₂ A₁²
//
// (the source has C₁ without the 2, which the mixed term of ½ g″(P(a + b), P(a + b)) brings)
//
// the violation after a step is at most C₂ ‖g‖² + h C₁ ‖g‖ + h³ C₀. Where
//
//   h C₁ < 1   and   (1 − h C₁)² > 4 h³ C₀ C₂                                             (1)
//
// hold for the largest constants of a motion, it never exceeds
//
//   g_lim = (1 − h C₁ − √((1 − h C₁)² − 4 h³ C₀ C₂)) / (2 C₂) = O(h³).
//
// Norms are of the largest component, and induced by it (that of A₂ from above). g″ is taken at
// both ends of the unprojected step; where g is not quadratic that stands for all places between.
// For steps that move positions first.
#pragma once

#include <span>

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/problem/fixed_cost.hpp>

namespace koppel {

struct ProjectionConstants {
  double C0 = 0, C1 = 0, C2 = 0;

  void include(const ProjectionConstants& other);  // the larger of both
  bool holds(double h) const;                      // (1)
  double limit(double h) const;                    // infinite where (1) does not hold
};

class ProjectionBound {
 public:
  // The options are those of the step, with projection.
  ProjectionBound(const Descriptor& descriptor, const FixedCostOptions& options);
  ProjectionConstants at(double t, double h, std::span<const double> y) const;

 private:
  std::vector<double> second(std::span<const double> in, std::span<const double> a, double a_t,
                             std::span<const double> b, double b_t) const;

  std::size_t num_q_, num_y_, num_rows_;
  std::vector<double> given_;
  Function state_;   // K v, then the columns of P
  Function second_;  // g″(a, b)
};

}  // namespace koppel
