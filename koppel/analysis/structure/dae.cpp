#include <koppel/analysis/structure/dae.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/structure/input_weights.hpp>
#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

// x′ for the symbol x.
Expr derivative_symbol(Graph& graph, Expr symbol) {
  return graph.symbol(std::string(symbol.name()) + '\'');
}

class Builder {
 public:
  Builder(const Equations& e, const DaeOptions& options)
      : e_(e), options_(options), is_servo_(options.with_servo && !e.s.empty()) {
    if (is_servo_ && e.s.size() > e.u.size()) {
      throw Error("analysis.servo-count",
                  "there are more servo constraints (" + std::to_string(e.s.size()) +
                      ") than inputs (" + std::to_string(e.u.size()) + ").",
                  "Prescribe as many outputs as there are inputs, or fewer.");
    }
  }

  Dae run() {
    dae_.graph = e_.graph;
    dae_.t = e_.t;
    dae_.given = e_.p;
    if (options_.with_invariants) find_invariants();
    positions();
    const std::vector<Expr> lambda = multipliers("lambda", 0, e_.num_g());
    const std::vector<Expr> mu = multipliers("mu", e_.num_g(), e_.num_rows());
    dynamics(lambda, mu);
    constraints();
    for (std::size_t i = 0; i < e_.x.size(); ++i) {
      const Expr rate = derivative_symbol(*e_.graph, e_.x[i]);
      const int x = add_unknown(e_.x[i].name(), {e_.x[i], rate});
      add_equation("rate of " + std::string(e_.x[i].name()), rate - e_.r[i], x);
    }
    if (is_servo_) {
      for (const Expr& u : e_.u) add_unknown(u.name(), {u});
      if (e_.u.size() > e_.s.size()) share_inputs();
      for (std::size_t i = 0; i < e_.s.size(); ++i) {
        add_equation("servo " + e_.s[i].name, e_.s[i].value - e_.reference[i]);
      }
    } else {
      dae_.given.insert(dae_.given.end(), e_.u.begin(), e_.u.end());
    }
    return std::move(dae_);
  }

 private:
  // Returns its number.
  int add_unknown(std::string_view name, std::vector<Expr> symbols) {
    dae_.unknowns.push_back({std::string(name), std::move(symbols)});
    return static_cast<int>(dae_.unknowns.size()) - 1;
  }
  void add_equation(std::string name, Expr residual, int partner = -1) {
    dae_.residuals.push_back({std::move(name), residual});
    dae_.partner.push_back(partner);
  }

  void find_invariants() {
    for (const Equations::Counted& c : e_.counted) {
      counted_[static_cast<std::size_t>(c.q)] = static_cast<std::size_t>(c.h);
    }
    std::vector<Expr> others, eta;
    for (std::size_t k = 0; k < e_.h.size(); ++k) {
      const bool is_counted = std::any_of(counted_.begin(), counted_.end(),
                                          [&](const auto& c) { return c.second == k; });
      if (is_counted) continue;
      others.push_back(e_.h[k]);
      eta.push_back(auxiliary_symbol(*e_.graph, "eta", k));
      const int unknown = add_unknown("eta of invariant " + std::to_string(k), {eta.back()});
      add_equation("invariant " + std::to_string(k), e_.h[k], unknown);
    }
    if (!others.empty()) by_eta_ = multiply_transposed(jacobian(others, e_.q), eta);
  }

  void positions() {
    const std::vector<int> rate = find_rates(e_);
    const std::vector<Expr> Kv = multiply(e_.K, e_.v);
    motion_of_.assign(e_.num_v(), -1);
    for (std::size_t j = 0; j < e_.num_v(); ++j) {
      v_rate_.push_back(derivative_symbol(*e_.graph, e_.v[j]));
    }
    for (std::size_t i = 0; i < e_.num_q(); ++i) {
      if (rate[i] >= 0) {
        const auto j = static_cast<std::size_t>(rate[i]);
        motion_of_[j] = add_unknown(e_.q[i].name(), {e_.q[i], e_.v[j], v_rate_[j]});
      } else {
        const Expr q_rate = derivative_symbol(*e_.graph, e_.q[i]);
        const int q = add_unknown(e_.q[i].name(), {e_.q[i], q_rate});
        const std::string name = "rate of " + std::string(e_.q[i].name());
        if (const auto it = counted_.find(i); it != counted_.end()) {
          add_equation(name, e_.h[it->second], q);
        } else {
          add_equation(name, q_rate - Kv[i] - (by_eta_.empty() ? Expr(0) : by_eta_[i]), q);
        }
      }
    }
    for (std::size_t j = 0; j < e_.num_v(); ++j) {
      if (motion_of_[j] < 0) motion_of_[j] = add_unknown(e_.v[j].name(), {e_.v[j], v_rate_[j]});
    }
  }

