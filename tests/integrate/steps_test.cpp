// Integrators by equations of a step, on the pendulum in Cartesian coordinates, whose motion is
// known with its multiplier.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <problems/pendulum.hpp>
#include <tests/integrate/runs.hpp>

namespace koppel::testing {
namespace {

// The same as problems::pendulum, by formulations.
problems::Analytic formulated_pendulum(const std::string& formulation) {
  const Model model = read_model_text(R"(
name: pendulum
coordinates:
  x: {start: sin(1.2), rate: 0}
  y: {start: -cos(1.2), rate: 0}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {rod: (x^2 + y^2 - 1)/2}
)",
                                      "pendulum.yaml");
  const Equations e = derive(model);
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const Problem problem = formulate(e, formulation, start);
  const auto exact = [size = problem.size()](double t) {
    std::vector<double> y = problems::pendulum_solution(t);
    y.resize(static_cast<std::size_t>(size), 0.0);  // η = 0
    return y;
  };
  return {problem, 2, start_values(problem, evaluator, start), exact};
}

struct Case {
  const char *integrator, *formulation;
};
class StepsOf : public ::testing::TestWithParam<Case> {
 protected:
  problems::Analytic system() const { return formulated_pendulum(GetParam().formulation); }
};
INSTANTIATE_TEST_SUITE_P(
    Rules, StepsOf,
    ::testing::Values(Case{"generalized-alpha", "index3"}, Case{"generalized-alpha:0.5", "ggl"},
                      Case{"generalized-alpha", "index2"}, Case{"generalized-alpha", "index1"},
                      Case{"energy-momentum", "index3"}, Case{"variational", "index3"},
                      Case{"variational:trapezoidal", "index3"}, Case{"midpoint", "index3"},
                      Case{"midpoint", "ggl"}));

// Positions, velocities and the multiplier, at nodes and between them.
TEST_P(StepsOf, HaveOrderTwoInAllVariables) {
  const auto at = [&](double h) { return run(system(), GetParam().integrator, {.step = h}); };
  const Errors coarse = at(0.01), fine = at(0.005);
  ASSERT_EQ(coarse.outcome.status, Outcome::Status::Done) << coarse.outcome.text;
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 2}, {2, 2}, {4, 1}}) {
    for (const auto where : {&Errors::at_end, &Errors::within}) {
      const double measured =
          order(largest(coarse.*where, first, count), largest(fine.*where, first, count));
      EXPECT_GT(measured, 1.7) << first;
      EXPECT_LT(measured, 2.4) << first;
    }
  }
}

TEST_P(StepsOf, ReachTheEndExactlyAndWithoutGaps) {
  const problems::Analytic pendulum = system();
  double reached = 0;
  std::vector<double> y(pendulum.y.size()), before = pendulum.y;
  const Outcome outcome = integrate(pendulum.problem, GetParam().integrator, {0, pendulum.y}, 1,
                                    {.step = 0.03}, [&](const Step& step) {
                                      EXPECT_EQ(step.t0, reached);
                                      step.evaluate(step.t0, y);
                                      for (std::size_t i = 0; i < y.size(); ++i)
                                        EXPECT_NEAR(y[i], before[i], 1e-12);
                                      step.evaluate(step.t1, before);
                                      reached = step.t1;
                                      return true;
                                    });
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
  EXPECT_EQ(outcome.t, 1);
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(outcome.statistics.steps, 34);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(outcome.y[i], before[i]);
}

TEST_P(StepsOf, StopWhenTheObserverSaysSo) {
  const problems::Analytic pendulum = system();
  const Outcome outcome = integrate(pendulum.problem, GetParam().integrator, {0, pendulum.y}, 1,
                                    {.step = 0.01}, [](const Step& step) { return step.t1 < 0.5; });
  EXPECT_EQ(outcome.status, Outcome::Status::Stopped);
  EXPECT_NEAR(outcome.t, 0.5, 0.011);
  EXPECT_LT(distance(outcome.y, pendulum.exact(outcome.t), 0, 4), 0.01);
}

