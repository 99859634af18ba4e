#include <koppel/expr/algebra/calculus.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/series/series.hpp>

#include <tests/expr/complex_step.hpp>
#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using koppel::testing::complex_step;
using koppel::testing::evaluate_plainly;
using koppel::testing::kEps;
using koppel::testing::near;
using koppel::testing::random_expr;

class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  std::vector<double> point(std::size_t n) {
    std::vector<double> result(n);
    for (double& x : result) x = (*this)(-1.5, 1.5);
    return result;
  }
  std::mt19937_64 engine;
};

const double kRoadX[] = {-2, -1, 0.25, 1, 2}, kRoadY[] = {0.5, -1, 1, 0.25, 1.5};

// An operation at (x, y) with its partial derivatives written by hand.
struct KnownDerivative {
  Op op;
  std::function<Expr(Expr, Expr)> f;
  std::function<double(double, double)> dx, dy;
  double x = 0.6, y = 0.35;
};

std::vector<KnownDerivative> known_derivatives(Graph& graph) {
  using D = double;
  const auto zero = [](D, D) { return 0.0; };
  const auto one = [](D, D) { return 1.0; };
  const Table linear = graph.add_table("linear", TableData::linear(kRoadX, kRoadY));
  const Table spline = graph.add_table("spline", TableData::spline(kRoadX, kRoadY));
  const Table held = graph.add_table("held", TableData::held(kRoadX, kRoadY));
  const TableData spline_data = spline.data();
  return {
      {Op::Neg, [](Expr x, Expr) { return -x; }, [](D, D) { return -1.0; }, zero},
      {Op::Sqrt, [](Expr x, Expr) { return sqrt(x); }, [](D x, D) { return 0.5 / std::sqrt(x); },
       zero},
      {Op::Exp, [](Expr x, Expr) { return exp(x); }, [](D x, D) { return std::exp(x); }, zero},
      {Op::Log, [](Expr x, Expr) { return log(x); }, [](D x, D) { return 1 / x; }, zero},
      {Op::Sin, [](Expr x, Expr) { return sin(x); }, [](D x, D) { return std::cos(x); }, zero},
      {Op::Cos, [](Expr x, Expr) { return cos(x); }, [](D x, D) { return -std::sin(x); }, zero},
      {Op::Tan, [](Expr x, Expr) { return tan(x); },
       [](D x, D) { return 1 / (std::cos(x) * std::cos(x)); }, zero},
      {Op::Asin, [](Expr x, Expr) { return asin(x); },
       [](D x, D) { return 1 / std::sqrt((1 - x) * (1 + x)); }, zero},
      {Op::Acos, [](Expr x, Expr) { return acos(x); },
       [](D x, D) { return -1 / std::sqrt((1 - x) * (1 + x)); }, zero},
      {Op::Atan, [](Expr x, Expr) { return atan(x); }, [](D x, D) { return 1 / (1 + x * x); },
       zero},
      {Op::Sinh, [](Expr x, Expr) { return sinh(x); }, [](D x, D) { return std::cosh(x); }, zero},
      {Op::Cosh, [](Expr x, Expr) { return cosh(x); }, [](D x, D) { return std::sinh(x); }, zero},
      {Op::Tanh, [](Expr x, Expr) { return tanh(x); },
       [](D x, D) { return 1 / (std::cosh(x) * std::cosh(x)); }, zero},
      {Op::Abs, [](Expr x, Expr) { return abs(x); }, one, zero},
      {Op::Abs, [](Expr x, Expr) { return abs(x); }, [](D, D) { return -1.0; }, zero, -0.6},
      {Op::Sign, [](Expr x, Expr) { return x * sign(x); }, one, zero},
      {Op::Table, [=](Expr x, Expr) { return linear(x); }, [](D, D) { return -1.0; }, zero},
      {Op::Table, [=](Expr x, Expr) { return linear(x); }, [](D, D) { return 1.25; }, zero, 7},
      {Op::Table, [=](Expr x, Expr) { return held(x); }, zero, zero},
      {Op::Table, [=](Expr x, Expr) { return spline(x); },
       [=](D x, D) { return spline_data.evaluate(x, 1); }, zero},
      {Op::Table, [=](Expr x, Expr y) { return spline.derivative(x * y, 2); },
       [=](D x, D y) { return y * spline_data.evaluate(x * y, 3); },
       [=](D x, D y) { return x * spline_data.evaluate(x * y, 3); }},
      {Op::Add, [](Expr x, Expr y) { return x + y; }, one, one},
      {Op::Sub, [](Expr x, Expr y) { return x - y; }, one, [](D, D) { return -1.0; }},
      {Op::Mul, [](Expr x, Expr y) { return x * y; }, [](D, D y) { return y; },
       [](D x, D) { return x; }},
      {Op::Div, [](Expr x, Expr y) { return x / y; }, [](D, D y) { return 1 / y; },
       [](D x, D y) { return -x / (y * y); }},
      {Op::Pow, [](Expr x, Expr y) { return pow(x, y); },
       [](D x, D y) { return y * std::pow(x, y - 1); },
       [](D x, D y) { return std::pow(x, y) * std::log(x); }},
      {Op::Pow, [](Expr x, Expr) { return pow(x, 7); }, [](D x, D) { return 7 * std::pow(x, 6); },
       zero, -0.6},
      {Op::Pow, [](Expr x, Expr) { return pow(x, -2.5); },
       [](D x, D) { return -2.5 * std::pow(x, -3.5); }, zero},
      {Op::Atan2, [](Expr x, Expr y) { return atan2(x, y); },
       [](D x, D y) { return y / (x * x + y * y); }, [](D x, D y) { return -x / (x * x + y * y); }},
      {Op::Min, [](Expr x, Expr y) { return min(x, y); }, zero, one},
      {Op::Min, [](Expr x, Expr y) { return min(x, y); }, one, zero, 0.1, 0.2},
      {Op::Max, [](Expr x, Expr y) { return max(x, y); }, one, zero},
      {Op::Max, [](Expr x, Expr y) { return max(x, y); }, zero, one, 0.1, 0.2},
      {Op::Less, [](Expr x, Expr y) { return x < y; }, zero, zero},
      {Op::LessEqual, [](Expr x, Expr y) { return x <= y; }, zero, zero},
      {Op::Equal, [](Expr x, Expr y) { return equal(x, y); }, zero, zero},
      {Op::Select, [](Expr x, Expr y) { return select(y < x, x * x, y * y); },
       [](D x, D) { return 2 * x; }, zero},
      {Op::Select, [](Expr x, Expr y) { return select(y < x, x * x, y * y); }, zero,
       [](D, D y) { return 2 * y; }, 0.1, 0.2},
  };
}

