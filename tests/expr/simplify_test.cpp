#include <koppel/expr/algebra/simplify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <tests/expr/plain_evaluation.hpp>
#include <tests/expr/random_expr.hpp>

namespace koppel {
namespace {

class Simplify : public ::testing::Test {
 protected:
  Graph graph;
  Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("z");
  Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c");
  Expr m = graph.symbol("m"), l = graph.symbol("l"), q = graph.symbol("q");
};

TEST_F(Simplify, CollectsLikeTerms) {
  EXPECT_EQ(simplify(x * y + 2 * (y * x)), 3 * x * y);
  EXPECT_EQ(simplify(x + 2 + y - x), 2 + y);
  EXPECT_EQ(simplify((x + y) - (y - z) - (x + z)), Expr(0));
  EXPECT_EQ(simplify(2 / x + 3 / x), 5 / x);
  EXPECT_EQ(simplify(2 * (x + y) - 2 * x), 2 * y);
  EXPECT_EQ(simplify(sin(x + y - x)), sin(y));
}

TEST_F(Simplify, CancelsCommonFactorsOfQuotients) {
  EXPECT_EQ(simplify(x * y / (x * z)), y / z);
  EXPECT_EQ(simplify(x / (2 * x)), Expr(0.5));
  EXPECT_EQ(simplify((a * x + b * x) / x), a + b);
  EXPECT_EQ(simplify((a * x + b * x) / (c * x + y * x)), (a + b) / (c + y));
  EXPECT_EQ(simplify((x * x - x) / x), x - 1);
  EXPECT_EQ(simplify((a - b) / (b - a)), Expr(-1));
  EXPECT_EQ(simplify(x / 49 * 49), x);
  EXPECT_EQ(simplify(2 * x / (3 * y) * 3), 2 * (x / y));
}

TEST_F(Simplify, MergesPowersOfOneBase) {
  EXPECT_EQ(simplify(sqrt(x) * y * sqrt(x)), x * y);
  EXPECT_EQ(simplify(sqrt(x) * x * sqrt(x)), x * x);
  EXPECT_EQ(simplify(pow(x, a) * y * pow(x, b)), y * pow(x, a + b));
  EXPECT_EQ(simplify(exp(a) * y * exp(b)), y * exp(a + b));
  EXPECT_EQ(simplify(pow(x, 3) * z * pow(y, 3)), z * pow(x * y, 3));
  EXPECT_EQ(simplify(pow(x * y, 2) / (x * x)), y * y);
}

TEST_F(Simplify, RespectsThatRootsAreNotNegative) {
  EXPECT_EQ(simplify(sqrt(x * x)), abs(x));
  EXPECT_EQ(simplify(sqrt(x * x * y * y)), abs(x * y));
  EXPECT_EQ(simplify(pow(sqrt(x), 2)), x);
  EXPECT_EQ(simplify(pow(x * x, 1.5)), pow(x * x, 1.5));
  EXPECT_EQ(simplify(sqrt(pow(l * cos(q), 2) + pow(l * sin(q), 2))), abs(l));
}

TEST_F(Simplify, AppliesPythagorasUnderAnyCofactor) {
  const Expr s = sin(q) * sin(q), k = cos(q) * cos(q);
  EXPECT_EQ(simplify(m * l * l * s + m * l * l * k), m * (l * l));
  EXPECT_EQ(simplify(m * pow(l * sin(q), 2) + m * pow(l * cos(q), 2)), m * (l * l));
  EXPECT_EQ(simplify(a - a * s), a * k);
  EXPECT_EQ(simplify(1 - k), s);
  EXPECT_EQ(simplify(pow(sin(q), 4) + 2 * s * k + pow(cos(q), 4)), Expr(1));
  EXPECT_EQ(simplify(3 * a * s + 2 * a * k), a * (2 + s));
  EXPECT_EQ(simplify(pow(cosh(q), 2) - pow(sinh(q), 2)), Expr(1));
  EXPECT_EQ(simplify(x + x * pow(sinh(q), 2)), x * pow(cosh(q), 2));
  EXPECT_EQ(simplify(1 + tan(q) * tan(q)), 1 + tan(q) * tan(q));
}

TEST_F(Simplify, PullsOutCommonFactors) {
  EXPECT_EQ(simplify(a * b + a * c), a * (b + c));
  EXPECT_EQ(simplify(a / x + b / x), (a + b) / x);
  EXPECT_EQ(simplify(2 * x + 2 * y), 2 * (x + y));
  EXPECT_EQ(simplify(-a * x - b * x), -(x * (a + b)));
  EXPECT_EQ(simplify(a * x + b * x + a * y + b * y), (a + b) * (x + y));
  EXPECT_EQ(simplify(x * (a - b) + y * (b - a)), (a - b) * (x - y));
}

TEST_F(Simplify, MultipliesOutWhereTermsMeet) {
  EXPECT_EQ(simplify(pow(a + b, 2) - a * a - 2 * a * b - b * b), Expr(0));
  EXPECT_EQ(simplify((a + b) * (a - b) + b * b), a * a);
  EXPECT_EQ(simplify(pow(a + b, 3) - pow(a, 3) - pow(b, 3) - 3 * a * b * (a + b)), Expr(0));
  EXPECT_EQ(simplify((a + b) * (x + y)), (a + b) * (x + y));
  EXPECT_EQ(simplify((a + b) * (x + y) + z), (a + b) * (x + y) + z);
}

TEST_F(Simplify, ARotationMatrixTimesItsTransposeIsOne) {
  const Expr s = sin(q), k = cos(q);
  EXPECT_EQ(simplify(k * (k * x - s * y) + s * (s * x + k * y)), x);
  EXPECT_EQ(simplify(k * (s * x + k * y) - s * (k * x - s * y)), y);
}

TEST_F(Simplify, KineticEnergyOfADoublePendulumCollapses) {
  auto [m1, m2, l1, l2] = graph.symbols("m1", "m2", "l1", "l2");
  auto [q1, q2, w1, w2] = graph.symbols("q1", "q2", "q1'", "q2'");
  const Expr vx1 = l1 * w1 * cos(q1), vy1 = l1 * w1 * sin(q1);
  const Expr vx2 = vx1 + l2 * w2 * cos(q2), vy2 = vy1 + l2 * w2 * sin(q2);
  const Expr first = 0.5 * m1 * (vx1 * vx1 + vy1 * vy1);
  EXPECT_EQ(simplify(first), 0.5 * (m1 * pow(l1 * w1, 2)));

  // ½ m₁ u₁² + ½ m₂ (u₁² + 2 u₁ u₂ cos(q₁ − q₂) + u₂²), uᵢ = lᵢ q̇ᵢ: no squares of sin and cos.
  const Expr both = first + 0.5 * m2 * (vx2 * vx2 + vy2 * vy2);
  const Expr simple = simplify(both);
  EXPECT_EQ(num_operations(both), 23u);
  EXPECT_EQ(num_operations(simple), 20u);
  const Expr u1 = l1 * w1, u2 = l2 * w2, cosine = cos(q1) * cos(q2) + sin(q1) * sin(q2);
  EXPECT_EQ(simplify(simple - 0.5 * (m1 * (u1 * u1)) -
                     0.5 * m2 * (u1 * u1 + 2 * u1 * u2 * cosine + u2 * u2)),
            Expr(0));
}

TEST_F(Simplify, WhatIsSharedStaysShared) {
  const Expr s = a * b + c;
  const std::vector<Expr> shared{s * x, sin(s), s + a * y, s / z};
  EXPECT_EQ(num_operations(shared), 7u);
  EXPECT_EQ(simplify(shared), shared);

  // Alone, the sum is a·(b + y) + c; here a·b is there anyway.
  const std::vector<Expr> pair{a * b + a * y + c, exp(a * b)};
  EXPECT_LE(num_operations(simplify(pair)), num_operations(pair));
  EXPECT_EQ(num_operations(simplify(pair[0])), 3u);
}

TEST_F(Simplify, NumbersThatLeaveTheRangeAreLeftAlone) {
  for (const Expr e :
       {(1e200 * x) * (1e200 * y), 1e308 * x + y + 1e308 * x, pow(x, 6e8) * y * pow(x, 6e8),
        exp(x + 800) * y * exp(-x), graph.constant(1) / 0 + x - x, 1e-200 * (1e-200 * x) + y}) {
    const Expr s = simplify(e);
    EXPECT_LE(num_operations(s), num_operations(e));
    EXPECT_EQ(simplify(s), s);
  }
  EXPECT_EQ(simplify(x + graph.constant(1) / 0 - x), graph.constant(1) / 0);
  EXPECT_EQ(simplify(exp(x + 800) * y * exp(-x)), exp(x + 800) * y * exp(-x));
  EXPECT_EQ(simplify(exp(x - 800) * y * exp(-x)), exp(x - 800) * y * exp(-x));
}

TEST_F(Simplify, ArgumentsOfTablesAreSimplified) {
  const double points[] = {0, 1, 3}, values[] = {1, 0, 2};
  const Table road = graph.add_table("road", TableData::spline(points, values));
  EXPECT_EQ(simplify(road.derivative(x + y - x)), road.derivative(y));
  EXPECT_EQ(simplify(road(x + 1 + y - x - y)), Expr(0));
}

TEST_F(Simplify, PlainNumbersAndNothingAreTheirOwnSimplification) {
  EXPECT_EQ(simplify(Expr(3)), Expr(3));
  EXPECT_EQ(simplify(x), x);
  EXPECT_TRUE(simplify(std::span<const Expr>()).empty());
}

TEST_F(Simplify, DeepExpressionsNeedNoStack) {
  Expr horner = x, roots = x, sum = x;
  for (int i = 0; i < 100'000; ++i) {
    horner = a + x * horner;
    roots = sqrt(b + sin(roots));
    sum += (i % 2 == 0 ? y : -y) * (1.0 + i / 2);
  }
  EXPECT_LE(num_operations(simplify(horner)), num_operations(horner));
  EXPECT_EQ(simplify(roots), roots);
  EXPECT_EQ(simplify(sum), x);
}

// The value of an expression, and how far it moves to first order when every number and every
// result of an operation is changed by a relative ε = 2⁻⁵³. Both sides of a rewriting are the
// same function of their numbers, and each number that simplify() makes is rounded in double: so
// the values of both sides differ by no more than a few times what both may move. NaN where the
// expression leaves its domain on the way, even if the result does not show it: max(NaN, 1).
struct Estimate {
  long double value, error;
};

class Evaluator {
 public:
  Evaluator(std::span<const Expr> symbols, std::span<const double> values)
      : symbols_(symbols), values_(values) {}

