#include <koppel/analysis/algebra/factors.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace koppel::dense {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct LeastNorm::Factors {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> of;
};

LeastNorm::LeastNorm(const MatrixXd& A)
    : factors_(new Factors{Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A)}) {}

LeastNorm::LeastNorm(const MatrixXd& A, double threshold) {
  auto factors = std::make_unique<Factors>();
  factors->of.setThreshold(threshold);
  factors->of.compute(A);
  factors_ = std::move(factors);
}

LeastNorm::~LeastNorm() = default;

Eigen::Index LeastNorm::rank() const { return factors_->of.rank(); }
MatrixXd LeastNorm::solve(const MatrixXd& b) const { return factors_->of.solve(b); }

std::optional<VectorXd> solve_regular(const MatrixXd& A, const VectorXd& b, double threshold) {
  const Eigen::PartialPivLU<MatrixXd> lu(A);
  // The estimate of the condition asks for pivots that are numbers and not 0.
  const Eigen::ArrayXd pivots = lu.matrixLU().diagonal().array().abs();
  if (!(pivots > threshold * pivots.maxCoeff()).all() || !(lu.rcond() > threshold)) return {};
  VectorXd x = lu.solve(b);
  x += lu.solve(b - A * x);
  return x;
}

MatrixXd solve_least_squares(const MatrixXd& A, const MatrixXd& b) {
  return A.colPivHouseholderQr().solve(b);
}

std::vector<int> independent_columns(const MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A.rows(), A.cols());
  if (threshold > 0) qr.setThreshold(threshold);
  qr.compute(A);
  const auto& order = qr.colsPermutation().indices();
  return {order.data(), order.data() + qr.rank()};
}

Singular singular_values(const MatrixXd& A, Vectors vectors) {
  const unsigned wanted = vectors == Vectors::Full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                                   : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::JacobiSVD<MatrixXd> svd(A, wanted);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

Eigenvalues eigenvalues(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigenvalues eigenvalues_only(const MatrixXd& A) {
  return {Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues(), {}};
}

}  // namespace koppel::dense
