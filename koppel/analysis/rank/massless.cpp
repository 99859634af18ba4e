#include <koppel/analysis/rank/massless.hpp>

#include <algorithm>

#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd mass_of_tree(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  const VectorFunction momentum(e, gradient(e.kinetic, e.v));
  const auto n = static_cast<Index>(e.num_v());
  State unit = state;
  std::fill(unit.v.begin(), unit.v.end(), 0.0);
  MatrixXd M(n, n);
  for (Index j = 0; j < n; ++j) {
    unit.v[static_cast<std::size_t>(j)] = 1;
    M.col(j) = dense::view(momentum(unit));
    unit.v[static_cast<std::size_t>(j)] = 0;
  }
  return M;
}

// The places of pivots that are round-off, in an elimination from the last row upwards.
std::vector<Index> find_zero_pivots(MatrixXd M) {
  constexpr double kRoundOff = 1e-13;
  const VectorXd own = M.diagonal();
  const double smallest = 1e-24 * own.cwiseAbs().maxCoeff();  // of any mass and any unit
  std::vector<Index> zero;
  for (Index j = M.rows() - 1; j >= 0; --j) {
    const double pivot = M(j, j);
    if (!(pivot > kRoundOff * own[j] + smallest)) {
      zero.push_back(j);
      continue;
    }
    const VectorXd row = M.row(j).head(j);
    M.topLeftCorner(j, j).noalias() -= row * (row.transpose() / pivot);
  }
  return zero;
}

MatrixXd null_motions(const Evaluator& evaluator, const State& state) {
  if (sparse::is_large(evaluator.equations->num_v())) {
    const sparse::SparseMatrix A = sparse::stack(
        {sparse::evaluate(*evaluator.M, state), sparse::all_constraints(evaluator, state)});
    return sparse::null_space(sparse::scaled(A, sparse::equilibrate(A))).basis;
  }
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const MatrixXd scaled = dense::view(M) / std::max(1e-300, dense::view(M).cwiseAbs().maxCoeff());
  return dense::null_space(dense::stack({scaled, dense::view(C)}), 1e-10);
}

}  // namespace

std::vector<std::string> find_massless(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  std::vector<std::string> names;
  if (e.v.empty()) return names;
  const auto add = [&](Index j) { names.emplace_back(e.v[static_cast<std::size_t>(j)].name()); };
  if (!e.v_rate.empty()) {
    for (const Index j : find_zero_pivots(mass_of_tree(evaluator, state))) add(j);
  } else {
    const MatrixXd null = null_motions(evaluator, state);
    for (Index j = 0; j < null.cols(); ++j) {
      Index largest = 0;
      null.col(j).cwiseAbs().maxCoeff(&largest);
      add(largest);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string name_motions(const std::vector<std::string>& velocities) {
  std::string text;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    std::string name = velocities[i];
    if (name.ends_with('\'')) name.pop_back();
    if (i > 0) text += i + 1 == velocities.size() ? " and " : ", ";
    text += '\'' + name + '\'';
  }
  return text;
}

}  // namespace koppel