TEST(Calculus, DerivativesOfEveryOperationAreThoseOfTheTextbook) {
  Graph graph;
  const auto symbols = graph.symbols("x", "y");
  std::set<Op> tested;
  for (const KnownDerivative& known : known_derivatives(graph)) {
    tested.insert(known.op);
    const Expr f = known.f(symbols[0], symbols[1]);
    const double point[] = {known.x, known.y};
    const std::vector<Expr> g = gradient(f, symbols);
    const char* name = operation(known.op).name;
    constexpr koppel::testing::Tolerance kTolerance{
        .relative = 10 * kEps, .because = "both sides are a few operations of an ulp each"};
    EXPECT_TRUE(
        near(evaluate_plainly(g[0], symbols, point), known.dx(known.x, known.y), kTolerance))
        << name << ", by x";
    EXPECT_TRUE(
        near(evaluate_plainly(g[1], symbols, point), known.dy(known.x, known.y), kTolerance))
        << name << ", by y";
    EXPECT_EQ(diff(f, symbols[0]), g[0]) << name;
  }
  for (const Operation& entry : operations::kTable) {
    EXPECT_TRUE(entry.arity == 0 || tested.contains(entry.op)) << "no test of " << entry.name;
  }
}

// Partial derivatives of the operations in a random smooth expression are of order 1. A result
// much below that has lost digits by cancellation or underflow of factors, in any method.
constexpr double kGradientScale = 1e-3;

