// The first stretch of a motion that starts in a singular configuration, or close to one.
//
// There the matrix of the accelerations is singular, and no integrator can begin. But along its
// branch the motion is smooth, and so are its accelerations, as limits from both sides. So the
// first steps are taken by collocation at Gauss points, none of which is at the start: with the
// eight points t_i of an interval,
//   y(t) = y(t₀) + Σ_j ∫_{t₀}^t ℓ_j(τ) dτ ẏ(t_j),      ℓ_j(t_i) = 1 for i = j, else 0.     (1)
// The first interval is [t₀ − h, t₀ + h], which keeps the points away from the start, where the
// motion can be continued to the times before; others begin where the one before ended. (1) is
// solved by repeated substitution; positions and velocities are moved onto the constraints before
// rates are taken, which keeps the motion on its branch. The rows that repeat others there are left
// out, so that those that are left are independent at all points but the start. The accelerations
// come from the null space of C, the solution of
//   NᵀM N a = Nᵀ(f − M w),  v̇ = w + N a,  C w = −γ,  C N = 0,                              (2)
// because the errors of (2) grow as the inverse of the distance from the singular configuration,
// those of the matrix [M Cᵀ; C 0] as its square. Dense.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

class Departure {
 public:
  bool is_found = false;
  std::string text;  // where it is not: why
  State begin, end;

  // begin.t ≤ t ≤ end.t.
  State at(double t) const;

  struct Stretch {
    State begin;
    double length = 0;         // of the interval of the points, in time
    double origin = 0;         // the part of it that is before `begin`
    std::vector<State> rates;  // q, v, x: their rates at the Gauss points
  };
  std::vector<Stretch> stretches;
};

// From a state whose velocities are along its branch, or 0; `beside` is a state on the branch, to
// its pivot the way goes (rank.hpp), and `leave_out` are the rows that repeat others there.
// `tangents` spans the branch at the start (n_v × freedoms, 0 where drives prescribe all motion);
// without rows, the null space does.
Departure depart(const Evaluator& evaluator, const State& start, const Matrix& tangents,
                 const std::vector<int>& leave_out, double pivot);

}  // namespace koppel
