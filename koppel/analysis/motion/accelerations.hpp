// Accelerations and multipliers at a state, from the equations of motion and the constraints
// differentiated twice:
//
//   [M  Gᵀ aᵀ] [v̇]   [   f  ]
//   [G  0  0 ] [λ] = [−gamma]
//   [a  0  0 ] [μ]   [−alpha]
//
// M may be singular as long as it is regular where the constraints leave freedom. Where
// constraints repeat each other (consistently), v̇ is unique and the multipliers are those of least
// norm. Dense, O((n_v + n_g + n_a)³), up to 400 unknowns; above by sparse elimination.
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct Accelerations {
  std::vector<double> v_rate, lambda, mu;
  bool is_redundant = false;  // the multipliers are not unique
  // Not all accelerations are determined: a motion without mass that no constraint forbids. v_rate
  // is then that of least norm.
  bool is_underdetermined = false;
  double residual = 0;  // what remains of the equations, relative to their terms
};

Accelerations solve_accelerations(const Evaluator& evaluator, const State& state);

// The same with multipliers 0 for the rows of [g; a] that are left out because they repeat others:
// the accelerations are not changed by that, the other multipliers take over.
Accelerations solve_accelerations(const Evaluator& evaluator, const State& state,
                                  std::span<const int> leave_out);

}  // namespace koppel
