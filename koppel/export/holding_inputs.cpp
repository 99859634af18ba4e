#include <koppel/export/holding_inputs.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {
namespace {

// Of the state at rest.
std::vector<double> evaluate(const Equations& e, State state, const std::vector<Expr>& values) {
  std::fill(state.v.begin(), state.v.end(), 0.0);
  std::fill(state.u.begin(), state.u.end(), 0.0);
  const Function function(symbols_of_state(e), values);
  Workspace work = function.make_workspace();
  std::vector<double> out(values.size());
  function.evaluate(values_of(state), out, work);
  return out;
}

Eigen::MatrixXd dense(const Equations& e, const State& state, const SparseExpr& sparse) {
  const std::vector<double> values = evaluate(e, state, sparse.values);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(sparse.pattern.num_rows, sparse.pattern.num_columns);
  for (int j = 0; j < sparse.pattern.num_columns; ++j) {
    for (int k = sparse.pattern.column_start[static_cast<std::size_t>(j)];
         k < sparse.pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      out(sparse.pattern.row[static_cast<std::size_t>(k)], j) = values[static_cast<std::size_t>(k)];
    }
  }
  return out;
}

}  // namespace

std::vector<double> holding_inputs(const Equations& e, const State& state) {
  std::vector<double> u(e.u.size(), 0.0);
  if (u.empty()) return u;
  const std::vector<double> f = evaluate(e, state, e.f);
  const auto n = static_cast<Eigen::Index>(f.size()), m = static_cast<Eigen::Index>(u.size());
  const Eigen::VectorXd f0 = Eigen::Map<const Eigen::VectorXd>(f.data(), n);
  Eigen::MatrixXd A(n, m + static_cast<Eigen::Index>(e.num_g()));
  A.leftCols(m) = dense(e, state, jacobian(e.f, e.u));
  A.rightCols(static_cast<Eigen::Index>(e.num_g())) = -dense(e, state, e.G).transpose();
  const Eigen::VectorXd z = A.completeOrthogonalDecomposition().solve(-f0);  // Eq. (1)
  constexpr double kNearly = 1e-9;                                           // of the forces
  const bool holds = z.allFinite() && (A * z + f0).norm() <= kNearly * f0.norm();
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Equations::Unknown& about = e.about.u[i];
    const double value = holds ? z[static_cast<Eigen::Index>(i)] : 0;
    // A tiny one is a rounding error.
    u[i] = std::clamp(std::abs(value) > 1e-9 * z.norm() ? value : 0, about.min, about.max);
  }
  return u;
}

}  // namespace koppel