TEST(Calculus, GradientsAgreeWithTheComplexStepOnRandomExpressions) {
  Uniform uniform(20240301);
  Graph graph;
  const auto symbols = graph.symbols("x", "y", "z");
  const Table tables[] = {graph.add_table("road", TableData::spline(kRoadX, kRoadY))};
  int compared = 0;
  for (int n = 0; n < 2500; ++n) {
    const Expr f = random_expr(uniform.engine, symbols,
                               {.size = 3 + n % 40, .smooth_only = true, .tables = tables});
    const std::vector<double> point = uniform.point(symbols.size());
    const std::vector<Expr> g = gradient(f, symbols);
    for (std::size_t j = 0; j < symbols.size(); ++j) {
      double direction[3] = {0, 0, 0};
      direction[j] = 1;
      const double expected = complex_step(f, symbols, point, direction);
      ASSERT_TRUE(near(evaluate_plainly(g[j], symbols, point), expected,
                       {.relative = 1e-12,
                        .scale = kGradientScale,
                        .because = "some forty roundings, and cancellation of a few digits"}))
          << "expression " << n << ", by symbol " << j;
      if (expected != 0) ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

// f: Rⁿ → Rᵐ at random, and what its derivatives are worth at a point.
struct RandomMap {
  RandomMap(Uniform& uniform, std::size_t m) : x{graph.symbols("x", "y", "z", "w")} {
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t first = uniform.engine() % 3;  // leaves some variables out
      f.push_back(random_expr(uniform.engine, std::span(x).subspan(first, 2),
                              {.size = 12, .smooth_only = true}));
    }
    point = uniform.point(x.size());
  }
  double value(Expr e) const { return evaluate_plainly(e, x, point); }

  Graph graph;
  std::array<Expr, 4> x;
  std::vector<Expr> f;
  std::vector<double> point;
};

TEST(Calculus, ProductsWithTheJacobianAgreeWithTheJacobian) {
  Uniform uniform(11);
  for (int n = 0; n < 200; ++n) {
    const RandomMap map(uniform, 3);
    const SparseExpr J = jacobian(map.f, map.x);
    std::vector<Expr> d, w;
    for (std::size_t j = 0; j < map.x.size(); ++j) d.emplace_back(uniform(-1, 1));
    for (std::size_t i = 0; i < map.f.size(); ++i) w.emplace_back(uniform(-1, 1));
    const std::vector<Expr> Jd = jacobian_times_vector(map.f, map.x, d);
    const std::vector<Expr> wJ = vector_times_jacobian(w, map.f, map.x);
    constexpr koppel::testing::Tolerance kTolerance{
        .relative = 1e-12, .scale = kGradientScale, .because = "sums of four terms of order 1"};
    for (std::size_t i = 0; i < map.f.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < map.x.size(); ++j) {
        sum += map.value(J.at(static_cast<int>(i), static_cast<int>(j))) * d[j].value();
      }
      ASSERT_TRUE(near(map.value(Jd[i]), sum, kTolerance)) << n;
    }
    for (std::size_t j = 0; j < map.x.size(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < map.f.size(); ++i) {
        sum += w[i].value() * map.value(J.at(static_cast<int>(i), static_cast<int>(j)));
      }
      ASSERT_TRUE(near(map.value(wJ[j]), sum, kTolerance)) << n;
    }
  }
}

TEST(Calculus, HessiansAreSymmetricAndTheDerivativesOfTheGradient) {
  Uniform uniform(12);
  for (int n = 0; n < 200; ++n) {
    const RandomMap map(uniform, 1);
    const SparseExpr H = hessian(map.f[0], map.x);
    const std::vector<Expr> g = gradient(map.f[0], map.x);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const double h = map.value(H.at(i, j));
        double direction[4] = {0, 0, 0, 0};
        direction[j] = 1;
        constexpr koppel::testing::Tolerance kTolerance{
            .relative = 1e-12,
            .scale = kGradientScale,
            .because = "second derivatives sum some hundred products"};
        ASSERT_TRUE(near(h, map.value(H.at(j, i)), kTolerance)) << n << ": " << i << ", " << j;
        ASSERT_TRUE(near(h,
                         complex_step(g[static_cast<std::size_t>(i)], map.x, map.point, direction),
                         kTolerance))
            << n << ": " << i << ", " << j;
      }
    }
  }
}

TEST(Calculus, JacobianHoldsTheEntriesThatDoNotVanish) {
  Graph graph;
  const auto x = graph.symbols("a", "b", "c", "d");
  const auto& [a, b, c, d] = x;
  // c enters f₁ only through c − c; d nowhere.
  const Expr f[] = {a * b, sin(c) + a + (c - c), b - b, exp(b)};
  const SparseExpr J = jacobian(f, x);
  EXPECT_EQ(J.pattern.num_rows, 4);
  EXPECT_EQ(J.pattern.num_columns, 4);
  EXPECT_EQ(J.pattern.column_start, (std::vector<int>{0, 2, 4, 5, 5}));
  EXPECT_EQ(J.pattern.row, (std::vector<int>{0, 1, 0, 3, 1}));
  EXPECT_EQ(J.values, (std::vector<Expr>{b, 1, a, exp(b), cos(c)}));
  EXPECT_EQ(J.at(3, 1), exp(b));
  EXPECT_EQ(J.at(2, 1), Expr(0));
  EXPECT_EQ(J.at(0, 3), Expr(0));
}

