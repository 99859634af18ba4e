#include <koppel/analysis/motion/accelerations.hpp>

#include <algorithm>
#include <optional>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/algebra/sparse.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kForceRankTolerance = 1e-10;
constexpr double kRegular = 1e-7;  // conditions for which elimination is as good as QR

struct Kkt {
  MatrixXd matrix;
  VectorXd right;
  Eigen::Index num_v = 0;
};

Kkt assemble_kkt(const Evaluator& evaluator, const State& state) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
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

// Where the matrix is singular or nearly so: by the null space N of C,
//   C w = −γ,   NᵀM N a = Nᵀ(f − M w),   v̇ = w + N a,   Cᵀλ = f − M v̇,
// each solved with least norm. Close to a singular configuration with the smallest singular value σ
// of C the matrix has σ², which cannot be told from 0 long before σ; this sees σ itself.
VectorXd solve_by_null_space(const Kkt& kkt, Accelerations& result) {
  const Eigen::Index n = kkt.num_v, m = kkt.matrix.rows() - n;
  const MatrixXd M = kkt.matrix.topLeftCorner(n, n), C = kkt.matrix.bottomLeftCorner(m, n);
  const VectorXd f = kkt.right.head(n);
  // Velocities in the metric of masses, so that small ones beside large ones are no zeros.
  constexpr double kMassless = 1e-12;  // of the largest
  const VectorXd masses = M.diagonal().cwiseAbs();
  const double most = masses.maxCoeff() > 0 ? masses.maxCoeff() : 1;
  const VectorXd d = masses.cwiseMax(kMassless * most).cwiseSqrt().cwiseInverse();
  const MatrixXd eased = C * d.asDiagonal();
  VectorXd v_rate =
      d.cwiseProduct(dense::solve_least_norm(eased, kkt.right.tail(m), kForceRankTolerance));
  const MatrixXd N = d.asDiagonal() * dense::null_space(eased, kForceRankTolerance);
  if (N.cols() > 0) {
    const MatrixXd reduced = N.transpose() * M * N;
    const dense::LeastNorm factors(reduced, kForceRankTolerance);
    v_rate += N * factors.solve(N.transpose() * (f - M * v_rate));
    result.is_underdetermined = factors.rank() < N.cols();
    if (result.is_underdetermined) {
      // What is left open is taken away, by orthogonality to it.
      const MatrixXd open = N * dense::null_space(reduced, kForceRankTolerance);
      v_rate -= open * dense::solve_least_squares(open, v_rate);
    }
  }
  result.is_redundant = n - N.cols() < m;
  VectorXd x(n + m);
  x << v_rate, dense::solve_least_norm(C.transpose(), f - M * v_rate, kForceRankTolerance);
  return x;
}

// Splits (v̇, λ, μ), and measures what remains of the equations, from |A||x| + |b| and |b − A x|.
Accelerations split(const Evaluator& evaluator, const VectorXd& x, const VectorXd& terms,
                    const VectorXd& rest) {
  Accelerations result;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (terms[i] > 0) result.residual = std::max(result.residual, rest[i] / terms[i]);
  }
  const auto n_v = static_cast<Eigen::Index>(evaluator.equations->num_v());
  const auto n_g = static_cast<Eigen::Index>(evaluator.equations->num_g());
  result.v_rate = dense::to_vector(x.head(n_v));
  result.lambda = dense::to_vector(x.segment(n_v, n_g));
  result.mu = dense::to_vector(x.tail(x.size() - n_v - n_g));
  return result;
}

