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
  Source(Shared<Equations> equations, const State& at, const FormulationOptions& with,
         const Formulation& formulation)
      : shared(std::move(equations)),
        e(*shared),
        state(at),
        options(with),
        whole(formulation.info()) {
    choose_rows(formulation);
    Graph& graph = *e.graph;
    for (const Equations::Row& row : e.rows) {
      const bool is_position = row.level == Equations::Row::Level::Position;
      (is_position ? lambda : mu).push_back(multiplier_symbol(e, row));
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

  // ġ and a v + b.
  Exprs g_rate() const {
    Exprs out = multiply(e.G, e.v);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += e.g_t[i];
    return out;
  }
  Exprs nonholonomic() const {
    Exprs out = multiply(e.a, e.v);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += e.b[i];
    return out;
  }
  Exprs alpha_terms() const { return rate_of(e, nonholonomic()); }  // d/dt(a v + b) at v̇ = 0
  // G v̇ or a v̇ with symbols for v̇.
  Exprs times_rate(const SparseExpr& A) const {
    return multiply(A, Exprs(rate.begin() + static_cast<std::ptrdiff_t>(e.num_q()),
                             rate.begin() + static_cast<std::ptrdiff_t>(e.num_q() + e.num_v())));
  }

  // q̇ − K v, M v̇ − f + Gᵀλ + aᵀμ, ẋ − r.
  std::vector<NamedExpr> motion(const Exprs& q_rate_less) const {
    std::vector<NamedExpr> F;
    const Exprs Kv = multiply(e.K, e.v);
    for (std::size_t i = 0; i < e.num_q(); ++i) {
      const Expr less = q_rate_less.empty() ? Expr(0) : q_rate_less[i];
      F.push_back({"rate of " + std::string(e.q[i].name()), rate[i] - Kv[i] + less});
    }
    const Exprs inertia = times_rate(*e.M);
    const Exprs by_g = multiply_transposed(e.G, lambda);
    const Exprs by_a = multiply_transposed(e.a, mu);
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

  // What states a row: its own formulation where constraints differ, of the whole formulation; else
  // the one given.
  const FormulationInfo& info_of(std::size_t i, const FormulationInfo& info) const {
    return &info == &whole && is_mixed() ? *row_info[i] : info;
  }
  bool is_mixed() const { return !row_info.empty(); }
  // Rows of g whose positions are stated too.
  std::vector<std::size_t> closed_rows(const FormulationInfo& info) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < e.num_g(); ++i) {
      if (info_of(i, info).closes_positions) rows.push_back(i);
    }
    return rows;
  }

  Shared<Equations> shared;
  const Equations& e;  // the same
  State state;
  FormulationOptions options;
  Exprs y, rate, lambda, mu;
  Given given;
  // The formulation; of one that is partially reduced, what is largest in its parts, and the parts
  // by rows.
  FormulationInfo whole;
  std::vector<const FormulationInfo*> row_info;

 private:
  void choose_rows(const Formulation& formulation);
};

using SourcePtr = std::shared_ptr<const Source>;

// Options with Baumgarte's parameters where none are given.
FormulationOptions with_feedback(FormulationOptions options);

// What a formulation states instead of g = 0, as residuals for λ, μ and η.
struct Stated {
  Exprs g, a, eta_rows;
  Exprs eta;
  std::vector<std::size_t> closed;  // the rows of η
  Exprs q_rate_less;                // K Gᵀη
  std::vector<int> index;           // of λ and μ, one after the other
};

Stated state_constraints(const Source& source, const FormulationInfo& formulation);

}  // namespace koppel
