#include <koppel/control/reduced_servo.hpp>

#include <algorithm>
#include <unordered_set>

#include <Eigen/Dense>

#include <koppel/analysis/dense.hpp>
#include <koppel/analysis/rank.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo_problem.hpp>
#include <koppel/expr/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

Exprs symbols(Graph& graph, const std::string& name, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(graph.symbol("servo." + name + '[' + std::to_string(i) + ']'));
  }
  return out;
}

// The columns that Gaussian elimination with column pivoting would solve for.
std::vector<int> independent_columns(const Eigen::MatrixXd& A) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  if (qr.rank() < A.rows()) return {};
  std::vector<int> columns;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    columns.push_back(qr.colsPermutation().indices()[i]);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

// All that both forms are made of.
struct Terms {
  Terms(const Equations& equations, const State& at, std::span<const int> leave_out)
      : e(equations), state(at) {
    Graph& graph = *e.graph;
    for (std::size_t i = 0; i < e.num_g() + e.mu.size(); ++i) {
      if (std::find(leave_out.begin(), leave_out.end(), static_cast<int>(i)) == leave_out.end()) {
        kept.push_back(i);
      }
    }
    y = e.q;
    append(y, e.v);
    append(y, e.x);
    rate = symbols(graph, "rate", y.size());
    for (std::size_t j = 0; j < e.num_v(); ++j) v_rate.push_back(rate[e.num_q() + j]);
    lambda = symbols(graph, "multiplier", kept.size());
    full_lambda.assign(e.num_g(), 0);
    full_mu.assign(e.mu.size(), 0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] < e.num_g()) {
        full_lambda[kept[i]] = lambda[i];
        ++num_lambda;
      } else {
        full_mu[kept[i] - e.num_g()] = lambda[i];
      }
    }
    for (std::size_t i = 0; i < e.s.size(); ++i) error.push_back(e.s[i].value - e.reference[i]);
    error_rate = rate_of(e, error);
    error_gamma = rate_of(e, error_rate);
    S = jacobian(error_rate, e.v);
  }

  // M α − f + Gᵀλ + aᵀμ
  Exprs motion(const Exprs& accelerations) const {
    Exprs out = multiply(*e.M, accelerations);
    const Exprs by_g = multiply_transposed(e.G, full_lambda);
    const Exprs by_a = multiply_transposed(e.a, full_mu);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += by_g[j] + by_a[j] - e.f[j];
    return out;
  }
  // S α + σ − γ̈
  Exprs servo_acceleration(const Exprs& accelerations) const {
    Exprs out = multiply(S, accelerations);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += error_gamma[i];
    return out;
  }
  // g and a v + b, as far as they are kept.
  Exprs constraints() const {
    Exprs all = e.g, out;
    Exprs av = multiply(e.a, e.v);
    for (std::size_t i = 0; i < av.size(); ++i) all.push_back(av[i] + e.b[i]);
    for (const std::size_t row : kept) out.push_back(all[row]);
    return out;
  }
  std::string row_label(std::size_t i) const { return row_name(e, static_cast<int>(kept[i])); }

  const Equations& e;
  const State& state;
  std::vector<std::size_t> kept;
  std::size_t num_lambda = 0;
  Exprs y, rate, v_rate, lambda, full_lambda, full_mu;
  Exprs error, error_rate, error_gamma;
  SparseExpr S;
};

class Builder {
 public:
  Builder(const Terms& terms, ResidualTerms& out) : terms_(terms), out_(out) {
    out_.t = terms.e.t;
    out_.y = terms.y;
    out_.index.assign(terms.y.size(), 0);
  }

  void add(const std::string& what, const Exprs& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_.F.push_back({what + ' ' + std::to_string(i), rows[i]});
    }
  }
  void add_motion(const Exprs& rows) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      out_.F.push_back({"motion of " + std::string(terms_.e.v[j].name()), rows[j]});
    }
  }
  // q̇ − K v and ẋ − r, but for the positions in `without`.
  void add_rates(const std::vector<int>& without) {
    const Equations& e = terms_.e;
    const Exprs Kv = multiply(e.K, e.v);
    for (std::size_t i = 0; i < e.num_q(); ++i) {
      if (std::binary_search(without.begin(), without.end(), static_cast<int>(i))) continue;
      out_.F.push_back({"rate of " + std::string(e.q[i].name()), terms_.rate[i] - Kv[i]});
    }
    for (std::size_t i = 0; i < e.x.size(); ++i) {
      out_.F.push_back({"rate of " + std::string(e.x[i].name()),
                        terms_.rate[e.num_q() + e.num_v() + i] - e.r[i]});
    }
  }
  void add_constraints() {
    const Exprs rows = terms_.constraints();
    for (std::size_t i = 0; i < rows.size(); ++i) out_.F.push_back({terms_.row_label(i), rows[i]});
  }
  void add_servo(const Exprs& rows, const char* level) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_.F.push_back({level + terms_.e.s[i].name, rows[i]});
    }
  }
  void add_unknowns(const Exprs& unknowns, int index) {
    append(out_.y, unknowns);
    out_.index.resize(out_.y.size(), index);
  }
  void finish() {
    const Equations& e = terms_.e;
    out_.y_rate = terms_.rate;
    append(out_.y_rate, symbols(*e.graph, "no_rate", out_.y.size() - terms_.rate.size()));
    out_.given.symbols = e.p;
    out_.given.values = terms_.state.p;
  }

 private:
  const Terms& terms_;
  ResidualTerms& out_;
};

