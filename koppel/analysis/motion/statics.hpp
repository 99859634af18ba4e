// Static equilibrium: q (and x) near the start at which nothing moves,
//   f(q, 0, t, u) = Gᵀλ + aᵀμ,   g(q, t) = 0,   r(x, q, 0, t, u) = 0.                       (1)
//
// Pseudo-transient continuation [Kelley & Keyes 1998]: the over-damped motion M v = f − Gᵀλ of (1)
// is followed by linear-implicit Euler steps of length τ,
//   [M/τ − (∂(f − Gᵀλ)/∂q) K   Gᵀ] [δ ]   [f]
//   [G                          0 ] [λ⁺] = [−g],                                            (2)
// with τ growing as the residual falls. It so leaves unstable equilibria and ends as Newton's
// method, quadratically, in a stable one near the start. Loads that depend on velocity count at v =
// 0; time stands still. Nonholonomic constraints hold displacements as they hold velocities: a δ =
// 0.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct StaticsOptions {
  double tolerance = 1e-11;  // of the residual, relative to the largest force
  int max_iterations = 1000;
};

struct Equilibrium {
  bool is_found = false;
  State state;  // v = 0
  std::vector<double> lambda, mu;
  double residual = 0;  // largest unbalanced force
  int iterations = 0;
  std::string text;
};

// `start` should be assembled; its velocities are ignored.
Equilibrium find_equilibrium(const Evaluator& evaluator, const State& start,
                             const StaticsOptions& options = {});

}  // namespace koppel
