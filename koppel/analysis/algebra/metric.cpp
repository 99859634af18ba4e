#include <koppel/analysis/algebra/metric.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <Eigen/SparseCholesky>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using sparse::SparseMatrix;

constexpr double kMetricRankTolerance = 1e-9;
// Steps of this many coordinates are faster with sparse matrices. No rank is decided by them.
constexpr Index kSparse = 150;
// Of the largest mass, or the largest moment of inertia: given to motions that have less.
constexpr double kMassless = 1e-6;

// For each velocity the largest mass of those that have its unit: masses and moments of inertia of
// small mechanisms are many powers of ten apart.
VectorXd largest_masses(const Equations& e, const VectorXd& masses) {
  std::map<std::string_view, double> largest;
  double top = 0;
  for (Index i = 0; i < masses.size(); ++i) {
    double& mass = largest[e.about.v[static_cast<std::size_t>(i)].unit];
    mass = std::max(mass, std::abs(masses[i]));
    top = std::max(top, mass);
  }
  if (!(top > 0)) top = 1;
  VectorXd out(masses.size());
  for (Index i = 0; i < masses.size(); ++i) {
    const double mass = largest[e.about.v[static_cast<std::size_t>(i)].unit];
    out[i] = mass > 0 ? mass : top;
  }
  return out;
}

// M with its small addition.
SparseMatrix definite_mass(const Evaluator& evaluator, const State& state) {
  SparseMatrix M =
      sparse::evaluate(*evaluator.M, state) + 0 * sparse::identity(evaluator.M->rows());
  const VectorXd top = largest_masses(evaluator.equations, M.diagonal());
  constexpr double kDefinite = 1e-8;  // keeps a semidefinite M factorable
  for (Index i = 0; i < M.rows(); ++i) {
    double& mass = M.coeffRef(i, i);
    mass += mass < kMassless * top[i] ? kMassless * top[i] : kDefinite * mass;
  }
  return M;
}

// An indefinite M at the guess (a Lagrangian with a mistake): its diagonal is metric enough.
VectorXd diagonal_mass(const SparseMatrix& M) {
  const VectorXd diagonal = M.diagonal().cwiseAbs();
  return diagonal.cwiseMax(kMassless * diagonal.maxCoeff());
}

// Lᵀ with M + ε I = L Lᵀ.
MatrixXd metric_factor(const Evaluator& evaluator, const State& state) {
  const SparseMatrix M = definite_mass(evaluator, state);
  const Eigen::LLT<MatrixXd> llt{MatrixXd(M)};
  if (llt.info() == Eigen::Success) return llt.matrixU();
  return VectorXd(diagonal_mass(M).cwiseSqrt()).asDiagonal();
}

// With coordinates y of Euclidean metric, q − q₀ = P y.
class DenseMetric : public Metric {
 public:
  explicit DenseMetric(MatrixXd P) : P_(std::move(P)), inverse_(P_) {}

  VectorXd row_lengths(const SparseMatrix& A) const override { return (A * P_).rowwise().norm(); }

  VectorXd damped_step(const SparseMatrix& A, const VectorXd& scale, const VectorXd& c,
                       double root_mu) const override {
    const Index m = A.rows(), n = P_.cols();
    MatrixXd B(m + n, n);
    B.topRows(m) = scale.asDiagonal() * MatrixXd(A * P_);
    B.bottomRows(n) = std::max(root_mu, 1e-9) * MatrixXd::Identity(n, n);
    VectorXd right = VectorXd::Zero(m + n);
    right.head(m) = -scale.cwiseProduct(c);
    return P_ * Eigen::HouseholderQR<MatrixXd>(B).solve(right);
  }

  double length(const VectorXd& dq) const override { return inverse_.solve(dq).norm(); }

  VectorXd solve(const VectorXd& gradient) const override {
    return P_ * (P_.transpose() * gradient);
  }

  VectorXd step_along(const SparseMatrix& A, const VectorXd& offset,
                      const PullRows& pull) const override {
    const MatrixXd N = dense::null_space(A * P_, kMetricRankTolerance);
    if (N.cols() == 0) return VectorXd::Zero(P_.rows());
    const VectorXd y = inverse_.solve(offset);
    const MatrixXd rows = dense::stack({N, pull.R * MatrixXd(P_ * N)});
    return P_ * (N * rows.colPivHouseholderQr().solve(dense::concatenate({VectorXd(-y), pull.r})));
  }

 private:
  MatrixXd P_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> inverse_;
};

class SparseMetric : public Metric {
 public:
  SparseMetric(SparseMatrix B, SparseMatrix W)
      : B_(std::move(B)),
        W_(std::move(W)),
        inverse_(SparseMatrix(B_.transpose()) * B_ + 1e-14 * sparse::identity(B_.cols())) {}

  // By the diagonal of W: what the rows are scaled with need not be exact.
  VectorXd row_lengths(const SparseMatrix& A) const override {
    const VectorXd weight = W_.diagonal().cwiseSqrt().cwiseInverse();
    const SparseMatrix by_z = A * B_;
    return sparse::row_norms(by_z * weight.asDiagonal());
  }

  VectorXd damped_step(const SparseMatrix& A, const VectorXd& scale, const VectorXd& c,
                       double root_mu) const override {
    const double damping = std::max(root_mu, 1e-6);
    const sparse::Saddle saddle(W_, scale.asDiagonal() * (A * B_), SparseMatrix(0, W_.cols()),
                                damping * damping);
    if (!saddle.is_regular()) return VectorXd::Zero(B_.rows());
    return B_ * saddle.solve_damped(-scale.cwiseProduct(c));
  }

