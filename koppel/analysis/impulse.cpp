#include <koppel/analysis/impulse.hpp>

#include <koppel/analysis/dense.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRankTolerance = 1e-10;

// The rows of (1): [M Cᵀ; C 0] (Δv, Λ) = (right, below), Λ of least norm where rows repeat others.
VectorXd solve_jump(const MatrixXd& M, const MatrixXd& C, const VectorXd& right,
                    const VectorXd& below) {
  const Index n = M.rows(), m = C.rows();
  MatrixXd A = MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = M;
  A.topRightCorner(n, m) = C.transpose();
  A.bottomLeftCorner(m, n) = C;
  const dense::Equilibration scale = dense::equilibrate(A);
  const VectorXd b = dense::concatenate({right, below});
  const VectorXd x =
      dense::solve_least_norm(scale.rows.asDiagonal() * A * scale.columns.asDiagonal(),
                              scale.rows.cwiseProduct(b), kRankTolerance);
  return scale.columns.cwiseProduct(x).head(n);
}

MatrixXd motions_of(const Evaluator& evaluator, const State& state, std::span<const Expr> rates) {
  const Equations& e = evaluator.equations;
  const Matrix J = MatrixFunction(e, jacobian(rates, e.v))(state);
  return dense::view(J);
}

}  // namespace

std::vector<double> velocities_after_impulse(const Evaluator& evaluator, const State& state,
                                             std::span<const Expr> rates,
                                             std::span<const double> P) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const MatrixXd J = motions_of(evaluator, state, rates);
  const VectorXd force =
      J.transpose() * Eigen::Map<const VectorXd>(P.data(), static_cast<Index>(P.size()));
  const VectorXd jump = solve_jump(dense::view(M), dense::view(C), force, VectorXd::Zero(C.rows));
  return dense::to_vector(dense::view(state.v) + jump);
}

std::optional<std::vector<double>> velocities_after_impact(const Evaluator& evaluator,
                                                           const State& state, Expr rate,
                                                           double e) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const std::vector<Expr> rates = {rate};
  const MatrixXd J = motions_of(evaluator, state, rates);
  const double before = VectorFunction(evaluator.equations, rates)(state)[0];
  VectorXd below = VectorXd::Zero(C.rows + 1);
  below[C.rows] = -(1 + e) * before;
  const VectorXd jump =
      solve_jump(dense::view(M), dense::stack({dense::view(C), J}), VectorXd::Zero(M.rows), below);
  const double off = std::abs((J * jump)[0] - below[C.rows]);
  constexpr double kReached = 1e-6;  // of the jump: a motion that is not there gives none of it
  if (!(off <= kReached * std::abs(below[C.rows]))) return {};
  return dense::to_vector(dense::view(state.v) + jump);
}

}  // namespace koppel
