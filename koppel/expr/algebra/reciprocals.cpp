#include <koppel/expr/algebra/reciprocals.hpp>

#include <unordered_map>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// From so many quotients on, a reciprocal is worth its own division and the wait for it.
constexpr int kManyQuotients = 3;

class Sharing {
 public:
  explicit Sharing(Graph& graph) : graph_(graph), order_(graph) {}

  std::vector<Expr> share(std::span<const Expr> expressions) {
    order_.visit(expressions);
    if (!count_quotients()) return {expressions.begin(), expressions.end()};
    // By number, not by handle: making nodes may move those that there are.
    for (std::size_t p = 0; p < order_.size(); ++p) moved_.push_back(rebuild(order_.nodes()[p]));
    std::vector<Expr> out;
    for (const Expr& e : expressions) {
      out.push_back(e.graph() == nullptr ? e : Expr(graph_, moved_[order_.position(e)]));
    }
    return out;
  }

 private:
  bool count_quotients() {
    bool are_many = false;
    for (const NodeId id : order_.nodes()) {
      const Node& node = graph_.node(id);
      if (node.op != Op::Div || graph_.node(node.operand[1]).op == Op::Constant) continue;
      if (++count_[node.operand[1]] == kManyQuotients) are_many = true;
    }
    return are_many;
  }

  // The node with its operands moved, as it is: identities would make quotients again.
  NodeId rebuild(NodeId id) {
    const Node old = graph_.node(id);
    Node node = old;
    const auto arity = static_cast<std::size_t>(operation(old.op).arity);
    for (std::size_t i = 0; i < arity; ++i)
      node.operand[i] = moved_[order_.position(old.operand[i])];
    if (old.op == Op::Div) {
      const auto many = count_.find(old.operand[1]);
      if (many != count_.end() && many->second >= kManyQuotients) {
        return product(node.operand[0], reciprocal(node.operand[1]));
      }
    }
    return node == old ? id : graph_.intern(node).id();
  }

  NodeId reciprocal(NodeId divisor) {
    return graph_.intern({Op::Div, {graph_.adopt(Expr(1)), divisor, 0}}).id();
  }
  NodeId product(NodeId a, NodeId b) {
    const Expr factor(graph_, a);
    if (factor.is_constant(1)) return b;
    if (factor.is_constant(-1)) return graph_.intern({Op::Neg, {b, 0, 0}}).id();
    return graph_.intern({Op::Mul, {a, b, 0}}).id();
  }

  Graph& graph_;
  Postorder order_;
  std::unordered_map<NodeId, int> count_;  // of quotients, by divisor
  std::vector<NodeId> moved_;              // by position
};

}  // namespace

std::vector<Expr> share_reciprocals(std::span<const Expr> expressions) {
  Graph* graph = graph_of(expressions);
  if (graph == nullptr) return {expressions.begin(), expressions.end()};
  return Sharing(*graph).share(expressions);
}

}  // namespace koppel