  Estimate operator()(Expr e) {
    if (e.graph() == nullptr) return leaf(e);
    Postorder order(*e.graph());
    order.visit(e);
    std::vector<Estimate> results;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Expr node = order[i];
      if (node.num_operands() == 0) {
        results.push_back(leaf(node));
        continue;
      }
      std::array<Estimate, 3> operands{};
      for (int k = 0; k < node.num_operands(); ++k) {
        operands[static_cast<std::size_t>(k)] = results[order.position(node.operand(k))];
      }
      results.push_back(apply_to(node, operands));
    }
    return results.back();
  }

 private:
  using Real = long double;
  static constexpr Real kEps = 0x1p-53L;
  static constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

  Estimate leaf(Expr e) const {
    if (e.is_constant()) return {e.value(), kEps * std::abs(Real{e.value()})};
    const auto i = std::ranges::find(symbols_, e) - symbols_.begin();
    return {values_[static_cast<std::size_t>(i)], 0};
  }

  static Estimate apply_to(Expr node, const std::array<Estimate, 3>& x) {
    for (int k = 0; k < node.num_operands(); ++k) {
      const bool is_idle = node.is(Op::Select) && k == (x[0].value != 0 ? 2 : 1);
      if (!is_idle && !std::isfinite(x[static_cast<std::size_t>(k)].value)) return {kNaN, kNaN};
    }
    const Real value = value_of(node, x[0].value, x[1].value, x[2].value);
    Real error = kEps * std::abs(value);
    const bool has_exact_exponent = node.is(Op::Pow) && x[1].value == std::floor(x[1].value);
    for (const Real side : {-1.0L, 1.0L}) {
      const Real moved[3] = {x[0].value + side * x[0].error, x[1].value + side * x[1].error,
                             x[2].value + side * x[2].error};
      error += std::abs(value_of(node, moved[0], x[1].value, x[2].value) - value);
      if (!has_exact_exponent) {
        error += std::abs(value_of(node, x[0].value, moved[1], x[2].value) - value);
      }
      error += std::abs(value_of(node, x[0].value, x[1].value, moved[2]) - value);
    }
    return {value, error};
  }