  double length(const VectorXd& dq) const override {
    const VectorXd z = coordinates(dq);
    return std::sqrt(std::max(0.0, z.dot(W_ * z)));
  }

  VectorXd solve(const VectorXd& gradient) const override {
    return B_ * Eigen::SimplicialLDLT<SparseMatrix>(W_).solve(B_.transpose() * gradient);
  }

  VectorXd step_along(const SparseMatrix& A, const VectorXd& offset,
                      const PullRows& pull) const override {
    const sparse::Saddle saddle(W_, A * B_, pull.R * B_);
    if (!saddle.is_regular()) return VectorXd::Zero(B_.rows());
    return B_ * saddle.solve(-(W_ * coordinates(offset)), VectorXd::Zero(A.rows()), pull.r).z;
  }

 private:
  VectorXd coordinates(const VectorXd& dq) const { return inverse_.solve(B_.transpose() * dq); }

  SparseMatrix B_, W_;
  Eigen::SimplicialLDLT<SparseMatrix> inverse_;
};

std::unique_ptr<Metric> make_sparse_metric(const Evaluator& evaluator, const State& state) {
  const SparseMatrix K = sparse::evaluate(evaluator.K, state);
  const SparseMatrix h_q = sparse::evaluate(evaluator.h_q, state);
  const SparseMatrix M = mass_metric(evaluator, state);
  const Index n_v = K.cols(), n_h = h_q.rows();
  sparse::Triplets B, W;
  sparse::add(B, K, 0, 0);
  sparse::add_transposed(B, h_q, 0, n_v);
  sparse::add(W, M, 0, 0);
  sparse::add(W, M.diagonal().maxCoeff() * sparse::identity(n_h), n_v, n_v);
  return std::make_unique<SparseMetric>(sparse::from(B, K.rows(), n_v + n_h),
                                        sparse::from(W, n_v + n_h, n_v + n_h));
}

}  // namespace

SparseMatrix mass_metric(const Evaluator& evaluator, const State& state) {
  SparseMatrix M = definite_mass(evaluator, state);
  if (M.rows() == 0) return M;
  if (Eigen::SimplicialLLT<SparseMatrix>(M).info() == Eigen::Success) return M;
  return SparseMatrix(diagonal_mass(M).asDiagonal());
}

double largest_weight(const Evaluator& evaluator, const State& state) {
  if (evaluator.equations->v.empty()) return 1;
  if (sparse::is_large(evaluator.equations->num_v())) {
    return std::sqrt(definite_mass(evaluator, state).diagonal().maxCoeff());
  }
  return metric_factor(evaluator, state).cwiseAbs().maxCoeff();
}

std::unique_ptr<Metric> make_metric(const Evaluator& evaluator, const State& state) {
  if (static_cast<Index>(evaluator.equations->num_q()) > kSparse) {
    return make_sparse_metric(evaluator, state);
  }
  const MatrixXd K = dense::view(evaluator.K(state)), h_q = dense::view(evaluator.h_q(state));
  const MatrixXd U = metric_factor(evaluator, state);
  const Index n_q = K.rows(), n_v = K.cols(), n_h = h_q.rows();
  MatrixXd P(n_q, n_v + n_h);
  P.leftCols(n_v) = U.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(K);
  // η weighs as much as the heaviest motion.
  P.rightCols(n_h) = h_q.transpose() / largest_weight(evaluator, state);
  return std::make_unique<DenseMetric>(std::move(P));
}

std::unique_ptr<Metric> make_metric(const SparseMatrix& S) {
  const Index n = S.rows();
  if (n > kSparse) return std::make_unique<SparseMetric>(sparse::identity(n), S);
  const MatrixXd U = Eigen::LLT<MatrixXd>{MatrixXd(S)}.matrixU();
  const MatrixXd unit = MatrixXd::Identity(n, n);
  return std::make_unique<DenseMetric>(U.triangularView<Eigen::Upper>().solve(unit));
}

std::unique_ptr<Metric> make_euclidean_metric(Index num_q) {
  if (num_q > kSparse) {
    return std::make_unique<SparseMetric>(sparse::identity(num_q), sparse::identity(num_q));
  }
  return std::make_unique<DenseMetric>(MatrixXd::Identity(num_q, num_q));
}

VectorXd nearest_velocity(const SparseMatrix& W, const SparseMatrix& A, const VectorXd& b,
                          const PullRows& pull, const VectorXd& v0) {
  if (A.rows() == 0 && pull.r.size() == 0) return v0;
  if (sparse::is_large(W.rows())) {
    const sparse::Saddle saddle(W, A, pull.R);
    return v0 + saddle.solve(VectorXd::Zero(v0.size()), b - A * v0, pull.r - pull.R * v0).z;
  }
  const MatrixXd U = Eigen::LLT<MatrixXd>{MatrixXd(W)}.matrixU(), rows = A;
  const auto upper = U.triangularView<Eigen::Upper>();
  const MatrixXd scaled = upper.solve<Eigen::OnTheRight>(rows);
  VectorXd v = v0 + upper.solve(dense::solve_least_norm(scaled, b - rows * v0, kMetricRankTolerance));
  const MatrixXd N = dense::null_space(rows, kMetricRankTolerance);
  if (N.cols() > 0 && pull.r.size() > 0) {
    const MatrixXd B = dense::stack({U * N, pull.R * N});
    v += N * B.colPivHouseholderQr().solve(
                 dense::concatenate({VectorXd(U * (v0 - v)), VectorXd(pull.r - pull.R * v)}));
  }
  return v;
}

}  // namespace koppel
