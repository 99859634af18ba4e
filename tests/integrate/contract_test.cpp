// What every integrator keeps to. One joins by being in integrators().
#include <gtest/gtest.h>

#include <problems/pendulum.hpp>
#include <tests/integrate/runs.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

using problems::Analytic;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const IntegratorInfo& info : integrators()) all.emplace_back(info.name);
  return all;
}

class Integrator : public ::testing::TestWithParam<std::string> {
 protected:
  const IntegratorInfo& info() const { return find_integrator(GetParam()); }
  bool takes(const Analytic& system) const { return !why_not(info(), system.problem); }
  IntegrateOptions options() const {
    IntegrateOptions options{.tolerance = 1e-5};
    if (!info().has_adaptive_step) options.step = 0.01;
    return options;
  }
  Outcome run(const Analytic& system, const Observer& observer = {}) const {
    return integrate(system.problem, GetParam(), {0, system.y}, system.end, options(), observer);
  }
};
INSTANTIATE_TEST_SUITE_P(All, Integrator, ::testing::ValuesIn(names()), [](const auto& suite) {
  std::string name = suite.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

#define SKIP_UNLESS_TAKES(system) \
  if (!takes(system)) GTEST_SKIP() << *why_not(info(), system.problem)

TEST_P(Integrator, ReachesTheEndExactly) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  const Outcome outcome = run(system);
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
  EXPECT_EQ(outcome.t, system.end);
  EXPECT_TRUE(outcome.text.empty());
  EXPECT_LT(distance(outcome.y, system.exact(system.end)), 0.1);
}

TEST_P(Integrator, ShowsStepsWithoutGapsEvenAroundBreakpoints) {
  const Analytic system = problems::jump();
  SKIP_UNLESS_TAKES(system);
  double reached = 0;
  long steps = 0;
  bool met_the_break = false;
  std::vector<double> y(1), before = system.y;
  const Outcome outcome = run(system, [&](const Step& step) {
    EXPECT_EQ(step.t0, reached);
    EXPECT_LT(step.t0, step.t1);
    met_the_break = met_the_break || step.t1 == 1;
    EXPECT_FALSE(step.t0 < 1 && step.t1 > 1);
    step.evaluate(step.t0, y);
    EXPECT_NEAR(y[0], before[0], 1e-13);
    step.evaluate(step.t1, before);
    reached = step.t1;
    ++steps;
    return true;
  });
  EXPECT_EQ(outcome.t, system.end);
  EXPECT_EQ(reached, system.end);
  EXPECT_TRUE(met_the_break);
  EXPECT_EQ(outcome.statistics.steps, steps);
  EXPECT_NEAR(before[0], outcome.y[0], 1e-15);
}

TEST_P(Integrator, StopsWhenTheObserverSaysSo) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  double last = 0;
  const Outcome outcome = run(system, [&](const Step& step) {
    last = step.t1;
    return step.t1 < 3;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Stopped);
  EXPECT_EQ(outcome.t, last);
  EXPECT_GE(last, 3);
  EXPECT_LT(distance(outcome.y, system.exact(last)), 0.05);
}

TEST_P(Integrator, GivesUpAfterTheLimitOfSteps) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  IntegrateOptions few = options();
  few.max_steps = 3;
  const Outcome outcome = integrate(system.problem, GetParam(), {0, system.y}, 1e4, few);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.text, "the limit of 3 steps is reached");
  EXPECT_EQ(outcome.statistics.steps, 3);
}

// The limit is what may be taken: a run that ends with its last step is done.
TEST_P(Integrator, MayTakeAllStepsOfTheLimit) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  const auto run_with = [&](long limit) {
    IntegrateOptions few = options();
    few.max_steps = limit;
    return integrate(system.problem, GetParam(), {0, system.y}, 1, few);
  };
  const long needed = run_with(1'000'000).statistics.steps;
  ASSERT_GT(needed, 1);
  EXPECT_EQ(run_with(needed).status, Outcome::Status::Done);
  const Outcome less = run_with(needed - 1);
  EXPECT_EQ(less.status, Outcome::Status::Failed);
  EXPECT_EQ(less.statistics.steps, needed - 1);
  EXPECT_LT(less.t, 1);
}

