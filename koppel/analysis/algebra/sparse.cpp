#include <koppel/analysis/algebra/sparse.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/SparseCholesky>

namespace koppel::sparse {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSparseRoundOff = 1e-13;

double largest_entry(const SparseMatrix& A) {
  return A.nonZeros() == 0 ? 0 : A.coeffs().cwiseAbs().maxCoeff();
}

VectorXd column_norms(const SparseMatrix& A) {
  VectorXd norms(A.cols());
  for (Index j = 0; j < A.cols(); ++j) norms[j] = A.col(j).norm();
  return norms;
}

// The same numbers in every run.
MatrixXd random_vectors(Index rows, Index columns) {
  std::mt19937 random(1);  // NOLINT: a fixed seed, on purpose
  std::uniform_real_distribution<double> unit(-1, 1);
  MatrixXd x(rows, columns);
  for (double& value : x.reshaped()) value = unit(random);
  return x;
}

MatrixXd orthonormal(const MatrixXd& x) {
  return Eigen::HouseholderQR<MatrixXd>(x).householderQ() * MatrixXd::Identity(x.rows(), x.cols());
}

}  // namespace

SparseMatrix evaluate(const MatrixFunction& function, const State& state) {
  const Sparsity& pattern = function.pattern();
  const std::vector<double> values = function.values(state);
  return Eigen::Map<const SparseMatrix>(pattern.num_rows, pattern.num_columns,
                                        pattern.num_entries(), pattern.column_start.data(),
                                        pattern.row.data(), values.data());
}

void add(Triplets& entries, const SparseMatrix& A, Index row, Index column) {
  for (Index j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      entries.emplace_back(static_cast<int>(row + it.row()), static_cast<int>(column + j),
                           it.value());
    }
  }
}

void add_transposed(Triplets& entries, const SparseMatrix& A, Index row, Index column) {
  for (Index j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      entries.emplace_back(static_cast<int>(row + j), static_cast<int>(column + it.row()),
                           it.value());
    }
  }
}

SparseMatrix from(const Triplets& entries, Index rows, Index columns) {
  SparseMatrix A(rows, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

SparseMatrix identity(Index size) {
  SparseMatrix I(size, size);
  I.setIdentity();
  return I;
}

VectorXd row_norms(const SparseMatrix& A) {
  VectorXd squares = VectorXd::Zero(A.rows());
  for (Index j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      squares[it.row()] += it.value() * it.value();
    }
  }
  return squares.cwiseSqrt();
}

SparseMatrix stack(std::initializer_list<SparseMatrix> parts) {
  Triplets entries;
  Index rows = 0, columns = 0;
  for (const SparseMatrix& part : parts) {
    add(entries, part, rows, 0);
    rows += part.rows();
    columns = std::max(columns, part.cols());
  }
  return from(entries, rows, columns);
}

SparseMatrix all_constraints(const Evaluator& evaluator, const State& state) {
  return stack({evaluate(evaluator.G, state), evaluate(evaluator.a, state)});
}

dense::Equilibration equilibrate(const SparseMatrix& A) {
  dense::Equilibration scale{VectorXd::Ones(A.rows()), VectorXd::Ones(A.cols())};
  const double largest = largest_entry(A);
  if (!(largest > 0)) return scale;
  constexpr int kSweeps = 5;
  SparseMatrix B = A / largest;
  scale.rows /= largest;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    VectorXd r = row_norms(B), c = column_norms(B);
    for (double& x : r) x = x > kSparseRoundOff ? 1 / std::sqrt(x) : 1;
    for (double& x : c) x = x > kSparseRoundOff ? 1 / std::sqrt(x) : 1;
    B = r.asDiagonal() * B * c.asDiagonal();
    scale.rows.array() *= r.array();
    scale.columns.array() *= c.array();
  }
  return scale;
}

SparseMatrix scaled(const SparseMatrix& A, const dense::Equilibration& scale) {
  return scale.rows.asDiagonal() * A * scale.columns.asDiagonal();
}

