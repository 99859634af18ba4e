#include <koppel/expr/series/series.hpp>

#include <functional>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/print.hpp>

#include <tests/expr/complex_step.hpp>
#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using koppel::testing::evaluate_plainly;
using koppel::testing::near;
using koppel::testing::random_expr;
using koppel::testing::same_bits;
using koppel::testing::uniform;

using Coefficients = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const double kAt[] = {-2, -1, 0.25, 1, 2}, kOf[] = {0.5, -1, 1, 0.25, 1.5};

Coefficients coefficients(const SeriesWorkspace& work, std::size_t output, int order) {
  Coefficients all;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
    all.push_back(work.output(output)[k]);
  }
  return all;
}

// The coefficients of f up to `order` where the variables have these (zero beyond those given).
Coefficients taylor(Expr f, std::span<const Expr> variables,
                    const std::vector<Coefficients>& motion, int order,
                    CompileOptions options = {}) {
  const Series series(variables, {}, {&f, 1}, order, options);
  SeriesWorkspace work = series.make_workspace();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    for (std::size_t k = 0; k < motion[i].size() && k <= static_cast<std::size_t>(order); ++k) {
      work.variable(i)[k] = motion[i][k];
    }
  }
  for (int k = 0; k <= order; ++k) series.evaluate(k, work);
  return coefficients(work, 0, order);
}

// f(t0 + t) as a function of one variable.
Coefficients taylor_at(double t0, const std::function<Expr(Expr)>& f, int order) {
  Graph graph;
  const Expr t = graph.symbol("t");
  return taylor(f(t), {&t, 1}, {{t0, 1}}, order);
}

// Coefficients by closed forms, in extended precision.
using Wide = long double;
using ClosedForm = std::function<Wide(int k)>;

Wide factorial(int k) { return k == 0 ? 1 : static_cast<Wide>(k) * factorial(k - 1); }

Wide binomial(Wide n, int k) {
  Wide product = 1;
  for (int j = 0; j < k; ++j) product *= (n - j) / (j + 1);
  return product;
}

// The n-th tangent number, exactly (Knuth & Buckholtz, Math. Comp. 21, 1967):
//   tan t = Σ Tₙ t²ⁿ⁻¹/(2n−1)!
Wide tangent_number(int n) {
  __extension__ using Integer = unsigned __int128;
  std::vector<Integer> T(static_cast<std::size_t>(n) + 1, 1);
  const auto N = static_cast<std::size_t>(n);
  for (std::size_t k = 2; k <= N; ++k) T[k] = (k - 1) * T[k - 1];
  for (std::size_t k = 2; k <= N; ++k) {
    for (std::size_t j = k; j <= N; ++j) T[j] = (j - k) * T[j - 1] + (j - k + 2) * T[j];
  }
  return static_cast<Wide>(T[N]);
}

Wide tan_coefficient(int k) { return k % 2 == 0 ? 0 : tangent_number((k + 1) / 2) / factorial(k); }

// sin⁽ᵏ⁾(t0)/k!
Wide sin_coefficient(Wide t0, int k) {
  const Wide derivatives[] = {std::sin(t0), std::cos(t0), -std::sin(t0), -std::cos(t0)};
  return derivatives[k % 4] / factorial(k);
}

Wide odd_sign(int k) { return k / 2 % 2 == 0 ? 1 : -1; }

struct Known {
  const char* name;
  double t0;
  std::function<Expr(Expr)> f;
  ClosedForm coefficient;
};

