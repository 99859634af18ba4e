// The one table of operations: what each means in numbers, in calculus, in series, in C, in text,
// in LaTeX and in MATLAB's language. Adding an operation is adding a line here (and its name in
// op.hpp, and tests).
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include <koppel/runtime/taylor.h>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

struct Operands {
  Expr a, b, c;
};

// How the Taylor coefficients of an operation follow from those of its operands: a kernel of
// runtime/taylor.h, by address for the interpreter and by name for generated code.
struct TaylorRule {
  using Kernel = double (*)(const double* r, const double* a, const double* b, const double* c,
                            int k);
  Kernel kernel = nullptr;
  const char* name = nullptr;
  // Whether order k needs of its operands order k only (and 0, for the branch): sums, scaling.
  bool is_pointwise = false;
  // The companion series that the kernel reads as c; null where it needs none.
  Expr (*companion)(Expr self, const Operands& x) = nullptr;
};

struct Operation {
  Op op;
  const char* name;  // in text: a function's name or an infix operator
  int arity;
  bool commutative;

  // The value. Not for leaves and tables, which carry a payload.
  double (*value)(double a, double b, double c);

  // w ∂self/∂operand_i. The factor w is passed in so that forward and reverse accumulation
  // share subexpressions (for a/b, both operands need w/b).
  Expr (*derivative)(int i, Expr self, const Operands& x, Expr w);

  TaylorRule taylor;

  // Spellings with $a, $b, $c for the operands. Operands of `c` are atoms.
  const char* c;
  const char* latex;
  // In text and LaTeX: how tightly it binds. 1 comparison, 2 sum, 3 product, 4 sign, 5 power,
  // 6 anything that needs no parentheses.
  int precedence;

  // Where the value is defined; null: everywhere.
  const char* domain = nullptr;
  bool (*in_domain)(double a, double b) = nullptr;

  // In the language of MATLAB, the function's name where it is not `name`.
  const char* matlab = nullptr;
};

