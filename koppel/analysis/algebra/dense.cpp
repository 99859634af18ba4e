#include <koppel/analysis/algebra/dense.hpp>

#include <cmath>

namespace koppel::dense {
namespace {

constexpr double kEntryRoundOff = 1e-13;

// 1/norm of every row, 1 for rows that are round-off.
Eigen::VectorXd row_factors(const Eigen::MatrixXd& A) {
  Eigen::VectorXd factors = Eigen::VectorXd::Ones(A.rows());
  if (A.size() == 0) return factors;
  const double largest = A.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double norm = A.row(i).norm();
    factors[i] = 1 / (norm > kEntryRoundOff * largest ? norm : largest > 0 ? largest : 1);
  }
  return factors;
}

}  // namespace

Matrix to_matrix(const Eigen::MatrixXd& m) {
  Matrix result(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
  view(result) = m;
  return result;
}

std::vector<double> to_vector(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

Eigen::MatrixXd stack(std::initializer_list<Eigen::MatrixXd> parts) {
  Eigen::Index rows = 0, columns = 0;
  for (const auto& part : parts) {
    rows += part.rows();
    columns = std::max(columns, part.cols());
  }
  Eigen::MatrixXd all(rows, columns);
  Eigen::Index row = 0;
  for (const auto& part : parts) {
    if (part.rows() > 0) all.middleRows(row, part.rows()) = part;
    row += part.rows();
  }
  return all;
}

Eigen::VectorXd concatenate(std::initializer_list<Eigen::VectorXd> parts) {
  Eigen::Index size = 0;
  for (const auto& part : parts) size += part.size();
  Eigen::VectorXd all(size);
  Eigen::Index first = 0;
  for (const auto& part : parts) {
    all.segment(first, part.size()) = part;
    first += part.size();
  }
  return all;
}

Equilibration equilibrate(const Eigen::MatrixXd& A) {
  Equilibration scale{Eigen::VectorXd::Ones(A.rows()), Eigen::VectorXd::Ones(A.cols())};
  if (A.size() == 0) return scale;
  const double largest = A.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return scale;
  constexpr int kSweeps = 5;  // each halves the logarithm of the largest deviation from 1
  Eigen::MatrixXd B = A / largest;
  scale.rows /= largest;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    Eigen::VectorXd r = B.rowwise().norm(), c = B.colwise().norm();
    for (double& x : r) x = x > kEntryRoundOff ? 1 / std::sqrt(x) : 1;
    for (double& x : c) x = x > kEntryRoundOff ? 1 / std::sqrt(x) : 1;
    B = r.asDiagonal() * B * c.asDiagonal();
    scale.rows.array() *= r.array();
    scale.columns.array() *= c.array();
  }
  return scale;
}

Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                 double threshold) {
  if (A.size() == 0) return Eigen::VectorXd::Zero(A.cols());
  const Eigen::VectorXd factors = row_factors(A);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod(A.rows(), A.cols());
  cod.setThreshold(threshold);
  cod.compute(factors.asDiagonal() * A);
  return cod.solve(factors.cwiseProduct(b));
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double threshold) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  // Q of Aᵀ P = Q R: its last n − rank columns are orthogonal to all rows of A.
  const Eigen::VectorXd factors = row_factors(A);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(n, A.rows());
  qr.setThreshold(threshold);
  qr.compute((factors.asDiagonal() * A).transpose());
  const Eigen::MatrixXd Q = qr.householderQ();
  return Q.rightCols(n - qr.rank());
}

}  // namespace koppel::dense
