#include <koppel/formulation/formulation.hpp>

#include <algorithm>
#include <memory>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/equations/switch_events.hpp>
#include <koppel/formulation/add_fixed_cost.hpp>
#include <koppel/formulation/add_steps.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/energy_terms.hpp>
#include <koppel/formulation/instant_forms.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/formulation/reduced_forms.hpp>
#include <koppel/formulation/reduction.hpp>
#include <koppel/formulation/source.hpp>

namespace koppel {
namespace {

using States = FormulationInfo::States;

// One entry joins a formulation.
constexpr FormulationInfo kFormulations[] = {
    {.name = "index3", .description = "the constraints as they are", .states = States::Positions},
    {.name = "index2", .description = "their rates", .states = States::Velocities},
    {.name = "index1",
     .description = "their second rates, which give accelerations and multipliers"},
    {.name = "baumgarte",
     .description = "second rates with feedback of the constraints and their rates",
     .has_feedback = true},
    {.name = "baumgarte2",
     .description = "rates with feedback of the constraints",
     .states = States::Velocities,
     .has_feedback = true},
    {.name = "ggl",
     .description = "constraints and their rates, with a second set of multipliers",
     .states = States::Velocities,
     .closes_positions = true},
    {.name = "minimal",
     .description = "for mechanisms without constraints in their coordinates",
     .is_free = true},
    {.name = "explicit",
     .description = "second rates, with the mass matrix inverted",
     .reduce = [](const std::vector<int>&) { return make_mass_inverse(); },
     .inverts_mass = true},
    {.name = "implicit",
     .description = "second rates, with accelerations as unknowns",
     .has_accelerations = true},
    {.name = "partition",
     .description = "independent coordinates, chosen by name (partition:x+y) or by pivoting",
     .reduce = [](const std::vector<int>& independent) { return make_partition(independent); }},
    {.name = "qr",
     .description = "independent linear combinations of coordinates, by QR decomposition",
     .reduce = [](const std::vector<int>&) { return make_qr(); }},
    {.name = "svd",
     .description = "independent linear combinations of coordinates, by singular values",
     .reduce = [](const std::vector<int>&) { return make_svd(); }},
};

void check(const Equations& e, const FormulationInfo& info) {
  if (info.is_free && e.num_rows() > 0) {
    throw Error("formulation.has-constraints",
                "'minimal' needs coordinates without constraints; '" + e.model + "' has " +
                    std::to_string(e.num_rows()) + " constraints in '" + e.coordinates +
                    "' coordinates.",
                "Use joint coordinates where the mechanism is a tree, or another formulation.");
  }
}

const FormulationInfo& find_formulation(std::string_view name) {
  std::vector<std::string> names;
  std::string all;
  for (const FormulationInfo& info : kFormulations) {
    if (info.name == name) return info;
    names.emplace_back(info.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = suggest(name, names);
  throw Error("formulation.unknown", "there is no formulation '" + std::string(name) + "'.",
              (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "There are: " + all + ".");
}

int index_of(const FormulationInfo& info, bool has_lambda) {
  switch (info.states) {
    case States::Positions: return has_lambda ? 3 : 2;
    case States::Velocities: return 2;
    case States::Accelerations: break;
  }
  return 1;
}

// Those that state constraints by equations can be mixed.
void check_parts(const Formulation& formulation) {
  if (formulation.parts.empty()) return;
  std::vector<const FormulationInfo*> all = {&formulation.info()};
  for (const FormulationPart& part : formulation.parts) all.push_back(part.info);
  for (const FormulationInfo* info : all) {
    if (info->has_residual() && !info->has_accelerations && !info->is_free) continue;
    throw Error("formulation.not-partial",
                "formulation '" + std::string(info->name) +
                    "' is of all constraints together; it has no part in a partially reduced form.",
                "Those of single constraints are index3, index2, index1, baumgarte, baumgarte2 "
                "and ggl.");
  }
}

}  // namespace

std::span<const FormulationInfo> formulations() { return kFormulations; }

void Formulation::read(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (text.empty() || text == "auto") return;
  info_ = &find_formulation(name);
  while (colon != std::string_view::npos && !text.empty()) {
    const std::size_t first = text.find_first_of(":+");
    if (first == std::string_view::npos) break;
    text.remove_prefix(first + 1);
    const std::string item(text.substr(0, text.find('+')));
    if (const std::size_t equals = item.find('='); equals == item.npos) {
      independent.push_back(item);
    } else {
      parts.push_back({item.substr(0, equals), &find_formulation(item.substr(equals + 1))});
    }
  }
  check_parts(*this);
}

const FormulationInfo& Formulation::info() const {
  return info_ == nullptr ? find_formulation("") : *info_;
}

std::string Formulation::text() const {
  if (is_open()) return "";
  std::string out(info_->name);
  char separator = ':';
  const auto add = [&](const std::string& item) {
    out += separator + item;
    separator = '+';
  };
  for (const std::string& name : independent) add(name);
  for (const FormulationPart& part : parts) add(part.of + '=' + std::string(part.info->name));
  return out;
}

Problem formulate(const Shared<Equations>& shared, const Formulation& formulation,
                  const State& state, const FormulationOptions& options) {
  const Equations& equations = shared;
  check(equations, formulation.info());
  if (formulation.info().inverts_mass) check_mass(equations, state);
  const auto s = std::make_shared<const Source>(shared, state, with_feedback(options), formulation);
  const FormulationInfo& info = s->whole;
  const bool is_free = equations.rows.empty();

  Problem problem;
  problem.name = equations.model;
  problem.formulation = formulation.text();
  problem.num_q = static_cast<int>(equations.num_q());
  problem.num_v = static_cast<int>(equations.num_v());
  problem.num_x = static_cast<int>(equations.x.size());
  for (const Equations::Row& row : equations.rows) problem.rows.push_back(row.number);
  problem.num_lambda = static_cast<int>(s->lambda.size());
  problem.num_mu = static_cast<int>(s->mu.size());
  const std::vector<std::size_t> closed = s->closed_rows(info);
  problem.num_eta = static_cast<int>(closed.size());
  if (!is_free) problem.index = index_of(info, problem.num_lambda > 0);
  for (const Expr& y : s->y) problem.labels.emplace_back(y.name());
  for (std::size_t i = 0; i < equations.rows.size(); ++i) {
    const char* const kind = i < equations.num_g() ? "lambda of " : "mu of ";
    problem.labels.push_back(kind + equations.rows[i].name);
  }
  for (const std::size_t i : closed) problem.labels.push_back("eta of " + equations.rows[i].name);

  if (info.has_accelerations) {
    problem.num_w = problem.num_v;
    for (const Expr& v : equations.v) {
      problem.labels.push_back("acceleration of " + std::string(v.name()));
    }
  }

  if (info.reduce != nullptr) {
    const std::vector<int> independent = find_independent(equations, formulation.independent);
    problem.rhs = Lazy<RightHandSide>([s, &info, independent] {
      return make_reduced_rhs(s->e, s->given, info, independent, s->options);
    });
  }
  if (info.has_residual()) {
    problem.residual = Lazy<Residual>([s, &info] { return make_residual(*s, info); });
  }
  if (info.has_fixed_cost() && !s->is_mixed()) add_fixed_cost(s, info, problem);
  if (problem.index <= 1 && !problem.rhs && problem.residual) {
    problem.rhs = Lazy<RightHandSide>([s, &info] { return make_rhs(*s, info); });
  }
  if ((info.states == States::Positions && !s->is_mixed()) || is_free) {
    problem.series = Lazy<SeriesSystem>([s] { return make_series(*s); });
  }
  if (!problem.rhs) {
    problem.rates = Lazy<RightHandSide>([s] { return make_rhs(*s, find_formulation("index1")); });
  }
  add_steps(s, info, problem);
  problem.projector = Lazy<Projector>([s] {
    return Projector(make_projector_terms(s->e, s->state.p, s->state.u), s->options.compile);
  });
  // A hand gives and takes energy as it likes, and corrects what steps of order 1 lose by its
  // jerks: there is nothing to judge.
  if (equations.tracking.empty()) {
    problem.energy = Lazy<EnergyBalance>(
        [s] { return EnergyBalance(make_energy_terms(s->e, s->state), s->options.compile); });
  }

  for (const Equations::Event& event : equations.events) {
    problem.event_directions.push_back(event.direction);
  }
  if (!equations.events.empty()) {
    problem.events = Lazy<EventFunctions>([s] {
      EventTerms terms{s->e.t, s->y, s->given, {}};
      for (const Equations::Event& event : s->e.events) terms.values.push_back(event.when);
      return EventFunctions(terms, s->options.compile);
    });
  }
  Exprs switches = switch_functions(equations);
  problem.num_sharp_switches = switches.size();
  append(switches, waking_functions(equations));
  if (!switches.empty()) {
    problem.switches = Lazy<EventFunctions>([s, switches = std::move(switches)] {
      return EventFunctions({s->e.t, s->y, s->given, switches}, s->options.compile);
    });
  }

  Exprs all = equations.f;
  append(all, equations.g);
  append(all, equations.b);
  append(all, equations.r);
  for (const Equations::LeftOut& row : equations.left_out) {
    append(all, {row.position, row.velocity});
  }
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
  // Those of the evaluator that the problem has; others may be left out of its equations already.
  std::vector<int> kept, left;
  for (int i = 0; i < static_cast<int>(e.num_rows()); ++i) {
    const int number = e.rows[static_cast<std::size_t>(i)].number;
    const bool is_kept = std::binary_search(problem.rows.begin(), problem.rows.end(), number);
    (is_kept ? kept : left).push_back(i);
  }
  const Accelerations found = solve_accelerations(evaluator, state, left);
  auto next = y.begin() + problem.num_differential();
  for (const int row : kept) {
    const auto i = static_cast<std::size_t>(row);
    *next++ = i < e.num_g() ? found.lambda[i] : found.mu[i - e.num_g()];
  }
  if (problem.num_w > 0)
    std::copy(found.v_rate.begin(), found.v_rate.end(), y.end() - problem.num_w);
  return y;
}

}  // namespace koppel