namespace operations {

using D = double;
using X = const Operands&;

// Kernels of runtime/taylor.h with their names.
#define KOPPEL_RULE(kernel) koppel_taylor_##kernel, "koppel_taylor_" #kernel, false
#define KOPPEL_POINTWISE(kernel) koppel_taylor_##kernel, "koppel_taylor_" #kernel, true

// clang-format off
inline constexpr std::array<Operation, kNumOps> kTable = {{
  {Op::Constant, "", 0, false, nullptr, nullptr, {}, "", "", 6},
  {Op::Symbol,   "", 0, false, nullptr, nullptr, {}, "", "", 6},

  {Op::Neg, "-", 1, false, [](D a, D, D) { return -a; },
   [](int, Expr, X, Expr w) { return -w; },
   {KOPPEL_POINTWISE(neg)}, "-$a", "-$a", 4},

  {Op::Sqrt, "sqrt", 1, false, [](D a, D, D) { return std::sqrt(a); },
   [](int, Expr self, X, Expr w) { return 0.5 * (w / self); },
   {KOPPEL_RULE(sqrt)}, "sqrt($a)", "\\sqrt{$a}", 6,
   "the operand must not be negative", [](D a, D) { return a >= 0; }},

  {Op::Exp, "exp", 1, false, [](D a, D, D) { return std::exp(a); },
   [](int, Expr self, X, Expr w) { return w * self; },
   {KOPPEL_RULE(exp)}, "exp($a)", "\\exp\\left($a\\right)", 6},

  {Op::Log, "log", 1, false, [](D a, D, D) { return std::log(a); },
   [](int, Expr, X x, Expr w) { return w / x.a; },
   {KOPPEL_RULE(log)}, "log($a)", "\\ln\\left($a\\right)", 6,
   "the operand must be positive", [](D a, D) { return a > 0; }},

  {Op::Sin, "sin", 1, false, [](D a, D, D) { return std::sin(a); },
   [](int, Expr, X x, Expr w) { return w * cos(x.a); },
   {KOPPEL_RULE(chain), [](Expr, X x) { return cos(x.a); }},
   "sin($a)", "\\sin\\left($a\\right)", 6},

  {Op::Cos, "cos", 1, false, [](D a, D, D) { return std::cos(a); },
   [](int, Expr, X x, Expr w) { return -(w * sin(x.a)); },
   {KOPPEL_RULE(chain), [](Expr, X x) { return -sin(x.a); }},
   "cos($a)", "\\cos\\left($a\\right)", 6},

  {Op::Tan, "tan", 1, false, [](D a, D, D) { return std::tan(a); },
   [](int, Expr self, X, Expr w) { return w * (1 + self * self); },
   {KOPPEL_RULE(chain), [](Expr self, X) { return 1 + self * self; }},
   "tan($a)", "\\tan\\left($a\\right)", 6},

  {Op::Asin, "asin", 1, false, [](D a, D, D) { return std::asin(a); },
   [](int, Expr, X x, Expr w) { return w / sqrt(1 - x.a * x.a); },
   {KOPPEL_RULE(inverse_chain), [](Expr, X x) { return sqrt(1 - x.a * x.a); }},
   "asin($a)", "\\arcsin\\left($a\\right)", 6,
   "the operand must lie in [-1, 1]", [](D a, D) { return std::abs(a) <= 1; }},

  {Op::Acos, "acos", 1, false, [](D a, D, D) { return std::acos(a); },
   [](int, Expr, X x, Expr w) { return -(w / sqrt(1 - x.a * x.a)); },
   {KOPPEL_RULE(inverse_chain), [](Expr, X x) { return -sqrt(1 - x.a * x.a); }},
   "acos($a)", "\\arccos\\left($a\\right)", 6,
   "the operand must lie in [-1, 1]", [](D a, D) { return std::abs(a) <= 1; }},

  {Op::Atan, "atan", 1, false, [](D a, D, D) { return std::atan(a); },
   [](int, Expr, X x, Expr w) { return w / (1 + x.a * x.a); },
   {KOPPEL_RULE(inverse_chain), [](Expr, X x) { return 1 + x.a * x.a; }},
   "atan($a)", "\\arctan\\left($a\\right)", 6},

  {Op::Sinh, "sinh", 1, false, [](D a, D, D) { return std::sinh(a); },
   [](int, Expr, X x, Expr w) { return w * cosh(x.a); },
   {KOPPEL_RULE(chain), [](Expr, X x) { return cosh(x.a); }},
   "sinh($a)", "\\sinh\\left($a\\right)", 6},

  {Op::Cosh, "cosh", 1, false, [](D a, D, D) { return std::cosh(a); },
   [](int, Expr, X x, Expr w) { return w * sinh(x.a); },
   {KOPPEL_RULE(chain), [](Expr, X x) { return sinh(x.a); }},
   "cosh($a)", "\\cosh\\left($a\\right)", 6},

  {Op::Tanh, "tanh", 1, false, [](D a, D, D) { return std::tanh(a); },
   [](int, Expr self, X, Expr w) { return w * (1 - self * self); },
   {KOPPEL_RULE(chain), [](Expr self, X) { return 1 - self * self; }},
   "tanh($a)", "\\tanh\\left($a\\right)", 6},

  {Op::Abs, "abs", 1, false, [](D a, D, D) { return std::abs(a); },
   [](int, Expr, X x, Expr w) { return w * sign(x.a); },
   {KOPPEL_POINTWISE(abs)}, "fabs($a)", "\\left|$a\\right|", 6},

  {Op::Sign, "sign", 1, false, [](D a, D, D) { return static_cast<D>((a > 0) - (a < 0)); },
   [](int, Expr, X, Expr) { return Expr(0); },
   {KOPPEL_POINTWISE(step)}, "(double)(($a > 0) - ($a < 0))", "\\operatorname{sgn}\\left($a\\right)", 6},

  // The value, the derivative and the spellings of a table depend on its payload: table_derivative
  // below, and the users of this table.
  {Op::Table, "", 1, false, nullptr, nullptr, {KOPPEL_RULE(chain)}, "", "", 6},

  {Op::Add, "+", 2, true, [](D a, D b, D) { return a + b; },
   [](int, Expr, X, Expr w) { return w; },
   {KOPPEL_POINTWISE(add)}, "$a + $b", "$a + $b", 2},

  {Op::Sub, "-", 2, false, [](D a, D b, D) { return a - b; },
   [](int i, Expr, X, Expr w) { return i == 0 ? w : -w; },
   {KOPPEL_POINTWISE(sub)}, "$a - $b", "$a - $b", 2},

  {Op::Mul, "*", 2, true, [](D a, D b, D) { return a * b; },
   [](int i, Expr, X x, Expr w) { return w * (i == 0 ? x.b : x.a); },
   {KOPPEL_RULE(mul)}, "$a * $b", "$a\\,$b", 3},

  {Op::Div, "/", 2, false, [](D a, D b, D) { return a / b; },
   [](int i, Expr self, X x, Expr w) { return i == 0 ? w / x.b : -((w / x.b) * self); },
   {KOPPEL_RULE(div)}, "$a / $b", "\\frac{$a}{$b}", 3,
   "the divisor must not be zero", [](D, D b) { return b != 0; }},

  {Op::Pow, "^", 2, false, [](D a, D b, D) { return std::pow(a, b); },
   [](int i, Expr self, X x, Expr w) {
     return i == 0 ? w * (x.b * pow(x.a, x.b - 1)) : w * (self * log(x.a));
   },
   {KOPPEL_RULE(pow), [](Expr, X x) { return x.b * log(x.a); }},
   "pow($a, $b)", "{$a}^{$b}", 5,
   "a negative base needs an integer exponent, and a zero base one that is not negative",
   [](D a, D b) { return a > 0 || (a == 0 ? b >= 0 : b == std::floor(b)); }},

  {Op::Atan2, "atan2", 2, false, [](D a, D b, D) { return std::atan2(a, b); },
   [](int i, Expr, X x, Expr w) {
     const Expr r = w / (x.a * x.a + x.b * x.b);
     return i == 0 ? r * x.b : -(r * x.a);
   },
   {KOPPEL_RULE(atan2), [](Expr, X x) { return x.a * x.a + x.b * x.b; }},
   "atan2($a, $b)", "\\operatorname{atan2}\\left($a, $b\\right)", 6},

  {Op::Min, "min", 2, true, [](D a, D b, D) { return b < a ? b : a; },
   [](int i, Expr, X x, Expr w) { return i == 0 ? select(x.b < x.a, 0, w) : select(x.b < x.a, w, 0); },
   {KOPPEL_POINTWISE(min)}, "($b < $a ? $b : $a)", "\\min\\left($a, $b\\right)", 6},

  {Op::Max, "max", 2, true, [](D a, D b, D) { return a < b ? b : a; },
   [](int i, Expr, X x, Expr w) { return i == 0 ? select(x.a < x.b, 0, w) : select(x.a < x.b, w, 0); },
   {KOPPEL_POINTWISE(max)}, "($a < $b ? $b : $a)", "\\max\\left($a, $b\\right)", 6},

  {Op::Less, "<", 2, false, [](D a, D b, D) { return static_cast<D>(a < b); },
   [](int, Expr, X, Expr) { return Expr(0); },
   {KOPPEL_POINTWISE(step)}, "(double)($a < $b)", "\\left[$a < $b\\right]", 1},

  {Op::LessEqual, "<=", 2, false, [](D a, D b, D) { return static_cast<D>(a <= b); },
   [](int, Expr, X, Expr) { return Expr(0); },
   {KOPPEL_POINTWISE(step)}, "(double)($a <= $b)", "\\left[$a \\le $b\\right]", 1},

  {Op::Equal, "==", 2, true, [](D a, D b, D) { return static_cast<D>(a == b); },
   [](int, Expr, X, Expr) { return Expr(0); },
   {KOPPEL_POINTWISE(step)}, "(double)($a == $b)", "\\left[$a = $b\\right]", 1},

  {Op::Select, "select", 3, false, [](D a, D b, D c) { return a != 0 ? b : c; },
   [](int i, Expr, X x, Expr w) {
     return i == 0 ? Expr(0) : i == 1 ? select(x.a, w, 0) : select(x.a, 0, w);
   },
   {KOPPEL_POINTWISE(select)}, "($a != 0 ? $b : $c)",
   "\\begin{cases} $b & \\text{if } $a \\\\ $c & \\text{otherwise} \\end{cases}", 6,
   nullptr, nullptr, "koppel_select"},
}};
// clang-format on

// Cheaper recurrences where an operand does not change in time or both are the same, and that of
// a piecewise constant table.
inline constexpr TaylorRule kStep{KOPPEL_POINTWISE(step)};
inline constexpr TaylorRule kCopy{KOPPEL_POINTWISE(copy)};
inline constexpr TaylorRule kScale{KOPPEL_POINTWISE(scale)};
inline constexpr TaylorRule kSquare{KOPPEL_RULE(square)};
inline constexpr TaylorRule kMulOpen{KOPPEL_RULE(mul_open)};
inline constexpr TaylorRule kMulInner{KOPPEL_RULE(mul_inner)};
inline constexpr TaylorRule kSquareInner{KOPPEL_RULE(square_inner)};
inline constexpr TaylorRule kDivStatic{KOPPEL_POINTWISE(div_static)};
inline constexpr TaylorRule kPowStatic{KOPPEL_RULE(pow_static)};

#undef KOPPEL_RULE
#undef KOPPEL_POINTWISE

static_assert(
    [] {
      for (int i = 0; i < kNumOps; ++i) {
        if (kTable[static_cast<std::size_t>(i)].op != static_cast<Op>(i)) return false;
      }
      return true;
    }(),
    "kTable must be in the order of Op");

}  // namespace operations

constexpr const Operation& operation(Op op) {
  return operations::kTable[static_cast<std::size_t>(op)];
}

// The operation written as name(…), or null: sin, atan2, select; also pow.
const Operation* find_function(std::string_view name);

// w ∂e/∂operand_i for any node, tables included.
Expr derivative(Expr e, int i, Expr w);

// The same operation on other operands, identities applied. Leaves stay as they are.
Expr with_operands(Expr e, const Operands& x);

// The companion series of a node for its Taylor rule; 0 where the rule needs none.
Expr companion(Expr e);

}  // namespace koppel
