// Internal dynamics of a servo problem: the motion that is left when the outputs follow their
// references. Linearised at a point with frozen coefficients, the DAE of the servo problem is
//   F₂ δx″ + F₁ δx′ + F₀ δx = 0,     F_l = ∂F/∂x⁽ˡ⁾,                                       (1)
// and its internal dynamics are the finite eigenvalues s of
//   (s² F₂ + s F₁ + F₀) ξ = 0.                                                             (2)
// There are as many as the structure leaves values free; all others are infinite. They are the
// transmission zeros from the inputs to the outputs. Where a real part is positive the internal
// dynamics are unstable (the system is not of minimum phase): integrated forward, the inputs that
// hold the outputs on their references grow without bound.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <koppel/control/servo/servo_problem.hpp>

namespace koppel {

struct InternalDynamics {
  int order = 0;
  std::vector<std::complex<double>> eigenvalues;  // by descending real part
  // The names of the values that may be chosen at the start.
  std::vector<std::string> free;

  // Real parts up to this, relative to the largest modulus, count as 0.
  static constexpr double kRoundOff = 1e-6;
  bool is_unstable() const;
  // Neither unstable nor asymptotically stable: oscillation, drift.
  bool is_marginal() const;
};

// "internal dynamics of order 2 are left …; linearised at the start, their eigenvalues are … 1/s"
std::string describe(const InternalDynamics& found);

InternalDynamics find_internal_dynamics(const ServoProblem& servo, const DaePoint& point);

}  // namespace koppel
