#include <koppel/integrate/null_space_solver.hpp>

#include <cmath>

#include <Eigen/Dense>

namespace koppel {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct NullSpaceSolver::Impl {
  // Places: of each row among those with multipliers (≥ 0) or the others (−1 − place), the same for
  // columns.
  std::vector<Index> row_place, column_place;
  Sparsity pattern;
  Index n = 0, m = 0, r = 0;  // unknowns but multipliers, multipliers, rows with multipliers
  MatrixXd A, B, Q, reduced;
  Eigen::HouseholderQR<MatrixXd> qr;
  Eigen::PartialPivLU<MatrixXd> lu;
  VectorXd scratch, right, u, motion, lambda;

  void fill(std::span<const double> values);
};

NullSpaceSolver::NullSpaceSolver(const Sparsity& pattern, std::span<const char> is_multiplier)
    : impl_(std::make_unique<Impl>()) {
  Impl& s = *impl_;
  s.pattern = pattern;
  std::vector<char> has_multiplier(static_cast<std::size_t>(pattern.num_rows), false);
  for (std::size_t j = 0; j < is_multiplier.size(); ++j) {
    s.column_place.push_back(is_multiplier[j] ? s.m++ : -1 - s.n++);
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      if (is_multiplier[j]) {
        has_multiplier[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)])] = true;
      }
    }
  }
  Index others = 0;
  for (const char has : has_multiplier) s.row_place.push_back(has ? s.r++ : -1 - others++);
  s.A.setZero(s.r, s.n);
  s.B.setZero(s.r, s.m);
  s.Q.setIdentity(s.r, s.r);
  s.reduced.setZero(s.n, s.n);
  s.qr = Eigen::HouseholderQR<MatrixXd>(s.r, s.m);
  s.lu = Eigen::PartialPivLU<MatrixXd>(s.n);
  s.scratch.setZero(s.r);
  s.right.setZero(s.n);
  s.u.setZero(s.n);
  s.motion.setZero(s.r);
  s.lambda.setZero(s.m);
}

NullSpaceSolver::~NullSpaceSolver() = default;
NullSpaceSolver::NullSpaceSolver(NullSpaceSolver&&) noexcept = default;
NullSpaceSolver& NullSpaceSolver::operator=(NullSpaceSolver&&) noexcept = default;

// A, B, and C below PᵀA in the reduced matrix.
void NullSpaceSolver::Impl::fill(std::span<const double> values) {
  A.setZero();
  B.setZero();
  reduced.setZero();
  for (std::size_t j = 0; j < column_place.size(); ++j) {
    const Index column = column_place[j];
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Index row = row_place[static_cast<std::size_t>(pattern.row[at])];
      if (column >= 0) {
        B(row, column) = values[at];
      } else if (row >= 0) {
        A(row, -1 - column) = values[at];
      } else {
        reduced(r - m - 1 - row, -1 - column) = values[at];
      }
    }
  }
}

bool NullSpaceSolver::factor(std::span<const double> values) {
  Impl& s = *impl_;
  s.fill(values);
  s.qr.compute(s.B);
  for (Index i = 0; i < s.m; ++i) {
    if (!(std::abs(s.qr.matrixQR()(i, i)) > 0)) return false;
  }
  s.Q.setIdentity();
  s.qr.householderQ().applyThisOnTheLeft(s.Q, s.scratch);
  s.reduced.topRows(s.r - s.m).noalias() = s.Q.rightCols(s.r - s.m).transpose() * s.A;
  s.lu.compute(s.reduced);
  for (Index i = 0; i < s.n; ++i) {
    if (!(std::abs(s.lu.matrixLU()(i, i)) > 0)) return false;
  }
  return true;
}

void NullSpaceSolver::solve(std::span<double> b) const {
  Impl& s = *impl_;
  for (std::size_t i = 0; i < s.row_place.size(); ++i) {
    const Index row = s.row_place[i];
    (row >= 0 ? s.motion[row] : s.right[s.r - s.m - 1 - row]) = b[i];
  }
  s.right.head(s.r - s.m).noalias() = s.Q.rightCols(s.r - s.m).transpose() * s.motion;
  s.u.noalias() = s.lu.permutationP() * s.right;
  s.lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(s.u);
  s.lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(s.u);
  s.motion.noalias() -= s.A * s.u;
  s.lambda.noalias() = s.Q.leftCols(s.m).transpose() * s.motion;
  s.qr.matrixQR().topRows(s.m).template triangularView<Eigen::Upper>().solveInPlace(s.lambda);
  for (std::size_t j = 0; j < s.column_place.size(); ++j) {
    const Index column = s.column_place[j];
    b[j] = column >= 0 ? s.lambda[column] : s.u[-1 - column];
  }
}

}  // namespace koppel
