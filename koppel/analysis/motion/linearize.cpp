#include <koppel/analysis/motion/linearize.hpp>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/motion/accelerations.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFreeRankTolerance = 1e-9;

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

std::vector<Expr> join(std::vector<Expr> a, const std::vector<Expr>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Expr> unknowns_of(const Equations& e) {
  return join(join(new_symbols(*e.graph, "linearize.acceleration", e.num_v()),
                   new_symbols(*e.graph, "linearize.lambda", e.num_g())),
              new_symbols(*e.graph, "linearize.mu", e.num_a()));
}

std::vector<Expr> deviations_of(const Equations& e) { return join(join(e.q, e.v), e.x); }

// M v̇ + Gᵀλ + aᵀμ − f.
std::vector<Expr> dynamics_of(const Equations& e, std::span<const Expr> unknown) {
  std::vector<Expr> out = add(multiply(*e.M, unknown.first(e.num_v())),
                              multiply_transposed(e.G, unknown.subspan(e.num_v(), e.num_g())));
  out = add(out, multiply_transposed(e.a, unknown.subspan(e.num_v() + e.num_g())));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= e.f[i];
  return out;
}

// a v + b.
std::vector<Expr> slip_of(const Equations& e) { return add(multiply(e.a, e.v), e.b); }

// G v̇ + gamma, and so for a.
std::vector<Expr> accelerations_of(const Equations& e, std::span<const Expr> unknown) {
  const auto v_rate = unknown.first(e.num_v());
  return join(add(multiply(e.G, v_rate), e.gamma),
              add(multiply(e.a, v_rate), rate_of(e, slip_of(e))));
}

// The same with time at a standstill, about v = 0: gamma is then quadratic in v, and t is none of
// what a v + b changes with.
std::vector<Expr> accelerations_at_rest(Equations e, std::span<const Expr> unknown) {
  const auto v_rate = unknown.first(e.num_v());
  const std::vector<Expr> slip = slip_of(e);
  e.t = e.graph->symbol("linearize.no_time");
  return join(multiply(e.G, v_rate), add(multiply(e.a, v_rate), rate_of(e, slip)));
}

// G v + ∂g/∂t, and a v + b.
std::vector<Expr> velocities_of(const Equations& e, bool is_time_passing) {
  std::vector<Expr> of_g = multiply(e.G, e.v);
  return join(is_time_passing ? add(std::move(of_g), e.g_t) : of_g, slip_of(e));
}

std::vector<Expr> values_of(const std::vector<Equations::Output>& outputs) {
  std::vector<Expr> out;
  for (const NamedExpr& e : outputs) out.push_back(e.value);
  return out;
}

std::vector<double> values_of(const Accelerations& known) {
  std::vector<double> values = known.v_rate;
  values.insert(values.end(), known.lambda.begin(), known.lambda.end());
  values.insert(values.end(), known.mu.begin(), known.mu.end());
  return values;
}

// Columns of C that depend on the others, by pivoting; the rest are independent.
std::vector<int> choose_columns(const MatrixXd& C, Index columns) {
  std::vector<char> is_dependent(static_cast<std::size_t>(columns), false);
  if (C.rows() > 0) {
    const dense::Equilibration scale = dense::equilibrate(C);
    for (const int j : dense::independent_columns(scale.rows.asDiagonal() * C, kFreeRankTolerance)) {
      is_dependent[static_cast<std::size_t>(j)] = true;
    }
  }
  std::vector<int> independent;
  for (Index j = 0; j < columns; ++j) {
    if (!is_dependent[static_cast<std::size_t>(j)]) independent.push_back(static_cast<int>(j));
  }
  return independent;
}

// The dependent ones that make C y = b, given the independent ones: columns of Y for unit
// independent ones (first) and for the columns of R = −∂b.
MatrixXd fill_in(const MatrixXd& C, const std::vector<int>& independent, const MatrixXd& R,
                 Index columns) {
  const auto n = static_cast<Index>(independent.size());
  MatrixXd Y = MatrixXd::Zero(columns, n + R.cols());
  std::vector<char> is_independent(static_cast<std::size_t>(columns), false);
  for (Index i = 0; i < n; ++i) {
    Y(independent[static_cast<std::size_t>(i)], i) = 1;
    is_independent[static_cast<std::size_t>(independent[static_cast<std::size_t>(i)])] = true;
  }
  std::vector<int> dependent;
  for (Index j = 0; j < columns; ++j) {
    if (!is_independent[static_cast<std::size_t>(j)]) dependent.push_back(static_cast<int>(j));
  }
  if (dependent.empty()) return Y;
  MatrixXd right(C.rows(), n + R.cols());
  right << -C(Eigen::all, independent), -R;
  Y(dependent, Eigen::all) =
      dense::LeastNorm(C(Eigen::all, dependent), kFreeRankTolerance).solve(right);
  return Y;
}

}  // namespace