// (1)
ResidualTerms extend(const Terms& terms, const ReducedServo& servo) {
  const Equations& e = terms.e;
  ResidualTerms out;
  Builder builder(terms, out);
  const Exprs w = symbols(*e.graph, "acceleration", servo.dependent_v.size());
  Exprs accelerations = terms.v_rate;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const auto j = static_cast<std::size_t>(servo.dependent_v[k]);
    accelerations[j] = w[k];
    out.index[e.num_q() + j] = 1;
    out.index[static_cast<std::size_t>(servo.dependent_q[k])] = 1;
  }
  builder.add_rates(servo.dependent_q);
  builder.add_motion(terms.motion(accelerations));
  builder.add_constraints();
  builder.add_servo(terms.error, "position of ");
  builder.add_servo(terms.error_rate, "velocity of ");
  builder.add_servo(terms.servo_acceleration(accelerations), "acceleration of ");
  builder.add_unknowns(terms.lambda, 3);
  builder.add_unknowns(w, 1);
  builder.add_unknowns(e.u, 3);
  builder.finish();
  return out;
}

// (2)
ResidualTerms project(const Terms& terms) {
  const Equations& e = terms.e;
  ResidualTerms out;
  Builder builder(terms, out);
  const Exprs alpha = symbols(*e.graph, "alpha", e.num_v());
  const Exprs kappa = symbols(*e.graph, "kappa", e.s.size());
  Exprs projected = terms.motion(terms.v_rate);
  const Exprs Sk = multiply_transposed(terms.S, kappa);
  for (std::size_t j = 0; j < projected.size(); ++j) projected[j] += Sk[j];
  builder.add_rates({});
  builder.add_motion(projected);
  builder.add_constraints();
  builder.add("force balance", terms.motion(alpha));
  builder.add_servo(terms.servo_acceleration(alpha), "acceleration of ");
  builder.add_servo(terms.error, "position of ");
  builder.add_unknowns(terms.lambda, 3);
  builder.add_unknowns(alpha, 2);
  builder.add_unknowns(kappa, 2);
  builder.add_unknowns(e.u, 3);
  builder.finish();
  return out;
}

void choose_dependent(const Terms& terms, ReducedServo& servo) {
  const Equations& e = terms.e;
  const Eigen::MatrixXd by_q =
      dense::view(MatrixFunction(e, jacobian(terms.error, e.q))(terms.state));
  const Eigen::MatrixXd by_v = dense::view(MatrixFunction(e, terms.S)(terms.state));
  servo.dependent_v = independent_columns(by_v);
  // Where velocities are the rates of positions, those of the same positions.
  const bool is_same = by_q.cols() == by_v.cols() && by_q == by_v;
  servo.dependent_q = is_same ? servo.dependent_v : independent_columns(by_q);
  if (servo.dependent_v.empty() || servo.dependent_q.empty()) {
    throw Error("control.dependent-outputs",
                "the outputs of '" + e.model +
                    "' are not independent of each other at the start: one follows from the rest.",
                "Prescribe others, or begin elsewhere.");
  }
}

}  // namespace

ReducedServo make_reduced_servo(const Equations& e, std::string_view method, const State& state,
                                std::span<const int> leave_out, CompileOptions options) {
  const Terms terms(e, state, leave_out);
  ReducedServo out;
  Problem& problem = out.problem;
  problem.name = e.model;
  problem.formulation = method;
  problem.index = 3;
  problem.num_q = static_cast<int>(e.num_q());
  problem.num_v = static_cast<int>(e.num_v());
  problem.num_x = static_cast<int>(e.x.size());
  problem.num_lambda = static_cast<int>(terms.num_lambda);
  problem.num_mu = static_cast<int>(terms.kept.size() - terms.num_lambda);
  problem.num_u = static_cast<int>(e.u.size());
  if (method == "minimal-extension") choose_dependent(terms, out);
  const ResidualTerms residual =
      method == "minimal-extension" ? extend(terms, out) : project(terms);
  problem.num_w = static_cast<int>(residual.y.size()) - problem.num_differential() -
                  static_cast<int>(terms.kept.size()) - problem.num_u;
  for (const Expr& y : residual.y) problem.labels.emplace_back(y.name());
  for (std::size_t i = 0; i < terms.kept.size(); ++i) {
    problem.labels[terms.y.size() + i] = "lambda of " + terms.row_label(i);
  }
  problem.residual = Lazy<Residual>([residual, options] { return Residual(residual, options); });
  problem.breakpoints = servo_breakpoints(e, state.p);
  return out;
}

std::vector<double> start_values(const ReducedServo& servo, const State& state,
                                 std::span<const double> v_rate,
                                 std::span<const double> multipliers, std::span<const double> u) {
  std::vector<double> y = state.q;
  y.insert(y.end(), state.v.begin(), state.v.end());
  y.insert(y.end(), state.x.begin(), state.x.end());
  y.insert(y.end(), multipliers.begin(), multipliers.end());
  if (!servo.dependent_v.empty()) {
    for (const int j : servo.dependent_v) y.push_back(v_rate[static_cast<std::size_t>(j)]);
  } else {
    y.insert(y.end(), v_rate.begin(), v_rate.end());
  }
  y.resize(static_cast<std::size_t>(servo.problem.size() - servo.problem.num_u), 0.0);
  y.insert(y.end(), u.begin(), u.end());
  return y;
}

}  // namespace koppel
