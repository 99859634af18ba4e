#include <koppel/analysis/accelerations.hpp>

#include <koppel/analysis/dense.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRankTolerance = 1e-10;

struct Kkt {
  MatrixXd matrix;
  VectorXd right;
  Eigen::Index num_v = 0;
};

Kkt assemble_kkt(const Evaluator& evaluator, const State& state) {
  const Matrix M = evaluator.M(state), C = evaluator.all_constraints(state);
  const std::vector<double> f = evaluator.f(state), gamma = evaluator.all_gamma(state);
  const Eigen::Index n = M.columns, m = C.rows;
  Kkt kkt{MatrixXd::Zero(n + m, n + m), VectorXd(n + m), n};
  kkt.matrix.topLeftCorner(n, n) = dense::view(M);
  kkt.matrix.bottomLeftCorner(m, n) = dense::view(C);
  kkt.matrix.topRightCorner(n, m) = dense::view(C).transpose();
  kkt.right << dense::view(f), -dense::view(gamma);
  return kkt;
}

// Symmetric scaling D A D with rows of norm near 1.
VectorXd symmetric_scale(const MatrixXd& A) {
  const dense::Equilibration e = dense::equilibrate(A);
  return e.rows.cwiseProduct(e.columns).cwiseSqrt();
}

// Removes from the solution what the null space of the KKT matrix leaves open, by orthogonality to
// it in unscaled multipliers.
void take_least_norm(const MatrixXd& A, VectorXd& x, Eigen::Index num_v, Accelerations& result) {
  const MatrixXd N = dense::null_space(A, kRankTolerance);
  if (N.cols() == 0) return;
  x -= N * (N.transpose() * x);
  const double motion = N.topRows(num_v).cwiseAbs().maxCoeff();
  const double force = N.bottomRows(N.rows() - num_v).size() == 0
                           ? 0
                           : N.bottomRows(N.rows() - num_v).cwiseAbs().maxCoeff();
  constexpr double kSupport = 1e-7;  // N is orthonormal
  result.is_underdetermined = motion > kSupport;
  result.is_redundant = force > kSupport;
}

}  // namespace

Accelerations solve_accelerations(const Evaluator& evaluator, const State& state) {
  Accelerations result;
  const Kkt kkt = assemble_kkt(evaluator, state);
  const Eigen::Index size = kkt.matrix.rows();
  if (size == 0) return result;
  const VectorXd d = symmetric_scale(kkt.matrix);
  const MatrixXd A = d.asDiagonal() * kkt.matrix * d.asDiagonal();
  const VectorXd b = d.cwiseProduct(kkt.right);

  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod(size, size);
  cod.setThreshold(kRankTolerance);
  cod.compute(A);
  VectorXd x = cod.solve(b);
  x += cod.solve(b - A * x);  // one refinement
  x = d.cwiseProduct(x).eval();
  if (cod.rank() < size) take_least_norm(kkt.matrix, x, kkt.num_v, result);
  const VectorXd terms = kkt.matrix.cwiseAbs() * x.cwiseAbs() + kkt.right.cwiseAbs();
  const VectorXd rest = (kkt.right - kkt.matrix * x).cwiseAbs();
  for (Eigen::Index i = 0; i < size; ++i) {
    if (terms[i] > 0) result.residual = std::max(result.residual, rest[i] / terms[i]);
  }
  const auto n_g = static_cast<Eigen::Index>(evaluator.equations.num_g());
  result.v_rate = dense::to_vector(x.head(kkt.num_v));
  result.lambda = dense::to_vector(x.segment(kkt.num_v, n_g));
  result.mu = dense::to_vector(x.tail(size - kkt.num_v - n_g));
  return result;
}

}  // namespace koppel
