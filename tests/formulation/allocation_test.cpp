// Right-hand sides do not allocate: this program counts every allocation in the process.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>

#include "tests/analysis/mechanisms.hpp"
#include "tests/count_allocations.hpp"

namespace koppel::testing {
namespace {

class AllocationOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Reductions, AllocationOf,
                         ::testing::Values("implicit", "explicit", "partition", "qr", "svd"));

TEST_P(AllocationOf, EvaluationIsNone) {
  const Equations e = derive(make_slider_crank(), "absolute");
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const Problem problem = formulate(e, GetParam(), state);
  const std::vector<double> y = start_values(problem, evaluator, state);
  std::vector<double> rate(static_cast<std::size_t>(problem.num_differential()));
  const std::span<const double> differential = std::span(y).first(rate.size());
  RightHandSide::Workspace work = problem.rhs->make_workspace();
  ASSERT_TRUE(problem.rhs->evaluate(0, differential, rate, work));
  const long before = allocations;
  for (int k = 0; k < 10; ++k) problem.rhs->evaluate(0, differential, rate, work);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace koppel::testing