struct Linearizer::Rows {
  MatrixXd positions;   // by q
  MatrixXd velocities;  // by v: [G; a]
  MatrixXd coupling;    // of velocities, by q
};

Linearizer::Linearizer(const Evaluator& evaluator, Time time)
    : Linearizer(evaluator, time, unknowns_of(evaluator.equations)) {}

Linearizer::Linearizer(const Evaluator& evaluator, Time time, std::vector<Expr> unknown)
    : evaluator_(evaluator),
      rate_(evaluator.equations, by_state(multiply(e().K, e().v))),
      dynamics_(evaluator.equations, by_state(dynamics_of(e(), unknown)), unknown),
      constraints_(evaluator.equations,
                   by_state(time == Time::Passes ? accelerations_of(e(), unknown)
                                                 : accelerations_at_rest(e(), unknown)),
                   unknown),
      velocity_(evaluator.equations, by_state(velocities_of(e(), time == Time::Passes))),
      states_(evaluator.equations, by_state(e().r)),
      outputs_(evaluator.equations, by_state(values_of(e().outputs)), unknown),
      dynamics_u_(evaluator.equations, jacobian(dynamics_of(e(), unknown), e().u), unknown),
      states_u_(evaluator.equations, jacobian(e().r, e().u)),
      outputs_u_(evaluator.equations, jacobian(values_of(e().outputs), e().u), unknown) {}

const Equations& Linearizer::e() const { return evaluator_.equations; }

SparseExpr Linearizer::by_state(const std::vector<Expr>& of) const {
  return jacobian(of, deviations_of(e()));
}

// Eq. (1), by the KKT matrix.
Linearizer::Full Linearizer::full(const State& state, const std::vector<double>& known) const {
  const auto n_q = static_cast<Index>(e().num_q()), n_v = static_cast<Index>(e().num_v()),
             n_x = static_cast<Index>(e().x.size()), n_u = static_cast<Index>(e().u.size());
  const Index n = n_q + n_v + n_x;
  const MatrixXd M = dense::view((*evaluator_.M)(state));
  const MatrixXd C = dense::view(evaluator_.all_constraints(state));
  const Index m = C.rows();
  MatrixXd kkt = MatrixXd::Zero(n_v + m, n_v + m);
  kkt.topLeftCorner(n_v, n_v) = M;
  kkt.topRightCorner(n_v, m) = C.transpose();
  kkt.bottomLeftCorner(m, n_v) = C;
  MatrixXd right = MatrixXd::Zero(n_v + m, n + n_u);
  right.topLeftCorner(n_v, n) = -dense::view(dynamics_(state, known));
  right.topRightCorner(n_v, n_u) = -dense::view(dynamics_u_(state, known));
  right.bottomLeftCorner(m, n) = -dense::view(constraints_(state, known));
  const dense::Equilibration scale = dense::equilibrate(kkt);
  MatrixXd v_rate(n_v, n + n_u);
  if (n_v > 0) {
    const dense::LeastNorm factors(scale.rows.asDiagonal() * kkt * scale.columns.asDiagonal(),
                                   1e-10);
    const MatrixXd scaled = factors.solve(scale.rows.asDiagonal() * right);
    v_rate = (scale.columns.asDiagonal() * scaled).topRows(n_v);
  }
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Zero(n, n_u);
  A.topRows(n_q) = dense::view(rate_(state));
  A.middleRows(n_q, n_v) = v_rate.leftCols(n);
  A.bottomRows(n_x) = dense::view(states_(state));
  if (n_u > 0) {  // rows of a matrix without columns have no place to begin
    B.middleRows(n_q, n_v) = v_rate.rightCols(n_u);
    B.bottomRows(n_x) = dense::view(states_u_(state));
  }
  return {dense::to_matrix(A), dense::to_matrix(B)};
}

Matrix Linearizer::rates(const State& state) const {
  return full(state, values_of(solve_accelerations(evaluator_, state))).A;
}

