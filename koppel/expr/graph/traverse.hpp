// Walking over the nodes below an expression, each once, without recursion.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

// A map from the nodes of a graph (those it had when the map was made) to small numbers. Dense:
// four bytes a node, which the system zeroes lazily. A large map remembers what was set, zeroes it
// again at its end and leaves its memory to the next one of the thread: new memory takes the system
// as long as zeroing it fifty times, and what touches few nodes of a large graph costs little,
// however often it is done.
class NodeIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  explicit NodeIndex(const Graph& graph);
  NodeIndex(NodeIndex&& other) noexcept;
  NodeIndex& operator=(NodeIndex&& other) noexcept;
  ~NodeIndex();

  std::uint32_t operator[](NodeId id) const { return id < size_ ? data_[id] - 1 : kNone; }
  bool contains(NodeId id) const { return (*this)[id] != kNone; }
  void set(NodeId id, std::uint32_t value) {
    if (data_[id] == 0) record(id);
    data_[id] = value + 1;
  }
  void erase(NodeId id) { data_[id] = 0; }

 private:
  void record(NodeId id) {
    if (num_set_++ < max_recorded_) set_.push_back(id);
    first_set_ = std::min(first_set_, id);
    last_set_ = std::max(last_set_, id);
  }

  std::size_t size_ = 0, capacity_ = 0;
  std::uint32_t* data_ = nullptr;
  // The nodes set so far, up to the number from which on all between the first and the last one are
  // zeroed instead.
  std::size_t num_set_ = 0, max_recorded_ = 0;
  NodeId first_set_ = std::numeric_limits<NodeId>::max(), last_set_ = 0;
  std::vector<NodeId> set_;
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