const std::vector<Known>& known_series() {
  static const std::vector<Known> known = {
      {"exp", 0.5, [](Expr t) { return exp(t); },
       [](int k) { return std::exp(Wide{0.5}) / factorial(k); }},
      {"sin", 0.75, [](Expr t) { return sin(t); }, [](int k) { return sin_coefficient(0.75L, k); }},
      {"cos", 0.75, [](Expr t) { return cos(t); },
       [](int k) { return sin_coefficient(0.75L, k + 1) * static_cast<Wide>(k + 1); }},
      {"sqrt(1+t)", 0, [](Expr t) { return sqrt(1 + t); }, [](int k) { return binomial(0.5L, k); }},
      {"tan", 0, [](Expr t) { return tan(t); }, tan_coefficient},
      {"tanh", 0, [](Expr t) { return tanh(t); },
       [](int k) { return odd_sign(k) * tan_coefficient(k); }},
      {"(1+t)^1.5", 0, [](Expr t) { return pow(1 + t, 1.5); },
       [](int k) { return binomial(1.5L, k); }},
      {"(1+t)^-0.3", 0, [](Expr t) { return pow(1 + t, -0.3); },
       [](int k) { return binomial(-static_cast<Wide>(0.3), k); }},
      {"(1+t)^6", 0, [](Expr t) { return pow(1 + t, 6); }, [](int k) { return binomial(6, k); }},
      {"(1+t)^100", 0, [](Expr t) { return pow(1 + t, 100); },
       [](int k) { return binomial(100, k); }},
      {"max(0, t)^1.5", -1, [](Expr t) { return pow(max(0, t), 1.5); },
       [](int) { return Wide{0}; }},
      {"2^t", 1, [](Expr t) { return pow(2, t); },
       [](int k) { return 2 * std::pow(std::log(Wide{2}), static_cast<Wide>(k)) / factorial(k); }},
      {"1/(1-t)", 0, [](Expr t) { return 1 / (1 - t); }, [](int) { return Wide{1}; }},
      {"log(1+t)", 0, [](Expr t) { return log(1 + t); },
       [](int k) { return k == 0 ? 0 : (k % 2 == 1 ? 1 : -1) / static_cast<Wide>(k); }},
      {"atan", 0, [](Expr t) { return atan(t); },
       [](int k) { return k % 2 == 0 ? 0 : odd_sign(k) / static_cast<Wide>(k); }},
      {"atan2(t, 1)", 0, [](Expr t) { return atan2(t, t - t + 1); },
       [](int k) { return k % 2 == 0 ? 0 : odd_sign(k) / static_cast<Wide>(k); }},
      {"atan2(2t, 2-2t²)", 0, [](Expr t) { return atan2(2 * t, 2 - 2 * t * t); },  // = arg(1+it−t²)
       [](int k) {
         // log(1 + z + z²) = log(1 − z³) − log(1 − z) at z = i t; its imaginary part.
         if (k % 2 == 0) return Wide{0};
         return odd_sign(k) * (1 - (k % 3 == 0 ? 3 : 0)) / static_cast<Wide>(k);
       }},
      {"asin", 0, [](Expr t) { return asin(t); },
       [](int k) {
         if (k % 2 == 0) return Wide{0};
         const int n = (k - 1) / 2;
         return binomial(2 * n, n) / (std::pow(Wide{4}, static_cast<Wide>(n)) * k);
       }},
      {"acos", 0, [](Expr t) { return acos(t); },
       [](int k) {
         if (k == 0) return std::acos(Wide{0});
         if (k % 2 == 0) return Wide{0};
         const int n = (k - 1) / 2;
         return -binomial(2 * n, n) / (std::pow(Wide{4}, static_cast<Wide>(n)) * k);
       }},
      {"sinh", 0.5, [](Expr t) { return sinh(t); },
       [](int k) {
         return (k % 2 == 0 ? std::sinh(Wide{0.5}) : std::cosh(Wide{0.5})) / factorial(k);
       }},
      {"cosh", 0.5, [](Expr t) { return cosh(t); },
       [](int k) {
         return (k % 2 == 0 ? std::cosh(Wide{0.5}) : std::sinh(Wide{0.5})) / factorial(k);
       }},
      {"exp(-t²)", 0, [](Expr t) { return exp(-t * t); },
       [](int k) { return k % 2 == 1 ? 0 : odd_sign(k) / factorial(k / 2); }},
      {"t²/(1-t)²", 0, [](Expr t) { return t * t / ((1 - t) * (1 - t)); },
       [](int k) { return k < 2 ? 0 : static_cast<Wide>(k - 1); }},
  };
  return known;
}

TEST(Series, CoefficientsAgreeWithClosedFormsUpToOrderThirty) {
  for (const Known& known : known_series()) {
    const Coefficients c = taylor_at(known.t0, known.f, 30);
    for (int k = 0; k <= 30; ++k) {
      const Wide expected = known.coefficient(k);
      // Where the coefficient is 0, the error is relative to its neighbours.
      const Wide scale = expected != 0 ? 0 : std::abs(known.coefficient(k + 1));
      EXPECT_TRUE(near(c[static_cast<std::size_t>(k)], static_cast<double>(expected),
                       {.relative = 1e-13,
                        .scale = static_cast<double>(scale),
                        .because = "30 steps of recurrences that do not cancel"}))
          << known.name << ", order " << k;
    }
  }
}