  static Real value_of(Expr node, Real a, Real b, Real c) {
    switch (node.op()) {
      case Op::Abs: return std::abs(a);
      case Op::Sign: return static_cast<Real>((a > 0) - (a < 0));
      case Op::Pow: return std::pow(a, b);
      case Op::Atan2: return std::atan2(a, b);
      case Op::Min: return b < a ? b : a;
      case Op::Max: return a < b ? b : a;
      case Op::Less: return a < b;
      case Op::LessEqual: return a <= b;
      case Op::Equal: return a == b;
      case Op::Select: return a != 0 ? b : c;
      case Op::Table: return kNaN;
      default: return testing::operate_analytically(node.op(), a, b);
    }
  }

  std::span<const Expr> symbols_;
  std::span<const double> values_;
};

struct Tally {
  int expressions = 0, smaller = 0, points = 0;
};

void check(Expr e, std::span<const Expr> symbols, std::mt19937_64& engine, Tally& tally) {
  const Expr s = simplify(e);
  EXPECT_LE(num_operations(s), num_operations(e));
  EXPECT_EQ(simplify(s), s);
  ++tally.expressions;
  tally.smaller += num_operations(s) < num_operations(e);
  for (int point = 0; point < 4; ++point) {
    std::array<double, 3> values;
    for (double& v : values) v = static_cast<double>(engine() >> 11) * 0x1p-52 * 2 - 2;
    Evaluator evaluate(symbols, values);
    const Estimate before = evaluate(e), after = evaluate(s);
    // Where e is undefined or has no digits left, there is nothing to compare.
    if (!(before.error < 1e-3L * (1 + std::abs(before.value)))) continue;
    ++tally.points;
    EXPECT_LE(std::abs(after.value - before.value), 8 * (before.error + after.error))
        << "point " << point << ": " << before.value << " became " << after.value;
  }
}

Tally check_random_expressions(int count, bool smooth_only) {
  Tally tally;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph;
    const std::array<Expr, 3> symbols = graph.symbols("x", "y", "z");
    std::mt19937_64 engine(static_cast<std::uint64_t>(seed));
    check(
        testing::random_expr(engine, symbols, {.size = 5 + seed % 60, .smooth_only = smooth_only}),
        symbols, engine, tally);
  }
  return tally;
}

