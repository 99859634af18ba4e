#include <koppel/control/servo/realization.hpp>

#include <numeric>

#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/control/servo/input_effect.hpp>

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
  std::vector<int> all_rows(e.num_rows());
  std::iota(all_rows.begin(), all_rows.end(), 0);
  const InputEffect::At effect = InputEffect(evaluator, all_rows)(state);
  const auto S = dense::view(effect.S), X = dense::view(effect.X);

  // What a zero of P is measured by: the terms of its products.
  Eigen::MatrixXd P = dense::view(effect.P);
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
  const Eigen::VectorXd sigma = dense::singular_values(P, dense::Vectors::Thin).s;
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
