#include <koppel/simulate/table_ends.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

struct Use {
  Expr argument;
  std::string table;
  double first, last;
};

// The tables that are not a number outside of their points, and what they are asked for.
std::vector<Use> find_uses(const Equations& e, const Postorder& order) {
  std::vector<Use> uses;
  constexpr double kFar = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Expr node = order[i];
    if (!node.is(Op::Table)) continue;
    const NodeId index = e.graph->node(node.id()).operand[1];
    const TableData& data = e.graph->table_data(index);
    if (!std::isnan(data.evaluate(kFar))) continue;
    uses.push_back({node.operand(0), e.graph->table_name(index), data.breakpoints().front(),
                    data.breakpoints().back()});
  }
  return uses;
}

}  // namespace

std::string describe_table_end(const Equations& e, const State& reached) {
  Postorder order(*e.graph);
  for (const auto* part : {&e.f, &e.g, &e.b, &e.r}) order.visit(*part);
  const std::vector<Use> uses = find_uses(e, order);
  std::vector<Expr> arguments;
  for (const Use& use : uses) arguments.push_back(use.argument);
  if (arguments.empty()) return {};
  const std::vector<double> at = VectorFunction(e, arguments)(reached);
  // Failed steps leave the state this near to the end, relative to the length of the table.
  double nearest = 1e-3;
  std::string text;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use& use = uses[i];
    const bool is_first = at[i] - use.first < use.last - at[i];
    const double end = is_first ? use.first : use.last;
    const double gap = (is_first ? at[i] - end : end - at[i]) / (use.last - use.first);
    if (!(gap < nearest)) continue;
    nearest = gap;
    text = fmt::format("table '{}' {} at {:.6g}, and the model says `outside: error`", use.table,
                       is_first ? "begins" : "ends", end);
  }
  return text;
}

std::string table_that_ends(const Equations& e, Expr value) {
  Postorder order(*e.graph);
  order.visit(std::span<const Expr>(&value, 1));
  const std::vector<Use> uses = find_uses(e, order);
  return uses.empty() ? "" : uses[0].table;
}

}  // namespace koppel
