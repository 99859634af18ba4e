#include <koppel/analysis/structure/regularity.hpp>

#include <algorithm>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/base/at.hpp>

namespace koppel {
namespace {

sparse::SparseMatrix numeric_jacobian(const Dae& dae, const Structure& structure,
                                      const DaePoint& point) {
  std::vector<Expr> inputs = {dae.t};
  std::vector<double> values = {point.t};
  inputs.insert(inputs.end(), dae.given.begin(), dae.given.end());
  values.insert(values.end(), point.given.begin(), point.given.end());
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    const auto& symbols = dae.unknowns[j].derivative;
    inputs.insert(inputs.end(), symbols.begin(), symbols.end());
    values.insert(values.end(), point.unknowns[j].begin(), point.unknowns[j].end());
  }
  const SparseExpr J = system_jacobian(dae, structure);
  const std::vector<double> entries = Function(inputs, J.values)(values);
  return Eigen::Map<const sparse::SparseMatrix>(
      J.pattern.num_rows, J.pattern.num_columns, J.pattern.num_entries(),
      J.pattern.column_start.data(), J.pattern.row.data(), entries.data());
}

std::string derivative_name(const Dae& dae, int unknown, int order) {
  return dae.unknowns[at(unknown)].name + std::string(at(order), '\'');
}

std::vector<FreeValue> find_free(const Dae& dae, const Structure& s, const Eigen::MatrixXd& J) {
  std::vector<FreeValue> free;
  const int deepest = s.d.empty() ? 0 : *std::max_element(s.d.begin(), s.d.end());
  for (int k = -deepest; k < 0; ++k) {
    std::vector<int> rows, columns;
    for (std::size_t i = 0; i < s.c.size(); ++i) {
      if (s.c[i] + k >= 0) rows.push_back(static_cast<int>(i));
    }
    for (std::size_t j = 0; j < s.d.size(); ++j) {
      if (s.d[j] + k >= 0) columns.push_back(static_cast<int>(j));
    }
    std::vector<char> is_solved(columns.size(), false);
    if (!rows.empty()) {
      const Eigen::MatrixXd part = J(rows, columns);
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(part);
      for (Eigen::Index i = 0; i < qr.rank(); ++i) {
        is_solved[static_cast<std::size_t>(qr.colsPermutation().indices()[i])] = true;
      }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int order = s.d[at(columns[i])] + k;
      if (!is_solved[i])
        free.push_back({columns[i], order, derivative_name(dae, columns[i], order)});
    }
  }
  std::sort(free.begin(), free.end(), [](const FreeValue& a, const FreeValue& b) {
    return std::pair(a.order, a.unknown) < std::pair(b.order, b.unknown);
  });
  return free;
}

// The equations and unknowns of the near-null vectors to the left and to the right.
void name_singular(const Dae& dae, const Eigen::MatrixXd& left, const Eigen::MatrixXd& right,
                   Regularity& result) {
  constexpr double kSupport = 1e-6;  // of orthonormal null vectors
  const auto is_in = [&](const Eigen::MatrixXd& vectors, Eigen::Index i) {
    return vectors.cols() > 0 && vectors.row(i).norm() > kSupport;
  };
  for (Eigen::Index i = 0; i < left.rows(); ++i) {
    if (is_in(left, i)) {
      result.equations.push_back(dae.residuals[static_cast<std::size_t>(i)].name);
    }
  }
  for (Eigen::Index j = 0; j < right.rows(); ++j) {
    if (is_in(right, j)) {
      result.unknowns.push_back(dae.unknowns[static_cast<std::size_t>(j)].name);
    }
  }
}

// A large system: regular where the smallest singular value of A is above the tolerance.
Regularity check_sparse(const Dae& dae, const sparse::SparseMatrix& A, double tolerance) {
  Regularity result;
  result.smallest_pivot = sparse::Factors(A).smallest_singular_value();
  result.is_regular = result.smallest_pivot > tolerance;
  result.rank = static_cast<int>(A.rows());
  if (result.is_regular) return result;
  const Eigen::MatrixXd left = sparse::null_space(A.transpose()).basis;
  result.rank -= static_cast<int>(left.cols());
  name_singular(dae, left, sparse::null_space(A).basis, result);
  return result;
}

}  // namespace

Regularity check_regularity(const Dae& dae, const Structure& structure, const DaePoint& point,
                            double tolerance) {
  Regularity result;
  if (!structure.is_regular) return result;
  const sparse::SparseMatrix J = numeric_jacobian(dae, structure, point);
  if (J.rows() == 0) {
    result.is_regular = true;
    result.smallest_pivot = 1;
    return result;
  }
  const sparse::SparseMatrix scaled = sparse::scaled(J, sparse::equilibrate(J));
  if (sparse::is_large(J.rows())) return check_sparse(dae, scaled, tolerance);
  const Eigen::MatrixXd A = scaled;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.rows(), A.cols());
  qr.setThreshold(tolerance);
  qr.compute(A);
  const auto diagonal = qr.matrixR().diagonal().cwiseAbs();
  result.smallest_pivot = diagonal[diagonal.size() - 1] / diagonal[0];
  result.rank = static_cast<int>(qr.rank());
  result.is_regular = result.rank == A.rows();
  if (result.is_regular) {
    result.free = find_free(dae, structure, A);
  } else {
    name_singular(dae, dense::null_space(A.transpose(), tolerance), dense::null_space(A, tolerance),
                  result);
  }
  return result;
}

}  // namespace koppel
