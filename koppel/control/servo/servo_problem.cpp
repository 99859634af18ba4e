#include <koppel/control/servo/servo_problem.hpp>

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include <koppel/analysis/structure/hidden_equations.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/realization.hpp>
#include <koppel/control/servo/smoothness.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/breakpoints.hpp>

namespace koppel {
namespace {

template <typename Items, typename Name>
std::string list(const Items& items, Name&& name) {
  std::string out;
  for (const auto& item : items) out += fmt::format("{}'{}'", out.empty() ? "" : ", ", name(item));
  return out;
}

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string numbers_of(const Equations& e) {
  return fmt::format("{} ({}) for {} ({})", plural(e.u.size(), "input"),
                     list(e.u, [](Expr u) { return std::string(u.name()); }),
                     plural(e.s.size(), "prescribed output"),
                     list(e.s, [](const NamedExpr& s) { return s.name; }));
}

void check_numbers(const Equations& e) {
  if (e.s.empty()) {
    throw Error("control.no-outputs", "'" + e.model + "' prescribes no output.",
                "Add outputs and their references under 'servo'.");
  }
  if (e.u.empty()) {
    throw Error("control.no-inputs", "'" + e.model + "' has no inputs.",
                "Name forces and torques under 'inputs' and let them act under 'forces' or "
                "'generalized_forces'.");
  }
  if (e.s.size() <= e.u.size()) return;
  throw Error("control.too-many-outputs", "there are too few inputs: " + numbers_of(e) + ".",
              "Add an actuator for each output more, or prescribe fewer outputs.")
      .about(e.s.front().name);
}

// Of more inputs than outputs, those of least norm are taken. That is a choice at each time by
// itself only where the inputs act on all outputs directly.
void check_shares(const Shared<Equations>& equations, const State& state) {
  const Equations& e = equations;
  if (e.s.size() >= e.u.size()) return;
  const std::optional<Realization> found = find_realization(Evaluator(equations), state);
  if (found && found->kind == Realization::Kind::Orthogonal) return;
  throw Error("control.too-many-inputs",
              fmt::format("there are too many inputs: {}. They can be shared out where they act on "
                          "all outputs directly; here {}.",
                          numbers_of(e),
                          found ? fmt::format("they do on {}", found->rank)
                                : std::string("motions without mass leave that open")),
              "Prescribe one more output for each of them, or leave an actuator out.")
      .about(e.s.front().name);
}

// Outputs that are not connected with an input, through any chain of equations and unknowns: what
// such an output does is decided without the inputs.
std::vector<std::string> outputs_without_influence(const Dae& dae, const Equations& e) {
  // Unknowns are connected by the equations in which they occur; time and parameters connect none.
  const std::size_t n = dae.unknowns.size();
  std::unordered_map<NodeId, std::size_t> unknown_of;
  for (std::size_t j = 0; j < n; ++j) {
    for (const Expr& symbol : dae.unknowns[j].derivative) unknown_of[symbol.id()] = j;
  }
  std::vector<std::vector<std::size_t>> in(dae.residuals.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (const Expr& symbol : symbols_of(dae.residuals[i].value)) {
      if (const auto it = unknown_of.find(symbol.id()); it != unknown_of.end()) {
        in[i].push_back(it->second);
      }
    }
  }
  std::vector<char> reached(n, false), used(in.size(), false);
  for (const Expr& u : e.u) reached[unknown_of.at(u.id())] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto is_reached = [&](std::size_t j) { return reached[j] != 0; };
      if (used[i] || std::none_of(in[i].begin(), in[i].end(), is_reached)) continue;
      used[i] = true;
      grows = true;
      for (const std::size_t j : in[i]) reached[j] = true;
    }
  }
  std::vector<std::string> names;
  const std::size_t first = in.size() - e.s.size();  // servo constraints come last
  for (std::size_t i = first; i < in.size(); ++i) {
    if (!used[i]) names.push_back(e.s[i - first].name);
  }
  return names;
}

[[noreturn]] void throw_no_influence(const std::vector<std::string>& outputs,
                                     const std::string& problem) {
  const std::string names = list(outputs, [](const std::string& name) { return name; });
  throw Error("control.no-influence",
              outputs.size() == 1
                  ? fmt::format("no input influences the output {}{}.", names, problem)
                  : fmt::format("the inputs cannot influence the outputs {} independently{}.",
                                names, problem),
              "Prescribe something that the inputs can move, or let an input act there.")
      .about(outputs.front());
}

