// Graph: the arena that holds expressions.
//
// Nodes are immutable, 16 bytes each, and hash-consed: an operation on the same operands is the
// same node, so common subexpressions are shared by construction. Operands always stand before
// the nodes that use them: ascending ids are a topological order.
//
// A graph only grows; it is freed as a whole. It belongs to one thread at a time. What is compiled
// from it (Function, Series) no longer needs it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <koppel/expr/graph/expr.hpp>
#include <koppel/expr/graph/table.hpp>

namespace koppel {

struct Node {
  Op op = Op::Constant;
  // The operands' ids. Constant: the bits of the number in 0 and 1. Symbol: the index of its name
  // in 0. Table: the argument in 0, the table's index in 1, the order of derivative in 2.
  std::array<NodeId, 3> operand{};

  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 16);

// A table of a graph; call it to make an expression: road(x), and its derivative
// road.derivative(x).
class Table {
 public:
  Expr operator()(Expr x) const { return derivative(x, 0); }
  Expr derivative(Expr x, int order = 1) const;

  std::string_view name() const;
  const TableData& data() const;

 private:
  friend class Graph;
  Table(Graph& graph, NodeId index) : graph_(&graph), index_(index) {}

  Graph* graph_;
  NodeId index_;
};

class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // The symbol of this name, made when it is new. A name is a letter, then letters, digits, dots,
  // and indices such as [3], then quotes for time derivatives: `crane.q[2]'`. Letters are those of
  // any alphabet in UTF-8. Throws Error `expr.bad-name`.
  Expr symbol(std::string_view name);

  // Several at once: auto [x, y] = graph.symbols("x", "y");
  template <typename... Names>
  std::array<Expr, sizeof...(Names)> symbols(const Names&... names) {
    return {symbol(names)...};
  }

  // The symbol if there is one of this name.
  const Expr* find_symbol(std::string_view name) const;
  std::vector<std::string> symbol_names() const;

  // A constant as a node. Throws Error `expr.not-finite`.
  Expr constant(double value);

  // A table under a new name. Throws Error `expr.bad-name`, `expr.duplicate-table`.
  Table add_table(std::string_view name, TableData data);
  const Table* find_table(std::string_view name) const;
  std::vector<std::string> table_names() const;

  std::size_t num_nodes() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const std::string& symbol_name(const Node& node) const { return symbol_names_[node.operand[0]]; }
  const TableData& table_data(NodeId index) const { return tables_[index].data; }
  const std::string& table_name(NodeId index) const { return tables_[index].name; }

  // The node as it is, without identities: `apply` and Table are the ways in for users.
  Expr intern(const Node& node);
  // An expression's id here; a plain number becomes a constant. Throws Error `expr.mixed-graphs`.
  NodeId adopt(Expr e);

 private:
  struct NamedTable {
    std::string name;
    TableData data;
  };

  void grow();

  std::vector<Node> nodes_;
  std::vector<NodeId> buckets_;  // open addressing; id + 1, 0: empty
  std::deque<std::string> symbol_names_;
  std::unordered_map<std::string_view, Expr> symbols_;  // keys live in symbol_names_
  std::deque<NamedTable> tables_;
  std::unordered_map<std::string_view, Table> table_handles_;  // keys live in tables_
};

// Whether `name` may name a symbol or a table, quotes included.
bool is_valid_name(std::string_view name);

inline Op Expr::op() const { return graph_ == nullptr ? Op::Constant : graph_->node(id()).op; }

inline double Expr::value() const {
  if (graph_ == nullptr) return std::bit_cast<double>(bits_);
  const auto& bits = graph_->node(id()).operand;
  return std::bit_cast<double>(std::uint64_t{bits[0]} | std::uint64_t{bits[1]} << 32);
}

inline Expr Expr::operand(int i) const {
  return {*graph_, graph_->node(id()).operand[static_cast<std::size_t>(i)]};
}

}  // namespace koppel
