#include <koppel/analysis/linearize.hpp>

#include <algorithm>
#include <numbers>

#include <koppel/analysis/accelerations.hpp>
#include <koppel/analysis/dense.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRankTolerance = 1e-9;

std::vector<Expr> add(std::vector<Expr> a, const std::vector<Expr>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

std::vector<Expr> new_symbols(Graph& graph, const char* name, std::size_t n) {
  std::vector<Expr> symbols;
  for (std::size_t i = 0; i < n; ++i) {
    symbols.push_back(graph.symbol(std::string(name) + '[' + std::to_string(i) + ']'));
  }
  return symbols;
}

// Matrices of partial derivatives by (q, v, x) and u at the state.
struct Partials {
  MatrixXd rate, dynamics, constraints, velocity, states, outputs;  // by (q, v, x)
  MatrixXd dynamics_u, states_u, outputs_u;
};

Partials find_partials(const Evaluator& evaluator, const State& state, const Accelerations& known) {
  const Equations& e = evaluator.equations;
  const auto v_rate = new_symbols(*e.graph, "linearize.acceleration", e.num_v());
  const auto lambda = new_symbols(*e.graph, "linearize.lambda", e.num_g());
  const auto mu = new_symbols(*e.graph, "linearize.mu", e.mu.size());
  std::vector<Expr> more = v_rate;
  more.insert(more.end(), lambda.begin(), lambda.end());
  more.insert(more.end(), mu.begin(), mu.end());
  std::vector<double> values = known.v_rate;
  values.insert(values.end(), known.lambda.begin(), known.lambda.end());
  values.insert(values.end(), known.mu.begin(), known.mu.end());

  std::vector<Expr> z = e.q;
  z.insert(z.end(), e.v.begin(), e.v.end());
  z.insert(z.end(), e.x.begin(), e.x.end());
  const auto numbers = [&](const std::vector<Expr>& of, const std::vector<Expr>& by) {
    return MatrixXd(dense::view(MatrixFunction(e, jacobian(of, by), more)(state, values)));
  };

  std::vector<Expr> dynamics = add(add(multiply(*e.M, v_rate), multiply_transposed(e.G, lambda)),
                                   multiply_transposed(e.a, mu));
  for (std::size_t i = 0; i < dynamics.size(); ++i) dynamics[i] -= e.f[i];
  const std::vector<Expr> av = add(multiply(e.a, e.v), e.b);
  std::vector<Expr> constraints = add(multiply(e.G, v_rate), e.gamma);
  const std::vector<Expr> more_rows = add(multiply(e.a, v_rate), rate_of(e, av));
  constraints.insert(constraints.end(), more_rows.begin(), more_rows.end());
  std::vector<Expr> velocity = add(multiply(e.G, e.v), e.g_t);
  velocity.insert(velocity.end(), av.begin(), av.end());
  std::vector<Expr> outputs;
  for (const NamedExpr& output : e.outputs) outputs.push_back(output.value);

  return {numbers(multiply(e.K, e.v), z), numbers(dynamics, z), numbers(constraints, z),
          numbers(velocity, z),           numbers(e.r, z),      numbers(outputs, z),
          numbers(dynamics, e.u),         numbers(e.r, e.u),    numbers(outputs, e.u)};
}

// Columns of C that depend on the others, by pivoting; the rest are independent.
struct Choice {
  std::vector<Index> dependent, independent;
};

Choice choose(const MatrixXd& C, Index columns) {
  Choice choice;
  std::vector<char> is_dependent(static_cast<std::size_t>(columns), false);
  if (C.rows() > 0) {
    const dense::Equilibration scale = dense::equilibrate(C);
    Eigen::ColPivHouseholderQR<MatrixXd> qr(C.rows(), C.cols());
    qr.setThreshold(kRankTolerance);
    qr.compute(scale.rows.asDiagonal() * C);
    for (Index i = 0; i < qr.rank(); ++i) {
      is_dependent[static_cast<std::size_t>(qr.colsPermutation().indices()[i])] = true;
    }
  }
  for (Index j = 0; j < columns; ++j) {
    (is_dependent[static_cast<std::size_t>(j)] ? choice.dependent : choice.independent)
        .push_back(j);
  }
  return choice;
}

// The dependent ones that make C y = b, given the independent ones: columns of Y for unit
// independent ones (first) and for the columns of R = −∂b.
MatrixXd fill_in(const MatrixXd& C, const Choice& choice, const MatrixXd& R, Index columns) {
  const auto n = static_cast<Index>(choice.independent.size());
  MatrixXd Y = MatrixXd::Zero(columns, n + R.cols());
  for (Index i = 0; i < n; ++i) Y(choice.independent[static_cast<std::size_t>(i)], i) = 1;
  if (choice.dependent.empty()) return Y;
  MatrixXd right(C.rows(), n + R.cols());
  right << -C(Eigen::all, choice.independent), -R;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
  cod.setThreshold(kRankTolerance);
  cod.compute(C(Eigen::all, choice.dependent));
  const MatrixXd dependent = cod.solve(right);
  Y(choice.dependent, Eigen::all) = dependent;
  return Y;
}

}  // namespace

