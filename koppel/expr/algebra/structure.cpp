#include <koppel/expr/algebra/structure.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {

std::vector<Expr> symbols_of(std::span<const Expr> f) {
  std::vector<Expr> symbols;
  Graph* graph = graph_of(f);
  if (graph == nullptr) return symbols;
  Postorder order(*graph);
  order.visit(f);
  for (std::size_t p = 0; p < order.size(); ++p) {
    if (order[p].is_symbol()) symbols.push_back(order[p]);
  }
  std::sort(symbols.begin(), symbols.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
  return symbols;
}

std::vector<Expr> symbols_of(Expr f) { return symbols_of({&f, 1}); }

std::size_t num_operations(std::span<const Expr> f) {
  Graph* graph = graph_of(f);
  if (graph == nullptr) return 0;
  Postorder order(*graph);
  order.visit(f);
  return static_cast<std::size_t>(
      std::count_if(order.nodes().begin(), order.nodes().end(),
                    [&](NodeId id) { return operation(graph->node(id).op).arity > 0; }));
}

std::size_t num_operations(Expr f) { return num_operations({&f, 1}); }

bool depends_on(std::span<const Expr> f, std::span<const Expr> x) {
  Graph* graph = graph_of(f);
  if (graph == nullptr) return false;
  Postorder order(*graph);
  order.visit(f);
  return std::any_of(x.begin(), x.end(),
                     [&](Expr e) { return order.position(e) != NodeIndex::kNone; });
}

bool depends_on(Expr f, std::span<const Expr> x) {
  return depends_on(std::span<const Expr>(&f, 1), x);
}

bool depends_on(Expr f, Expr x) { return depends_on(f, {&x, 1}); }

namespace {

bool is_piecewise(Op op) {
  switch (op) {
    case Op::Abs:
    case Op::Sign:
    case Op::Table:
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::Select: return true;
    default: return false;
  }
}

template <typename Kind>
bool has_any(std::span<const Expr> f, std::span<const Expr> x, Kind&& kind) {
  Graph* graph = graph_of(f);
  if (graph == nullptr) return false;
  Postorder order(*graph);
  order.visit(f);
  const std::vector<char> varies = dependent_nodes(order, x);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (varies[i] && kind(order[i].op())) return true;
  }
  return false;
}

}  // namespace

bool has_switches(std::span<const Expr> f, std::span<const Expr> x) {
  return has_any(f, x, is_piecewise);
}

bool may_sleep(std::span<const Expr> f, std::span<const Expr> x) {
  return has_any(f, x, [](Op op) { return is_piecewise(op) || op == Op::Exp || op == Op::Tanh; });
}

std::vector<Expr> substitute(std::span<const Expr> f, std::span<const Expr> from,
                             std::span<const Expr> to) {
  assert(from.size() == to.size());
  std::vector<Expr> result(f.begin(), f.end());
  Graph* graph = graph_of(f);
  if (graph == nullptr) return result;
  Postorder order(*graph);
  order.visit(f);
  NodeIndex replacement(*graph);
  for (std::size_t i = from.size(); i-- > 0;) {
    if (from[i].graph() == graph) replacement.set(from[i].id(), static_cast<std::uint32_t>(i));
  }
  // Images are nodes, never plain numbers: then log(0) stays an expression instead of an Error.
  std::vector<Expr> image(order.size());
  const auto as_node = [graph](Expr e) { return Expr(*graph, graph->adopt(e)); };
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Expr e = order[p];
    if (const std::uint32_t i = replacement[e.id()]; i != NodeIndex::kNone) {
      image[p] = as_node(to[i]);
      continue;
    }
    Operands x;
    Expr* const slot[] = {&x.a, &x.b, &x.c};
    bool changed = false;
    for (int i = 0; i < e.num_operands(); ++i) {
      *slot[i] = image[order.position(e.operand(i))];
      changed = changed || *slot[i] != e.operand(i);
    }
    image[p] = changed ? as_node(with_operands(e, x)) : e;
  }
  for (Expr& e : result) {
    if (e.graph() != nullptr) e = image[order.position(e)];
  }
  return result;
}

Expr substitute(Expr f, Expr from, Expr to) { return substitute({&f, 1}, {&from, 1}, {&to, 1})[0]; }

namespace {

// Whether e jumps with its i-th operand, which its derivative does not show.
bool is_step(Expr e, int i) {
  switch (e.op()) {
    case Op::Sign:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::Atan2: return true;
    case Op::Select: return i == 0;
    case Op::Table: {
      const Node& node = e.graph()->node(e.id());
      return static_cast<int>(node.operand[2]) >= e.graph()->table_data(node.operand[1]).degree();
    }
    default: return false;
  }
}

// Whether any of f has a step that depends on x: a constant derivative does not make it linear.
bool has_step(std::span<const Expr> f, std::span<const Expr> x) {
  Graph* graph = graph_of(f);
  if (graph == nullptr) return false;
  Postorder order(*graph);
  order.visit(f);
  const std::vector<char> depends = dependent_nodes(order, x);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Expr e = order[p];
    for (int i = 0; i < e.num_operands(); ++i) {
      if (depends[order.position(e.operand(i))] && is_step(e, i)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<LinearForm> linear_form(std::span<const Expr> f, std::span<const Expr> x) {
  if (has_step(f, x)) return std::nullopt;
  LinearForm form{jacobian(f, x), {}};
  if (depends_on(form.A.values, x)) return std::nullopt;
  form.b = substitute(f, x, std::vector<Expr>(x.size()));
  return form;
}

bool is_linear(Expr f, std::span<const Expr> x) { return linear_form({&f, 1}, x).has_value(); }

}  // namespace koppel
