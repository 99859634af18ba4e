#include <koppel/expr/traverse.hpp>

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include <koppel/base/stop.hpp>
#include <koppel/expr/operations.hpp>

namespace koppel {

NodeIndex::Data NodeIndex::allocate(std::size_t size) {
  const std::size_t bytes = (size + 1) * sizeof(std::uint32_t);
  void* data = nullptr;
  if (bytes < kLarge) {
    data = std::calloc(1, bytes);
  } else {
    data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) data = nullptr;
  }
  if (data == nullptr) throw std::bad_alloc();
  return {static_cast<std::uint32_t*>(data), Free{bytes}};
}

void NodeIndex::Free::operator()(std::uint32_t* p) const {
  if (bytes < kLarge) {
    std::free(p);
  } else {
    munmap(p, bytes);
  }
}

void Postorder::visit(Expr root) {
  if (root.graph() == nullptr) return;
  check_stop();  // all symbolic work comes by here
  const NodeId start = graph_->adopt(root);  // refuses another graph
  if (position_.contains(start)) return;
  stack_.push_back({start, 0});
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    const Node& node = graph_->node(frame.id);
    if (frame.next < operation(node.op).arity) {
      const NodeId operand = node.operand[static_cast<std::size_t>(frame.next++)];
      if (!position_.contains(operand)) stack_.push_back({operand, 0});
    } else {
      // A node can be on the stack twice (as an operand of two pending nodes): keep the first.
      if (!position_.contains(frame.id)) {
        position_.set(frame.id, static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back(frame.id);
      }
      stack_.pop_back();
    }
  }
}

void Postorder::clear() {
  for (const NodeId id : nodes_) position_.erase(id);
  nodes_.clear();
}

std::vector<char> dependent_nodes(const Postorder& order, std::span<const Expr> x) {
  std::vector<char> depends(order.size(), false);
  for (const Expr& e : x) {
    if (const std::uint32_t p = order.position(e); p != NodeIndex::kNone) depends[p] = true;
  }
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Expr e = order[p];
    for (int i = 0; i < e.num_operands() && !depends[p]; ++i) {
      depends[p] = depends[order.position(e.operand(i))];
    }
  }
  return depends;
}

Graph* graph_of(std::span<const Expr> expressions) {
  for (const Expr& e : expressions) {
    if (e.graph() != nullptr) return e.graph();
  }
  return nullptr;
}

}  // namespace koppel
