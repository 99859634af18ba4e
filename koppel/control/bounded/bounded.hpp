// Bounded solutions of servo problems with unstable internal dynamics. Integrated forward these
// grow without bound; but where the references are at rest before and after the motion there is one
// solution that stays bounded on the whole time axis: the inputs act before the outputs move, and
// after they have come to rest [Devasia, Chen & Paden 1996].
//
// The servo problem extended to index 1 (extended_twice.cpp) is
//   ż = φ(t, y),   0 = F_a(t, y),     z a part of y: the internal dynamics,                  (1)
// on t₀ ≤ t ≤ T with as many conditions at the ends. There the motion is about the equilibrium z̄
// of (1) with the linearisation δż = A δz. What is bounded for t → −∞ has no part along stable
// eigenvectors at t₀; what is bounded for t → ∞ none along unstable ones at T:
//   L_s (z(t₀) − z̄) = 0,   L_u (z(T) − z̄) = 0,     L: left eigenvectors of A.               (2)
// (1) and (2) are a boundary value problem. It is solved by collocation with Lobatto's points
// (order 4): with f = φ(t, y) at both ends a, b and the middle m of an interval of length h,
//   z_b = z_a + h/6 (f_a + 4 f_m + f_b),   z_m = (z_a + z_b)/2 + h/8 (f_a − f_b),            (3)
// and F_a = 0 at all points, for all intervals at once by Newton's method with the exact Jacobian.
// Intervals are halved until the results agree.
#pragma once

#include <string>
#include <vector>

#include <koppel/control/servo/reduced_servo.hpp>

namespace koppel {

struct BoundedSolution {
  bool is_found = false;
  std::string text;  // why not, as the end of "… cannot be found: …"
  std::vector<double> t;
  std::vector<std::vector<double>> y;    // by time
  int num_stable = 0, num_unstable = 0;  // eigenvalues at the start
  int num_intervals = 0;
  double error = 0;  // estimated, relative to the largest value of each unknown
};

// The servo problem in the form `minimal-extension:twice`. `times` ascend from the start to the
// end; the solution has them among its own.
BoundedSolution solve_bounded(const ReducedServo& servo, const std::vector<double>& times,
                              double tolerance);

}  // namespace koppel