TEST(Series, OrderFortyWorks) {
  const Coefficients c = taylor_at(
      0, [](Expr t) { return exp(t) / (1 - t); }, 40);
  Wide sum = 0;
  for (int k = 0; k <= 40; ++k) {
    sum += 1 / factorial(k);
    EXPECT_TRUE(near(c[static_cast<std::size_t>(k)], static_cast<double>(sum),
                     {.relative = 1e-14, .because = "a product of positive series"}));
  }
  EXPECT_EQ(Series::kMaxOrder, 40);
}

std::string error_of_order(int order) {
  Graph graph;
  const Expr t = graph.symbol("t");
  return testing::error_of([&] { const Series series({t}, {}, {t}, order); }, "no error");
}

TEST(Series, OrdersBeyondTheRangeAreRefused) {
  EXPECT_EQ(error_of_order(41),
            "error[expr.bad-order]: a series of order 41 was asked for; orders go from 0 to 40.");
  EXPECT_EQ(error_of_order(-1),
            "error[expr.bad-order]: a series of order -1 was asked for; orders go from 0 to 40.");
  EXPECT_EQ(error_of_order(0), "no error");
  EXPECT_EQ(error_of_order(40), "no error");
}

TEST(Series, UnboundSymbolsAreRefused) {
  Graph graph;
  auto [x, m] = graph.symbols("x", "m");
  EXPECT_THROW(Series({x}, {}, {m * x}, 3), Error);
  EXPECT_THROW(Series({x}, {x}, {x}, 3), Error);
}

// A motion of some variables, and f⁽ᵏ⁾/k! along it by differentiating f symbolically k times: the
// derivatives of the variables are symbols of their own, x⁽ᵏ⁺¹⁾ the rate of x⁽ᵏ⁾.
class Jets {
 public:
  Jets(Graph& graph, std::span<const Expr> x, int order, std::mt19937_64& engine)
      : x_(x.begin(), x.end()), order_(order) {
    for (const Expr& e : x_) {
      motion.emplace_back();
      Expr derivative = e;
      for (int k = 0; k <= order; ++k) {
        motion.back().push_back(uniform(engine, 0.25, 0.9) * (k > 0 && engine() % 2 ? -1 : 1));
        symbols_.push_back(derivative);
        values_.push_back(static_cast<double>(factorial(k)) * motion.back().back());
        const Expr next = graph.symbol(std::string(derivative.name()) + '\'');
        rates_.push_back(k < order ? next : Expr(0));
        derivative = next;
      }
    }
  }

  Coefficients differentiate(Expr f) const {
    Coefficients result;
    for (int k = 0; k <= order_; ++k) {
      result.push_back(evaluate_plainly(f, symbols_, values_) / static_cast<double>(factorial(k)));
      f = time_derivative(f, symbols_, rates_);
    }
    return result;
  }
  Coefficients series(Expr f) const { return taylor(f, x_, motion, order_); }

  std::vector<Coefficients> motion;

 private:
  std::vector<Expr> x_, symbols_, rates_;
  std::vector<double> values_;
  int order_;
};

// Coefficients to be equal to `relative`, of the largest up to their order.
void expect_near(const Coefficients& a, const Coefficients& b, double relative, const char* because,
                 const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  double scale = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    scale = std::max(scale, std::abs(b[k]));
    ASSERT_TRUE(near(a[k], b[k], {.relative = relative, .scale = scale, .because = because}))
        << "order " << k << " of " << what;
  }
}

