// Steps do not allocate: this program counts every allocation in the process.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <problems/pendulum.hpp>
#include <tests/count_allocations.hpp>
#include <tests/integrate/runs.hpp>

namespace koppel::testing {
namespace {

class AllocationOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Explicit, AllocationOf, ::testing::Values("rk4", "dop853"));
INSTANTIATE_TEST_SUITE_P(Implicit, AllocationOf,
                         ::testing::Values("radau5", "implicit-euler", "midpoint", "bdf3"));

TEST_P(AllocationOf, StepsIsNone) {
  const problems::Analytic system = problems::pendulum("index1");
  long at_first_step = 0, at_last_step = 0, steps = 0;
  std::vector<double> y(system.y.size());
  integrate(system.problem, GetParam(), {0, system.y}, 1, {.step = 0.01}, [&](const Step& step) {
    step.evaluate((step.t0 + step.t1) / 2, y);
    at_last_step = allocations;
    if (steps++ == 0) at_first_step = at_last_step;
    return true;
  });
  EXPECT_EQ(steps, 100);
  EXPECT_EQ(at_last_step - at_first_step, 0);
}

class AllocationOfSteps : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Rules, AllocationOfSteps,
                         ::testing::Values("generalized-alpha", "generalized-alpha:null-space",
                                           "energy-momentum", "energy-momentum:null-space",
                                           "variational", "variational:trapezoidal"));

TEST_P(AllocationOfSteps, IsNone) {
  const Equations e = derive(read_model(KOPPEL_MODELS "slider_crank.yaml"), "natural");
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const Problem problem = formulate(e, "index3", start);
  long at_first_step = 0, at_last_step = 0, steps = 0;
  std::vector<double> y = start_values(problem, evaluator, start);
  integrate(problem, GetParam(), {0, y}, 0.1, {.step = 1e-3}, [&](const Step& step) {
    step.evaluate((step.t0 + step.t1) / 2, y);
    at_last_step = allocations;
    if (steps++ == 0) at_first_step = at_last_step;
    return true;
  });
  EXPECT_EQ(steps, 100);
  EXPECT_EQ(at_last_step - at_first_step, 0);
}

}  // namespace
}  // namespace koppel::testing