Linearizer::Rows Linearizer::rows(const State& state) const {
  const Matrix velocity = velocity_(state);
  return {dense::stack({dense::view(evaluator_.g_q(state)), dense::view(evaluator_.h_q(state))}),
          dense::view(evaluator_.all_constraints(state)),
          dense::view(velocity).leftCols(static_cast<Index>(e().num_q()))};
}

Independent Linearizer::choose(const State& state) const {
  const Rows r = rows(state);
  return {choose_columns(r.positions, static_cast<Index>(e().num_q())),
          choose_columns(r.velocities, static_cast<Index>(e().num_v()))};
}

// Consistent deviations from independent ones: δv follows from δq as well.
Matrix Linearizer::basis(const State& state, const Independent& z) const {
  const Rows r = rows(state);
  const auto n_q = static_cast<Index>(e().num_q()), n_v = static_cast<Index>(e().num_v()),
             n_x = static_cast<Index>(e().x.size());
  const auto z_q = static_cast<Index>(z.q.size()), z_v = static_cast<Index>(z.v.size());
  const MatrixXd Pq = fill_in(r.positions, z.q, MatrixXd(r.positions.rows(), 0), n_q);
  const MatrixXd Pv = fill_in(r.velocities, z.v, r.coupling * Pq, n_v);
  MatrixXd S = MatrixXd::Zero(n_q + n_v + n_x, z_q + z_v + n_x);
  S.topLeftCorner(n_q, z_q) = Pq;
  S.block(n_q, 0, n_v, z_q) = Pv.rightCols(z_q);
  S.block(n_q, z_q, n_v, z_v) = Pv.leftCols(z_v);
  S.bottomRightCorner(n_x, n_x) = MatrixXd::Identity(n_x, n_x);
  return dense::to_matrix(S);
}

std::vector<int> Linearizer::places(const Independent& z) const {
  std::vector<int> rows = z.q;
  const auto n_q = static_cast<int>(e().num_q()), n_v = static_cast<int>(e().num_v());
  for (const int j : z.v) rows.push_back(n_q + j);
  for (int j = 0; j < static_cast<int>(e().x.size()); ++j) rows.push_back(n_q + n_v + j);
  return rows;
}

LinearSystem Linearizer::at(const State& state) const { return at(state, choose(state)); }

LinearSystem Linearizer::at(const State& state, const Independent& z) const {
  return at(state, z, values_of(solve_accelerations(evaluator_, state)));
}

LinearSystem Linearizer::at_rest(const State& state, std::span<const double> multipliers) const {
  std::vector<double> known(e().num_v(), 0.0);
  known.insert(known.end(), multipliers.begin(), multipliers.end());
  return at(state, choose(state), known);
}

LinearSystem Linearizer::at(const State& state, const Independent& z,
                            const std::vector<double>& known) const {
  const Full all = full(state, known);
  const Matrix basis_here = basis(state, z);
  const auto S = dense::view(basis_here);
  const std::vector<int> rows = places(z);
  LinearSystem out;
  out.num_q = static_cast<int>(e().num_q());
  out.A = dense::to_matrix((dense::view(all.A) * S)(rows, Eigen::all));
  out.B = dense::to_matrix(dense::view(all.B)(rows, Eigen::all));
  out.C = dense::to_matrix(dense::view(outputs_(state, known)) * S);
  out.D = outputs_u_(state, known);
  out.S = basis_here;
  out.z = z;
  for (const int j : z.q) out.states.emplace_back(e().q[static_cast<std::size_t>(j)].name());
  for (const int j : z.v) out.states.emplace_back(e().v[static_cast<std::size_t>(j)].name());
  for (const Expr& x : e().x) out.states.emplace_back(x.name());
  for (const Expr& u : e().u) out.inputs.emplace_back(u.name());
  for (const NamedExpr& y : e().outputs) out.outputs.push_back(y.name);
  return out;
}

LinearSystem linearize(const Evaluator& evaluator, const State& state) {
  return Linearizer(evaluator).at(state);
}

LinearSystem linearize_at_rest(const Evaluator& evaluator, const Equilibrium& rest) {
  std::vector<double> multipliers = rest.lambda;
  multipliers.insert(multipliers.end(), rest.mu.begin(), rest.mu.end());
  return Linearizer(evaluator, Linearizer::Time::StandsStill).at_rest(rest.state, multipliers);
}

}  // namespace koppel
