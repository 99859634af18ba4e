// What happens when a node is made: numbers are folded, neutral elements vanish, operands of
// commutative operations are ordered, numeric factors and signs move outwards, and identities
// that can be seen from the operands alone are applied. Each rule looks at most two levels deep,
// so that making a node costs O(1).
//
// Every rule is a function of the operands only; applying an operation to the operands of an
// existing node gives that node again. Printed text therefore parses to the same node.
#include <cmath>
#include <optional>
#include <utility>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

// The graph of the first operand that has one, or null.
Graph* graph_of(Expr a, Expr b, Expr c) {
  if (a.graph() != nullptr) return a.graph();
  return b.graph() != nullptr ? b.graph() : c.graph();
}

Expr make(Op op, Expr a, Expr b = {}, Expr c = {}) {
  Graph& graph = *graph_of(a, b, c);
  const int arity = operation(op).arity;
  Node node{op, {graph.adopt(a), 0, 0}};
  if (arity > 1) node.operand[1] = graph.adopt(b);
  if (arity > 2) node.operand[2] = graph.adopt(c);
  return graph.intern(node);
}

// Commutative operands: numbers first, then in the order in which they were made.
void order(Expr& a, Expr& b) {
  if (a.is_constant()) return;
  if (b.is_constant() || b.id() < a.id()) std::swap(a, b);
}

bool is_integer(double x) { return x == std::floor(x) && std::abs(x) < 1e9; }

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5 && std::abs(exponent) < 1000;
}

// e = number · rest
struct Term {
  double number;
  Expr rest;
};

Term split_number(Expr e) {
  if (e.is(Op::Neg)) return {-1, e.operand(0)};
  if (e.is(Op::Mul) && e.operand(0).is_constant()) return {e.operand(0).value(), e.operand(1)};
  return {1, e};
}

// e = base ^ exponent with a numeric exponent
struct Power {
  Expr base;
  double exponent;
};

Power split_power(Expr e) {
  if (e.is(Op::Pow) && e.operand(1).is_constant()) return {e.operand(0), e.operand(1).value()};
  if (e.is(Op::Mul) && e.operand(0) == e.operand(1)) return {e.operand(0), 2};
  return {e, 1};
}

// −e, when e shows a minus sign: −x, −2 x.
std::optional<Expr> negated(Expr e) {
  if (e.is(Op::Neg)) return e.operand(0);
  if (e.is(Op::Mul) && e.operand(0).is_constant() && e.operand(0).value() < 0) {
    return -e.operand(0).value() * e.operand(1);
  }
  return std::nullopt;
}

bool is_square_of(Expr e, Op op) {
  return e.is(Op::Mul) && e.operand(0) == e.operand(1) && e.operand(0).is(op);
}

Expr make_neg(Expr a) {
  if (a.is(Op::Neg)) return a.operand(0);
  if (a.is(Op::Sub)) return a.operand(1) - a.operand(0);
  if (a.is(Op::Mul) && a.operand(0).is_constant()) return -a.operand(0).value() * a.operand(1);
  if (a.is(Op::Div) && a.operand(0).is_constant()) return -a.operand(0).value() / a.operand(1);
  if (a.is(Op::Add) && a.operand(0).is_constant()) return -a.operand(0).value() - a.operand(1);
  return make(Op::Neg, a);
}

Expr make_add(Expr a, Expr b) {
  order(a, b);
  if (a.is_constant(0)) return b;
  if (a.is_constant() && b.is(Op::Add) && b.operand(0).is_constant()) {
    const double sum = a.value() + b.operand(0).value();
    if (std::isfinite(sum)) return sum + b.operand(1);
  }
  if (a.is_constant() && b.is(Op::Sub) && b.operand(0).is_constant()) {
    const double sum = a.value() + b.operand(0).value();
    if (std::isfinite(sum)) return sum - b.operand(1);
  }
  if (const auto minus = negated(b)) return a - *minus;
  if (const auto minus = negated(a)) return b - *minus;
  const Term p = split_number(a), q = split_number(b);
  if (!p.rest.is_constant() && p.rest == q.rest && std::isfinite(p.number + q.number)) {
    return (p.number + q.number) * p.rest;
  }
  if (b.is(Op::Sub) && b.operand(1) == a) return b.operand(0);
  if (a.is(Op::Sub) && a.operand(1) == b) return a.operand(0);
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    if (is_square_of(a, Op::Sin) && is_square_of(b, Op::Cos) &&
        a.operand(0).operand(0) == b.operand(0).operand(0)) {
      return 1;
    }
  }
  return make(Op::Add, a, b);
}

