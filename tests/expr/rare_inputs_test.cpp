// What follows from rare inputs alone is computed once, until they change, with the bits of the
// whole.
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/prepared_program.hpp>
#include <koppel/expr/graph/graph.hpp>

#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using koppel::testing::random_expr;
using koppel::testing::same_bits;

class RareInputsOf : public ::testing::TestWithParam<Native> {};
INSTANTIATE_TEST_SUITE_P(Code, RareInputsOf,
                         ::testing::Values(Native::Off, Native::Jit, Native::Cc),
                         [](const auto& suite) {
                           return suite.param == Native::Off   ? "Tape"
                                  : suite.param == Native::Jit ? "Generated"
                                                               : "Compiled";
                         });

// Inputs 1, 3 and 4 of five are rare.
TEST_P(RareInputsOf, HaveTheBitsOfOthersWheneverTheyChange) {
  std::mt19937_64 engine(41);
  Graph graph;
  const auto x = graph.symbols("t", "h", "q", "m", "k");
  std::vector<Expr> f;
  for (int n = 0; n < 60; ++n) {
    f.push_back(random_expr(engine, x, {.size = 12, .smooth_only = n % 2 == 0}));
  }
  f.push_back(x[3] / x[1] * exp(x[4]));  // rare altogether
  f.push_back(x[4]);
  f.push_back(x[0]);
  f.push_back(graph.constant(2.5));
  const RareInputs rare{3, 2, 1};
  ASSERT_TRUE(PreparedProgram::pays(lower(x, f), rare));
  const Function whole(x, f, {.native = Native::Off}), split(x, f, {.native = GetParam()}, rare);
  Workspace of_whole = whole.make_workspace(), of_split = split.make_workspace(),
            few = split.make_workspace(Uses::Few);
  std::vector<double> in = {0.1, 0.01, 0.5, 2, -3}, expected(f.size()), found(f.size()),
                      on_tape(f.size());
  for (int step = 0; step < 400; ++step) {
    in[0] += 0.1;
    in[2] = std::sin(in[0]);
    const std::vector<double> before = in;
    if (step % 7 == 3) in[engine() % 2 == 0 ? 1 : 3] *= 1.1;
    if (step % 50 == 20) in[4] = -in[4];
    if (step == 100) in[4] = 0.0;
    if (step == 140) in[4] = std::nan("");
    if (step == 160) in[4] = 2;
    if (step == 120) in[4] = -0.0;
    if (in != before || step == 120) {
      split.rare_inputs_changed(of_split);
      split.rare_inputs_changed(few);
    }
    whole.evaluate(in, expected, of_whole);
    split.evaluate(in, found, of_split);
    split.evaluate(in, on_tape, few);
    const std::vector<double> single = split(in);
    for (std::size_t j = 0; j < f.size(); ++j) {
      ASSERT_TRUE(same_bits(found[j], expected[j])) << "output " << j << ", step " << step;
      ASSERT_TRUE(same_bits(on_tape[j], expected[j])) << "output " << j << ", step " << step;
      ASSERT_TRUE(same_bits(single[j], expected[j])) << "output " << j << ", step " << step;
    }
  }
}

// Results are those of the inputs, whether or not somebody tells that rare ones have changed.
TEST(RareInputs, AreNoticedWhereNobodyTellsOfAChange) {
  Graph graph;
  const auto x = graph.symbols("t", "m", "h");
  const std::vector<Expr> f = {exp(x[1]) * x[0] + sqrt(x[2] / exp(x[1]))};
  const RareInputs rare{1, 1, 2};
  ASSERT_TRUE(PreparedProgram::pays(lower(x, f), rare));
  const Function split(x, f, {}, rare), whole(x, f);
  for (const Uses uses : {Uses::Many, Uses::Few}) {
    Workspace work = split.make_workspace(uses), of_whole = whole.make_workspace();
    std::vector<double> out(1), expected(1);
    for (const std::vector<double>& in :
         {std::vector<double>{1, 0, 2}, {2, 5, 2}, {2, 5, 3}, {3, 5, 3}, {2, 0, 2}}) {
      split.evaluate(in, out, work);
      whole.evaluate(in, expected, of_whole);
      EXPECT_TRUE(same_bits(out[0], expected[0])) << out[0] << " for " << expected[0];
    }
  }
}

TEST(PreparedPrograms, ComputeNothingTwice) {
  Graph graph;
  const auto x = graph.symbols("t", "m", "k");
  const std::vector<Expr> f = {sqrt(x[2] / x[1]) * x[0] + exp(x[1] / x[2]), x[1] * x[2] + x[0]};
  const Program program = lower(x, f);
  const PreparedProgram prepared(program, {1, 2, {}});
  EXPECT_EQ(program.code.size(), 8u);  // k/m, sqrt, ·t, m/k, exp, +; m k, +
  EXPECT_EQ(prepared.rest().code.size(), 3u);
  EXPECT_TRUE(PreparedProgram::pays(program, {1, 2, {}}));
  EXPECT_FALSE(PreparedProgram::pays(program, {0, 1, {}}));
  EXPECT_FALSE(PreparedProgram::pays(program, {}));
}

}  // namespace
}  // namespace koppel
