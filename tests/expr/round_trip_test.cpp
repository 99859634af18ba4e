// Printed text parses to the same node: random expressions over all operations, and deep ones.
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>
#include "tests/expr/random_expr.hpp"
#include "tests/property.hpp"

namespace koppel {
namespace {

constexpr int kDeep = 100'000;

struct Symbols {
  Symbols() {
    const double points[] = {0, 1, 2, 4}, values[] = {1, -1, 3, 2};
    tables = {graph.add_table("road", TableData::spline(points, values)),
              graph.add_table("signal", TableData::held(points, values)),
              graph.add_table("ramp.up", TableData::linear(points, values))};
    for (const char* name : {"x", "y'", "crane.q[2]''", "θ_1"})
      symbols.push_back(graph.symbol(name));
  }

  Expr random(std::uint64_t seed, int size) {
    std::mt19937_64 engine(seed);
    return testing::random_expr(engine, symbols,
                                {.size = size, .smooth_only = false, .tables = tables});
  }

  Graph graph;
  std::vector<Table> tables;
  std::vector<Expr> symbols;
};

// `property` of 10,000 random expressions.
template <typename Property>
void check(Property property) {
  testing::check_property([&](std::uint64_t seed, int size) {
    Symbols symbols;
    property(symbols, symbols.random(seed, size));
  });
}

TEST(RoundTrip, TextParsesToTheSameNode) {
  check([](Symbols& s, Expr e) {
    const std::string text = to_text(e);
    RC_LOG() << text << '\n';
    RC_ASSERT(parse(s.graph, text) == e);
  });
}

TEST(RoundTrip, ListingParsesToTheSameNodes) {
  check([](Symbols& s, Expr e) {
    const NamedExpr named[] = {{"f", e}, {"g", e * s.symbols[0] + sin(e)}};
    std::istringstream lines(to_listing(named));
    Scope scope;
    for (std::string line; std::getline(lines, line);) {
      RC_LOG() << line << '\n';
      const std::size_t equals = line.find(" = ");
      scope.names.emplace(line.substr(0, equals), parse(s.graph, line.substr(equals + 3), scope));
    }
    RC_ASSERT(scope.names.at("f") == e);
    RC_ASSERT(scope.names.at("g") == named[1].value);
  });
}

TEST(RoundTrip, OperationOnTheOperandsOfANodeGivesTheNode) {
  check([](Symbols& s, Expr) {
    const std::size_t n = s.graph.num_nodes();
    for (NodeId id = 0; id < n; ++id) {
      const Expr e(s.graph, id);
      const int arity = e.num_operands();
      if (arity == 0 || e.is(Op::Table)) continue;
      RC_ASSERT(apply(e.op(), e.operand(0), arity > 1 ? e.operand(1) : Expr(),
                      arity > 2 ? e.operand(2) : Expr()) == e);
    }
  });
}

// Also checks that LaTeX comes out, of about the length it should have.
void expect_round_trip(Graph& graph, const std::string& text) {
  const Expr e = parse(graph, text, {.make_symbols = true});
  EXPECT_TRUE(parse(graph, to_text(e)) == e);
  EXPECT_FALSE(to_latex(e).empty());
  const NamedExpr named[] = {{"f", e}};
  EXPECT_FALSE(to_listing(named).empty());
}

std::string repeated(std::string_view text, int times = kDeep) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(DeepNesting, Parentheses) {
  Graph graph;
  expect_round_trip(graph, repeated("(") + "x" + repeated(")"));
  expect_round_trip(graph, repeated("(y+") + "x" + repeated(")*z"));
  expect_round_trip(graph, repeated("y/(1+") + "x" + repeated(")"));
}

TEST(DeepNesting, Signs) {
  Graph graph;
  expect_round_trip(graph, repeated("-") + "x");
  expect_round_trip(graph, repeated("y - -(") + "x" + repeated(")"));
}

TEST(DeepNesting, Functions) {
  Graph graph;
  expect_round_trip(graph, repeated("sin(") + "x" + repeated(")"));
  expect_round_trip(graph, repeated("atan2(y, ") + "x" + repeated(")"));
}

TEST(DeepNesting, Powers) {
  Graph graph;
  expect_round_trip(graph, repeated("x^") + "y");
  expect_round_trip(graph, repeated("x^-") + "y");
  expect_round_trip(graph, repeated("(") + "x" + repeated("^y)"));
}

TEST(DeepNesting, Selections) {
  Graph graph;
  expect_round_trip(graph, repeated("select(x < y, ") + "x" + repeated(", z)"));
  expect_round_trip(graph, repeated("select(") + "x" + repeated(" < y, x, z)"));
}

TEST(DeepNesting, ProductsAndSums) {
  Graph graph;
  std::string products = "x", sums = "x";
  for (int i = 0; i < kDeep; ++i) {
    products += "*y" + std::to_string(i);
    sums += " - y" + std::to_string(i);
  }
  expect_round_trip(graph, "-3*" + products);
  expect_round_trip(graph, sums);
}

}  // namespace
}  // namespace koppel
