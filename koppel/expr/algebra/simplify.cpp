#include <koppel/expr/algebra/simplify.hpp>

#include <array>

#include <koppel/expr/algebra/polynomial.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/algebra/usage.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

using namespace algebra;

constexpr int kMaxPasses = 32;
constexpr int kPatience = 2;  // passes without a gain before the best is taken as final

bool is_sum(Op op) { return op == Op::Add || op == Op::Sub; }
bool is_product(Op op) { return op == Op::Mul || op == Op::Div || op == Op::Pow; }

bool is_multiple(Expr e) { return e.is(Op::Neg) || (e.is(Op::Mul) && e.operand(0).is_constant()); }

Expr without_number(Expr e) {
  while (is_multiple(e)) e = e.operand(e.is(Op::Neg) ? 0 : 1);
  return e;
}

// The other ways to write e, each a trial.
std::vector<Expr> rewritten(Expr e, const Usage& usage, Graph& graph) {
  std::vector<Expr> trials;
  if (is_sum(without_number(e).op())) {
    for (const Reach reach : {Reach::Unshared, Reach::Shared}) {
      Polynomial sum(reach, usage, graph);
      sum.read(e);
      if (reach == Reach::Shared && !sum.has_shared()) break;
      auto expanded = sum.expanded();
      sum.apply_pythagoras();
      if (const auto trial = sum.make_expr()) trials.push_back(*trial);
      if (!expanded) continue;
      expanded->apply_pythagoras();
      if (const auto trial = expanded->make_expr()) trials.push_back(*trial);
    }
  } else if (is_product(e.op())) {
    for (const Reach reach : {Reach::Unshared, Reach::Shared}) {
      const MonomialOf product = read_monomial(e, reach, usage);
      if (reach == Reach::Shared && !product.opened_shared) break;
      if (!product.is_shorter || !product.monomial.is_valid()) continue;
      trials.push_back(make_expr(product.monomial, usage, graph));
    }
  }
  return trials;
}

// One walk over the expressions, operands first. A node's new form has the new forms of its
// operands; of the other ways to write it, the one that leaves fewest operations is taken.
//
// `usage` counts what is in use by the new forms, where a node that has none yet counts as a user
// of the new forms of its operands. So the effect of each exchange is known exactly.
class Pass {
 public:
  Pass(Graph& graph, std::span<const Expr> roots)
      : graph_(graph), roots_(roots), order_(graph), usage_(graph) {
    order_.visit(roots);
  }

  std::vector<Expr> run() {
    find_users();
    for (std::size_t i = 0; i < order_.size(); ++i) renew(i);
    std::vector<Expr> result;
    for (const Expr& root : roots_) result.push_back(renewed(root));
    return result;
  }

  std::size_t num_operations() const { return usage_.num_operations(); }

 private:
  struct Item {
    Expr renewed;
    std::uint32_t num_users = 0;
    std::uint32_t user = 0;  // the position of the last
    bool in_sum = false;     // used once, by a sum that reads through it
  };

  Expr renewed(Expr e) const {
    return e.graph() == nullptr ? e : items_[order_.position(e)].renewed;
  }

  void find_users() {
    items_.resize(order_.size());
    for (const Expr& root : roots_) {
      if (root.graph() != nullptr) ++items_[order_.position(root)].num_users;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (int k = 0; k < order_[i].num_operands(); ++k) {
        Item& operand = items_[order_.position(order_[i].operand(k))];
        ++operand.num_users;
        operand.user = static_cast<std::uint32_t>(i);
      }
    }
    for (std::size_t i = order_.size(); i-- > 0;) {
      Item& item = items_[i];
      if (item.num_users != 1 || item.user <= i) continue;
      const Expr user = order_[item.user];
      item.in_sum = (is_sum(order_[i].op()) || is_multiple(order_[i])) &&
                    (is_sum(user.op()) || (is_multiple(user) && items_[item.user].in_sum));
    }
  }

  // Parts of a longer sum or product are looked at with the whole only: this keeps the cost linear.
  bool is_part(std::size_t i) const {
    const Item& item = items_[i];
    if (item.in_sum) return true;
    if (item.num_users != 1 || item.user <= i || !is_product(order_[i].op())) return false;
    const Expr user = order_[item.user];
    return user.is(Op::Mul) || user.is(Op::Div) ||
           (user.is(Op::Pow) && user.operand(0) == order_[i] && is_integer(user.operand(1)));
  }

  void renew(std::size_t i) {
    const Expr old = order_[i];
    Item& item = items_[i];
    if (old.num_operands() == 0) {
      item.renewed = old;
      return;
    }
    item.renewed = {graph_, graph_.adopt(same_operation(old))};
    usage_.acquire(item.renewed, item.num_users);
    for (int k = 0; k < old.num_operands(); ++k) usage_.release(renewed(old.operand(k)));
    if (is_part(i)) return;
    for (const Expr& trial : rewritten(item.renewed, usage_, graph_)) {
      const std::size_t before = usage_.num_operations();
      usage_.acquire(trial, item.num_users);
      usage_.release(item.renewed, item.num_users);
      if (usage_.num_operations() <= before) {
        item.renewed = {graph_, graph_.adopt(trial)};
      } else {
        usage_.acquire(item.renewed, item.num_users);
        usage_.release(trial, item.num_users);
      }
    }
  }

  Expr same_operation(Expr old) const {
    std::array<Expr, 3> x;
    for (int k = 0; k < old.num_operands(); ++k) {
      x[static_cast<std::size_t>(k)] = renewed(old.operand(k));
    }
    if (!old.is(Op::Table)) return apply(old.op(), x[0], x[1], x[2]);
    const Node node = graph_.node(old.id());
    const Table* table = graph_.find_table(graph_.table_name(node.operand[1]));
    return table->derivative(x[0], static_cast<int>(node.operand[2]));
  }

  Graph& graph_;
  std::span<const Expr> roots_;
  Postorder order_;
  Usage usage_;
  std::vector<Item> items_;
};

}  // namespace

// A pass may open the way for the next, sometimes without a gain of its own. The result is an
// expression from which kPatience passes gain nothing: it is its own simplification.
std::vector<Expr> simplify(std::span<const Expr> expressions) {
  std::vector<Expr> best(expressions.begin(), expressions.end());
  Graph* graph = graph_of(expressions);
  if (graph == nullptr) return best;
  std::size_t fewest = num_operations(best);
  std::vector<Expr> trial = best;
  for (int pass = 0, idle = 0; pass < kMaxPasses && idle < kPatience; ++pass) {
    Pass walk(*graph, trial);
    std::vector<Expr> next = walk.run();
    if (next == trial) break;
    trial = std::move(next);
    ++idle;
    if (walk.num_operations() >= fewest) continue;
    fewest = walk.num_operations();
    best = trial;
    idle = 0;
  }
  return best;
}

Expr simplify(Expr e) { return simplify(std::span<const Expr>(&e, 1))[0]; }

}  // namespace koppel