  // The symbols of the rows from `first` to before `last`.
  std::vector<Expr> multipliers(const char* kind, std::size_t first, std::size_t last) {
    std::vector<Expr> symbols;
    for (std::size_t i = first; i < last; ++i) {
      const Equations::Row& row = e_.rows[i];
      symbols.push_back(multiplier_symbol(e_, row));
      partner_.push_back(add_unknown(std::string(kind) + " of " + row.name, {symbols.back()}));
    }
    return symbols;
  }

  void dynamics(const std::vector<Expr>& lambda, const std::vector<Expr>& mu) {
    if (!is_servo_ && !e_.v_rate.empty()) {
      for (std::size_t j = 0; j < e_.num_v(); ++j) {
        add_equation("motion of " + std::string(e_.v[j].name()), v_rate_[j] - e_.v_rate[j],
                     motion_of_[j]);
      }
      return;
    }
    const std::vector<Expr> inertia = multiply(*e_.M, v_rate_);
    const std::vector<Expr> by_g = multiply_transposed(e_.G, lambda);
    const std::vector<Expr> by_a = multiply_transposed(e_.a, mu);
    for (std::size_t j = 0; j < e_.num_v(); ++j) {
      add_equation("motion of " + std::string(e_.v[j].name()),
                   inertia[j] - e_.f[j] + by_g[j] + by_a[j], motion_of_[j]);
    }
  }

  // More inputs than outputs: of those with the same accelerations s̈ = P u + … of the outputs
  // (realization.hpp) the ones of least norm Σ (u_i/w_i)² (input_weights.hpp). They are
  //   u = W² Pᵀκ,   that is   u = W² Bᵀα,   M α + Cᵀℓ = Sᵀκ,   C α = 0,   C = [G; a].
  void share_inputs() {
    const auto symbols = [&](const char* kind, std::size_t count) {
      std::vector<Expr> out;
      for (std::size_t i = 0; i < count; ++i) {
        out.push_back(auxiliary_symbol(*e_.graph, kind, i));
        add_unknown(std::string(kind) + ' ' + std::to_string(i), {out.back()});
      }
      return out;
    };
    std::vector<Expr> outputs;
    for (const NamedExpr& s : e_.s) outputs.push_back(s.value);
    const std::vector<Expr> alpha = symbols("share", e_.num_v());
    const std::vector<Expr> kappa = symbols("effort", e_.s.size());
    std::vector<Expr> rows = multiply(*e_.M, alpha);
    const std::vector<Expr> by_kappa =
        multiply_transposed(jacobian(rate_of(e_, outputs), e_.v), kappa);
    std::vector<Expr> all_rows = multiply(e_.G, alpha);
    for (const Expr& row : multiply(e_.a, alpha)) all_rows.push_back(row);
    std::vector<Expr> l_g(e_.num_g()), l_a(e_.num_a());
    for (std::size_t i = 0; i < all_rows.size(); ++i) {
      const Expr l = auxiliary_symbol(*e_.graph, "shared", i);
      (i < e_.num_g() ? l_g[i] : l_a[i - e_.num_g()]) = l;
      add_unknown("share of row " + std::to_string(i), {l});
      add_equation("share of row " + std::to_string(i), all_rows[i]);
    }
    const std::vector<Expr> by_g = multiply_transposed(e_.G, l_g);
    const std::vector<Expr> by_a = multiply_transposed(e_.a, l_a);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      add_equation("share " + std::to_string(j), rows[j] + by_g[j] + by_a[j] - by_kappa[j]);
    }
    const std::vector<Expr> Ba = multiply_transposed(jacobian(e_.f, e_.u), alpha);
    const std::vector<double> weight = input_weights(e_);
    for (std::size_t i = 0; i < e_.u.size(); ++i) {
      add_equation("share of " + std::string(e_.u[i].name()),
                   e_.u[i] - weight[i] * weight[i] * Ba[i]);
    }
  }

  void constraints() {
    for (std::size_t i = 0; i < e_.num_g(); ++i) {
      add_equation(e_.rows[i].name, e_.g[i], partner_[i]);
    }
    const std::vector<Expr> av = multiply(e_.a, e_.v);
    for (std::size_t i = 0; i < e_.num_a(); ++i) {
      const std::size_t row = e_.num_g() + i;
      add_equation(e_.rows[row].name, av[i] + e_.b[i], partner_[row]);
    }
  }

  const Equations& e_;
  const DaeOptions& options_;
  bool is_servo_;
  Dae dae_;
  std::vector<Expr> v_rate_;
  std::vector<int> motion_of_;                  // for each velocity, the unknown that its motion is
  std::vector<int> partner_;                    // the multiplier of each row of [g; a]
  std::map<std::size_t, std::size_t> counted_;  // invariants, by the coordinates counted
  std::vector<Expr> by_eta_;                    // (∂h/∂q)ᵀη of the others
};

