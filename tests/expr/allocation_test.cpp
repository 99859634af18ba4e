// Evaluation does not allocate: this program counts every allocation in the process.
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/series.hpp>

#include <tests/count_allocations.hpp>
#include <tests/expr/random_expr.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

// How many allocations f makes.
template <typename F>
long count_allocations(F&& f) {
  const long before = allocations;
  f();
  return allocations - before;
}

std::vector<Expr> some_outputs(Graph& graph, std::span<const Expr> x) {
  const double at[] = {-1, 0, 1}, of[] = {2, 0, 1};
  const Table tables[] = {graph.add_table("road", TableData::spline(at, of))};
  std::mt19937_64 engine(7);
  std::vector<Expr> f;
  for (int n = 0; n < 20; ++n) {
    f.push_back(koppel::testing::random_expr(
        engine, x, {.size = 40, .smooth_only = n % 2 == 0, .tables = tables}));
  }
  return f;
}

TEST(Allocation, IsCounted) {
  EXPECT_GE(count_allocations([] { std::vector<double> some(100); }), 1);
}

class AllocationOf : public ::testing::TestWithParam<Native> {
  koppel::testing::TemporaryCache cache_;
};
INSTANTIATE_TEST_SUITE_P(Tape, AllocationOf, ::testing::Values(Native::Off));
INSTANTIATE_TEST_SUITE_P(Generated, AllocationOf, ::testing::Values(Native::Jit));
INSTANTIATE_TEST_SUITE_P(Compiled, AllocationOf, ::testing::Values(Native::Cc));

TEST_P(AllocationOf, EvaluateIsNone) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Function f(x, some_outputs(graph, x), {.native = GetParam()});
  Workspace work = f.make_workspace();
  const double in[] = {0.1, 0.2, 0.3}, outside[] = {-1, 0, 1e300};
  std::vector<double> out(f.num_outputs());
  EXPECT_EQ(count_allocations([&] {
              for (int n = 0; n < 100; ++n) f.evaluate(n % 2 == 0 ? in : outside, out, work);
            }),
            0);
}

TEST_P(AllocationOf, BatchIsNone) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const Function f(x, some_outputs(graph, x), {.native = GetParam()});
  Workspace work = f.make_batch_workspace();
  constexpr std::size_t kCount = 150;
  const std::vector<double> in(3 * kCount, 0.25);
  std::vector<double> out(f.num_outputs() * kCount);
  EXPECT_EQ(count_allocations([&] { f.evaluate_batch(in, out, kCount, work); }), 0);
}

TEST_P(AllocationOf, SeriesIsNone) {
  Graph graph;
  const auto x = graph.symbols("x", "y", "z");
  const std::span<const Expr> symbols = x;
  const Series series(symbols.first(2), symbols.last(1), some_outputs(graph, x), 12,
                      {.native = GetParam()});
  SeriesWorkspace work = series.make_workspace();
  double sum = 0;
  EXPECT_EQ(count_allocations([&] {
              for (int n = 0; n < 5; ++n) {
                work.parameter(0) = 0.5;
                for (int k = 0; k <= 12; ++k) {
                  work.variable(0)[static_cast<std::size_t>(k)] = 1.0 / (k + 1);
                  series.evaluate(k, work);
                  sum += work.output(0)[static_cast<std::size_t>(k)];
                }
              }
            }),
            0);
  EXPECT_NE(sum, 0);
}

}  // namespace
}  // namespace koppel
