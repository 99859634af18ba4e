#include <koppel/expr/algebra/structure.hpp>

#include <random>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/switches.hpp>
#include <koppel/expr/graph/graph.hpp>

#include <tests/expr/plain_evaluation.hpp>
#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using koppel::testing::evaluate_plainly;
using koppel::testing::near;
using koppel::testing::random_expr;

// Laws that share their parts, as the forces of a long chain do: each part is looked at once.
TEST(Switches, OfLawsThatShareTheirPartsAreFoundInLinearTime) {
  Graph graph;
  const auto [x, y] = graph.symbols("x", "y");
  std::vector<Expr> laws = {abs(x), sign(y - 2)};
  Expr sum = laws[0] + laws[1];
  for (int i = 0; i < 20'000; ++i) laws.push_back(sum = sin(sum) + 0.1 * x);  // pairs: 4e8
  laws.push_back(sign(x) * y);
  const Expr of[] = {x, y};
  const std::vector<Switch> found = switches_of(laws, of);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].argument, x);
  EXPECT_EQ(found[1].argument, y - 2);
  EXPECT_EQ(found[1].at, std::vector<double>{0});
}

TEST(Structure, SymbolsComeInTheOrderInWhichTheyWereMade) {
  Graph graph;
  auto [x, y, z] = graph.symbols("x", "y", "z");
  EXPECT_EQ(symbols_of(z * y + sin(x)), (std::vector<Expr>{x, y, z}));
  EXPECT_EQ(symbols_of(z + 1), (std::vector<Expr>{z}));
  EXPECT_TRUE(symbols_of(graph.constant(2)).empty());
  EXPECT_TRUE(symbols_of(2).empty());
  const Expr several[] = {z, 1, x};
  EXPECT_EQ(symbols_of(several), (std::vector<Expr>{x, z}));
}

TEST(Structure, OperationsAreCountedOnce) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_EQ(num_operations(x), 0u);
  EXPECT_EQ(num_operations(7), 0u);
  const Expr product = x * y;
  EXPECT_EQ(num_operations(sin(product) + cos(product)), 4u);
  const Expr both[] = {product, sin(product)};
  EXPECT_EQ(num_operations(both), 2u);
}

TEST(Structure, DependenceIsOnWhatRemains) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_TRUE(depends_on(sin(x * y), x));
  EXPECT_FALSE(depends_on(sin(x), y));
  EXPECT_FALSE(depends_on(y + x - x, x));
  EXPECT_TRUE(depends_on(sin(x * y) + 1, x * y));
  EXPECT_FALSE(depends_on(3, x));
  EXPECT_FALSE(depends_on(x, Expr(3)));
  EXPECT_FALSE(depends_on(x, std::span<const Expr>()));
}

TEST(Structure, SubstitutionIsSimultaneous) {
  Graph graph;
  auto [x, y, z] = graph.symbols("x", "y", "z");
  const Expr from[] = {x, y}, to[] = {y, x};
  const Expr f[] = {x - 2 * y, sin(x), z, 4};
  EXPECT_EQ(substitute(f, from, to), (std::vector<Expr>{y - 2 * x, sin(y), z, 4}));
}

TEST(Structure, SubstitutionReplacesWholePartsAndDoesNotSearchWhatIsPutIn) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_EQ(substitute(exp(x * y) + x, x * y, y), exp(y) + x);
  EXPECT_EQ(substitute(x, x, sin(x)), sin(x));
  EXPECT_EQ(substitute(sin(x) + x, sin(x), x), 2 * x);
}

TEST(Structure, SubstitutionOfNumbersFoldsAndKeepsWhatIsNotFinite) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_TRUE(substitute(x * x + 1, x, 3).is_constant(10));
  EXPECT_TRUE(substitute(log(x), x, 0).is(Op::Log));
  EXPECT_TRUE(substitute(y / x, x, 0).is(Op::Div));
  const double at[] = {0, 1}, of[] = {2, 4};
  const Table table = graph.add_table("t", TableData::linear(at, of));
  EXPECT_TRUE(substitute(table(x), x, 0.5).is_constant(3));
  EXPECT_EQ(substitute(table.derivative(x), x, y), table.derivative(y));
  EXPECT_EQ(substitute(Expr(5), x, y), Expr(5));
}

