// Expr: a mathematical expression, written as one writes it on paper.
//
//   Graph graph;
//   auto [x, y] = graph.symbols("x", "y");
//   Expr r = sqrt(x*x + y*y);
//   Expr f = select(r < 1, 0, log(r));
//
// An Expr is a handle of 16 bytes, copied freely. It refers to an immutable node of a Graph, or is
// a plain number that belongs to no graph yet (so `Expr sum = 0;` needs none). Equal expressions
// of a graph are the same node: == compares in constant time. Handles are valid as long as their
// graph lives; expressions of two graphs cannot be combined (an Error says so).
//
// Making a node folds numbers and applies cheap identities (identities.cpp), which hold for all
// finite values where both sides are defined: x − x is 0, x/x is 1. Nothing is folded to a
// non-finite number: 1/0 stays as it is, and Function::diagnose names it.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include <koppel/expr/graph/op.hpp>

namespace koppel {

class Graph;
using NodeId = std::uint32_t;

class Expr {
 public:
  constexpr Expr(double number = 0)  // NOLINT: numbers are expressions; −0 is 0
      : bits_(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number)) {}
  Expr(Graph& graph, NodeId id) : graph_(&graph), bits_(id) {}

  // The graph, or null for a plain number.
  Graph* graph() const { return graph_; }
  NodeId id() const { return static_cast<NodeId>(bits_); }  // needs a graph

  Op op() const;
  bool is(Op op_) const { return op() == op_; }
  bool is_constant() const { return graph_ == nullptr || is(Op::Constant); }
  bool is_constant(double number) const { return is_constant() && value() == number; }
  bool is_symbol() const { return is(Op::Symbol); }

  double value() const;           // of a constant
  std::string_view name() const;  // of a symbol
  int num_operands() const;
  Expr operand(int i) const;

  Expr& operator+=(Expr b);
  Expr& operator-=(Expr b);
  Expr& operator*=(Expr b);
  Expr& operator/=(Expr b);

  // Whether both are the same expression.
  friend bool operator==(Expr a, Expr b) {
    if (a.graph_ == b.graph_ && a.bits_ == b.bits_) return true;
    return a.graph_ != b.graph_ && a.is_constant() && b.is_constant() && a.value() == b.value();
  }

 private:
  Graph* graph_ = nullptr;
  std::uint64_t bits_;  // the node's id, or the bits of the number
};

// The expression `op` of these operands, after folding and cheap identities. Op::Table, Constant
// and Symbol are made by Graph.
Expr apply(Op op, Expr a, Expr b = {}, Expr c = {});

inline Expr operator-(Expr a) { return apply(Op::Neg, a); }
inline Expr operator+(Expr a, Expr b) { return apply(Op::Add, a, b); }
inline Expr operator-(Expr a, Expr b) { return apply(Op::Sub, a, b); }
inline Expr operator*(Expr a, Expr b) { return apply(Op::Mul, a, b); }
inline Expr operator/(Expr a, Expr b) { return apply(Op::Div, a, b); }
inline Expr& Expr::operator+=(Expr b) { return *this = *this + b; }
inline Expr& Expr::operator-=(Expr b) { return *this = *this - b; }
inline Expr& Expr::operator*=(Expr b) { return *this = *this * b; }
inline Expr& Expr::operator/=(Expr b) { return *this = *this / b; }

// Conditions: 1 where they hold, else 0.
inline Expr operator<(Expr a, Expr b) { return apply(Op::Less, a, b); }
inline Expr operator<=(Expr a, Expr b) { return apply(Op::LessEqual, a, b); }
inline Expr operator>(Expr a, Expr b) { return apply(Op::Less, b, a); }
inline Expr operator>=(Expr a, Expr b) { return apply(Op::LessEqual, b, a); }
inline Expr equal(Expr a, Expr b) { return apply(Op::Equal, a, b); }

// a where the condition is not zero, else b.
inline Expr select(Expr condition, Expr a, Expr b) { return apply(Op::Select, condition, a, b); }

inline Expr pow(Expr a, Expr b) { return apply(Op::Pow, a, b); }
inline Expr sqrt(Expr a) { return apply(Op::Sqrt, a); }
inline Expr exp(Expr a) { return apply(Op::Exp, a); }
inline Expr log(Expr a) { return apply(Op::Log, a); }
inline Expr sin(Expr a) { return apply(Op::Sin, a); }
inline Expr cos(Expr a) { return apply(Op::Cos, a); }
inline Expr tan(Expr a) { return apply(Op::Tan, a); }
inline Expr asin(Expr a) { return apply(Op::Asin, a); }
inline Expr acos(Expr a) { return apply(Op::Acos, a); }
inline Expr atan(Expr a) { return apply(Op::Atan, a); }
inline Expr atan2(Expr y, Expr x) { return apply(Op::Atan2, y, x); }
inline Expr sinh(Expr a) { return apply(Op::Sinh, a); }
inline Expr cosh(Expr a) { return apply(Op::Cosh, a); }
inline Expr tanh(Expr a) { return apply(Op::Tanh, a); }
inline Expr abs(Expr a) { return apply(Op::Abs, a); }
inline Expr sign(Expr a) { return apply(Op::Sign, a); }
inline Expr min(Expr a, Expr b) { return apply(Op::Min, a, b); }
inline Expr max(Expr a, Expr b) { return apply(Op::Max, a, b); }

}  // namespace koppel