LinearSystem linearize(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  const auto n_q = static_cast<Index>(e.num_q()), n_v = static_cast<Index>(e.num_v()),
             n_x = static_cast<Index>(e.x.size()), n_u = static_cast<Index>(e.u.size());
  const Index n = n_q + n_v + n_x;
  const Accelerations known = solve_accelerations(evaluator, state);
  const Partials d = find_partials(evaluator, state, known);

  // The full system, by the KKT matrix: Eq. (1).
  const MatrixXd M = dense::view((*evaluator.M)(state));
  const MatrixXd C = dense::view(evaluator.all_constraints(state));
  const Index m = C.rows();
  MatrixXd kkt = MatrixXd::Zero(n_v + m, n_v + m);
  kkt.topLeftCorner(n_v, n_v) = M;
  kkt.topRightCorner(n_v, m) = C.transpose();
  kkt.bottomLeftCorner(m, n_v) = C;
  MatrixXd right = MatrixXd::Zero(n_v + m, n + n_u);
  right.topLeftCorner(n_v, n) = -d.dynamics;
  right.topRightCorner(n_v, n_u) = -d.dynamics_u;
  right.bottomLeftCorner(m, n) = -d.constraints;
  const dense::Equilibration scale = dense::equilibrate(kkt);
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
  cod.setThreshold(1e-10);
  if (n_v > 0) cod.compute(scale.rows.asDiagonal() * kkt * scale.columns.asDiagonal());
  MatrixXd v_rate(n_v, n + n_u);
  if (n_v > 0) {
    v_rate = (scale.columns.asDiagonal() * cod.solve(scale.rows.asDiagonal() * right)).topRows(n_v);
  }
  MatrixXd full = MatrixXd::Zero(n, n), full_u = MatrixXd::Zero(n, n_u);
  full.topRows(n_q) = d.rate;
  full.middleRows(n_q, n_v) = v_rate.leftCols(n);
  full.bottomRows(n_x) = d.states;
  full_u.middleRows(n_q, n_v) = v_rate.rightCols(n_u);
  full_u.bottomRows(n_x) = d.states_u;

  // Independent coordinates, then velocities: δv may follow from δq as well.
  const MatrixXd position_rows =
      dense::stack({dense::view(evaluator.g_q(state)), dense::view(evaluator.h_q(state))});
  const Choice q_choice = choose(position_rows, n_q), v_choice = choose(C, n_v);
  const MatrixXd Pq = fill_in(position_rows, q_choice, MatrixXd(position_rows.rows(), 0), n_q);
  const MatrixXd Pv = fill_in(C, v_choice, d.velocity.leftCols(n_q) * Pq, n_v);
  const auto z_q = static_cast<Index>(q_choice.independent.size()),
             z_v = static_cast<Index>(v_choice.independent.size());
  MatrixXd S = MatrixXd::Zero(n, z_q + z_v + n_x);
  S.topLeftCorner(n_q, z_q) = Pq;
  S.block(n_q, 0, n_v, z_q) = Pv.rightCols(z_q);
  S.block(n_q, z_q, n_v, z_v) = Pv.leftCols(z_v);
  S.bottomRightCorner(n_x, n_x) = MatrixXd::Identity(n_x, n_x);

  // z are rows of (δq, δv, δx) themselves.
  std::vector<Index> rows = q_choice.independent;
  for (const Index j : v_choice.independent) rows.push_back(n_q + j);
  for (Index j = 0; j < n_x; ++j) rows.push_back(n_q + n_v + j);

  LinearSystem out;
  out.num_q = static_cast<int>(n_q);
  out.A = dense::to_matrix((full * S)(rows, Eigen::all));
  out.B = dense::to_matrix(full_u(rows, Eigen::all));
  out.C = dense::to_matrix(d.outputs * S);
  out.D = dense::to_matrix(d.outputs_u);
  out.S = dense::to_matrix(S);
  for (const Index j : q_choice.independent) {
    out.states.emplace_back(e.q[static_cast<std::size_t>(j)].name());
  }
  for (const Index j : v_choice.independent) {
    out.states.emplace_back(e.v[static_cast<std::size_t>(j)].name());
  }
  for (const Expr& x : e.x) out.states.emplace_back(x.name());
  for (const Expr& u : e.u) out.inputs.emplace_back(u.name());
  for (const NamedExpr& y : e.outputs) out.outputs.push_back(y.name);
  return out;
}

std::vector<Mode> find_modes(const LinearSystem& system) {
  std::vector<Mode> modes;
  if (system.A.rows == 0) return modes;
  const Eigen::EigenSolver<MatrixXd> solver(MatrixXd(dense::view(system.A)));
  const Eigen::MatrixXcd shapes =
      dense::view(system.S).topRows(system.num_q).cast<std::complex<double>>() *
      solver.eigenvectors();
  for (Index i = 0; i < solver.eigenvalues().size(); ++i) {
    Mode mode;
    mode.eigenvalue = solver.eigenvalues()[i];
    if (mode.eigenvalue.imag() < 0) continue;
    const double size = std::abs(mode.eigenvalue);
    mode.frequency = size / (2 * std::numbers::pi);
    mode.damping_ratio = size > 0 ? -mode.eigenvalue.real() / size : 0;
    Eigen::VectorXcd shape = shapes.col(i);
    if (shape.size() > 0) {
      Index largest = 0;
      shape.cwiseAbs().maxCoeff(&largest);
      if (std::abs(shape[largest]) > 0) shape /= std::complex<double>(shape[largest]);
    }
    mode.shape.assign(shape.begin(), shape.end());
    modes.push_back(std::move(mode));
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  return modes;
}

}  // namespace koppel
