#include <koppel/analysis/motion/decay_bound.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <koppel/analysis/algebra/factors.hpp>
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

// D = L R with as many columns of L as D has rank, in the units that make masses 1: there entries
// are rates, and what is dropped is far below the fastest.
struct Product {
  MatrixXd L, R;
};
Product factored(const MatrixXd& D, const VectorXd& masses) {
  constexpr double kDropped = 1e-13;
  const double most = masses.size() == 0 ? 1 : std::max(masses.cwiseAbs().maxCoeff(), 1e-300);
  const VectorXd root = masses.unaryExpr(
      [&](double m) { return std::sqrt(std::abs(m) > 1e-12 * most ? std::abs(m) : most); });
  const MatrixXd scaled = root.cwiseInverse().asDiagonal() * D * root.cwiseInverse().asDiagonal();
  const MatrixXd some = scaled(Eigen::all, dense::independent_columns(scaled, kDropped));
  if (some.cols() == 0) return {some, MatrixXd(0, D.cols())};  // damping that is zero there
  return {root.asDiagonal() * some, dense::solve_least_squares(some, scaled) * root.asDiagonal()};
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
  if (!saddle.is_regular() || !D.allFinite()) return {};
  const Product of = factored(D, M.diagonal());
  const VectorXd rest = VectorXd::Zero(static_cast<Index>(e.num_rows()));
  MatrixXd PL(of.L.rows(), of.L.cols());
  for (Index j = 0; j < PL.cols(); ++j) PL.col(j) = saddle.solve(of.L.col(j), rest, VectorXd()).z;
  MatrixXd B = of.R * PL;
  if (!B.allFinite()) return {};
  return root_of_power(std::move(B));
}

}  // namespace koppel
