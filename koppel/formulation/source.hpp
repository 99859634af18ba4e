// What all forms of a problem are made from. For sources of this folder only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/problem/residual.hpp>

namespace koppel {

using Exprs = std::vector<Expr>;

inline void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

// Everything of Equations that a formulation needs, once, with symbols for rates and multipliers.
// Parts of a Problem are made later, so they share ownership of it.
struct Source {
  Source(Shared<Equations> equations, const State& at, const FormulationOptions& with)
      : shared(std::move(equations)), e(*shared), state(at), options(with) {
    kept = e.rows_without(options.leave_out);
    Graph& graph = *e.graph;
    for (const int row : kept) {
      const auto i = static_cast<std::size_t>(row);
      if (i < e.num_g()) {
        lambda.push_back(multiplier_symbol(graph, "lambda", i));
        ++num_kept_g;
      } else {
        mu.push_back(multiplier_symbol(graph, "mu", i - e.num_g()));
      }
    }
    append(y, e.q);
    append(y, e.v);
    append(y, e.x);
    for (const Expr& state_symbol : y) {
      rate.push_back(graph.symbol(std::string(state_symbol.name()) + '\''));
    }
    // v_j may itself be called q′; the rate of q then has another name of its own.
    std::unordered_set<NodeId> taken;
    for (const Expr& symbol_of_y : y) taken.insert(symbol_of_y.id());
    for (std::size_t i = 0; i < rate.size(); ++i) {
      if (taken.contains(rate[i].id())) rate[i] = graph.symbol("rate." + std::to_string(i));
    }
    given.symbols = e.p;
    given.values = state.p;
    append(given.symbols, e.u);
    given.values.insert(given.values.end(), state.u.begin(), state.u.end());
  }

  Expr v_rate(std::size_t j) const { return rate[e.num_q() + j]; }

  // Rows of an expression vector over [g; a] that are kept.
  Exprs keep_g(const Exprs& all) const {
    Exprs out;
    for (std::size_t i = 0; i < num_kept_g; ++i)
      out.push_back(all[static_cast<std::size_t>(kept[i])]);
    return out;
  }
  Exprs keep_a(const Exprs& all) const {
    Exprs out;
    for (std::size_t i = num_kept_g; i < kept.size(); ++i) {
      out.push_back(all[static_cast<std::size_t>(kept[i]) - e.num_g()]);
    }
    return out;
  }
  // The multipliers as a full vector, 0 for rows that are left out.
  Exprs full(const Exprs& some, bool of_g) const {
    Exprs out(of_g ? e.num_g() : e.num_a());
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto row = static_cast<std::size_t>(kept[of_g ? i : num_kept_g + i]);
      out[of_g ? row : row - e.num_g()] = some[i];
    }
    return out;
  }

  // ġ, g̈ and the same for a v + b; accelerations as symbols.
  Exprs g_rate() const {
    Exprs out = multiply(e.G, e.v);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += e.g_t[i];
    return keep_g(out);
  }
  Exprs gamma() const { return keep_g(e.gamma); }
  Exprs nonholonomic() const {
    Exprs out = multiply(e.a, e.v);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += e.b[i];
    return keep_a(out);
  }
  Exprs alpha_terms() const {  // d/dt(a v + b) at v̇ = 0
    Exprs all = multiply(e.a, e.v);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += e.b[i];
    return keep_a(rate_of(e, all));
  }
  // G v̇ and a v̇ with symbols for v̇.
  Exprs times_rate(const SparseExpr& A, bool of_g) const {
    Exprs v_rates;
    for (std::size_t j = 0; j < e.num_v(); ++j) v_rates.push_back(v_rate(j));
    const Exprs out = multiply(A, v_rates);
    return of_g ? keep_g(out) : keep_a(out);
  }

  // q̇ − K v, M v̇ − f + Gᵀλ + aᵀμ, ẋ − r.
  std::vector<NamedExpr> motion(const Exprs& q_rate_less) const {
    std::vector<NamedExpr> F;
    const Exprs Kv = multiply(e.K, e.v);
    for (std::size_t i = 0; i < e.num_q(); ++i) {
      const Expr less = q_rate_less.empty() ? Expr(0) : q_rate_less[i];
      F.push_back({"rate of " + std::string(e.q[i].name()), rate[i] - Kv[i] + less});
    }
    Exprs v_rates;
    for (std::size_t j = 0; j < e.num_v(); ++j) v_rates.push_back(v_rate(j));
    const Exprs inertia = multiply(*e.M, v_rates);
    const Exprs by_g = multiply_transposed(e.G, full(lambda, true));
    const Exprs by_a = multiply_transposed(e.a, full(mu, false));
    for (std::size_t j = 0; j < e.num_v(); ++j) {
      F.push_back(
          {"motion of " + std::string(e.v[j].name()), inertia[j] - e.f[j] + by_g[j] + by_a[j]});
    }
    for (std::size_t i = 0; i < e.x.size(); ++i) {
      F.push_back(
          {"rate of " + std::string(e.x[i].name()), rate[e.num_q() + e.num_v() + i] - e.r[i]});
    }
    return F;
  }

  std::string row_label(std::size_t i) const {
    return e.rows[static_cast<std::size_t>(kept[i])].name;
  }

  Shared<Equations> shared;
  const Equations& e;  // the same
  State state;
  FormulationOptions options;
  std::vector<int> kept;
  std::size_t num_kept_g = 0;
  Exprs y, rate, lambda, mu;
  Given given;
};

using SourcePtr = std::shared_ptr<const Source>;

// Options with Baumgarte's parameters where none are given.
FormulationOptions with_feedback(FormulationOptions options);

// What a formulation states instead of g = 0, as residuals for λ, μ and η.
struct Stated {
  Exprs g, a, eta_rows;
  Exprs eta;
  Exprs q_rate_less;  // K Gᵀη
  int index_lambda = 1, index_mu = 1;
};

Stated state_constraints(const Source& source, const FormulationInfo& formulation);

}  // namespace koppel
