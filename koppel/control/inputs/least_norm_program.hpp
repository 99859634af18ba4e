// The quadratic programme of least norm with inequalities,
//   min ½|x|²   subject to   A x ≥ b,                                                        (1)
// by the dual active-set method of [Goldfarb & Idnani 1983]: from x = 0 the row that is violated
// most is added to the active ones, and those whose multiplier would become negative are dropped on
// the way, until none is violated. |x| grows with every row added, so that the method ends.
//
// `solve_relaxed` always has a solution:
//   min ½|x|² + ½ρ²|ε|²   subject to   A x + ε ≥ b,                                          (2)
// with a large ρ. Where (1) has solutions, ε is 1/ρ² of its multipliers, which is round-off; where
// it has none, ε is the least violation, in the sense of least squares, up to |x|²/ρ². (2) is
// strictly convex and always feasible, and its rows are independent: x and ε are Lipschitz
// continuous functions of A and b.
//
// For some ten unknowns and rows: dense, O(n³) for every change of the active rows.
#pragma once

#include <vector>

#include <Eigen/Dense>

namespace koppel {

struct LeastNorm {
  bool is_found = false;
  Eigen::VectorXd x;
  Eigen::VectorXd violation;         // ε of (2), by rows
  std::vector<Eigen::Index> active;  // rows, ascending
};

// (1). Not found: there is no such x.
LeastNorm solve_least_norm_program(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
// (2)
LeastNorm solve_relaxed(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace koppel
