#include <koppel/analysis/rank/kept_rows.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include <koppel/analysis/algebra/sparse.hpp>

namespace koppel {

double KeptRows::pivot(const Evaluator& evaluator, const State& state,
                       const std::vector<int>& left_out) {
  const sparse::SparseMatrix C = sparse::all_constraints(evaluator, state);
  const Eigen::VectorXd here = sparse::row_norms(C);
  lengths_.resize(static_cast<std::size_t>(here.size()), 0.0);
  Eigen::VectorXd weights(here.size());
  for (Eigen::Index i = 0; i < here.size(); ++i) {
    double& length = lengths_[static_cast<std::size_t>(i)];
    length = std::max(length, here[i]);
    weights[i] = length > 0 ? 1 / length : 1;
  }
  // Rows that are left out: d = 1, which is no less than that of others.
  Eigen::VectorXd ones = Eigen::VectorXd::Zero(here.size());
  for (const int i : left_out) weights[i] = 0, ones[i] = 1;
  const sparse::SparseMatrix kept = weights.asDiagonal() * C;
  sparse::SparseMatrix products = kept * sparse::SparseMatrix(kept.transpose());
  products += sparse::SparseMatrix(ones.asDiagonal());
  const Eigen::SimplicialLDLT<sparse::SparseMatrix> factors(products);
  if (factors.info() != Eigen::Success) return 0;
  return std::sqrt(std::max(0.0, factors.vectorD().minCoeff()));
}

}  // namespace koppel
