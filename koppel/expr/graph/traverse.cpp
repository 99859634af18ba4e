#include <koppel/expr/graph/traverse.hpp>

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include <koppel/base/stop.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {

namespace {

constexpr std::size_t kMapped = std::size_t{1} << 13;  // numbers from which on memory is mapped
constexpr std::size_t kZeroed = 64;  // of so many numbers, one may be set and is zeroed by itself

// Zeros, from the system.
std::uint32_t* map(std::size_t capacity) {
  void* data = mmap(nullptr, capacity * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint32_t*>(data);
}

void unmap(std::uint32_t* data, std::size_t capacity) {
  munmap(data, capacity * sizeof(std::uint32_t));
}

// Zeroed memory that maps of this thread have left.
class Zeros {
 public:
  Zeros() = default;
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() {
    for (const Block& block : blocks_) {
      if (block.data != nullptr) unmap(block.data, block.capacity);
    }
  }

  // A block of at least this size, or null; those too small are given back.
  std::uint32_t* take(std::size_t size, std::size_t& capacity) {
    for (Block& block : blocks_) {
      if (block.data == nullptr) continue;
      const Block found = std::exchange(block, {});
      if (found.capacity >= size) {
        capacity = found.capacity;
        return found.data;
      }
      unmap(found.data, found.capacity);
    }
    return nullptr;
  }

  void leave(std::uint32_t* data, std::size_t capacity) {
    for (Block& block : blocks_) {
      if (block.data == nullptr) {
        block = {data, capacity};
        return;
      }
    }
    unmap(data, capacity);
  }

 private:
  struct Block {
    std::uint32_t* data = nullptr;
    std::size_t capacity = 0;
  };
  std::array<Block, 4> blocks_;
};

Zeros& zeros() {
  thread_local Zeros instance;
  return instance;
}

}  // namespace

NodeIndex::NodeIndex(const Graph& graph) : size_(graph.num_nodes()), capacity_(size_ + 1) {
  if (size_ < kMapped) {
    data_ = static_cast<std::uint32_t*>(std::calloc(capacity_, sizeof(std::uint32_t)));
    if (data_ == nullptr) throw std::bad_alloc();
    return;
  }
  max_recorded_ = size_ / kZeroed;
  data_ = zeros().take(size_, capacity_);
  if (data_ != nullptr) return;
  capacity_ = std::bit_ceil(size_ + 1);  // graphs grow; what is not touched costs nothing
  data_ = map(capacity_);
}

NodeIndex::NodeIndex(NodeIndex&& other) noexcept { *this = std::move(other); }

NodeIndex& NodeIndex::operator=(NodeIndex&& other) noexcept {
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(data_, other.data_);
  std::swap(num_set_, other.num_set_);
  std::swap(max_recorded_, other.max_recorded_);
  std::swap(first_set_, other.first_set_);
  std::swap(last_set_, other.last_set_);
  std::swap(set_, other.set_);
  return *this;
}

NodeIndex::~NodeIndex() {
  if (data_ == nullptr) return;
  if (size_ < kMapped) {
    std::free(data_);
    return;
  }
  if (num_set_ <= max_recorded_) {
    for (const NodeId id : set_) data_[id] = 0;
  } else {
    std::fill(data_ + first_set_, data_ + last_set_ + 1, 0);
  }
  zeros().leave(data_, capacity_);
}

void Postorder::visit(Expr root) {
  if (root.graph() == nullptr) return;
  check_stop();                              // all symbolic work comes by here
  const NodeId start = graph_->adopt(root);  // refuses another graph
  if (position_.contains(start)) return;
  const auto add = [this](NodeId id) {
    position_.set(id, static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(id);
  };
  stack_.push_back({start, 0});
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    const Node& node = graph_->node(frame.id);
    const int arity = operation(node.op).arity;
    bool has_pending = false;
    while (!has_pending && frame.next < arity) {
      const NodeId operand = node.operand[static_cast<std::size_t>(frame.next++)];
      if (position_.contains(operand)) continue;
      has_pending = operation(graph_->node(operand).op).arity > 0;
      if (has_pending) {
        stack_.push_back({operand, 0});  // `frame` is not valid from here on
      } else {
        add(operand);
      }
    }
    if (has_pending) continue;
    // A node can be on the stack twice (as an operand of two pending nodes): keep the first.
    if (!position_.contains(frame.id)) add(frame.id);
    stack_.pop_back();
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