TEST(Structure, SubstitutionEvaluatesLikeComposition) {
  std::mt19937_64 engine(3);
  Graph graph;
  const auto symbols = graph.symbols("x", "y");
  for (int n = 0; n < 500; ++n) {
    const koppel::testing::RandomExprOptions options{.size = 12, .smooth_only = true};
    const Expr f = random_expr(engine, symbols, options);
    const Expr to[] = {random_expr(engine, symbols, options),
                       random_expr(engine, symbols, options)};
    const double point[] = {0.3, -0.8};
    const double inner[] = {evaluate_plainly(to[0], symbols, point),
                            evaluate_plainly(to[1], symbols, point)};
    const Expr composed = substitute({&f, 1}, symbols, to)[0];
    EXPECT_TRUE(near(evaluate_plainly(composed, symbols, point),
                     evaluate_plainly(f, symbols, inner),
                     {.relative = 1e-13,
                      .scale = 1,
                      .because = "identities reorder a few operations on values of order 1"}))
        << n;
  }
}

TEST(Structure, LinearFormGivesMatrixAndRemainder) {
  Graph graph;
  auto [v, w, q, m] = graph.symbols("v", "w", "q", "m");
  const Expr x[] = {v, w};
  const Expr f[] = {m * v + cos(q) * w - 3, w - v, q, 5};
  const auto form = linear_form(f, x);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->A.at(0, 0), m);
  EXPECT_EQ(form->A.at(0, 1), cos(q));
  EXPECT_EQ(form->A.at(1, 0), Expr(-1));
  EXPECT_EQ(form->A.at(1, 1), Expr(1));
  EXPECT_EQ(form->A.pattern.num_entries(), 4);
  EXPECT_EQ(form->b, (std::vector<Expr>{-3, 0, q, 5}));
}

TEST(Structure, WhatIsNotLinearIsRefused) {
  Graph graph;
  auto [x, y, q] = graph.symbols("x", "y", "q");
  const Expr both[] = {x, y};
  for (const Expr& f : {x * y, sin(x), 1 / x, x * x, sqrt(y), exp(x) + y, abs(x), min(x, y),
                        select(q < x, x, y), pow(q, x)}) {
    EXPECT_FALSE(is_linear(f, both));
  }
  for (const Expr& f :
       {x + y, q * x - y / q, select(q < 0, x, y), sin(q), Expr(4), 2 * (x + q) - x}) {
    EXPECT_TRUE(is_linear(f, both));
  }
}

// Steps have no slope, but that does not make them constant.
TEST(Structure, StepsInTheVariablesAreNotLinear) {
  Graph graph;
  auto [x, y, z] = graph.symbols("x", "y", "z");
  const double at[] = {0, 1}, of[] = {2, 4};
  const Table held = graph.add_table("held", TableData::held(at, of));
  const Table linear = graph.add_table("linear", TableData::linear(at, of));
  for (const Expr& f :
       {sign(x), x < 1, x <= y, equal(x, 2), select(x < 0, y, z), select(x, y, z), x + sign(x),
        held(x), linear.derivative(x, 1), y * sign(x + z), atan2(sin(x), cos(x))}) {
    EXPECT_FALSE(is_linear(f, {&x, 1}));
  }
  for (const Expr& f : {sign(y) * x, select(y < 0, x, 2 * x), held(y) * x, x + (y < z)}) {
    EXPECT_TRUE(is_linear(f, {&x, 1}));
  }
}

TEST(Structure, LinearFormsOfRandomCombinationsEvaluateToTheFunction) {
  std::mt19937_64 engine(5);
  Graph graph;
  const auto x = graph.symbols("u", "v");
  const auto q = graph.symbols("q", "r");
  const Expr all[] = {x[0], x[1], q[0], q[1]};
  const double point[] = {0.7, -1.3, 0.4, 1.1};
  for (int n = 0; n < 300; ++n) {
    const koppel::testing::RandomExprOptions options{.size = 6, .smooth_only = true};
    Expr f = random_expr(engine, q, options);
    for (int term = 0; term < 4; ++term) {
      f += random_expr(engine, q, options) * x[static_cast<std::size_t>(term % 2)];
    }
    const auto form = linear_form({&f, 1}, x);
    ASSERT_TRUE(form.has_value()) << n;
    double sum = evaluate_plainly(form->b[0], all, point);
    for (int j = 0; j < 2; ++j) sum += evaluate_plainly(form->A.at(0, j), all, point) * point[j];
    EXPECT_TRUE(near(evaluate_plainly(f, all, point), sum,
                     {.relative = 1e-13, .scale = 1, .because = "a sum of five terms of order 1"}))
        << n;
  }
}

}  // namespace
}  // namespace koppel