TEST(Series, EveryOperationAgreesWithItsSymbolicDerivatives) {
  constexpr int kOrder = 8;
  for (const Operation& entry : operations::kTable) {
    if (entry.arity == 0) continue;
    for (int seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 engine(static_cast<std::uint64_t>(seed));
      Graph graph;
      const auto x = graph.symbols("a", "b", "c");
      const Jets jets(graph, x, kOrder, engine);
      std::vector<Expr> f;
      if (entry.op == Op::Table) {
        for (const TableData& data : {TableData::held(kAt, kOf), TableData::linear(kAt, kOf),
                                      TableData::spline(kAt, kOf)}) {
          f.push_back(graph.add_table("table" + std::to_string(data.degree()), data)(x[0] * x[1]));
        }
      } else if (entry.op == Op::Select) {
        f = {select(x[0] < x[1], x[2] * x[0], x[2] / x[1]), select(x[0], x[1], x[2])};
      } else if (entry.arity == 1) {
        f = {apply(entry.op, x[0]), apply(entry.op, x[0] * x[1])};
      } else {
        f = {apply(entry.op, x[0], x[1]), apply(entry.op, x[0], 1.5), apply(entry.op, 1.5, x[0])};
      }
      for (const Expr& e : f) {
        expect_near(jets.series(e), jets.differentiate(e), 1e-13,
                    "an eighth derivative sums hundreds of products", to_text(e));
      }
    }
  }
}

TEST(Series, RandomExpressionsAgreeWithTheirSymbolicDerivatives) {
  std::mt19937_64 engine(301);
  for (int n = 0; n < 400; ++n) {
    Graph graph;
    const auto x = graph.symbols("x", "y");
    const Table tables[] = {graph.add_table("road", TableData::spline(kAt, kOf))};
    const Jets jets(graph, x, 6, engine);
    const Expr f =
        random_expr(engine, x, {.size = 1 + n % 10, .smooth_only = true, .tables = tables});
    expect_near(jets.series(f), jets.differentiate(f), 1e-12,
                "a sixth derivative sums thousands of products, with some cancellation",
                to_text(f));
  }
}

TEST(Series, FirstOrderAgreesWithTheComplexStep) {
  std::mt19937_64 engine(302);
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Table tables[] = {graph.add_table("road", TableData::spline(kAt, kOf))};
  for (int n = 0; n < 2000; ++n) {
    const Expr f =
        random_expr(engine, x, {.size = 3 + n % 40, .smooth_only = true, .tables = tables});
    std::vector<double> point, rate;
    std::vector<Coefficients> motion;
    for (std::size_t i = 0; i < x.size(); ++i) {
      point.push_back(uniform(engine, -1.5, 1.5));
      rate.push_back(uniform(engine, -1, 1));
      motion.push_back({point[i], rate[i]});
    }
    ASSERT_TRUE(near(taylor(f, x, motion, 1)[1], koppel::testing::complex_step(f, x, point, rate),
                     {.relative = 1e-12,
                      .scale = 1e-3,
                      .because = "factors of order 1; less is left of them by cancellation only"}))
        << n << ": " << to_text(f);
  }
}

// A node without the identities that would make both sides the same.
Expr raw(Op op, Expr a, Expr b = 0) {
  Graph& graph = *a.graph();
  return graph.intern(
      {op, {graph.adopt(a), operation(op).arity > 1 ? graph.adopt(b) : NodeId{0}, 0}});
}

TEST(Series, FunctionalIdentitiesHoldInEveryOrder) {
  std::mt19937_64 engine(303);
  for (int n = 0; n < 20; ++n) {
    Graph graph;
    const Expr x = graph.symbol("x");
    Coefficients motion;
    for (int k = 0; k <= 20; ++k) motion.push_back(uniform(engine, -0.5, 0.5) / (k + 1));
    motion[0] = uniform(engine, 0.3, 0.8);
    const Expr s = sin(x), c = cos(x), one = graph.constant(1);
    const auto square = [](Expr e) { return raw(Op::Mul, e, e); };
    const std::pair<Expr, Expr> sides[] = {
        {raw(Op::Exp, log(x)), x},
        {raw(Op::Log, exp(x)), x},
        {square(sqrt(x)), x},
        {raw(Op::Add, square(s), square(c)), one},
        {raw(Op::Div, s, c), tan(x)},
        {raw(Op::Asin, s), x},
        {raw(Op::Acos, c), x},
        {raw(Op::Atan, tan(x)), x},
        {raw(Op::Sin, asin(x)), x},
        {raw(Op::Sub, square(cosh(x)), square(sinh(x))), one},
        {raw(Op::Div, sinh(x), cosh(x)), tanh(x)},
        {raw(Op::Atan2, exp(x) * s, exp(x) * c), x},
        {raw(Op::Pow, x, s), exp(s * log(x))},
        {raw(Op::Mul, pow(x, 2.5), pow(x, -2.5)), one},
        {raw(Op::Pow, x, graph.constant(7)), exp(7 * log(x))},
        {raw(Op::Mul, exp(x), exp(-x)), one},
        {raw(Op::Mul, raw(Op::Div, s, x), x), s},
    };
    for (const auto& [left, right] : sides) {
      expect_near(taylor(left, {&x, 1}, {motion}, 20), taylor(right, {&x, 1}, {motion}, 20), 1e-13,
                  "some twenty operations on each coefficient", to_text(left));
    }
  }
}

