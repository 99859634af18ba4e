#include <koppel/control/servo/input_effect.hpp>

#include <algorithm>

#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>

namespace koppel {
namespace {

SparseExpr outputs_by_velocity(const Equations& e) {
  std::vector<Expr> outputs;
  for (const NamedExpr& s : e.s) outputs.push_back(s.value);
  return jacobian(rate_of(e, outputs), e.v);
}

}  // namespace

InputEffect::InputEffect(const Evaluator& evaluator, std::vector<int> rows)
    : evaluator_(evaluator),
      kept_(std::move(rows)),
      S_(evaluator.equations, outputs_by_velocity(evaluator.equations)),
      B_(evaluator.equations, jacobian(evaluator.equations->f, evaluator.equations->u)) {}

InputEffect::At InputEffect::operator()(const State& state) const {
  const Eigen::MatrixXd M = dense::view((*evaluator_.M)(state));
  const Eigen::MatrixXd all = dense::view(evaluator_.all_constraints(state));
  const Eigen::MatrixXd C = all(kept_, Eigen::all);
  const Eigen::MatrixXd B = dense::view(B_(state));
  const Eigen::Index n = M.rows(), m = C.rows();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = M;
  A.topRightCorner(n, m) = C.transpose();
  A.bottomLeftCorner(m, n) = C;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n + m, B.cols());
  right.topRows(n) = B;
  const Eigen::MatrixXd solution = dense::LeastNorm(A).solve(right);
  At out;
  out.X = dense::to_matrix(solution.topRows(n));
  out.Lambda = dense::to_matrix(solution.bottomRows(m));
  out.S = S_(state);
  out.P = dense::to_matrix(dense::view(out.S) * dense::view(out.X));
  return out;
}

}  // namespace koppel
