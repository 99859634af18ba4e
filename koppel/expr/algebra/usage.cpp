#include <koppel/expr/algebra/usage.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/expr/graph/operations.hpp>

namespace koppel::algebra {
namespace {

std::uint64_t pair_key(NodeId a, NodeId b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

}  // namespace

void Usage::set_users(NodeId id, std::uint32_t count) {
  if (id < num_old_) return count == 0 ? old_.erase(id) : old_.set(id, count - 1);
  if (id - num_old_ >= new_.size()) new_.resize(graph_->num_nodes() - num_old_);
  new_[id - num_old_] = count;
}

void Usage::acquire(Expr e, std::uint32_t times) {
  if (e.graph() == nullptr || times == 0) return;
  const auto add = [&](NodeId id, std::uint32_t more) {
    const Node& node = graph_->node(id);
    if (operation(node.op).arity == 0) return;
    const std::uint32_t before = users(id);
    set_users(id, before + more);
    if (before != 0) return;
    ++num_operations_;
    if (node.op == Op::Mul) products_.emplace(pair_key(node.operand[0], node.operand[1]), id);
    stack_.push_back(id);
  };
  add(e.id(), times);
  while (!stack_.empty()) {
    const Node& node = graph_->node(stack_.back());
    stack_.pop_back();
    for (int i = 0; i < operation(node.op).arity; ++i)
      add(node.operand[static_cast<std::size_t>(i)], 1);
  }
}

void Usage::release(Expr e, std::uint32_t times) {
  if (e.graph() == nullptr || times == 0) return;
  const auto remove = [&](NodeId id, std::uint32_t fewer) {
    const Node& node = graph_->node(id);
    if (operation(node.op).arity == 0) return;
    const std::uint32_t before = users(id);
    assert(before >= fewer);
    set_users(id, before - fewer);
    if (before != fewer) return;
    --num_operations_;
    if (node.op == Op::Mul) products_.erase(pair_key(node.operand[0], node.operand[1]));
    stack_.push_back(id);
  };
  remove(e.id(), times);
  while (!stack_.empty()) {
    const Node& node = graph_->node(stack_.back());
    stack_.pop_back();
    for (int i = 0; i < operation(node.op).arity; ++i)
      remove(node.operand[static_cast<std::size_t>(i)], 1);
  }
}

const NodeId* Usage::find_product(Expr a, Expr b) const {
  if (a.graph() == nullptr || b.graph() == nullptr) return nullptr;
  const auto it = products_.find(pair_key(a.id(), b.id()));
  return it == products_.end() ? nullptr : &it->second;
}

}  // namespace koppel::algebra