TEST(Series, AnOrderMayBeEvaluatedAgain) {
  std::mt19937_64 engine(304);
  Graph graph;
  const auto x = graph.symbols("x", "y");
  std::vector<Expr> f;
  for (int n = 0; n < 30; ++n) {
    f.push_back(random_expr(engine, x, {.size = 15, .smooth_only = true}));
  }
  const Series series(x, {}, f, 8);
  SeriesWorkspace once = series.make_workspace(), often = series.make_workspace();
  for (int k = 0; k <= 8; ++k) {
    const auto K = static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < 2; ++i) {
      once.variable(i)[K] = uniform(engine, -1, 1);
      often.variable(i)[K] = 17;
    }
    series.evaluate(k, once);
    series.evaluate(k, often);  // a guess, then the solution
    for (std::size_t i = 0; i < 2; ++i) often.variable(i)[K] = once.variable(i)[K];
    series.evaluate(k, often);
    for (std::size_t j = 0; j < f.size(); ++j) {
      ASSERT_TRUE(same_bits(once.output(j)[K], often.output(j)[K])) << "order " << k;
    }
  }
}

TEST(Series, TheTopCoefficientEntersLinearlyWithTheSlopeOfOrderZero) {
  // f_k = ∂f/∂x(x₀) x_k + terms of lower orders: what a solver of implicit equations relies on.
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr f = exp(sin(x)) / (1 + x * x);
  const Series series({x}, {}, {f}, 10);
  SeriesWorkspace work = series.make_workspace();
  work.variable(0)[0] = 0.4;
  series.evaluate(0, work);
  const double at[] = {0.4};
  const double slope = evaluate_plainly(diff(f, x), {&x, 1}, at);
  for (std::size_t k = 1; k <= 10; ++k) {
    work.variable(0)[k] = 0;
    series.evaluate(static_cast<int>(k), work);
    const double without = work.output(0)[k];
    work.variable(0)[k] = 0.5;
    series.evaluate(static_cast<int>(k), work);
    EXPECT_TRUE(
        near(work.output(0)[k] - without, 0.5 * slope,
             {.relative = 1e-13, .scale = 1, .because = "a difference of numbers of order 1"}));
  }
}

TEST(Series, SolvesADifferentialEquationOrderByOrder) {
  // x' = 1 + x², x(0) = 0: the tangent.
  Graph graph;
  const Expr x = graph.symbol("x");
  const Series series({x}, {}, {1 + x * x}, 30);
  SeriesWorkspace work = series.make_workspace();
  for (int k = 0; k < 30; ++k) {
    series.evaluate(k, work);
    const auto K = static_cast<std::size_t>(k);
    work.variable(0)[K + 1] = work.output(0)[K] / (k + 1);
    EXPECT_TRUE(near(work.variable(0)[K + 1], static_cast<double>(tan_coefficient(k + 1)),
                     {.relative = 1e-13, .because = "sums of positive terms"}));
  }
}

TEST(Series, ParametersStandStill) {
  Graph graph;
  auto [x, p, q] = graph.symbols("x", "p", "q");
  const Series series({x}, {p, q}, {pow(x, p) / q, sin(p) * q, p, 3, exp(p) * x}, 3);
  SeriesWorkspace work = series.make_workspace();
  work.variable(0)[0] = 1;
  work.variable(0)[1] = 1;
  work.parameter(0) = 2.5;
  work.parameter(1) = 4;
  for (int k = 0; k <= 3; ++k) series.evaluate(k, work);
  const auto output = [&](std::size_t j) { return coefficients(work, j, 3); };
  EXPECT_EQ(output(0), (Coefficients{0.25, 2.5 / 4, 1.875 / 4, 0.3125 / 4}));
  EXPECT_EQ(output(1), (Coefficients{std::sin(2.5) * 4, 0, 0, 0}));
  EXPECT_EQ(output(2), (Coefficients{2.5, 0, 0, 0}));
  EXPECT_EQ(output(3), (Coefficients{3, 0, 0, 0}));
  EXPECT_EQ(output(4), (Coefficients{std::exp(2.5), std::exp(2.5), 0, 0}));
}

