// Bounds hold for all values in between, and tighten with the interval.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/enclosure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>

namespace koppel {
namespace {

const char* const kExpressions[] = {
    "exp(-((x - 1)/0.01)^2)",
    "tanh((x - 0.3)/1e-3)",
    "1/(1 + exp(-(x - 2)/0.01))",
    "sin(7*x)*cos(x) + tan(x/5)",
    "sqrt(1 + x^2) - log(2 + x^2)",
    "x^3 - 2*x^2 + abs(x - 1) - x^(-2)/100",
    "atan(5*x) + asin(x/7) - acos(x/7) + atan2(x, 2 + x^2)",
    "sinh(x/3) - cosh(x/2) + min(x, x^2) - max(x, 1 - x)",
    "select(x < 1, x^2, 2 - x) + sign(x - 0.5)",
    "cos(x)^200",
    "(2 + sin(x))^x",
    "1/((x - 0.7)^2 + 1e-4)",
};

TEST(Enclosure, HoldsEverywhereInTheInterval) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> place(-3, 3), size(-6, 0.5), part(0, 1);
  for (const char* text : kExpressions) {
    SCOPED_TRACE(text);
    Graph graph;
    const Expr x = graph.symbol("x"), f = parse(graph, text);
    const std::vector<Expr> by = {x}, both = {f, gradient(f, by)[0]}, only = {f};
    const Function function(by, both);
    Enclosure bounds(only, x, {}, {});
    for (int i = 0; i < 200; ++i) {
      const double lo = place(random), hi = lo + std::pow(10, size(random));
      bounds.evaluate({lo, hi});
      const Enclosure::Bounds found = bounds[0];
      for (int k = 0; k < 50; ++k) {
        const double at = lo + part(random) * (hi - lo);
        const std::vector<double> values = function({at});
        const auto slack = [](const Interval& b) {
          return 1e-12 * (1 + std::min(std::abs(b.lo), std::abs(b.hi)));  // round-off
        };
        EXPECT_LE(found.value.lo, values[0] + slack(found.value)) << at;
        EXPECT_GE(found.value.hi, values[0] - slack(found.value)) << at;
        EXPECT_LE(found.rate.lo, values[1] + 1e3 * slack(found.rate)) << at;
        EXPECT_GE(found.rate.hi, values[1] - 1e3 * slack(found.rate)) << at;
      }
    }
  }
}

TEST(Enclosure, TightensWithTheInterval) {
  for (const char* text : kExpressions) {
    SCOPED_TRACE(text);
    Graph graph;
    const Expr x = graph.symbol("x");
    const std::vector<Expr> f = {parse(graph, text)};
    Enclosure bounds(f, x, {}, {});
    bounds.evaluate({0.9, 0.9 + 1e-9});
    EXPECT_LT(bounds[0].value.width(), 1e-3);
    EXPECT_LT(bounds[0].rate.width(), 1e-1);
  }
}

TEST(Enclosure, SeesAPulseThatSamplesMiss) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const std::vector<Expr> f = {parse(graph, "exp(-((x - 5)/1e-9)^2)")};
  Enclosure bounds(f, x, {}, {});
  bounds.evaluate({0, 10});
  EXPECT_EQ(bounds[0].value.lo, 0);
  EXPECT_EQ(bounds[0].value.hi, 1);
}

TEST(Enclosure, KnowsTablesAndParameters) {
  Graph graph;
  const Expr x = graph.symbol("x"), p = graph.symbol("p");
  const std::vector<double> at = {0, 1, 2, 3}, y = {0, 1, -1, 0};
  const Table spline = graph.add_table("s", TableData::spline(at, y));
  const Table held = graph.add_table("h", TableData::held(at, y));
  const std::vector<Expr> f = {spline(p * x), spline.derivative(x), held(x)}, symbols = {p};
  const std::vector<double> values = {2};
  Enclosure bounds(f, x, symbols, values);
  for (double lo = -0.5; lo < 1.8; lo += 0.037) {
    const double hi = lo + 0.1;
    bounds.evaluate({lo, hi});
    for (double t = lo; t <= hi; t += 0.01) {
      EXPECT_LE(bounds[0].value.lo, spline.data().evaluate(2 * t) + 1e-12);
      EXPECT_GE(bounds[0].value.hi, spline.data().evaluate(2 * t) - 1e-12);
      EXPECT_LE(bounds[0].rate.lo, 2 * spline.data().evaluate(2 * t, 1) + 1e-12);
      EXPECT_GE(bounds[0].rate.hi, 2 * spline.data().evaluate(2 * t, 1) - 1e-12);
      EXPECT_LE(bounds[1].value.lo, spline.data().evaluate(t, 1) + 1e-12);
      EXPECT_GE(bounds[2].value.hi, held.data().evaluate(t));
    }
  }
}

}  // namespace
}  // namespace koppel
