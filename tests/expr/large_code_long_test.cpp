// Machine code of 10⁶ operations, and where there is no memory for it.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/series.hpp>

#include <tests/near.hpp>

namespace koppel {
namespace {

using koppel::testing::same_bits;

// 10⁶ operations: sums of products of values from near and far.
std::vector<Expr> make_large(std::span<const Expr> x, std::size_t count) {
  std::vector<Expr> values(x.begin(), x.end());
  std::mt19937_64 engine(11);
  const auto any = [&] {
    const std::size_t back = engine() % 4 > 0 ? engine() % 20 : engine() % values.size();
    return values[values.size() - 1 - std::min(back, values.size() - 1)];
  };
  while (values.size() < count) {
    const Expr a = any(), b = any();
    // Of size 1, so that neither zeros nor infinities take over.
    values.push_back(0.5 * a + 0.5 * b);
    values.push_back(values.back() * a + b);
    values.push_back(values.back() / (1.5 + a * a));
  }
  return {values.end() - 40, values.end()};
}

TEST(LargeCode, AMillionOperationsBecomeMachineCodeWithinBoundsOfMemory) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::vector<Expr> out = make_large(x, 860'000);
  const Function tape(x, out, {.native = Native::Off});
  EXPECT_GT(tape.num_instructions(), 900'000u);
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const Function code(x, out, {.native = Native::Jit});
  getrusage(RUSAGE_SELF, &after);
  // Program, uses, spills and the code twice, once in the assembler's buffer: some 100 bytes an
  // operation.
  const long kilobytes = after.ru_maxrss - before.ru_maxrss;
  EXPECT_LT(kilobytes, 200 * static_cast<long>(code.num_instructions()) / 1024);
  ASSERT_TRUE(code.is_machine_code());
  const std::vector<double> a = tape({0.3, 0.7, -0.2}), b = code({0.3, 0.7, -0.2});
  for (std::size_t j = 0; j < a.size(); ++j) ASSERT_TRUE(same_bits(a[j], b[j]));
}

TEST(LargeCode, AMillionOperationsOfASeriesBecomeMachineCode) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::span<const Expr> symbols = x;
  const std::vector<Expr> out = make_large(x, 860'000);
  constexpr int kOrder = 3;
  const Series tape(symbols.first(2), symbols.last(1), out, kOrder, {.native = Native::Off});
  const Series code(symbols.first(2), symbols.last(1), out, kOrder, {.native = Native::Jit});
  EXPECT_GT(code.num_instructions(), 900'000u);
  ASSERT_TRUE(code.is_machine_code());
  SeriesWorkspace a = tape.make_workspace(), b = code.make_workspace();
  a.parameter(0) = b.parameter(0) = -0.2;
  for (int k = 0; k <= kOrder; ++k) {
    const auto K = static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < 2; ++i) {
      a.variable(i)[K] = b.variable(i)[K] = 0.3 + 0.1 * k - static_cast<double>(i);
    }
    tape.evaluate(k, a);
    code.evaluate(k, b);
    for (std::size_t j = 0; j < out.size(); ++j) {
      ASSERT_TRUE(same_bits(a.output(j)[K], b.output(j)[K]));
    }
  }
}

// Where there is no room for machine code, the tape serves. In a process of its own.
TEST(LargeCodeDeathTest, WithoutMemoryForCodeTheTapeServes) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::vector<Expr> out = make_large(x, 200'000);
  const Function tape(x, out, {.native = Native::Off}), code(x, out);
  Workspace work = tape.make_workspace();
  std::vector<double> expected(out.size()), found(out.size());
  const double in[] = {0.3, 0.7, -0.2};
  tape.evaluate(in, expected, work);
  static_cast<void>(code({0.3, 0.7, -0.2}));  // makes the tape
  const auto try_it = [&] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit limit;
    limit.rlim_cur = limit.rlim_max = pages * 4096 + (4u << 20);
    setrlimit(RLIMIT_AS, &limit);
    Workspace loop = code.make_workspace();
    const bool is_generated = code.is_machine_code();
    code.evaluate(in, found, loop);
    bool is_same = true;
    for (std::size_t j = 0; j < found.size(); ++j) {
      is_same = is_same && same_bits(found[j], expected[j]);
    }
    std::exit(is_generated ? 2 : is_same ? 0 : 3);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace koppel