TEST(Series, PowersHaveNoneWhereTheirArgumentPassesZero) {
  Graph graph;
  const Expr x = graph.symbol("x");
  for (const Expr f : {pow(x, 1.5), pow(x + x * x, 0.7)}) {
    const Series series({x}, {}, {f}, 2);
    SeriesWorkspace work = series.make_workspace();
    work.variable(0)[1] = 1;
    for (int k = 0; k <= 2; ++k) series.evaluate(k, work);
    EXPECT_FALSE(std::isfinite(work.output(0)[2]));
  }
}

TEST(Series, WhatStandsStillMayLieOutsideItsDomain) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Series series({x}, {}, {x * asin(graph.constant(2))}, 2);
  SeriesWorkspace work = series.make_workspace();
  work.variable(0)[0] = 1;
  series.evaluate(0, work);
  EXPECT_TRUE(std::isnan(work.output(0)[0]));
}

TEST(Series, TablesAreTheirPieces) {
  Graph graph;
  const Expr t = graph.symbol("t");
  const TableData data = TableData::spline(kAt, kOf);
  const Table table = graph.add_table("road", data);
  for (const double t0 : {-3.0, -1.5, 0.0, 0.25, 0.7, 1.9, 4.0}) {
    const Coefficients c = taylor(table(t), {&t, 1}, {{t0, 1}}, 6);
    double factor = 1;
    for (int m = 0; m <= 3; ++m) {
      if (m > 0) factor /= m;
      EXPECT_TRUE(near(c[static_cast<std::size_t>(m)], factor * data.evaluate(t0, m),
                       {.relative = 1e-15, .because = "the same numbers, divided"}));
    }
    for (std::size_t m = 4; m <= 6; ++m) EXPECT_EQ(c[m], 0);
  }
}

TEST(Series, PiecewiseOperationsFollowTheBranchTheyTook) {
  Graph graph;
  const Expr t = graph.symbol("t");
  const auto of = [&](Expr f, double t0) { return taylor(f, {&t, 1}, {{t0, 1}}, 3); };
  EXPECT_EQ(of(abs(t), -2), (Coefficients{2, -1, 0, 0}));
  EXPECT_EQ(of(abs(t), 2), (Coefficients{2, 1, 0, 0}));
  EXPECT_EQ(of(sign(t), -2), (Coefficients{-1, 0, 0, 0}));
  EXPECT_EQ(of(min(t, t * t), 2), (Coefficients{2, 1, 0, 0}));
  EXPECT_EQ(of(min(t, t * t), 0.5), (Coefficients{0.25, 1, 1, 0}));
  EXPECT_EQ(of(max(t, t * t), 2), (Coefficients{4, 4, 1, 0}));
  EXPECT_EQ(of(max(t, t * t), 0.5), (Coefficients{0.5, 1, 0, 0}));
  EXPECT_EQ(of(select(t < 1, t, t * t), 0.5), (Coefficients{0.5, 1, 0, 0}));
  EXPECT_EQ(of(select(t < 1, t, t * t), 1), (Coefficients{1, 2, 1, 0}));
  EXPECT_EQ(of(t < 1, 0.5), (Coefficients{1, 0, 0, 0}));
}

// Series on the tape alone.
template <typename... Arguments>
Series on_tape(Arguments&&... arguments) {
  const koppel::testing::ScopedEnvironment policy("KOPPEL_NATIVE", "off");
  return Series(std::forward<Arguments>(arguments)...);
}

