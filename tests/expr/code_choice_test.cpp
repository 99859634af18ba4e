// What evaluates a function, tape or machine code, and when it is generated.
#include <array>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/series.hpp>

#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

using koppel::testing::random_expr;
using koppel::testing::same_bits;
using koppel::testing::ScopedEnvironment;

long generated_operations() { return code_taken_so_far().generated; }

// Some tens of operations of the symbols.
std::vector<Expr> make_outputs(std::span<const Expr> x, int count = 30) {
  std::mt19937_64 engine(7);
  std::vector<Expr> out;
  for (int n = 0; n < count; ++n) {
    out.push_back(random_expr(engine, x, {.size = 12, .smooth_only = true}));
  }
  return out;
}

TEST(CodeChoice, SingleEvaluationsAreOnTheTapeUntilTheyAreMany) {
  const ScopedEnvironment policy("KOPPEL_NATIVE", "auto");
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Function f(x, make_outputs(x));
  const long before = generated_operations();
  const std::vector<double> first = f({0.1, 0.2, 0.3});
  constexpr int kFewCalls = 50;  // of function.cpp
  for (int n = 1; n < kFewCalls; ++n) f({0.1, 0.2, 0.3});
  EXPECT_EQ(generated_operations(), before);
  const std::vector<double> next = f({0.1, 0.2, 0.3});
  EXPECT_EQ(generated_operations() - before, static_cast<long>(f.num_instructions()));
  for (std::size_t j = 0; j < first.size(); ++j) EXPECT_TRUE(same_bits(first[j], next[j]));
}

TEST(CodeChoice, LoopsGenerateOnce) {
  const ScopedEnvironment policy("KOPPEL_NATIVE", "auto");
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Function f(x, make_outputs(x));
  const long before = generated_operations();
  const std::vector<double> single = f({0.4, -0.5, 0.6});
  EXPECT_EQ(generated_operations(), before);
  Workspace loop = f.make_workspace();
  const long after = generated_operations();
  EXPECT_EQ(after - before, static_cast<long>(f.num_instructions()));
  Workspace other = f.make_workspace();
  EXPECT_EQ(generated_operations(), after);
  const double in[] = {0.4, -0.5, 0.6};
  std::vector<double> out(f.num_outputs());
  f.evaluate(in, out, loop);
  const std::vector<double> late = f(in);
  for (std::size_t j = 0; j < out.size(); ++j) {
    EXPECT_TRUE(same_bits(single[j], out[j]));
    EXPECT_TRUE(same_bits(single[j], late[j]));
  }
}

TEST(CodeChoice, JitGeneratesAtOnceAndOffNever) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::vector<Expr> out = make_outputs(x);
  const long before = generated_operations();
  const Function off(x, out, {.native = Native::Off});
  Workspace loop = off.make_workspace();
  EXPECT_EQ(generated_operations(), before);
  EXPECT_FALSE(off.is_machine_code());
  const Function jit(x, out, {.native = Native::Jit});
  EXPECT_GT(generated_operations(), before);
}

TEST(CodeChoice, ThreadsMayAskForTheFirstWorkspaceAtOnce) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Function f(x, make_outputs(x));
  const std::vector<double> expected =
      Function(x, make_outputs(x), {.native = Native::Off})({1, 2, 3});
  std::vector<std::thread> threads;
  std::array<std::vector<double>, 8> out;
  for (std::size_t n = 0; n < out.size(); ++n) {
    threads.emplace_back([&, n] {
      Workspace work = f.make_workspace();
      const double in[] = {1, 2, 3};
      out[n].resize(f.num_outputs());
      f.evaluate(in, out[n], work);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& values : out) {
    for (std::size_t j = 0; j < values.size(); ++j) EXPECT_TRUE(same_bits(values[j], expected[j]));
  }
}

#ifdef __linux__
TEST(CodeChoice, NoPageIsWritableAndExecutableAtOnce) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::span<const Expr> symbols = x;
  const Function f(x, make_outputs(x), {.native = Native::Jit});
  const Series s(symbols.first(2), symbols.last(1), make_outputs(x), 8, {.native = Native::Jit});
  if (!f.is_machine_code()) GTEST_SKIP() << "no machine code on this processor";
  static_cast<void>(f.make_batch_workspace());
  ASSERT_TRUE(s.is_machine_code());
  std::ifstream maps("/proc/self/maps");
  int executable = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::string flags = line.substr(line.find(' ') + 1, 4);
    EXPECT_FALSE(flags[1] == 'w' && flags[2] == 'x') << line;
    const bool is_anonymous =
        line.find('/') == std::string::npos && line.find('[') == std::string::npos;
    if (flags[2] == 'x' && is_anonymous) ++executable;
  }
  EXPECT_GE(executable, 1);  // neighbouring mappings of one kind are shown as one
}
#endif

}  // namespace
}  // namespace koppel