// Much that can be collected, cancelled and pulled out: few symbols, and parts that occur again.
Expr random_algebra(std::mt19937_64& engine, std::span<const Expr> symbols, int size) {
  std::vector<Expr> parts(symbols.begin(), symbols.end());
  const auto pick = [&] { return parts[engine() % parts.size()]; };
  for (int i = 0; i < size; ++i) {
    const Expr a = pick(), b = pick();
    const double n = static_cast<double>(engine() % 7) - 3;
    switch (engine() % 12) {
      case 0:
      case 1: parts.push_back(a + b); break;
      case 2:
      case 3: parts.push_back(a - b); break;
      case 4:
      case 5:
      case 6: parts.push_back(a * b); break;
      case 7: parts.push_back(b.is_constant(0) ? a : a / b); break;
      case 8: parts.push_back(n * a + 1); break;
      case 9: parts.push_back(a.is_constant() ? a : pow(a, n == 0 ? 0.5 : n)); break;
      case 10: parts.push_back(n < 0 ? sin(a) * sin(a) : cos(a) * cos(a)); break;
      default: parts.push_back(n < 0 ? exp(sin(a)) : cosh(sin(a)) * sinh(sin(a)));
    }
  }
  Expr sum = 0;
  for (int i = 0; i < 6; ++i) sum += pick() * pick();
  return sum;
}

TEST(SimplifyProperty, AlgebraKeepsItsValueAndDoesNotGrow) {
  Tally tally;
  for (int seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph;
    const std::array<Expr, 3> symbols = graph.symbols("x", "y", "z");
    std::mt19937_64 engine(static_cast<std::uint64_t>(seed));
    check(random_algebra(engine, symbols, seed % 30), symbols, engine, tally);
  }
  EXPECT_GT(tally.smaller, tally.expressions / 2);
  EXPECT_GT(tally.points, 2 * tally.expressions);
}

TEST(SimplifyProperty, SmoothExpressionsKeepTheirValueAndDoNotGrow) {
  const Tally tally = check_random_expressions(4000, true);
  EXPECT_GT(tally.smaller, tally.expressions / 10);
  EXPECT_GT(tally.points, 3 * tally.expressions);
}

TEST(SimplifyProperty, ExpressionsOfAllOperationsKeepTheirValueAndDoNotGrow) {
  const Tally tally = check_random_expressions(8000, false);
  EXPECT_GT(tally.smaller, tally.expressions / 20);
  EXPECT_GT(tally.points, tally.expressions / 2);
}

}  // namespace
}  // namespace koppel
