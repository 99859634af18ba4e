#include <koppel/formulation/formulation.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include <koppel/analysis/accelerations.hpp>
#include <koppel/analysis/dae.hpp>
#include <koppel/analysis/structural.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/structure.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/reduced_forms.hpp>
#include <koppel/formulation/step_forms.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

constexpr FormulationInfo kFormulations[] = {
    {"index3", "the constraints as they are"},
    {"index2", "their rates"},
    {"index1", "their second rates, which give accelerations and multipliers"},
    {"baumgarte", "second rates with feedback of the constraints and their rates"},
    {"baumgarte2", "rates with feedback of the constraints"},
    {"ggl", "constraints and their rates, with a second set of multipliers"},
    {"minimal", "for mechanisms without constraints in their coordinates"},
    {"explicit", "second rates, with the mass matrix inverted"},
    {"implicit", "second rates, with accelerations as unknowns"},
    {"partition", "independent coordinates, chosen by name (partition:x+y) or by pivoting"},
    {"qr", "independent linear combinations of coordinates, by QR decomposition"},
    {"svd", "independent linear combinations of coordinates, by singular values"},
    {"penalty", "large forces in the place of multipliers"},
    {"augmented-lagrangian", "large forces, corrected until the second rates vanish"},
    {"regularized", "rates with feedback, multipliers corrected step by step"},
};

Expr symbol(Graph& graph, const char* kind, std::size_t i) {
  return graph.symbol(std::string("multiplier.") + kind + '[' + std::to_string(i) + ']');
}

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