// v̇, λ, μ and, where `servo`, u: of least norm.
//   M v̇ + Gᵀλ + aᵀμ − (∂f/∂u) u = f(u = 0),  G v̇ = −gamma,  a v̇ = −alpha,  S v̇ = ref″ − s″(v̇ = 0).
// f is taken as affine in u.
Eigen::VectorXd solve_all(const Evaluator& evaluator, State& state, bool servo) {
  const Equations& e = evaluator.equations;
  if (!servo && sparse::is_large(e.num_v() + e.num_rows())) {
    const Accelerations a = solve_accelerations(evaluator, state);
    return dense::concatenate({dense::view(a.v_rate), dense::view(a.lambda), dense::view(a.mu)});
  }
  const Eigen::MatrixXd M = dense::view((*evaluator.M)(state));
  const Eigen::MatrixXd C = dense::view(evaluator.all_constraints(state));
  const Eigen::Index n = M.rows(), m = C.rows();
  const auto n_u = static_cast<Eigen::Index>(servo ? e.u.size() : 0);
  const auto n_s = static_cast<Eigen::Index>(servo ? e.s.size() : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m + n_s, n + m + n_u);
  Eigen::VectorXd b(n + m + n_s);
  if (servo) std::fill(state.u.begin(), state.u.end(), 0.0);
  A.topLeftCorner(n, n) = M;
  A.block(0, n, n, m) = C.transpose();
  A.block(n, 0, m, n) = C;
  b.head(n) = dense::view(evaluator.f(state));
  b.segment(n, m) = -dense::view(evaluator.all_gamma(state));
  if (servo) {
    std::vector<Expr> error;
    for (std::size_t i = 0; i < e.s.size(); ++i) error.push_back(e.s[i].value - e.reference[i]);
    const std::vector<Expr> rate = rate_of(e, error);
    A.topRightCorner(n, n_u) = -dense::view(MatrixFunction(e, jacobian(e.f, e.u))(state));
    A.bottomLeftCorner(n_s, n) = dense::view(MatrixFunction(e, jacobian(rate, e.v))(state));
    b.tail(n_s) = -dense::view(VectorFunction(e, rate_of(e, rate))(state));
  }
  const dense::Equilibration scale = dense::equilibrate(A);
  const Eigen::VectorXd x = dense::solve_least_norm(
      scale.rows.asDiagonal() * A * scale.columns.asDiagonal(), scale.rows.cwiseProduct(b), 1e-10);
  return scale.columns.cwiseProduct(x);
}

}  // namespace

Expr multiplier_symbol(const Equations& e, const Equations::Row& row) {
  const char* const kind = row.level == Equations::Row::Level::Position ? "lambda" : "mu";
  return auxiliary_symbol(*e.graph, kind, static_cast<std::size_t>(row.number));
}

std::vector<Expr> multiplier_symbols(const Equations& e) {
  std::vector<Expr> out;
  for (const Equations::Row& row : e.rows) out.push_back(multiplier_symbol(e, row));
  return out;
}

Expr auxiliary_symbol(Graph& graph, const char* kind, std::size_t i) {
  return graph.symbol(std::string("multiplier.") + kind + '[' + std::to_string(i) + ']');
}

Dae make_dae(const Equations& equations, const DaeOptions& options) {
  return Builder(equations, options).run();
}

DaePoint make_point(const Dae& dae, const Evaluator& evaluator, const State& at) {
  const Equations& e = evaluator.equations;
  const bool servo = dae.given.size() == e.p.size() && !e.u.empty();
  State state = at;
  const Eigen::VectorXd solution = solve_all(evaluator, state, servo);

  std::unordered_map<NodeId, double> value;
  const auto put = [&](Expr symbol, double x) { value[symbol.id()] = x; };
  const std::vector<double> r = evaluator.r(state);
  const Eigen::VectorXd q_rate = sparse::evaluate(evaluator.K, state) * dense::view(state.v);
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    put(e.q[i], state.q[i]);
    put(derivative_symbol(*e.graph, e.q[i]), q_rate[static_cast<Eigen::Index>(i)]);
  }
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < e.num_v(); ++i) {
    put(e.v[i], state.v[i]);
    put(derivative_symbol(*e.graph, e.v[i]), solution[next++]);
  }
  for (const Expr& symbol : multiplier_symbols(e)) put(symbol, solution[next++]);
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    put(e.x[i], state.x[i]);
    put(derivative_symbol(*e.graph, e.x[i]), r[i]);
  }
  for (std::size_t i = 0; i < e.u.size(); ++i) put(e.u[i], servo ? solution[next++] : state.u[i]);
  for (std::size_t i = 0; i < e.p.size(); ++i) put(e.p[i], state.p[i]);

  DaePoint point;
  point.t = state.t;
  for (const Expr& symbol : dae.given) point.given.push_back(value.at(symbol.id()));
  for (const Dae::Unknown& unknown : dae.unknowns) {
    auto& values = point.unknowns.emplace_back();
    for (const Expr& symbol : unknown.derivative) {
      const auto found = value.find(symbol.id());
      values.push_back(found == value.end() ? 0 : found->second);
    }
  }
  return point;
}

}  // namespace koppel
