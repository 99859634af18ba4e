#include <koppel/formulation/formulation.hpp>

#include <algorithm>
#include <memory>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/formulation/add_steps.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/instant_forms.hpp>
#include <koppel/formulation/reduced_forms.hpp>

namespace koppel {
namespace {

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

void check(const Equations& e, std::string_view name) {
  check_formulation(name);
  if (name == "minimal" && e.num_rows() > 0) {
    throw Error("formulation.has-constraints",
                "'minimal' needs coordinates without constraints; '" + e.model + "' has " +
                    std::to_string(e.num_rows()) + " constraints in '" + e.coordinates +
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

Problem formulate(const Shared<Equations>& shared, std::string_view formulation, const State& state,
                  const FormulationOptions& given_options) {
  const FormulationName parts = split_name(formulation);
  const Equations& equations = shared;
  check(equations, parts.base);
  if (parts.base == "explicit") check_mass(equations, state);
  FormulationOptions options = given_options;
  // Where the step is known, errors shall fall by a fifth in it; critical damping: β = α.
  if (options.alpha == 0) options.alpha = options.step > 0 ? 0.2 / options.step : 10;
  if (options.beta == 0) options.beta = options.alpha;
  const auto s = std::make_shared<const Source>(shared, state, options);
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
  problem.rows = s->kept;
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
    problem.rhs = Lazy<RightHandSide>([s, name] { return make_rhs(*s, name); });
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

  problem.energy = Lazy<EnergyBalance>(
      [s] { return EnergyBalance(s->e, s->kept, s->state, s->options.compile); });

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
  const Equations& e = evaluator.equations;
  std::vector<int> leave_out;
  for (int row = 0; row < static_cast<int>(e.num_rows()); ++row) {
    if (!std::binary_search(problem.rows.begin(), problem.rows.end(), row)) {
      leave_out.push_back(row);
    }
  }
  const Accelerations found = solve_accelerations(evaluator, state, leave_out);
  auto next = y.begin() + problem.num_differential();
  for (const int row : problem.rows) {
    const auto i = static_cast<std::size_t>(row);
    *next++ = i < e.num_g() ? found.lambda[i] : found.mu[i - e.num_g()];
  }
  if (problem.num_w > 0)
    std::copy(found.v_rate.begin(), found.v_rate.end(), y.end() - problem.num_w);
  return y;
}

}  // namespace koppel
