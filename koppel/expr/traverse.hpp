// Walking over the nodes below an expression, each once, without recursion.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <koppel/expr/graph.hpp>

namespace koppel {

// A map from the nodes of a graph (those it had when the map was made) to small numbers. Dense:
// four bytes a node, zeroed lazily by the system, so that touching few nodes of a large graph
// costs little. (calloc does not do that for long: what is freed it gives out again, and zeroes.)
class NodeIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  explicit NodeIndex(const Graph& graph) : size_(graph.num_nodes()), data_(allocate(size_)) {}

  std::uint32_t operator[](NodeId id) const { return id < size_ ? data_.get()[id] - 1 : kNone; }
  bool contains(NodeId id) const { return (*this)[id] != kNone; }
  void set(NodeId id, std::uint32_t value) { data_.get()[id] = value + 1; }
  void erase(NodeId id) { data_.get()[id] = 0; }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 15;  // bytes from which on it is mapped

  struct Free {
    void operator()(std::uint32_t* p) const;
    std::size_t bytes = 0;
  };
  using Data = std::unique_ptr<std::uint32_t, Free>;
  static Data allocate(std::size_t size);

  std::size_t size_;
  Data data_;
};

// The nodes below some roots in postorder: operands before the nodes that use them, and near them.
class Postorder {
 public:
  explicit Postorder(Graph& graph) : graph_(&graph), position_(graph) {}

  // Appends the nodes below `root` that were not visited yet. Plain numbers have none.
  void visit(Expr root);
  void visit(std::span<const Expr> roots) {
    for (const Expr& root : roots) visit(root);
  }
  void clear();

  Graph& graph() const { return *graph_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  std::size_t size() const { return nodes_.size(); }
  Expr operator[](std::size_t i) const { return {*graph_, nodes_[i]}; }

  // Where a node stands in nodes(), or NodeIndex::kNone.
  std::uint32_t position(NodeId id) const { return position_[id]; }
  std::uint32_t position(Expr e) const {
    return e.graph() == graph_ ? position_[e.id()] : NodeIndex::kNone;
  }

 private:
  struct Frame {
    NodeId id;
    int next;  // the operand to visit next
  };

  Graph* graph_;
  NodeIndex position_;
  std::vector<NodeId> nodes_;
  std::vector<Frame> stack_;
};

// Which of the nodes visited depend on x, by position.
std::vector<char> dependent_nodes(const Postorder& order, std::span<const Expr> x);

// The graph of the first expression that has one, or null.
Graph* graph_of(std::span<const Expr> expressions);

}  // namespace koppel