TEST(Series, MachineAndNativeCodeAgreeWithTheTapeBitForBit) {
  const koppel::testing::TemporaryCache cache;
  constexpr double kEdges[] = {
      0.0,   -0.0, 1,         5e-324,     -1e-310,
      1e308, 1e17, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  constexpr int kOrder = 15;
  std::mt19937_64 engine(305);
  for (int round = 0; round < 40; ++round) {
    Graph graph;
    const auto x = graph.symbols("x", "y", "p");
    const Table tables[] = {graph.add_table("road", TableData::spline(kAt, kOf)),
                            graph.add_table("held", TableData::held(kAt, kOf))};
    std::vector<Expr> f;
    for (int n = 0; n < 100; ++n) {
      f.push_back(
          random_expr(engine, x, {.size = 1 + n % 12, .smooth_only = n < 40, .tables = tables}));
    }
    const std::span<const Expr> symbols = x;
    const bool is_compiled = round == 0;  // which takes time
    const Series tape = on_tape(symbols.first(2), symbols.last(1), f, kOrder);
    const Series code(symbols.first(2), symbols.last(1), f, kOrder,
                      {.native = is_compiled ? Native::Cc : Native::Auto});
    ASSERT_EQ(code.is_native(), is_compiled) << code.why_not_native();
    ASSERT_EQ(code.is_machine_code(), !is_compiled);
    ASSERT_FALSE(tape.is_machine_code());
    SeriesWorkspace a = tape.make_workspace(), b = code.make_workspace();
    for (int point = 0; point < 10; ++point) {
      const auto number = [&] {
        return point < 6 ? uniform(engine, -2, 2) : kEdges[engine() % std::size(kEdges)];
      };
      a.parameter(0) = b.parameter(0) = number();
      for (int k = 0; k <= kOrder; ++k) {
        const auto K = static_cast<std::size_t>(k);
        for (std::size_t i = 0; i < 2; ++i) a.variable(i)[K] = b.variable(i)[K] = number();
        tape.evaluate(k, a);
        code.evaluate(k, b);
        for (std::size_t j = 0; j < f.size(); ++j) {
          ASSERT_TRUE(same_bits(a.output(j)[K], b.output(j)[K]))
              << "order " << k << ": " << a.output(j)[K] << " and " << b.output(j)[K] << " of "
              << to_text(f[j]);
        }
      }
    }
  }
}

// Of random expressions that share parts, some wanted at all orders and some at the last one only.
TEST(Series, LastOutputsAreThoseOfAllOrdersBitForBit) {
  const koppel::testing::TemporaryCache cache;
  constexpr int kOrder = 9;
  constexpr std::size_t kFirstLast = 7;
  std::mt19937_64 engine(306);
  for (int round = 0; round < 30; ++round) {
    Graph graph;
    const auto x = graph.symbols("x", "y", "p");
    std::vector<Expr> f;
    for (int n = 0; n < 12; ++n) f.push_back(random_expr(engine, x, {.size = 1 + n % 8}));
    for (int n = 0; n < 8; ++n) f.push_back(x[2] * f[engine() % 12] - f[engine() % 12] * f[12 / 2]);
    const std::span<const Expr> symbols = x;
    const auto variables = symbols.first(2), parameters = symbols.last(1);
    const SeriesStages stages{{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()},
                              std::vector<int>(f.size(), 0),
                              kFirstLast};
    const Series all = on_tape(variables, parameters, f, kOrder);
    SeriesWorkspace expected = all.make_workspace();
    expected.parameter(0) = uniform(engine, -2, 2);
    for (std::size_t i = 0; i < 2; ++i) {
      for (double& coefficient : expected.variable(i)) coefficient = uniform(engine, -2, 2);
    }
    for (int k = 0; k <= kOrder; ++k) all.evaluate(k, expected);
    for (const Native native : {Native::Off, Native::Jit, Native::Cc}) {
      if (native == Native::Cc && round > 0) continue;  // it takes time
      const Series some(variables, parameters, f, kOrder, {.native = native}, stages);
      SeriesWorkspace work = some.make_workspace();
      work.parameter(0) = expected.parameter(0);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::span<const double> from = expected.variable(i);
        std::copy(from.begin(), from.end(), work.variable(i).begin());
      }
      for (int k = 0; k <= kOrder; ++k) some.evaluate(k, work);
      some.evaluate_last(kOrder, work);
      for (std::size_t j = 0; j < f.size(); ++j) {
        ASSERT_TRUE(same_bits(expected.output(j)[kOrder], work.output(j)[kOrder])) << to_text(f[j]);
      }
    }
  }
}

}  // namespace
}  // namespace koppel