TEST(Calculus, SparsePatternOfRandomMapsIsThatOfDependence) {
  Uniform uniform(13);
  for (int n = 0; n < 200; ++n) {
    const RandomMap map(uniform, 5);
    const SparseExpr J = jacobian(map.f, map.x);
    ASSERT_EQ(J.pattern.column_start.size(), map.x.size() + 1);
    ASSERT_EQ(J.values.size(), J.pattern.row.size());
    for (std::size_t j = 0; j < map.x.size(); ++j) {
      const auto begin = J.pattern.row.begin() + J.pattern.column_start[j];
      const auto end = J.pattern.row.begin() + J.pattern.column_start[j + 1];
      ASSERT_TRUE(std::is_sorted(begin, end));
      for (int i = 0; i < J.pattern.num_rows; ++i) {
        const bool is_entry = std::binary_search(begin, end, i);
        ASSERT_EQ(is_entry, depends_on(map.f[static_cast<std::size_t>(i)], map.x[j])) << n;
      }
    }
  }
}

TEST(Calculus, DerivativesOfNumbersAndOfNothingAreEmptyOrZero) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(diff(3, x), Expr(0));
  EXPECT_EQ(diff(graph.constant(3), x), Expr(0));
  EXPECT_EQ(diff(x, x), Expr(1));
  EXPECT_EQ(gradient(x, {}).size(), 0u);
  const Expr numbers[] = {1, 2};
  const SparseExpr J = jacobian(numbers, {&x, 1});
  EXPECT_EQ(J.pattern.num_entries(), 0);
  EXPECT_EQ(J.pattern.column_start, (std::vector<int>{0, 0}));
  EXPECT_EQ(hessian(x, {&x, 1}).pattern.num_entries(), 0);
}

TEST(Calculus, AVariableMayBeAnyExpression) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  const Expr s = sin(x);
  EXPECT_EQ(diff(s * s * y + x, s), 2 * (s * y));
  EXPECT_EQ(diff(s * y + x, x), 1 + y * cos(x));
  const Expr both[] = {s, x};  // s is held as independent of x
  EXPECT_EQ(gradient(s * y + x, both), (std::vector<Expr>{y, 1}));
}

// How many nodes the gradient of f has besides those of f, for each node of f.
double gradient_growth(Expr f, std::span<const Expr> x) {
  Postorder own(*f.graph());
  own.visit(f);
  const std::vector<Expr> g = gradient(f, x);
  Postorder both(*f.graph());
  both.visit(f);
  both.visit(g);
  return static_cast<double>(both.size() - own.size()) / static_cast<double>(own.size());
}

TEST(Calculus, GradientOfRandomExpressionsAddsAtMostFiveTimesTheNodes) {
  Uniform uniform(14);
  for (int n = 0; n < 3000; ++n) {
    Graph graph;
    const auto symbols = graph.symbols("x", "y", "z");
    const Expr f =
        random_expr(uniform.engine, symbols, {.size = 1 + n % 100, .smooth_only = n % 2 == 0});
    if (f.is_constant()) continue;
    ASSERT_LE(gradient_growth(f, symbols), 5) << n;
  }
}

// The worst case of a rule: a long chain in which every node adds one operation, and both operands
// are shared, f_{n+1} = φ(f_n, f_{n−1}).
double growth_of_chain(const Operation& entry) {
  Graph graph;
  const auto x = graph.symbols("x", "y");
  Expr before = x[0], f = x[1];
  for (int n = 0; n < 1000; ++n) {
    Expr next;
    switch (entry.arity) {
      case 1: next = apply(entry.op, f) + before; break;  // alone, identities would end the chain
      case 2: next = apply(entry.op, f, before); break;
      default: next = apply(entry.op, x[0], f, before); break;
    }
    before = f;
    f = next;
  }
  return f.is_constant() ? 0 : gradient_growth(f, x);
}

TEST(Calculus, GradientOfChainsAddsAtMostFiveTimesTheNodes) {
  for (const Operation& entry : operations::kTable) {
    if (entry.arity == 0 || entry.op == Op::Table) continue;
    // Two operations need more when nothing but them occurs and both operands vary.
    const double bound = entry.op == Op::Pow ? 8 : entry.op == Op::Atan2 ? 6 : 5;
    EXPECT_LE(growth_of_chain(entry), bound) << entry.name;
  }
}

TEST(Calculus, GradientOfALongSumOrProductStaysLinear) {
  Graph graph;
  std::vector<Expr> x;
  Expr sum = 0, product = 1;
  for (int i = 0; i < 5000; ++i) {
    x.push_back(graph.symbol("x[" + std::to_string(i) + "]"));
    sum += sin(x.back()) * cos(0.5 * x.back());
    product *= 1 + x.back() * x.back();
  }
  EXPECT_LE(gradient_growth(sum, x), 5);
  EXPECT_LE(gradient_growth(product, x), 5);
}