// Everything of Equations that a formulation needs, once, with symbols for rates and multipliers.
// Parts of a Problem are made later, so they share ownership of it.
struct Source {
  Source(const Equations& equations, const State& at, const FormulationOptions& with)
      : e(equations), state(at), options(with) {
    const std::unordered_set<int> out(options.leave_out.begin(), options.leave_out.end());
    for (std::size_t i = 0; i < e.num_g() + e.mu.size(); ++i) {
      if (!out.contains(static_cast<int>(i))) kept.push_back(static_cast<int>(i));
    }
    Graph& graph = *e.graph;
    for (const int row : kept) {
      const auto i = static_cast<std::size_t>(row);
      if (i < e.num_g()) {
        lambda.push_back(symbol(graph, "lambda", i));
        ++num_kept_g;
      } else {
        mu.push_back(symbol(graph, "mu", i - e.num_g()));
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
    Exprs out(of_g ? e.num_g() : e.mu.size());
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
    const auto row = static_cast<std::size_t>(kept[i]);
    return row < e.num_g() ? e.lambda[row] : e.mu[row - e.num_g()];
  }

  Equations e;
  State state;
  FormulationOptions options;
  std::vector<int> kept;
  std::size_t num_kept_g = 0;
  Exprs y, rate, lambda, mu;
  Given given;
};

using SourcePtr = std::shared_ptr<const Source>;

// What a formulation states instead of g = 0, as residuals for λ, μ and η.
struct Stated {
  Exprs g, a, eta_rows;
  Exprs eta;
  Exprs q_rate_less;  // K Gᵀη
  int index_lambda = 1, index_mu = 1;
};

Stated state_constraints(const Source& s, std::string_view name) {
  Stated out;
  const double alpha = s.options.alpha, beta = s.options.beta;
  if (name == "index3") {
    out.g = s.keep_g(s.e.g);
    out.a = s.nonholonomic();
    out.index_lambda = 3;
    out.index_mu = 2;
  } else if (name == "index2" || name == "baumgarte2" || name == "ggl") {
    out.g = s.g_rate();
    out.a = s.nonholonomic();
    out.index_lambda = out.index_mu = 2;
    const Exprs g = s.keep_g(s.e.g);
    if (name == "baumgarte2") {
      for (std::size_t i = 0; i < out.g.size(); ++i) out.g[i] += alpha * g[i];
    }
    if (name == "ggl") {
      for (std::size_t i = 0; i < g.size(); ++i) {
        out.eta.push_back(symbol(*s.e.graph, "eta", static_cast<std::size_t>(s.kept[i])));
      }
      out.eta_rows = g;
      const Exprs Gt = multiply_transposed(s.e.G, s.full(out.eta, true));
      out.q_rate_less = multiply(s.e.K, Gt);
    }
  } else {  // index1, baumgarte, minimal, implicit
    out.g = s.times_rate(s.e.G, true);
    out.a = s.times_rate(s.e.a, false);
    const Exprs gamma = s.gamma(), terms = s.alpha_terms();
    for (std::size_t i = 0; i < out.g.size(); ++i) out.g[i] += gamma[i];
    for (std::size_t i = 0; i < out.a.size(); ++i) out.a[i] += terms[i];
    if (name == "baumgarte") {
      const Exprs g = s.keep_g(s.e.g), g_rate = s.g_rate(), av = s.nonholonomic();
      for (std::size_t i = 0; i < g.size(); ++i) {
        out.g[i] += 2 * alpha * g_rate[i] + beta * beta * g[i];
      }
      for (std::size_t i = 0; i < av.size(); ++i) out.a[i] += alpha * av[i];
    }
  }
  return out;
}

// v̇ − w = 0, and w for v̇ in all other equations.
void separate_accelerations(const Source& s, ResidualTerms& terms) {
  Exprs w, v_rates, F;
  for (std::size_t j = 0; j < s.e.num_v(); ++j) {
    w.push_back(symbol(*s.e.graph, "acceleration", j));
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

Residual make_residual(const Source& s, const std::string& name) {
  const Stated stated = state_constraints(s, name);
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
    terms.F.push_back({s.row_label(i), stated.g[i]});
    terms.index.push_back(stated.index_lambda);
  }
  for (std::size_t i = 0; i < s.mu.size(); ++i) {
    terms.F.push_back({s.row_label(s.num_kept_g + i), stated.a[i]});
    terms.index.push_back(stated.index_mu);
  }
  for (std::size_t i = 0; i < stated.eta.size(); ++i) {
    terms.F.push_back({"position of " + s.row_label(i), stated.eta_rows[i]});
    terms.index.push_back(2);
  }
  if (name == "implicit") separate_accelerations(s, terms);
  for (std::size_t i = s.rate.size(); i < terms.y.size(); ++i) {
    terms.y_rate.push_back(s.e.graph->symbol("multiplier.rate[" + std::to_string(i) + ']'));
  }
  terms.given = s.given;
  return Residual(terms, s.options.compile);
}

// Rates as they stand, by the recursion along a tree.
RightHandSide make_recursive_rhs(const Source& s) {
  RightHandSideTerms terms;
  terms.graph = s.e.graph;
  terms.t = s.e.t;
  terms.y = s.y;
  terms.rate = multiply(s.e.K, s.e.v);
  append(terms.rate, s.e.v_rate);
  append(terms.rate, s.e.r);
  terms.z_of.assign(s.y.size(), -1);
  terms.given = s.given;
  return RightHandSide(std::move(terms), s.options.compile);
}

// A z = b for z = (v̇, λ, μ).
RightHandSide make_rhs(const Source& s, const std::string& name) {
  const Stated stated = state_constraints(s, name);
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
    throw Error(
        "formulation.not-linear",
        "the forces of '" + s.e.model + "' depend on reactions in a way that is not linear.",
        "Use a residual form: --formulation index3 or ggl with --integrator radau5.");
  }
  terms.A = std::move(form->A);
  for (const Expr& b : form->b) terms.b.push_back(-b);
  terms.given = s.given;
  return RightHandSide(std::move(terms), s.options.compile);
}

InstantForm make_instant_form(const Source& s, const std::string& name) {
  Stated stated = state_constraints(s, name);
  InstantForm out{.e = s.e, .lambda = s.lambda, .mu = s.mu, .eta = stated.eta};
  for (std::size_t j = 0; j < s.e.num_v(); ++j) out.v_rate.push_back(s.v_rate(j));
  const std::vector<NamedExpr> motion = s.motion({});
  for (std::size_t j = 0; j < s.e.num_v(); ++j) {
    out.motion.push_back(motion[s.e.num_q() + j].value);
  }
  out.q_rate_less = stated.q_rate_less;
  out.for_lambda = stated.g;
  out.for_mu = stated.a;
  out.for_eta = stated.eta_rows;
  out.order_lambda = 3 - stated.index_lambda;
  out.order_mu = 3 - stated.index_mu;
  out.g = s.keep_g(s.e.g);
  out.g_rate = s.g_rate();
  out.Gt_lambda = multiply_transposed(s.e.G, s.full(s.lambda, true));
  out.av = s.nonholonomic();
  out.at_mu = multiply_transposed(s.e.a, s.full(s.mu, false));
  out.given = s.given;
  return out;
}

StepEquations make_steps(const Source& s, const std::string& name, StepRule rule) {
  const InstantForm form = make_instant_form(s, name);
  const auto terms = [&] {
    switch (rule) {
      case StepRule::GeneralizedAlpha: return make_alpha_steps(form);
      case StepRule::EnergyMomentum: return make_energy_steps(form);
      case StepRule::VariationalMidpoint: return make_variational_steps(form, false);
      case StepRule::VariationalTrapezoidal: break;
    }
    return make_variational_steps(form, true);
  }();
  return StepEquations(terms, s.options.compile);
}

// What a rule for steps lacks; empty: nothing.
std::string missing_for(StepRule rule, const Equations& e, const std::string& name, bool is_free) {
  const std::string formulation = "; formulation '" + name + "' has none";
  if (rule == StepRule::GeneralizedAlpha) {
    const bool has_residual = !is_reduced(name) && name != "implicit" && name != "regularized";
    return has_residual ? "" : "a residual in positions and velocities" + formulation;
  }
  if (name != "index3" && !is_free) {
    return "the constraints as they are; formulation '" + name + "' has others";
  }
  const auto coordinates = [&](const char* what, const char* others) {
    return what + std::string(", which some of the '") + e.coordinates +
           "' coordinates have not; " + "others, such as " + others + ", may";
  };
  if (rule == StepRule::EnergyMomentum) {
    return has_linear_rates(e) ? ""
                               : coordinates("rates that are linear in the coordinates",
                                             "absolute, directors or natural ones");
  }
  if (!e.mu.empty()) return "constraints on positions only; '" + e.model + "' has others";
  return has_holonomic_velocities(e)
             ? ""
             : coordinates("velocities that are their rates", "directors or natural ones");
}

void add_steps(const SourcePtr& s, const std::string& name, Problem& problem) {
  for (std::size_t i = 0; i < kNumStepRules; ++i) {
    const auto rule = static_cast<StepRule>(i);
    Problem::Steps& steps = problem.steps[i];
    steps.needs = missing_for(rule, s->e, name, s->kept.empty());
    if (!steps.needs.empty()) continue;
    steps.equations = Lazy<StepEquations>([s, name, rule] { return make_steps(*s, name, rule); });
  }
}

SeriesSystem make_series(const Source& s) {
  SeriesTerms terms;
  terms.dae = make_dae(s.e, {.with_servo = false, .leave_out = s.options.leave_out});
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
  return SeriesSystem(std::move(terms));
}

bool is_index2(std::string_view name) {
  return name == "index2" || name == "baumgarte2" || name == "ggl" || name == "regularized";
}

// The regularisation ε of a step h: this part of what a multiplier does to its rate in it, which is
// h G M⁻¹Gᵀ ≈ h |G|²/m, with m the mean mass.
constexpr double kRegularization = 0.01;

double regularization(const Source& s) {
  const Evaluator evaluator(s.e);
  const Matrix M = (*evaluator.M)(s.state), C = evaluator.all_constraints(s.state);
  double mass = 0, squares = 0;
  for (int i = 0; i < M.rows; ++i) mass += M(i, i) / M.rows;
  for (int i = 0; i < C.rows; ++i) {
    for (int j = 0; j < C.columns; ++j) squares += C(i, j) * C(i, j) / C.rows;
  }
  const double h = s.options.step > 0 ? s.options.step : 1e-3;
  return mass > 0 ? kRegularization * h * squares / mass : 0;
}

Descriptor make_descriptor(const Source& s, const std::string& name) {
  Descriptor out;
  out.equations = s.e;
  out.kept = s.kept;
  out.lambda = s.lambda;
  append(out.lambda, s.mu);
  out.state = s.state;
  out.level = is_index2(name) ? Descriptor::Level::Velocity : Descriptor::Level::Acceleration;
  if (name == "baumgarte" || name == "baumgarte2" || name == "regularized") {
    out.alpha = s.options.alpha;
    out.beta = s.options.beta;
  }
  out.closes_positions = name == "ggl";
  if (name == "regularized") out.epsilon = regularization(s);
  out.compile = s.options.compile;
  return out;
}

void check(const Equations& e, std::string_view name) {
  check_formulation(name);
  if (name == "minimal" && e.num_g() + e.mu.size() > 0) {
    throw Error("formulation.has-constraints",
                "'minimal' needs coordinates without constraints; '" + e.model + "' has " +
                    std::to_string(e.num_g() + e.mu.size()) + " constraints in '" + e.coordinates +
                    "' coordinates.",
                "Use joint coordinates where the mechanism is a tree, or another formulation.");
  }
}

}  // namespace

std::span<const FormulationInfo> formulations() { return kFormulations; }

void check_formulation(std::string_view formulation) {
  const std::string name = split_name(formulation).base;
  std::vector<std::string> names;
  for (const FormulationInfo& info : kFormulations) names.emplace_back(info.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    const std::string meant = suggest(name, names);
    throw Error(
        "formulation.unknown", "there is no formulation '" + name + "'.",
        (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "There are: " + all + ".");
  }
}

FormulationName split_name(std::string_view formulation) {
  const std::size_t colon = formulation.find(':');
  FormulationName out{std::string(formulation.substr(0, colon)), {}};
  while (colon != std::string_view::npos && !formulation.empty()) {
    const std::size_t first = formulation.find_first_of(":+");
    if (first == std::string_view::npos) break;
    formulation.remove_prefix(first + 1);
    out.independent.emplace_back(formulation.substr(0, formulation.find('+')));
  }
  return out;
}

Problem formulate(const Equations& equations, std::string_view formulation, const State& state,
                  const FormulationOptions& given_options) {
  const FormulationName parts = split_name(formulation);
  check(equations, parts.base);
  if (parts.base == "explicit") check_mass(equations, state);
  FormulationOptions options = given_options;
  // Where the step is known, errors shall fall by a fifth in it; critical damping: β = α.
  if (options.alpha == 0) options.alpha = options.step > 0 ? 0.2 / options.step : 10;
  if (options.beta == 0) options.beta = options.alpha;
  const auto s = std::make_shared<const Source>(equations, state, options);
  const std::string& name = parts.base;
  const bool is_free = s->kept.empty();

  Problem problem;
  problem.name = equations.model;
  problem.formulation = formulation;
  problem.num_q = static_cast<int>(equations.num_q());
  problem.num_v = static_cast<int>(equations.num_v());
  problem.num_x = static_cast<int>(equations.x.size());
  problem.num_lambda = static_cast<int>(s->lambda.size());
  problem.num_mu = static_cast<int>(s->mu.size());
  if (name == "ggl") problem.num_eta = problem.num_lambda;
  if (!is_free) {
    problem.index = name == "index3" ? (problem.num_lambda > 0 ? 3 : 2) : is_index2(name) ? 2 : 1;
  }
  for (const Expr& y : s->y) problem.labels.emplace_back(y.name());
  for (std::size_t i = 0; i < s->kept.size(); ++i) {
    problem.labels.push_back((i < s->num_kept_g ? "lambda of " : "mu of ") + s->row_label(i));
  }
  for (int i = 0; i < problem.num_eta; ++i) {
    problem.labels.push_back("eta of " + s->row_label(static_cast<std::size_t>(i)));
  }

  if (name == "implicit") {
    problem.num_w = problem.num_v;
    for (const Expr& v : equations.v) {
      problem.labels.push_back("acceleration of " + std::string(v.name()));
    }
  }

  if (is_reduced(name)) {
    const std::vector<int> independent = find_independent(equations, parts, s->kept.size());
    problem.rhs = Lazy<RightHandSide>([s, name, independent] {
      return make_reduced_rhs(s->e, s->kept, s->given, name, independent, s->options);
    });
  } else if (name != "regularized") {
    problem.residual = Lazy<Residual>([s, name] { return make_residual(*s, name); });
  }
  if (!is_reduced(name) && name != "index3" && name != "implicit") {
    problem.descriptor = Lazy<Descriptor>([s, name] { return make_descriptor(*s, name); });
  }
  if (problem.index <= 1 && !problem.rhs && problem.residual) {
    problem.rhs = Lazy<RightHandSide>([s, name] {
      const bool is_recursive = name == "minimal" && !s->e.v_rate.empty();
      return is_recursive ? make_recursive_rhs(*s) : make_rhs(*s, name);
    });
  }
  if (name == "index3" || is_free) {
    problem.series = Lazy<SeriesSystem>([s] { return make_series(*s); });
  }
  if (!problem.rhs) {
    problem.rates = Lazy<RightHandSide>([s] { return make_rhs(*s, "index1"); });
  }
  add_steps(s, name, problem);
  problem.projector = Lazy<Projector>(
      [s] { return Projector(s->e, s->kept, s->state.p, s->state.u, s->options.compile); });

  for (const Equations::Event& event : equations.events) {
    problem.event_directions.push_back(event.direction);
  }
  if (!equations.events.empty()) {
    problem.events = Lazy<EventFunctions>(
        [s] { return EventFunctions(s->e, s->state.p, s->state.u, s->options.compile); });
  }

  Exprs all = equations.f;
  append(all, equations.g);
  append(all, equations.b);
  append(all, equations.r);
  problem.breakpoints = find_breakpoints(all, equations.t, equations.p, state.p);
  return problem;
}

std::vector<double> start_values(const Problem& problem, const Evaluator& evaluator,
                                 const State& state) {
  std::vector<double> y = state.q;
  y.insert(y.end(), state.v.begin(), state.v.end());
  y.insert(y.end(), state.x.begin(), state.x.end());
  y.resize(static_cast<std::size_t>(problem.size()), 0.0);
  if (problem.num_lambda + problem.num_mu + problem.num_w == 0) return y;
  // Labels say which rows are kept, in the order of [g; a].
  const Equations& e = evaluator.equations;
  std::vector<std::string> names;
  for (const std::string& name : e.lambda) names.push_back("lambda of " + name);
  for (const std::string& name : e.mu) names.push_back("mu of " + name);
  std::vector<int> leave_out, place(names.size(), -1);
  auto next = static_cast<std::size_t>(problem.num_differential());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (next < y.size() && problem.labels[next] == names[i]) {
      place[i] = static_cast<int>(next++);
    } else {
      leave_out.push_back(static_cast<int>(i));
    }
  }
  const Accelerations found = solve_accelerations(evaluator, state, leave_out);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (place[i] < 0) continue;
    y[static_cast<std::size_t>(place[i])] =
        i < e.num_g() ? found.lambda[i] : found.mu[i - e.num_g()];
  }
  if (problem.num_w > 0)
    std::copy(found.v_rate.begin(), found.v_rate.end(), y.end() - problem.num_w);
  return y;
}

}  // namespace koppel
