#include <koppel/study/switch_times.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <koppel/study/observed.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// What switches when it passes one of the levels.
struct Switch {
  Expr argument;
  std::vector<double> levels;
};

std::vector<Switch> find_switches(const Equations& e, const Exprs& observed) {
  Exprs laws = join({e.f, e.g, e.b, e.r, observed});
  std::vector<Switch> out;
  for (const Equations::Event& event : e.events) {
    if (event.is_switch) laws.push_back(event.when);
  }
  Graph* graph = graph_of(laws);
  if (graph == nullptr) return out;
  Postorder order(*graph);
  order.visit(laws);
  const Exprs known = join({{e.t}, e.p, e.u});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Expr node = order[i];
    Switch found{0, {0}};
    switch (node.op()) {
      case Op::Table: {
        found.argument = node.operand(0);
        const auto knots = graph->table_data(graph->node(node.id()).operand[1]).breakpoints();
        found.levels.assign(knots.begin(), knots.end());
        break;
      }
      case Op::Abs:
      case Op::Sign: found.argument = node.operand(0); break;
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::Equal:
      case Op::LessEqual: found.argument = node.operand(0) - node.operand(1); break;
      default: continue;
    }
    if (!depends_on(found.argument, e.t) || !depends_on(found.argument, e.p)) continue;
    const std::vector<Expr> symbols = symbols_of(found.argument);
    const bool is_of_time = std::all_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
      return std::find(known.begin(), known.end(), symbol) != known.end();
    });
    if (is_of_time) out.push_back(std::move(found));
  }
  return out;
}

}  // namespace

std::vector<SwitchTime> find_switch_times(const Equations& e, std::span<const std::string> outputs,
                                          std::span<const double> p, std::span<const double> u,
                                          std::span<const double> breakpoints) {
  const Exprs observed = named_outputs(e, outputs);
  std::vector<SwitchTime> out;
  for (const Switch& with : find_switches(e, observed)) {
    const Exprs in = join({{e.t}, e.p, e.u});
    const Exprs values =
        join({{with.argument, diff(with.argument, e.t)}, gradient(with.argument, e.p)});
    const Function function(in, values);
    for (const double t : breakpoints) {
      std::vector<double> at = {t};
      at.insert(at.end(), p.begin(), p.end());
      at.insert(at.end(), u.begin(), u.end());
      const std::vector<double> found = function(at);
      const double rate = found[1];
      // Within round-off of the time.
      const bool is_here = std::any_of(with.levels.begin(), with.levels.end(), [&](double level) {
        return std::abs(found[0] - level) <= 1e-12 * std::max(1.0, std::abs(t)) * std::abs(rate);
      });
      if (!is_here || rate == 0) continue;
      SwitchTime moved{t, {}};
      for (std::size_t i = 0; i < e.p.size(); ++i) moved.by_p.push_back(-found[2 + i] / rate);
      const auto same = std::find_if(out.begin(), out.end(),
                                     [&](const SwitchTime& other) { return other.t == t; });
      if (same == out.end()) {
        out.push_back(std::move(moved));
      } else if (same->by_p != moved.by_p) {
        throw Error("study.jump",
                    fmt::format("two laws switch at t = {:.6g} s, and their times depend on "
                                "parameters in different ways: there are no derivatives.",
                                t),
                    "Move one of them a little.");
      }
    }
  }
  const std::vector<Expr> time = {e.t};
  const bool has_sides = has_switches(observed, time) ||
                         std::any_of(e.events.begin(), e.events.end(),
                                     [](const auto& event) { return event.is_switch; });
  for (const double t : breakpoints) {
    const bool is_known =
        std::any_of(out.begin(), out.end(), [&](const SwitchTime& known) { return known.t == t; });
    if (has_sides && !is_known) out.push_back({t, std::vector<double>(e.p.size(), 0.0)});
  }
  std::sort(out.begin(), out.end(),
            [](const SwitchTime& a, const SwitchTime& b) { return a.t < b.t; });
  return out;
}

}  // namespace koppel
