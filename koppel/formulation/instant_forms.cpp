#include <koppel/formulation/instant_forms.hpp>

#include <unordered_map>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/dae/signature.hpp>
#include <koppel/formulation/linear_rates.hpp>

namespace koppel {
namespace {

// v̇ − w = 0, and w for v̇ in all other equations.
void separate_accelerations(const Source& s, ResidualTerms& terms) {
  Exprs w, v_rates, F;
  for (std::size_t j = 0; j < s.e.num_v(); ++j) {
    w.push_back(auxiliary_symbol(*s.e.graph, "acceleration", j));
    v_rates.push_back(s.v_rate(j));
  }
  for (const NamedExpr& row : terms.F) F.push_back(row.value);
  F = substitute(F, v_rates, w);
  for (std::size_t i = 0; i < F.size(); ++i) terms.F[i].value = F[i];
  for (std::size_t j = 0; j < w.size(); ++j) {
    terms.F.push_back({"rate of " + std::string(s.e.v[j].name()), v_rates[j] - w[j]});
    terms.index.push_back(1);
  }
  append(terms.y, w);
}

// Rates as they stand, by the recursion along a tree.
RightHandSideTerms make_recursive_terms(const Source& s) {
  RightHandSideTerms terms;
  terms.graph = s.e.graph;
  terms.t = s.e.t;
  terms.y = s.y;
  terms.rate = multiply(s.e.K, s.e.v);
  append(terms.rate, s.e.v_rate);
  append(terms.rate, s.e.r);
  terms.z_of.assign(s.y.size(), -1);
  terms.given = s.given;
  return terms;
}

}  // namespace

Residual make_residual(const Source& s, const FormulationInfo& info) {
  const Stated stated = state_constraints(s, info);
  ResidualTerms terms;
  terms.t = s.e.t;
  terms.y = s.y;
  terms.y_rate = s.rate;
  terms.F = s.motion(stated.q_rate_less);
  terms.index.assign(s.y.size(), 0);
  append(terms.y, s.lambda);
  append(terms.y, s.mu);
  append(terms.y, stated.eta);
  for (std::size_t i = 0; i < s.lambda.size(); ++i) {
    terms.F.push_back({s.e.rows[i].name, stated.g[i]});
    terms.index.push_back(stated.index[i]);
  }
  for (std::size_t i = 0; i < s.mu.size(); ++i) {
    terms.F.push_back({s.e.rows[s.e.num_g() + i].name, stated.a[i]});
    terms.index.push_back(stated.index[s.e.num_g() + i]);
  }
  for (std::size_t i = 0; i < stated.eta.size(); ++i) {
    terms.F.push_back({"position of " + s.e.rows[stated.closed[i]].name, stated.eta_rows[i]});
    terms.index.push_back(2);
  }
  if (info.has_accelerations) separate_accelerations(s, terms);
  for (std::size_t i = s.rate.size(); i < terms.y.size(); ++i) {
    terms.y_rate.push_back(s.e.graph->symbol("multiplier.rate[" + std::to_string(i) + ']'));
  }
  terms.given = s.given;
  return Residual(terms, s.options.compile);
}

RightHandSideTerms make_rhs_terms(const Source& s, const FormulationInfo& info) {
  if (info.is_free && !s.e.v_rate.empty()) return make_recursive_terms(s);
  const Stated stated = state_constraints(s, info);
  Exprs z;
  for (std::size_t j = 0; j < s.e.num_v(); ++j) z.push_back(s.v_rate(j));
  append(z, s.lambda);
  append(z, s.mu);
  Exprs rows;
  const std::vector<NamedExpr> motion = s.motion({});
  for (std::size_t j = 0; j < s.e.num_v(); ++j) rows.push_back(motion[s.e.num_q() + j].value);
  append(rows, stated.g);
  append(rows, stated.a);

  RightHandSideTerms terms;
  terms.graph = s.e.graph;
  terms.t = s.e.t;
  terms.y = s.y;
  terms.rate = multiply(s.e.K, s.e.v);
  terms.z_of.assign(s.e.num_q(), -1);
  for (std::size_t j = 0; j < s.e.num_v(); ++j) {
    terms.rate.emplace_back(0);
    terms.z_of.push_back(static_cast<int>(j));
  }
  append(terms.rate, s.e.r);
  terms.z_of.resize(s.y.size(), -1);
  auto form = linear_form(rows, z);
  if (!form) {
    throw Error("formulation.not-linear",
                "the forces of '" + s.e.model + "' depend nonlinearly on reactions.",
                "Use a residual form: `formulation = index3` or ggl with `integrator = radau5`.");
  }
  terms.A = std::move(form->A);
  for (const Expr& b : form->b) terms.b.push_back(-b);
  terms.given = s.given;
  return terms;
}

RightHandSide make_rhs(const Source& s, const FormulationInfo& info) {
  return RightHandSide(make_rhs_terms(s, info), s.options.compile);
}

RightHandSideTerms make_linear_rates(const Shared<Equations>& equations, const State& state) {
  const Source source(equations, state, {}, equations->rows.empty() ? "minimal" : "index1");
  return make_rhs_terms(source, source.whole);
}

SeriesSystem make_series(const Source& s) {
  SeriesTerms terms;
  terms.dae = make_dae(s.e, {.with_servo = false});
  terms.structure = analyze_structure(terms.dae);
  if (!terms.structure.is_regular) {
    throw Error("formulation.singular-structure", terms.structure.problem);
  }
  terms.given = s.given.values;
  terms.options = s.options.compile;
  Exprs all = s.y;
  append(all, s.lambda);
  append(all, s.mu);
  std::unordered_map<NodeId, SeriesTerms::Place> places;
  for (std::size_t j = 0; j < terms.dae.unknowns.size(); ++j) {
    const auto& derivative = terms.dae.unknowns[j].derivative;
    for (std::size_t l = 0; l < derivative.size(); ++l) {
      places[derivative[l].id()] = {static_cast<int>(j), static_cast<int>(l)};
    }
  }
  for (const Expr& e : all) terms.y.push_back(places.at(e.id()));
  std::unordered_map<NodeId, double> value;
  const auto add_values = [&](const Exprs& symbols, const std::vector<double>& values) {
    for (std::size_t i = 0; i < symbols.size(); ++i) value[symbols[i].id()] = values[i];
  };
  add_values(s.e.q, s.state.q);
  add_values(s.e.v, s.state.v);
  add_values(s.e.x, s.state.x);
  terms.start.push_back(s.state.t);
  for (const Dae::Unknown& unknown : terms.dae.unknowns) {
    for (const Expr& symbol : unknown.derivative) {
      const auto known = value.find(symbol.id());
      terms.start.push_back(known == value.end() ? 0 : known->second);
    }
  }
  return SeriesSystem(std::move(terms));
}

}  // namespace koppel
