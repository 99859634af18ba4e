// Enclosures: bounds on expressions of one variable, and on their derivatives, over an interval of
// it. By interval arithmetic through the graph: bounds hold everywhere in the interval, so that
// nothing that is too narrow for sampling goes unnoticed, and they tighten as the interval shrinks.
// Jumps (sign, comparisons, select) are in the bounds of values, not in those of derivatives.
//
// Linear in the number of nodes; evaluation does not allocate. No rigorous rounding [Moore 1966].
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/algebra/interval.hpp>
#include <koppel/expr/graph/expr.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {

class Enclosure {
 public:
  // Expressions of x and of symbols that have these values, of one graph, which must outlive this.
  // Other symbols may have any value.
  Enclosure(std::span<const Expr> expressions, Expr x, std::span<const Expr> symbols,
            std::span<const double> values);

  struct Bounds {
    Interval value, rate;  // of d/dx
  };
  void evaluate(const Interval& x);
  // Of expression i, over the interval evaluated last.
  const Bounds& operator[](std::size_t i) const { return bounds_[place_[i]]; }
  std::size_t num_nodes() const { return nodes_.size(); }

 private:
  Bounds bounds_of(const Node& node, const Interval& x) const;
  Bounds of_table(const Node& node) const;
  Bounds of_power(const Node& node) const;
  const Bounds& operand(const Node& node, int i) const {
    return bounds_[order_.position(node.operand[static_cast<std::size_t>(i)])];
  }

  Postorder order_;
  std::vector<Node> nodes_;
  std::vector<char> is_fixed_;  // a number, or a symbol that is not x
  std::vector<Bounds> bounds_;
  std::vector<std::size_t> place_;
};

}  // namespace koppel