// Sparse elimination; where constraints repeat each other, by the method of multipliers. Nothing
// where accelerations stay open: the dense way then finds those of least norm.
std::optional<Accelerations> solve_sparse(const Evaluator& evaluator, const State& state) {
  using sparse::SparseMatrix;
  const SparseMatrix M = sparse::evaluate(*evaluator.M, state);
  const SparseMatrix C = sparse::all_constraints(evaluator, state);
  const VectorXd f = dense::view(evaluator.f(state)),
                 gamma = dense::view(evaluator.all_gamma(state));
  const Eigen::Index n = M.rows(), m = C.rows();
  sparse::Triplets entries;
  sparse::add(entries, M, 0, 0);
  sparse::add(entries, C, n, 0);
  sparse::add_transposed(entries, C, 0, n);
  const SparseMatrix A = sparse::from(entries, n + m, n + m);
  VectorXd b(n + m), x(n + m);
  b << f, -gamma;

  const dense::Equilibration scale = sparse::equilibrate(A);
  const sparse::Factors factors(sparse::scaled(A, scale));
  const bool is_redundant = factors.smallest_singular_value() < kForceRankTolerance;
  if (!is_redundant) {
    x = scale.columns.cwiseProduct(factors.solve(scale.rows.cwiseProduct(b)));
  } else {
    const sparse::Saddle saddle(M, C, SparseMatrix(0, n));
    if (!saddle.is_regular()) return {};
    const sparse::Saddle::Solution solution = saddle.solve(f, -gamma, VectorXd());
    // Least norm without scaling.
    const MatrixXd Y = sparse::null_space(SparseMatrix(C.transpose())).basis;
    x << solution.z, solution.lambda - Y * (Y.transpose() * solution.lambda);
  }
  const VectorXd terms = A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
  Accelerations result = split(evaluator, x, terms, (b - A * x).cwiseAbs());
  result.is_redundant = is_redundant;
  constexpr double kSolved = 1e-6;
  if (!(result.residual < kSolved) && is_redundant) return {};
  return result;
}

}  // namespace

Accelerations solve_accelerations(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  if (!e.v_rate.empty()) {
    Accelerations result;
    result.v_rate = evaluator.v_rate(state);
    if (dense::view(result.v_rate).allFinite()) return result;
  }
  if (sparse::is_large(e.num_v() + e.num_rows())) {
    if (std::optional<Accelerations> result = solve_sparse(evaluator, state)) return *result;
  }
  if (e.num_v() == 0) {  // all constraints, if there are any, are between fixed things
    Accelerations result;
    result.lambda.resize(e.num_g());
    result.mu.resize(e.num_a());
    result.is_redundant = e.num_rows() > 0;
    return result;
  }
  const Kkt kkt = assemble_kkt(evaluator, state);
  const Eigen::Index size = kkt.matrix.rows();
  const VectorXd d = symmetric_scale(kkt.matrix);
  const MatrixXd A = d.asDiagonal() * kkt.matrix * d.asDiagonal();
  const VectorXd b = d.cwiseProduct(kkt.right);

  Accelerations open;
  VectorXd x;
  if (std::optional<VectorXd> regular = dense::solve_regular(A, b, kRegular)) {
    x = d.cwiseProduct(*regular);
  } else {
    const dense::LeastNorm factors(A, kForceRankTolerance);
    x = factors.solve(b);
    x += factors.solve(b - A * x);  // one refinement
    x = d.cwiseProduct(x).eval();
    if (factors.rank() < size) x = solve_by_null_space(kkt, open);
  }
  const VectorXd terms = kkt.matrix.cwiseAbs() * x.cwiseAbs() + kkt.right.cwiseAbs();
  Accelerations result = split(evaluator, x, terms, (kkt.right - kkt.matrix * x).cwiseAbs());
  result.is_redundant = open.is_redundant;
  result.is_underdetermined = open.is_underdetermined;
  return result;
}

Accelerations solve_accelerations(const Evaluator& evaluator, const State& state,
                                  std::span<const int> leave_out) {
  Accelerations result = solve_accelerations(evaluator, state);
  if (leave_out.empty()) return result;
  // Cᵀλ = f − M v̇ over the rows that are kept.
  MatrixXd C = dense::view(evaluator.all_constraints(state));
  for (const int row : leave_out) C.row(row).setZero();
  const VectorXd force = dense::view(evaluator.f(state)) -
                         dense::view((*evaluator.M)(state)) * dense::view(result.v_rate);
  const VectorXd multipliers = dense::LeastNorm(C.transpose()).solve(force);
  const auto n_g = static_cast<Eigen::Index>(evaluator.equations->num_g());
  result.lambda = dense::to_vector(multipliers.head(n_g));
  result.mu = dense::to_vector(multipliers.tail(multipliers.size() - n_g));
  return result;
}

}  // namespace koppel