Expr make_sub(Expr a, Expr b) {
  if (b.is_constant()) return a + -b.value();
  if (a.is_constant(0)) return -b;
  if (a.is_constant() && b.is(Op::Add) && b.operand(0).is_constant()) {
    const double difference = a.value() - b.operand(0).value();
    if (std::isfinite(difference)) return difference - b.operand(1);
  }
  if (a.is_constant() && b.is(Op::Sub) && b.operand(0).is_constant()) {
    const double difference = a.value() - b.operand(0).value();
    if (std::isfinite(difference)) return difference + b.operand(1);
  }
  if (const auto minus = negated(b)) return a + *minus;
  if (a.is(Op::Neg)) return -(a.operand(0) + b);
  const Term p = split_number(a), q = split_number(b);
  if (!p.rest.is_constant() && p.rest == q.rest && std::isfinite(p.number - q.number)) {
    return (p.number - q.number) * p.rest;
  }
  if (a.is(Op::Add) && a.operand(1) == b) return a.operand(0);
  if (a.is(Op::Add) && a.operand(0) == b) return a.operand(1);
  if (a.is(Op::Sub) && a.operand(0) == b) return -a.operand(1);
  if (b.is(Op::Add) && b.operand(1) == a) return -b.operand(0);
  if (b.is(Op::Add) && b.operand(0) == a) return -b.operand(1);
  if (b.is(Op::Sub) && b.operand(0) == a) return b.operand(1);
  return make(Op::Sub, a, b);
}

Expr make_mul(Expr a, Expr b) {
  order(a, b);
  if (a.is_constant()) {
    const double c = a.value();
    if (c == 0) return 0;
    if (c == 1) return b;
    if (c == -1) return -b;
    if (b.is(Op::Neg)) return -c * b.operand(0);
    if (b.is(Op::Mul) && b.operand(0).is_constant() && std::isnormal(c * b.operand(0).value())) {
      return c * b.operand(0).value() * b.operand(1);
    }
    if (b.is(Op::Div) && b.operand(0).is_constant() && std::isnormal(c * b.operand(0).value())) {
      return c * b.operand(0).value() / b.operand(1);
    }
    return make(Op::Mul, a, b);
  }
  // Numbers and signs move outwards: (2 x) y = 2 (x y). Two that overflow together stay where they
  // are: moved, they would stand side by side, and twice as many in every further square.
  if (const double both = split_number(a).number * split_number(b).number; std::isnormal(both)) {
    for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
      if (const Term t = split_number(a); t.number != 1) return t.number * (t.rest * b);
    }
  }
  const Power p = split_power(a), q = split_power(b);
  if (p.base == q.base && (p.exponent != 1 || q.exponent != 1) && is_integer(p.exponent) &&
      is_integer(q.exponent)) {
    return pow(p.base, p.exponent + q.exponent);
  }
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    if (!b.is(Op::Div)) continue;
    if (b.operand(0).is_constant(1)) return a / b.operand(1);
    if (b.operand(1) == a) return b.operand(0);
  }
  if (a == b && a.is(Op::Sqrt)) return a.operand(0);
  if (a == b && a.is(Op::Abs)) return a.operand(0) * a.operand(0);
  return make(Op::Mul, a, b);
}

Expr make_div(Expr a, Expr b) {
  if (b.is_constant(0)) return make(Op::Div, a, b);
  if (b.is_constant(1)) return a;
  if (b.is_constant(-1)) return -a;
  if (a.is_constant(0)) return 0;
  if (a == b) return 1;
  if (b.is_constant() && is_power_of_two(b.value())) return 1 / b.value() * a;
  if (a.is(Op::Neg)) return -(a.operand(0) / b);
  if (b.is(Op::Neg)) return -(a / b.operand(0));
  if (b.is_constant() && a.is(Op::Mul) && a.operand(0).is_constant() &&
      std::isnormal(a.operand(0).value() / b.value())) {
    return a.operand(0).value() / b.value() * a.operand(1);
  }
  if (b.is(Op::Div)) return (a * b.operand(1)) / b.operand(0);
  if (a.is(Op::Div)) {
    const Expr divisor = a.operand(1) * b;
    if (!divisor.is_constant() || std::isnormal(divisor.value())) return a.operand(0) / divisor;
  }
  const Power p = split_power(a), q = split_power(b);
  if (p.base == q.base && is_integer(p.exponent) && is_integer(q.exponent)) {
    return pow(p.base, p.exponent - q.exponent);
  }
  if (b.is(Op::Sqrt) && b.operand(0) == a) return b;
  if (a.is(Op::Mul) && a.operand(0) == b) return a.operand(1);
  if (a.is(Op::Mul) && a.operand(1) == b) return a.operand(0);
  return make(Op::Div, a, b);
}

