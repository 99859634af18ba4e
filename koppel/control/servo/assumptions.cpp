#include <koppel/control/servo/assumptions.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Indices = std::vector<Eigen::Index>;

int rank_of(const MatrixXd& A) {
  if (A.size() == 0) return 0;
  const dense::Equilibration scale = dense::equilibrate(A);
  const MatrixXd scaled = scale.rows.asDiagonal() * A * scale.columns.asDiagonal();
  return static_cast<int>(dense::independent_columns(scaled, 1e-9).size());
}

// The parts of the equations, at a point.
struct Parts {
  Indices p, x, h, phi;  // coordinates, and rows of constraints
  MatrixXd M, B, G;
  MatrixXd by_q;  // ∂(f − Gᵀλ)/∂q
};

// Which coordinate each output is; none where one is not a coordinate.
std::optional<Indices> coordinates_of_outputs(const Equations& e) {
  Indices x;
  for (const NamedExpr& s : e.s) {
    const auto it = std::find(e.q.begin(), e.q.end(), s.value);
    if (it == e.q.end()) return {};
    x.push_back(it - e.q.begin());
  }
  return x;
}

std::optional<Parts> find_parts(const Equations& e, const State& state, const ServoProblem& servo,
                                const FlatSolution& solution) {
  const std::optional<Indices> x = coordinates_of_outputs(e);
  if (!x || e.num_q() != e.num_v() || e.num_a() > 0 || !e.left_out.empty()) return {};
  Parts out;
  out.x = *x;
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    if (std::find(x->begin(), x->end(), at) == x->end()) out.p.push_back(at);
  }
  for (std::size_t i = 0; i < e.num_g(); ++i) {
    const bool has_x = std::any_of(e.s.begin(), e.s.end(),
                                   [&](const NamedExpr& s) { return depends_on(e.g[i], s.value); });
    (has_x ? out.phi : out.h).push_back(static_cast<Eigen::Index>(i));
  }
  const std::vector<Expr> lambda = multiplier_symbols(e);
  std::vector<Expr> force = multiply_transposed(e.G, lambda);
  for (std::size_t j = 0; j < force.size(); ++j) force[j] = e.f[j] - force[j];
  std::vector<double> y(static_cast<std::size_t>(servo.problem.size()));
  solution.get(y);
  const auto first = y.begin() + servo.problem.num_differential();
  const std::vector<double> values(first, first + servo.problem.num_lambda);
  State at = state;
  at.u.assign(y.end() - servo.problem.num_u, y.end());
  out.M = dense::view(MatrixFunction(e, *e.M)(at));
  out.B = dense::view(MatrixFunction(e, jacobian(e.f, e.u))(at));
  out.G = dense::view(MatrixFunction(e, e.G)(at));
  out.by_q = dense::view(MatrixFunction(e, jacobian(force, e.q), lambda)(at, values));
  // Inputs on outputs, or masses that couple both, are another form.
  const bool is_form = out.B(out.x, Eigen::all).isZero(0) && out.M(out.p, out.x).isZero(0);
  return is_form ? std::optional(out) : std::nullopt;
}

// (1)
MatrixXd big_matrix(const Parts& parts) {
  const MatrixXd G2 = parts.G(parts.phi, parts.x);
  const MatrixXd P2 = dense::null_space(G2, 1e-9);
  const MatrixXd Z1 = P2.transpose() * parts.by_q(parts.x, parts.p);
  const MatrixXd G1 = parts.G(parts.phi, parts.p), H1 = parts.G(parts.h, parts.p);
  const Eigen::Index n = static_cast<Eigen::Index>(parts.p.size()), a = parts.B.cols(),
                     m1 = H1.rows();
  MatrixXd A = MatrixXd::Zero(n + Z1.rows() + G1.rows() + m1, n + a + m1);
  A.topLeftCorner(n, n) = parts.M(parts.p, parts.p);
  A.block(0, n, n, a) = -parts.B(parts.p, Eigen::all);
  A.topRightCorner(n, m1) = H1.transpose();
  A.block(n, 0, Z1.rows(), n) = Z1;
  A.block(n + Z1.rows(), 0, G1.rows(), n) = G1;
  A.bottomLeftCorner(m1, n) = H1;
  return A;
}

}  // namespace

std::vector<std::string> violated_assumptions(const Equations& e, const State& state,
                                              const ServoProblem& servo,
                                              const FlatSolution& solution) {
  const std::optional<Parts> parts = find_parts(e, state, servo, solution);
  if (!parts) return {};
  const auto n = static_cast<int>(e.num_v()), a = static_cast<int>(e.s.size());
  const auto m1 = static_cast<int>(parts->h.size()), m2 = static_cast<int>(parts->phi.size());
  const int which = m1 == 0 ? 1 : 2;
  std::vector<std::string> out;
  const auto violated = [&](int assumption, const std::string& why) {
    out.push_back(fmt::format(
        "assumption {} of the minimal extension [Yang 2017] does not hold at t = {:.6g} s: {}. Its "
        "index may be another than 3; the steps may still converge.",
        assumption, state.t, why));
  };
  if (m2 > a) {
    violated(which, fmt::format("{} constraints contain the {} outputs", m2, a));
  }
  if (const int rank = rank_of(parts->G(parts->phi, parts->x)); rank < std::min(m2, a)) {
    violated(which, fmt::format("the derivatives of these {} constraints by the outputs have rank "
                                "{}",
                                m2, rank));
  }
  if (2 * a + m1 > n || a >= n - m1 - m2) {
    violated(which, fmt::format("{} coordinates with {} constraints are too few for {} outputs", n,
                                m1 + m2, a));
  }
  const MatrixXd A = big_matrix(*parts);
  if (A.rows() != A.cols()) {
    violated(m1 == 0 ? 1 : 3,
             fmt::format("the matrix (5.109) has {} rows and {} columns", A.rows(), A.cols()));
  } else if (const int rank = rank_of(A); rank < A.rows()) {
    violated(m1 == 0 ? 1 : 3,
             fmt::format("the matrix (5.109) of size {} has rank {}", A.rows(), rank));
  }
  return out;
}

}  // namespace koppel
