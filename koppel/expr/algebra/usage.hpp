// Which nodes a growing set of expressions uses, and how often: exact bookkeeping of the number of
// operations while parts of a graph are exchanged for others.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <koppel/expr/graph/traverse.hpp>

namespace koppel::algebra {

class Usage {
 public:
  explicit Usage(Graph& graph) : graph_(&graph), old_(graph), num_old_(graph.num_nodes()) {}

  // `times` more, or fewer, users of e. A node that gets its first user becomes a user of its
  // operands; one that loses its last ceases to be.
  void acquire(Expr e, std::uint32_t times = 1);
  void release(Expr e, std::uint32_t times = 1);

  bool is_shared(Expr e) const { return e.graph() != nullptr && users(e.id()) > 1; }
  std::size_t num_operations() const { return num_operations_; }

  // The node a·b where it is in use, else null.
  const NodeId* find_product(Expr a, Expr b) const;

 private:
  std::uint32_t users(NodeId id) const {
    if (id < num_old_) return old_[id] + 1;  // kNone + 1 = 0
    const std::size_t i = id - num_old_;
    return i < new_.size() ? new_[i] : 0;
  }
  void set_users(NodeId id, std::uint32_t count);

  Graph* graph_;
  NodeIndex old_;  // users − 1 of the nodes that there were at first
  std::size_t num_old_;
  std::vector<std::uint32_t> new_;  // users of those made since
  std::size_t num_operations_ = 0;
  std::unordered_map<std::uint64_t, NodeId> products_;  // in use, by their operands
  std::vector<NodeId> stack_;
};

}  // namespace koppel::algebra