Expr make_pow(Expr a, Expr b) {
  if (a.is_constant(1)) return 1;
  if (!b.is_constant()) return make(Op::Pow, a, b);
  const double n = b.value();
  if (n == 0) return 1;
  if (n == 1) return a;
  if (n == 2) return a * a;
  if (n == -1) return 1 / a;
  if (n == 0.5) return sqrt(a);
  if (n == -0.5) return 1 / sqrt(a);
  if (a.is(Op::Exp)) return exp(n * a.operand(0));
  if (is_integer(n)) {
    const bool even = is_integer(n / 2);
    if (a.is(Op::Neg)) {
      const Expr power = pow(a.operand(0), n);
      return even ? power : -power;
    }
    if (even && a.is(Op::Abs)) return pow(a.operand(0), n);
    if (even && a.is(Op::Sqrt)) return pow(a.operand(0), n / 2);
    const Power p = split_power(a);
    if (p.exponent != 1 && is_integer(p.exponent)) return pow(p.base, p.exponent * n);
  }
  return make(Op::Pow, a, b);
}

Expr make_sqrt(Expr a) {
  const Power p = split_power(a);
  if (p.exponent > 0 && is_integer(p.exponent / 2)) return abs(pow(p.base, p.exponent / 2));
  return make(Op::Sqrt, a);
}

Expr make_abs(Expr a) {
  if (const auto minus = negated(a)) return abs(*minus);
  if (a.is(Op::Abs) || a.is(Op::Sqrt) || a.is(Op::Exp)) return a;
  if (const Power p = split_power(a); p.exponent != 1 && is_integer(p.exponent / 2)) return a;
  return make(Op::Abs, a);
}

// φ(−x) = −φ(x); φ(φ⁻¹(x)) = x.
Expr make_odd(Op op, Expr a, std::optional<Op> inverse = {}) {
  if (inverse && a.is(*inverse)) return a.operand(0);
  if (const auto minus = negated(a)) return -apply(op, *minus);
  return make(op, a);
}

// φ(−x) = φ(x); φ(φ⁻¹(x)) = x.
Expr make_even(Op op, Expr a, std::optional<Op> inverse = {}) {
  if (inverse && a.is(*inverse)) return a.operand(0);
  if (const auto minus = negated(a)) return apply(op, *minus);
  return make(op, a);
}

Expr make_select(Expr condition, Expr a, Expr b) {
  if (condition.is_constant()) return condition.value() != 0 ? a : b;
  if (a == b) return a;
  return make(Op::Select, condition, a, b);
}

// The number, where all operands are numbers and the result is finite.
std::optional<double> fold(const Operation& operation, Expr a, Expr b, Expr c) {
  if (!a.is_constant()) return std::nullopt;
  if (operation.arity > 1 && !b.is_constant()) return std::nullopt;
  if (operation.arity > 2 && !c.is_constant()) return std::nullopt;
  const double value = operation.value(a.value(), operation.arity > 1 ? b.value() : 0,
                                       operation.arity > 2 ? c.value() : 0);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

Expr apply_rules(Op op, Expr a, Expr b, Expr c) {
  switch (op) {
    case Op::Neg: return make_neg(a);
    case Op::Add: return make_add(a, b);
    case Op::Sub: return make_sub(a, b);
    case Op::Mul: return make_mul(a, b);
    case Op::Div: return make_div(a, b);
    case Op::Pow: return make_pow(a, b);
    case Op::Sqrt: return make_sqrt(a);
    case Op::Abs: return make_abs(a);
    case Op::Exp: return a.is(Op::Log) ? a.operand(0) : make(op, a);
    case Op::Log: return a.is(Op::Exp) ? a.operand(0) : make(op, a);
    case Op::Sin: return make_odd(op, a, Op::Asin);
    case Op::Tan: return make_odd(op, a, Op::Atan);
    case Op::Asin:
    case Op::Atan:
    case Op::Sinh:
    case Op::Tanh:
    case Op::Sign: return make_odd(op, a);
    case Op::Cos: return make_even(op, a, Op::Acos);
    case Op::Cosh: return make_even(op, a);
    case Op::Min:
    case Op::Max: order(a, b); return a == b ? a : make(op, a, b);
    case Op::Less: return a == b ? Expr(0) : make(op, a, b);
    case Op::LessEqual: return a == b ? Expr(1) : make(op, a, b);
    case Op::Equal: order(a, b); return a == b ? Expr(1) : make(op, a, b);
    case Op::Select: return make_select(a, b, c);
    default: return make(op, a, b, c);
  }
}

}  // namespace

// An operation on expressions of a graph gives an expression of that graph, be it a number: then
// log(x − x) is a node like any other.
Expr apply(Op op, Expr a, Expr b, Expr c) {
  Graph* graph = graph_of(a, b, c);
  const Operation& entry = operation(op);
  const auto number = fold(entry, a, b, c);
  if (graph == nullptr) {
    if (number) return *number;
    throw Error("expr.not-finite", "the value of '" + std::string(entry.name) +
                                       "' of plain numbers is not a finite number.");
  }
  const Expr result = number ? Expr(*number) : apply_rules(op, a, b, c);
  return {*graph, graph->adopt(result)};
}

}  // namespace koppel