TEST(Steps, AreRefusedWhereTheyMakeNoSense) {
  const Problem index1 = formulated_pendulum("index1").problem;
  EXPECT_EQ(*why_not(find_integrator("energy-momentum"), index1),
            "integrator 'energy-momentum' needs the constraints as they are; formulation 'index1' "
            "has others");
  const Problem qr = formulated_pendulum("qr").problem;
  EXPECT_EQ(*why_not(find_integrator("generalized-alpha"), qr),
            "integrator 'generalized-alpha' needs a residual in positions and velocities; "
            "formulation 'qr' has none");
  const Equations top = derive(read_model(KOPPEL_MODELS "heavy_top.yaml"), "absolute");
  const Problem absolute = formulate(top, "index3", start_of(top));
  EXPECT_EQ(*why_not(find_integrator("variational"), absolute),
            "integrator 'variational' needs velocities that are their rates, which some of the "
            "'absolute' coordinates have not; others, such as directors or natural ones, may");
  const Equations cardan = derive(read_model(KOPPEL_MODELS "heavy_top.yaml"), "cardan");
  const Problem angles = formulate(cardan, "index3", start_of(cardan));
  EXPECT_EQ(
      *why_not(find_integrator("energy-momentum"), angles),
      "integrator 'energy-momentum' needs rates that are linear in the coordinates, which some "
      "of the 'cardan' coordinates have not; others, such as absolute, directors or natural "
      "ones, may");
  const Equations disc = derive(read_model(KOPPEL_MODELS "rolling_disc.yaml"), "directors");
  const Problem rolling = formulate(disc, "index3", start_of(disc));
  EXPECT_EQ(*why_not(find_integrator("variational"), rolling),
            "integrator 'variational' needs constraints on positions only; 'rolling disc' has "
            "others");
  EXPECT_FALSE(why_not(find_integrator("energy-momentum"), rolling));
}

// With a constraint on velocities, energy stays: its forces have no power.
TEST(Steps, KeepTheEnergyOfARollingDisc) {
  const Equations e = derive(read_model(KOPPEL_MODELS "rolling_disc.yaml"), "absolute");
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const Problem problem = formulate(e, "index3", start);
  const VectorFunction energy(e, std::vector{e.kinetic + e.potential});
  const double at_start = energy(start)[0];
  std::vector<double> y(static_cast<std::size_t>(problem.size()));
  const Outcome outcome =
      integrate(problem, "energy-momentum", {0, start_values(problem, evaluator, start)}, 1,
                {.step = 0.01}, [&](const Step& step) {
                  step.evaluate(step.t1, y);
                  State state = start;
                  std::copy_n(y.begin(), state.q.size(), state.q.begin());
                  std::copy_n(y.begin() + problem.num_q, state.v.size(), state.v.begin());
                  EXPECT_NEAR(energy(state)[0] / at_start, 1, 1e-12);
                  return true;
                });
  EXPECT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
}

// 200 steps of 0.01 s: no more than the limit, and all of it.
TEST(FixedSteps, KeepTheLimitOfTheirNumber) {
  for (const IntegratorInfo& info : integrators()) {
    if (!info.has_fixed_step) continue;
    problems::Analytic system = formulated_pendulum("index3");
    for (const char* other : {"index2", "index1", "ggl"}) {
      if (why_not(info, system.problem)) system = formulated_pendulum(other);
    }
    ASSERT_FALSE(why_not(info, system.problem)) << info.name;
    const auto run_with = [&](long limit) {
      IntegrateOptions options{.step = 0.01};
      options.max_steps = limit;
      return integrate(system.problem, info.name, {0, system.y}, 2, options);
    };
    const Outcome all = run_with(200);
    EXPECT_EQ(all.status, Outcome::Status::Done) << info.name << ": " << all.text;
    EXPECT_EQ(all.statistics.steps, 200) << info.name;
    const Outcome few = run_with(7);
    EXPECT_EQ(few.status, Outcome::Status::Failed) << info.name;
    EXPECT_EQ(few.text, "the limit of 7 steps is reached") << info.name;
    EXPECT_EQ(few.statistics.steps, 7) << info.name;
    EXPECT_NEAR(few.t, 0.07, 1e-12) << info.name;
  }
}

}  // namespace
}  // namespace koppel::testing