void check_influence(const Dae& dae, const Structure& structure, const Equations& e) {
  if (const auto names = outputs_without_influence(dae, e); !names.empty()) {
    throw_no_influence(names, "");
  }
  if (structure.is_regular) return;
  std::vector<std::string> names;
  const std::size_t first = dae.residuals.size() - e.s.size();  // servo constraints come last
  for (const int i : structure.overdetermined) {
    const auto row = static_cast<std::size_t>(i);
    if (row >= first) names.push_back(e.s[row - first].name);
  }
  if (names.empty()) throw Error("control.singular-structure", structure.problem);
  throw_no_influence(names, "");
}

// Where q, v, x, λ, μ and u stand among the unknowns of the DAE.
std::vector<SeriesTerms::Place> find_places(const Dae& dae, const Equations& e,
                                            std::vector<std::string>& labels) {
  std::unordered_map<NodeId, SeriesTerms::Place> by_symbol;
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    const auto& derivative = dae.unknowns[j].derivative;
    for (std::size_t l = 0; l < derivative.size(); ++l) {
      by_symbol[derivative[l].id()] = {static_cast<int>(j), static_cast<int>(l)};
    }
  }
  std::vector<SeriesTerms::Place> places;
  const auto add = [&](const std::vector<Expr>& symbols) {
    for (const Expr& symbol : symbols) {
      places.push_back(by_symbol.at(symbol.id()));
      labels.emplace_back(symbol.name());
    }
  };
  add(e.q);
  add(e.v);
  add(e.x);
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    places.push_back(by_symbol.at(multiplier_symbol(e, e.rows[i]).id()));
    labels.push_back((i < e.num_g() ? "lambda of " : "mu of ") + e.rows[i].name);
  }
  add(e.u);
  return places;
}

}  // namespace

ServoProblem make_servo_problem(const Shared<Equations>& equations, const State& state,
                                CompileOptions options, Interval range) {
  const Equations& e = equations;
  check_numbers(e);
  check_shares(equations, state);
  ServoProblem out;
  const Dae written = make_dae(e, {.with_servo = true, .with_invariants = true});
  check_influence(written, analyze_structure(written), e);
  const RevealedDae revealed =
      reveal_hidden_equations(written, make_point(written, Evaluator(equations), state));
  out.dae = revealed.dae;
  out.structure = revealed.structure;
  check_influence(written, out.structure, e);
  out.index = revealed.index;
  out.order_of_reference.assign(revealed.order.end() - static_cast<long>(e.s.size()),
                                revealed.order.end());
  out.num_free = out.structure.degrees_of_freedom;

  Problem& problem = out.problem;
  problem.name = e.model;
  problem.formulation = "servo";
  problem.index = out.index;
  problem.num_q = static_cast<int>(e.num_q());
  problem.num_v = static_cast<int>(e.num_v());
  problem.num_x = static_cast<int>(e.x.size());
  for (const Equations::Row& row : e.rows) problem.rows.push_back(row.number);
  problem.num_lambda = static_cast<int>(e.num_g());
  problem.num_mu = static_cast<int>(e.num_a());
  problem.num_u = static_cast<int>(e.u.size());

  SeriesTerms terms;
  terms.dae = out.dae;
  terms.structure = out.structure;
  terms.given = state.p;
  terms.options = options;
  terms.y = find_places(out.dae, e, problem.labels);
  problem.series = Lazy<SeriesSystem>([terms] { return SeriesSystem(terms); });

  problem.breakpoints = servo_breakpoints(e, state.p, range);
  return out;
}

std::vector<double> servo_breakpoints(const Equations& e, std::span<const double> p,
                                      Interval range) {
  std::vector<Expr> all = e.f;
  for (const auto* more : {&e.g, &e.b, &e.r}) all.insert(all.end(), more->begin(), more->end());
  for (const NamedExpr& s : e.s) all.push_back(s.value);
  std::vector<double> times = find_breakpoints(all, e.t, e.p, p, range);
  const std::vector<double> of_references = find_breakpoints(e.reference, e.t, e.p, p, range);
  if (of_references.empty()) return times;
  constexpr int kOrder = 24;
  const double first = of_references.front(), last = of_references.back();
  const double margin = std::max(1.0, last - first);
  const std::vector<int> order(e.reference.size(), kOrder);
  for (const ReferenceJump& jump :
       find_jumps(e, p, of_references, order, first - margin, last + margin)) {
    times.push_back(jump.t);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace koppel
