// Expressions evaluated node by node, straight from the graph: no lowering, no slots, no
// identities. What the compiled evaluations are compared with.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel::testing {

// The values of the nodes below f, by their position in `order`. Symbols have the given values;
// operate(e, a, b, c) is the value of an operation e on the values of its operands.
template <typename T, typename Operate>
std::vector<T> evaluate_nodes(const Postorder& order, std::span<const Expr> symbols,
                              std::span<const T> values, Operate&& operate) {
  std::vector<T> result(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Expr e = order[p];
    if (e.is_constant()) {
      result[p] = e.value();
    } else if (e.is_symbol()) {
      std::size_t i = 0;
      while (i < symbols.size() && symbols[i] != e) ++i;
      if (i == symbols.size()) throw std::logic_error("a symbol has no value");
      result[p] = values[i];
    } else {
      T x[3] = {};
      for (int i = 0; i < e.num_operands(); ++i) x[i] = result[order.position(e.operand(i))];
      result[p] = operate(e, x[0], x[1], x[2]);
    }
  }
  return result;
}

// Operations of one formula, for numbers of any kind that has them.
template <typename T>
T operate_analytically(Op op, T a, T b) {
  switch (op) {
    case Op::Neg: return -a;
    case Op::Sqrt: return std::sqrt(a);
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Asin: return std::asin(a);
    case Op::Acos: return std::acos(a);
    case Op::Atan: return std::atan(a);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    default: throw std::logic_error("the operation is not analytic");
  }
}

// xⁿ by halving, n ≥ 1: the products in which integer powers are defined to be computed.
inline double product_power(double x, int n) {
  if (n == 1) return x;
  const double half = product_power(x, n / 2);
  const double square = half * half;
  return n % 2 == 0 ? square : x * square;
}

// The value of an operation as operations.hpp and program.hpp say.
inline double operate_plainly(Expr e, double a, double b, double c) {
  if (e.is(Op::Table)) {
    const Node& node = e.graph()->node(e.id());
    return e.graph()->table_data(node.operand[1]).evaluate(a, static_cast<int>(node.operand[2]));
  }
  if (e.is(Op::Pow) && e.operand(1).is_constant() && b == std::floor(b) && std::abs(b) <= 64) {
    const double product = product_power(a, static_cast<int>(std::abs(b)));
    return b < 0 ? 1 / product : product;
  }
  return operation(e.op()).value(a, b, c);
}

// The value of one expression.
inline double evaluate_plainly(Expr f, std::span<const Expr> symbols,
                               std::span<const double> values) {
  if (f.graph() == nullptr) return f.value();
  Postorder order(*f.graph());
  order.visit(f);
  return evaluate_nodes<double>(order, symbols, values, operate_plainly).back();
}

}  // namespace koppel::testing
