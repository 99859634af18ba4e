#include <koppel/expr/graph/graph.hpp>

#include <utility>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

TEST(Graph, EqualExpressionsAreTheSameNode) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  const Expr first = sin(x * y) + 1;
  const std::size_t nodes = graph.num_nodes();
  const Expr second = 1 + sin(y * x);
  EXPECT_EQ(first, second);
  EXPECT_EQ(graph.num_nodes(), nodes);
}

TEST(Graph, NumbersNeedNoGraph) {
  Expr sum = 0;
  for (int i = 1; i <= 4; ++i) sum += i;
  EXPECT_TRUE(sum.is_constant(10));
  EXPECT_EQ(sum.graph(), nullptr);
}

TEST(Graph, CheapIdentitiesAreAppliedWhenANodeIsMade) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_EQ(x + 0, x);
  EXPECT_EQ(1 * x, x);
  EXPECT_EQ(0 * x, Expr(0));
  EXPECT_EQ(x - x, Expr(0));
  EXPECT_EQ(x / x, Expr(1));
  EXPECT_EQ(-(-x), x);
  EXPECT_EQ(x + x, 2 * x);
  EXPECT_EQ(2 * x + 3 * x, 5 * x);
  EXPECT_EQ((2 * x) * (3 * y), 6 * (x * y));
  EXPECT_EQ(pow(x, 2), x * x);
  EXPECT_EQ(pow(x, 0.5), sqrt(x));
  EXPECT_EQ(x * x * x, pow(x, 3));
  EXPECT_EQ(pow(x, 5) / pow(x, 2), pow(x, 3));
  EXPECT_EQ(sqrt(x) * sqrt(x), x);
  EXPECT_EQ(sqrt(x * x), abs(x));
  EXPECT_EQ(sin(-x), -sin(x));
  EXPECT_EQ(cos(-2 * x), cos(2 * x));
  EXPECT_EQ(sin(x) * sin(x) + cos(x) * cos(x), Expr(1));
  EXPECT_EQ(exp(log(x)), x);
  EXPECT_EQ(x - (x - y), y);
  EXPECT_EQ(1 / (1 / x), x);
  EXPECT_EQ(select(1, x, y), x);
  EXPECT_EQ(min(x, x), x);
  EXPECT_EQ(x < x, Expr(0));
}

TEST(Graph, NothingFoldsToANonFiniteNumber) {
  Graph graph;
  const Expr one = graph.constant(1);
  EXPECT_TRUE((one / 0).is(Op::Div));
  EXPECT_TRUE(log(one - 1 + graph.constant(0)).is(Op::Log));
  EXPECT_TRUE(asin(graph.constant(2)).is(Op::Asin));
  EXPECT_THROW(Expr(1) / Expr(0), Error);
}

TEST(Graph, ExpressionsOfTwoGraphsDoNotMix) {
  Graph first, second;
  EXPECT_THROW(first.symbol("x") + second.symbol("y"), Error);
}

TEST(Graph, NamesAreChecked) {
  Graph graph;
  for (const char* good : {"x", "x''", "crane.q[2]'", "θ_1", "a.b.c", "_x"}) {
    EXPECT_EQ(graph.symbol(good).name(), good);
  }
  for (const char* bad : {"", "2x", "x.", "a b", "sin", "pi", "q[", "q[a]", "'", "x'y", "sin'"}) {
    EXPECT_THROW(graph.symbol(bad), Error) << bad;
  }
}

TEST(Graph, HandlesAndNodesAreSmall) {
  EXPECT_LE(sizeof(Node), 32u);
  EXPECT_EQ(sizeof(Expr), 16u);
}

TEST(Table, SplineIsTwiceContinuouslyDifferentiableAndReproducesLines) {
  const double x[] = {0, 1, 2.5, 3}, y[] = {0, 2, -1, 4}, line[] = {1, 3, 6, 7};
  const TableData spline = TableData::spline(x, y);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(spline.evaluate(x[i]), y[i], 1e-14);
    for (int m = 0; m <= 2; ++m) {
      EXPECT_NEAR(spline.evaluate(x[i] - 1e-9, m), spline.evaluate(x[i], m), 1e-6) << i << " " << m;
    }
  }
  EXPECT_NEAR(spline.evaluate(-7, 2), 0, 1e-14);
  EXPECT_NEAR(spline.evaluate(9, 2), 0, 1e-14);
  const TableData straight = TableData::spline(x, line);
  for (double t = -2; t < 5; t += 0.37) EXPECT_NEAR(straight.evaluate(t), 1 + 2 * t, 1e-13);
}

TEST(Table, HeldAndLinear) {
  const double x[] = {0, 1, 2}, y[] = {5, 7, 3};
  const TableData held = TableData::held(x, y);
  EXPECT_EQ(held.evaluate(-1), 5);
  EXPECT_EQ(held.evaluate(0.99), 5);
  EXPECT_EQ(held.evaluate(1), 7);
  EXPECT_EQ(held.evaluate(9), 3);
  const TableData linear = TableData::linear(x, y);
  EXPECT_DOUBLE_EQ(linear.evaluate(0.5), 6);
  EXPECT_DOUBLE_EQ(linear.evaluate(3), -1);
  EXPECT_DOUBLE_EQ(linear.evaluate(-1), 3);
  EXPECT_DOUBLE_EQ(linear.evaluate(1.5, 1), -4);
}

// Large maps leave their memory to the next: it must come back empty, whatever was set before.
TEST(NodeIndex, MapsAreEmptyAtFirstAndDoNotShareWhatIsSet) {
  Graph graph;
  const Expr x = graph.symbol("x");
  for (Expr e = x; graph.num_nodes() < 100'000;) e = sin(e);
  const auto num_nodes = static_cast<NodeId>(graph.num_nodes());
  const auto is_empty = [&](const NodeIndex& index) {
    for (NodeId id = 0; id < num_nodes; ++id) {
      if (index.contains(id)) return false;
    }
    return true;
  };
  for (const NodeId stride : {50'000u, 1000u, 64u, 1u, 7000u}) {
    NodeIndex first(graph), second(graph);
    ASSERT_TRUE(is_empty(first) && is_empty(second)) << stride;
    for (NodeId id = 0; id < num_nodes; id += stride) first.set(id, id);
    ASSERT_TRUE(is_empty(second)) << stride;
    first.erase(0);
    first.set(0, 5);
    EXPECT_EQ(first[0], 5u);
    EXPECT_EQ(first[stride], stride);
    const NodeIndex moved = std::move(first);
    EXPECT_EQ(moved[stride], stride);
    sin(x + stride);  // nodes made later are in no map
    EXPECT_EQ(moved[static_cast<NodeId>(graph.num_nodes() - 1)], NodeIndex::kNone);
  }
  EXPECT_TRUE(is_empty(NodeIndex(graph)));
}

TEST(Table, BadPointsAreRefused) {
  const double x[] = {0, 0}, y[] = {1, 2}, one[] = {1};
  EXPECT_THROW(TableData::linear(x, y), Error);
  EXPECT_THROW(TableData::spline(one, one), Error);
  EXPECT_THROW(TableData::held(x, one), Error);
}

}  // namespace
}  // namespace koppel
