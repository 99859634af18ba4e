#include <koppel/analysis/motion/decay_bound.hpp>

#include <cmath>

#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// ‖B^(2^m)‖^(1/2^m), by squaring; scaled on the way, so that nothing overflows.
double root_of_power(MatrixXd B) {
  constexpr int kSquarings = 4;
  double log_norm = 0, part = 1;
  for (int i = 0;; ++i) {
    const double norm = B.norm();
    if (!(norm > 0)) return 0;
    log_norm += part * std::log(norm);
    if (i == kSquarings) return std::exp(log_norm);
    B /= norm;
    B = (B * B).eval();
    part /= 2;
  }
}

}  // namespace

std::optional<double> decay_bound(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  const SparseExpr by_v = jacobian(e.f, e.v);
  if (by_v.pattern.num_entries() == 0) return 0;
  const MatrixXd D = MatrixXd(sparse::evaluate(MatrixFunction(e, by_v), state));
  const sparse::SparseMatrix M = sparse::evaluate(*evaluator.M, state);
  const sparse::Saddle saddle(M, sparse::all_constraints(evaluator, state),
                              sparse::SparseMatrix(0, M.cols()));
  if (!saddle.is_regular()) return {};
  std::vector<Index> columns;
  for (Index j = 0; j < D.cols(); ++j) {
    if (!D.col(j).isZero(0)) columns.push_back(j);
  }
  const auto n = static_cast<Index>(columns.size());
  const VectorXd rest = VectorXd::Zero(static_cast<Index>(e.num_rows()));
  MatrixXd B(n, n);
  for (Index j = 0; j < n; ++j) {
    B.col(j) =
        saddle.solve(D.col(columns[static_cast<std::size_t>(j)]), rest, VectorXd()).z(columns);
  }
  if (!B.allFinite()) return {};
  return root_of_power(std::move(B));
}

}  // namespace koppel
