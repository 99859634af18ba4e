// A program in two parts does the same operations, each once.
#include <koppel/expr/code/split.hpp>

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/graph/graph.hpp>

#include "tests/near.hpp"
#include "tests/run_program.hpp"

namespace koppel {
namespace {

using testing::run_program;
using testing::same_bits;

struct Example {
  Graph graph;
  Expr x = graph.symbol("x"), a = graph.symbol("a"), y = graph.symbol("y"), b = graph.symbol("b");
  // Of parameters only, of both, of neither; a parameter itself, a constant, a repeated value.
  std::vector<Expr> outputs = {
      sqrt(a * a + b) * x, sin(a) / (x + cos(a)), x* y, a, Expr(3), a* b + 1, exp(a* b + 1) - y, x};
  std::vector<Expr> inputs = {x, a, y, b};
  Program whole = lower(inputs, outputs);
  SplitProgram parts = split(whole, [](std::size_t i) { return i == 1 || i == 3; });
};

TEST(Split, GivesTheSameBits) {
  const Example e;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0.1, 2);
  for (int k = 0; k < 100; ++k) {
    const double x = number(random), a = number(random), y = number(random), b = number(random);
    std::vector<double> in = {x, y};
    for (const double value : run_program(e.parts.prepare, {a, b})) in.push_back(value);
    const std::vector<double> found = run_program(e.parts.rest, in),
                              expected = run_program(e.whole, {x, a, y, b});
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(same_bits(found[i], expected[i]));
  }
}

TEST(Split, EveryInstructionStandsInOnePart) {
  const Example e;
  EXPECT_EQ(e.parts.prepare.code.size() + e.parts.rest.code.size(), e.whole.code.size());
  EXPECT_EQ(e.parts.prepare.inputs, (std::vector<std::string>{"a", "b"}));
  // √(a² + b), sin a, cos a, a, a b + 1, exp(a b + 1)
  EXPECT_EQ(e.parts.prepare.outputs.size(), 6u);
  EXPECT_EQ(e.parts.rest.num_inputs(), 8u);
  const std::size_t first_prepared = 2;
  for (const Instruction& i : e.parts.rest.code) {
    bool changes = false;
    for_each_operand(i, [&](ValueId v) {
      changes = changes || v < first_prepared || v >= e.parts.rest.num_leaves();
    });
    EXPECT_TRUE(changes) << "of parameters only";
  }
}

TEST(Split, WithoutStaticInputsNothingIsPrepared) {
  const Example e;
  const SplitProgram parts = split(e.whole, [](std::size_t) { return false; });
  EXPECT_TRUE(parts.prepare.outputs.empty());
  EXPECT_TRUE(parts.prepare.code.empty());
  EXPECT_EQ(parts.rest.code.size(), e.whole.code.size());
  EXPECT_EQ(run_program(parts.rest, {1, 2, 3, 4}), run_program(e.whole, {1, 2, 3, 4}));
}

// Each part has the tables that it reads, and no other.
TEST(Split, TablesGoWithTheirReaders) {
  Graph graph;
  const Expr x = graph.symbol("x"), a = graph.symbol("a");
  const std::vector<double> at = {0, 1, 2}, low = {0, 1, 4}, high = {3, 1, 5};
  const Table first = graph.add_table("first", TableData::linear(at, low));
  const Table second = graph.add_table("second", TableData::linear(at, high));
  const std::vector<Expr> inputs = {x, a};
  const std::vector<Expr> outputs = {second(a) * x, first(x)};
  const Program whole = lower(inputs, outputs);
  const SplitProgram parts = split(whole, [](std::size_t i) { return i == 1; });
  ASSERT_EQ(parts.prepare.tables.size(), 1u);
  EXPECT_EQ(parts.prepare.tables[0].name, "second");
  ASSERT_EQ(parts.rest.tables.size(), 1u);
  EXPECT_EQ(parts.rest.tables[0].name, "first");
  const std::vector<double> prepared = run_program(parts.prepare, {0.5});
  EXPECT_EQ(prepared, (std::vector<double>{2}));
  EXPECT_EQ(run_program(parts.rest, {1.5, prepared[0]}), run_program(whole, {1.5, 0.5}));
}

}  // namespace
}  // namespace koppel