TEST_P(Integrator, KeepsTheLargestStep) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  if (!info().has_adaptive_step) GTEST_SKIP();
  IntegrateOptions small = options();
  small.max_step = 1e-2;
  integrate(system.problem, GetParam(), {0, system.y}, 1, small, [](const Step& step) {
    EXPECT_LE(step.t1 - step.t0, 1e-2 * (1 + 1e-12));
    return true;
  });
}

// ẏ = y², y(0) = 1 has the pole t = 1.
TEST_P(Integrator, FailsAtAPoleWithFiniteValues) {
  Analytic system{
      problems::make_ode("pole", 1,
                         [](Expr, const std::vector<Expr>& y) { return std::vector{y[0] * y[0]}; }),
      2,
      {1},
      {}};
  SKIP_UNLESS_TAKES(system);
  if (!info().has_adaptive_step) GTEST_SKIP() << "fixed steps jump over a pole";
  if (GetParam() == "implicit-euler") GTEST_SKIP() << "passes the pole on another branch";
  const Outcome outcome = run(system);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_NEAR(outcome.t, 1, 0.01);
  EXPECT_FALSE(outcome.text.empty());
  EXPECT_TRUE(std::isfinite(outcome.y[0]));
}

// √(1 − t) has no value beyond t = 1.
TEST_P(Integrator, NeverReturnsWhatIsNotANumber) {
  Analytic system{problems::make_ode("root", 1,
                                     [](Expr t, const std::vector<Expr>& y) {
                                       return std::vector{-y[0] + sqrt(1 - t)};
                                     }),
                  2,
                  {1},
                  {}};
  SKIP_UNLESS_TAKES(system);
  const Outcome outcome = run(system, [&](const Step& step) {
    double y = 0;
    step.evaluate((step.t0 + step.t1) / 2, {&y, 1});
    EXPECT_TRUE(std::isfinite(y));
    return true;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_LE(outcome.t, 1);
  EXPECT_GT(outcome.t, 0.9);
  EXPECT_TRUE(std::isfinite(outcome.y[0]));
}

TEST_P(Integrator, FailsAtOnceWhereNothingCanBeEvaluated) {
  Analytic system{problems::make_ode("nowhere", 1,
                                     [](Expr t, const std::vector<Expr>& y) {
                                       return std::vector{y[0] * sqrt(-1 - t)};
                                     }),
                  1,
                  {1},
                  {}};
  SKIP_UNLESS_TAKES(system);
  const Outcome outcome = run(system);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.t, 0);
  EXPECT_EQ(outcome.y, system.y);
}

TEST_P(Integrator, FollowsThePendulumInEveryFormulationItTakes) {
  bool any = false;
  for (const char* formulation : {"index1", "index2", "index3", "ggl"}) {
    const Analytic system = problems::pendulum(formulation);
    if (!takes(system)) continue;
    any = true;
    const Outcome outcome = run(system);
    EXPECT_EQ(outcome.status, Outcome::Status::Done) << formulation << ": " << outcome.text;
    EXPECT_LT(distance(outcome.y, system.exact(system.end), 0, 2), 0.05) << formulation;
  }
  if (!any) GTEST_SKIP();
}

TEST_P(Integrator, StartsAgainFromWhereItStopped) {
  const Analytic system = problems::harmonic_oscillator();
  SKIP_UNLESS_TAKES(system);
  const Outcome half = integrate(system.problem, GetParam(), {0, system.y}, 5, options());
  const Outcome whole = integrate(system.problem, GetParam(), {half.t, half.y}, 10, options());
  EXPECT_LT(distance(whole.y, system.exact(10)), 0.1);
  const Outcome nothing = integrate(system.problem, GetParam(), {10, whole.y}, 10, options());
  EXPECT_EQ(nothing.status, Outcome::Status::Done);
  EXPECT_EQ(nothing.y, whole.y);
}

}  // namespace
}  // namespace koppel::testing