NullSpace null_space(const SparseMatrix& A) {
  const Index n = A.cols();
  SparseMatrix square = SparseMatrix(A.transpose()) * A;
  const double top = std::max(largest_entry(square), 1e-300);
  square += 1e-15 * top * identity(n);
  const Eigen::SimplicialLDLT<SparseMatrix> factors(square);
  // Twice as many vectors until one of them is not of the null space.
  for (Index k = std::min<Index>(8, n);; k = std::min(2 * k, n)) {
    MatrixXd x = orthonormal(random_vectors(n, k));
    constexpr int kRounds = 3;
    for (int i = 0; i < kRounds; ++i) x = orthonormal(factors.solve(x));
    const MatrixXd image = A * x;
    const MatrixXd R = Eigen::HouseholderQR<MatrixXd>(image)
                           .matrixQR()
                           .topRows(std::min(A.rows(), k))
                           .template triangularView<Eigen::Upper>();
    const Eigen::BDCSVD<MatrixXd> values(R, Eigen::ComputeFullV);
    Index rank = 0;
    double next = 0;
    for (Index i = 0; i < values.singularValues().size(); ++i) {
      if (values.singularValues()[i] <= kNullTolerance * std::sqrt(top)) continue;
      ++rank;
      next = values.singularValues()[i] / std::sqrt(top);
    }
    if (rank == 0 && k < n) continue;
    return {x * values.matrixV().rightCols(k - rank), rank == 0 ? 1 : next};
  }
}

Factors::Factors(const SparseMatrix& A) : A_(A) {
  A_.makeCompressed();
  lu_.compute(A_);
  if (lu_.info() != Eigen::Success) return;
  // σ_min of A from the growth of (AᵀA)⁻¹.
  VectorXd x = random_vectors(A.rows(), 1).col(0).normalized();
  constexpr int kRounds = 5;
  for (int i = 0; i < kRounds; ++i) {
    const VectorXd y = lu_.transpose().solve(x);
    const VectorXd z = lu_.solve(y);
    const double growth = z.norm();
    if (!std::isfinite(growth)) return;
    smallest_ = 1 / std::sqrt(growth);
    x = z / growth;
  }
}

VectorXd Factors::solve(const VectorXd& b) const {
  VectorXd x = lu_.solve(b);
  x += lu_.solve(VectorXd(b - A_ * x));
  return x;
}

Saddle::Saddle(const SparseMatrix& W, const SparseMatrix& A, const SparseMatrix& R, double mu)
    : n_(W.rows()), m_(A.rows()), k_(R.rows()), mu_(mu) {
  column_ = W.diagonal().cwiseAbs();
  const double top = std::max(n_ == 0 ? 1 : column_.maxCoeff(), 1e-300);
  for (double& x : column_) x = x > kSparseRoundOff * top ? 1 / std::sqrt(x) : 1 / std::sqrt(top);
  A_ = A * column_.asDiagonal();
  row_ = row_norms(A_);
  const double longest = m_ == 0 ? 1 : std::max(row_.maxCoeff(), 1e-300);
  for (double& x : row_) x = 1 / std::max(x, 1e-3 * longest);
  A_ = row_.asDiagonal() * A_;
  const SparseMatrix by_R = R * column_.asDiagonal();
  Triplets entries;
  add(entries, column_.asDiagonal() * W * column_.asDiagonal(), 0, 0);
  add(entries, A_, n_, 0);
  add_transposed(entries, A_, 0, n_);
  add(entries, by_R, n_ + m_, 0);
  add_transposed(entries, by_R, 0, n_ + m_);
  for (Index i = 0; i < m_ + k_; ++i) {
    entries.emplace_back(static_cast<int>(n_ + i), static_cast<int>(n_ + i), i < m_ ? -mu : -1);
  }
  matrix_ = from(entries, n_ + m_ + k_, n_ + m_ + k_);
  lu_.compute(matrix_);
  is_regular_ = lu_.info() == Eigen::Success;
}

VectorXd Saddle::solve_once(const VectorXd& right) const {
  VectorXd x = lu_.solve(right);
  x += lu_.solve(VectorXd(right - matrix_ * x));
  return x;
}

Saddle::Solution Saddle::solve(const VectorXd& w, const VectorXd& b, const VectorXd& r) const {
  constexpr int kRounds = 12;
  const VectorXd scaled_b = row_.cwiseProduct(b);
  VectorXd lambda = VectorXd::Zero(m_), right(n_ + m_ + k_), x;
  double gap = INFINITY;
  for (int i = 0; i < kRounds; ++i) {
    right << column_.cwiseProduct(w), scaled_b - mu_ * lambda, r;  // Eq. (2)
    x = solve_once(right);
    lambda = x.segment(n_, m_);
    const double now = m_ == 0 ? 0 : (A_ * x.head(n_) - scaled_b).cwiseAbs().maxCoeff();
    if (!(now < 0.5 * gap)) break;
    gap = now;
  }
  return {column_.cwiseProduct(x.head(n_)), row_.cwiseProduct(lambda)};
}

VectorXd Saddle::solve_damped(const VectorXd& b) const {
  VectorXd right = VectorXd::Zero(n_ + m_ + k_);
  right.segment(n_, m_) = row_.cwiseProduct(b);
  return column_.cwiseProduct(solve_once(right).head(n_));
}

}  // namespace koppel::sparse
