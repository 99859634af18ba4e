#include <koppel/control/realization.hpp>

#include <Eigen/Dense>

#include <koppel/analysis/accelerations.hpp>
#include <koppel/analysis/dense.hpp>

namespace koppel {

const char* name_of(Realization::Kind kind) {
  switch (kind) {
    case Realization::Kind::Orthogonal: return "orthogonal";
    case Realization::Kind::Mixed: return "mixed orthogonal and tangential";
    case Realization::Kind::Tangential: return "tangential";
  }
  return "";
}

std::optional<Realization> find_realization(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  if (e.s.empty() || e.u.empty()) return {};
  if (solve_accelerations(evaluator, state).is_underdetermined) return {};
  const Eigen::MatrixXd M = dense::view((*evaluator.M)(state));
  const Eigen::MatrixXd C = dense::view(evaluator.all_constraints(state));
  std::vector<Expr> outputs;
  for (const NamedExpr& s : e.s) outputs.push_back(s.value);
  const std::vector<Expr> rates = rate_of(e, outputs);
  const Eigen::MatrixXd S = dense::view(MatrixFunction(e, jacobian(rates, e.v))(state));
  const Eigen::MatrixXd B = dense::view(MatrixFunction(e, jacobian(e.f, e.u))(state));

  // (1); redundant constraints leave Λ open, X not.
  const Eigen::Index n = M.rows(), m = C.rows();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = M;
  A.topRightCorner(n, m) = C.transpose();
  A.bottomLeftCorner(m, n) = C;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n + m, B.cols());
  right.topRows(n) = B;
  const Eigen::MatrixXd X = A.completeOrthogonalDecomposition().solve(right).topRows(n);

  // What a zero of P is measured by: the terms of its products.
  Eigen::MatrixXd P = S * X;
  const Eigen::MatrixXd terms = S.cwiseAbs() * X.cwiseAbs();
  const double most = std::max(terms.size() > 0 ? terms.maxCoeff() : 0.0, 1e-300);
  for (Eigen::Index i = 0; i < P.rows(); ++i) {
    for (Eigen::Index j = 0; j < P.cols(); ++j) {
      if (std::abs(P(i, j)) <= 1e-10 * std::max(terms(i, j), 1e-6 * most)) P(i, j) = 0;
    }
  }
  for (Eigen::Index i = 0; i < P.rows(); ++i) {
    if (const double norm = P.row(i).norm(); norm > 0) P.row(i) /= norm;
  }
  for (Eigen::Index j = 0; j < P.cols(); ++j) {
    if (const double norm = P.col(j).norm(); norm > 0) P.col(j) /= norm;
  }
  const Eigen::VectorXd sigma = P.jacobiSvd().singularValues();
  Realization out;
  out.num_outputs = static_cast<int>(e.s.size());
  out.singular_values = dense::to_vector(sigma);
  for (const double s : out.singular_values) {
    if (s > 1e-8) ++out.rank;
  }
  out.kind = out.rank == out.num_outputs ? Realization::Kind::Orthogonal
             : out.rank > 0              ? Realization::Kind::Mixed
                                         : Realization::Kind::Tangential;
  return out;
}

}  // namespace koppel
