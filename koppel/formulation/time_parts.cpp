#include <koppel/formulation/time_parts.hpp>

#include <algorithm>
#include <optional>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// The nodes below expressions, and which of them depend on time, and on what is not given.
struct Dependence {
  Postorder order;
  std::vector<char> on_time, on_others;

  bool is_part(std::size_t i) const { return on_time[i] && !on_others[i]; }
};

std::optional<Dependence> dependence_of(std::span<const Expr> expressions, Expr t,
                                        std::span<const Expr> given) {
  Graph* graph = graph_of(expressions);
  if (graph == nullptr) return {};
  std::vector<Expr> others;
  for (const Expr& symbol : symbols_of(expressions)) {
    const bool is_given = std::find(given.begin(), given.end(), symbol) != given.end();
    if (!(symbol == t) && !is_given) others.push_back(symbol);
  }
  Dependence out{Postorder(*graph), {}, {}};
  out.order.visit(expressions);
  const std::vector<Expr> time = {t};
  out.on_time = dependent_nodes(out.order, time);
  out.on_others = dependent_nodes(out.order, others);
  return out;
}

}  // namespace

std::vector<Expr> time_parts(std::span<const Expr> expressions, Expr t,
                             std::span<const Expr> given) {
  const auto found = dependence_of(expressions, t, given);
  std::vector<Expr> out;
  for (std::size_t i = 0; found && i < found->order.size(); ++i) {
    if (found->is_part(i)) out.push_back(found->order[i]);
  }
  return out;
}

std::vector<Expr> largest_time_parts(std::span<const Expr> expressions, Expr t,
                                     std::span<const Expr> given) {
  const auto found = dependence_of(expressions, t, given);
  if (!found) return {};
  const Postorder& order = found->order;
  std::vector<char> is_largest(order.size(), 0);
  const auto mark = [&](Expr e) {
    const std::uint32_t i = order.position(e);
    if (i != NodeIndex::kNone && found->is_part(i)) is_largest[i] = 1;
  };
  for (const Expr& e : expressions) mark(e);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int k = 0; found->on_others[i] && k < order[i].num_operands(); ++k) {
      mark(order[i].operand(k));
    }
  }
  std::vector<Expr> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_largest[i]) out.push_back(order[i]);
  }
  return out;
}

}  // namespace koppel
