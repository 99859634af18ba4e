#include <koppel/expr/graph/operations.hpp>

#include <cctype>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {
namespace {

Operands operands_of(Expr e) {
  const int n = e.num_operands();
  return {n > 0 ? e.operand(0) : Expr(), n > 1 ? e.operand(1) : Expr(),
          n > 2 ? e.operand(2) : Expr()};
}

// The table of a Table node at x, differentiated `more` times more than the node is.
Expr apply_table(Expr e, Expr x, int more) {
  Graph& graph = *e.graph();
  const Node node = graph.node(e.id());
  const Table& table = *graph.find_table(graph.table_name(node.operand[1]));
  return table.derivative(x, static_cast<int>(node.operand[2]) + more);
}

Expr table_derivative(Expr e) { return apply_table(e, e.operand(0), 1); }

}  // namespace

const Operation* find_function(std::string_view name) {
  if (name == "pow") return &operation(Op::Pow);
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) return nullptr;
  for (const Operation& entry : operations::kTable) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

Expr derivative(Expr e, int i, Expr w) {
  if (e.is(Op::Table)) return w * table_derivative(e);
  return operation(e.op()).derivative(i, e, operands_of(e), w);
}

Expr with_operands(Expr e, const Operands& x) {
  if (e.num_operands() == 0) return e;
  if (e.is(Op::Table)) return apply_table(e, x.a, 0);
  return apply(e.op(), x.a, x.b, x.c);
}

Expr companion(Expr e) {
  if (e.is(Op::Table)) return table_derivative(e);
  const TaylorRule& rule = operation(e.op()).taylor;
  return rule.companion == nullptr ? Expr(0) : rule.companion(e, operands_of(e));
}

}  // namespace koppel