TEST(Calculus, GradientOfADeepChainDoesNotRecurse) {
  Graph graph;
  const Expr x = graph.symbol("x");
  Expr f = x;
  for (int i = 0; i < 300000; ++i) f = sin(f) + x;
  EXPECT_TRUE(depends_on(diff(f, x), x));
}

TEST(Calculus, TotalTimeDerivativeIsTheFirstTaylorCoefficient) {
  Uniform uniform(15);
  Graph graph;
  auto [x, v, t, m] = graph.symbols("x", "v", "t", "m");
  const Expr moving[] = {x, v, t};
  const Expr all[] = {x, v, t, m};
  for (int n = 0; n < 500; ++n) {
    const Expr f = random_expr(uniform.engine, all, {.size = 5 + n % 30, .smooth_only = true});
    const Expr acceleration = sin(x) - m * v;
    const Expr rate[] = {v, acceleration, 1};
    const std::vector<double> point = uniform.point(4);
    const Series series(moving, {&m, 1}, {&f, 1}, 1);
    SeriesWorkspace work = series.make_workspace();
    for (std::size_t i = 0; i < 3; ++i) {
      work.variable(i)[0] = point[i];
      work.variable(i)[1] = evaluate_plainly(rate[i], all, point);
    }
    work.parameter(0) = point[3];
    series.evaluate(0, work);
    series.evaluate(1, work);
    ASSERT_TRUE(near(evaluate_plainly(time_derivative(f, moving, rate), all, point),
                     work.output(0)[1],
                     {.relative = 1e-12,
                      .scale = kGradientScale,
                      .because = "some forty roundings, and cancellation of a few digits"}))
        << n;
  }
}

TEST(Calculus, TimeDerivativeOfAMotionReadsAsOnPaper) {
  Graph graph;
  auto [x, v, a, t, l] = graph.symbols("x", "x'", "x''", "t", "l");
  const Expr moving[] = {x, v, t}, rate[] = {v, a, 1};
  EXPECT_EQ(time_derivative(l * x, moving, rate), l * v);
  EXPECT_EQ(time_derivative(x * v, moving, rate), v * v + x * a);
  EXPECT_EQ(time_derivative(sin(t), moving, rate), cos(t));
  EXPECT_EQ(time_derivative(l, moving, rate), Expr(0));
}

TEST(Calculus, DerivativesOfTablesEndAtTheirDegree) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Table spline = graph.add_table("s", TableData::spline(kRoadX, kRoadY));
  const Table linear = graph.add_table("l", TableData::linear(kRoadX, kRoadY));
  const Table held = graph.add_table("h", TableData::held(kRoadX, kRoadY));
  Expr f = spline(x);
  for (int order = 1; order <= 3; ++order) {
    f = diff(f, x);
    EXPECT_EQ(f, spline.derivative(x, order));
  }
  EXPECT_EQ(diff(f, x), Expr(0));
  EXPECT_EQ(diff(linear(x), x), linear.derivative(x, 1));
  EXPECT_EQ(diff(diff(linear(x), x), x), Expr(0));
  EXPECT_EQ(diff(held(x), x), Expr(0));
}

TEST(Calculus, DerivativesOfPiecewiseOperationsFollowTheBranch) {
  Graph graph;
  const auto symbols = graph.symbols("x", "y");
  const auto& [x, y] = symbols;
  const Expr f = max(x, 2 * y) * abs(y) + min(x * y, 1) + select(x < y, x * x, y);
  const std::vector<Expr> g = gradient(f, symbols);
  const auto at = [&](double a, double b) {
    const double point[] = {a, b};
    return std::pair(evaluate_plainly(g[0], symbols, point),
                     evaluate_plainly(g[1], symbols, point));
  };
  // x > 2y, y > 0, xy < 1, x > y:  xy + xy + y
  EXPECT_EQ(at(1.5, 0.5), std::pair(2 * 0.5, 2 * 1.5 + 1));
  // x < 2y, y > 0, xy > 1, x < y:  2y² + 1 + x²
  EXPECT_EQ(at(1, 2), std::pair(2.0, 8.0));
  // x > 2y, y < 0, xy > 1, x < y:  −xy + 1 + x²
  EXPECT_EQ(at(-2, -1.5), std::pair(1.5 - 4, 2.0));
}

}  // namespace
}  // namespace koppel
