// What every integrator keeps to, on every form of a problem that it takes. One joins by being in
// integrators().
#include <numbers>

#include <gtest/gtest.h>

#include <tests/integrate/contract_problems.hpp>
#include <tests/integrate/runs.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

using problems::Analytic;
using Form = IntegratorInfo::Form;

struct Case {
  const IntegratorInfo* info;
  ContractForm form;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.info->name << (c.form == ContractForm::Motion ? ", motion" : ", rates");
}

// All pairs of an integrator and a form that it takes, of those integrators that are meant.
using Meant = bool (*)(const IntegratorInfo&);
std::vector<Case> cases(Meant is_meant, std::initializer_list<ContractForm> forms) {
  std::vector<Case> out;
  for (const IntegratorInfo& info : integrators()) {
    for (const ContractForm form : forms) {
      const bool takes = form == ContractForm::Motion || info.form == Form::RightHandSide ||
                         info.form == Form::Residual;
      if (takes && is_meant(info)) out.push_back({&info, form});
    }
  }
  return out;
}
std::vector<Case> cases(Meant is_meant) {
  return cases(is_meant, {ContractForm::Rates, ContractForm::Motion});
}

std::string name_of(const ::testing::TestParamInfo<Case>& suite) {
  std::string name(suite.param.info->name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (suite.param.form == ContractForm::Motion ? "_motion" : "_rates");
}

class IntegratorSuite : public ::testing::TestWithParam<Case> {
 protected:
  const IntegratorInfo& info() const { return *GetParam().info; }
  ContractForm form() const { return GetParam().form; }
  IntegrateOptions options(double step = 0.01) const {
    IntegrateOptions options{.tolerance = 1e-5};
    if (!info().has_adaptive_step) options.step = step;
    return options;
  }
  Outcome run(const Analytic& system, double end, const IntegrateOptions& with,
              const Observer& observer = {}) const {
    return integrate(system.problem, info().name, {0, system.y}, end, with, observer);
  }
  Outcome run(const Analytic& system, const Observer& observer = {}) const {
    return run(system, system.end, options(), observer);
  }
};

// Every integrator, and those of which a property can be asked.
bool is_any(const IntegratorInfo&) { return true; }
bool is_adaptive(const IntegratorInfo& i) { return i.has_adaptive_step; }
bool has_fixed_step(const IntegratorInfo& i) { return i.has_fixed_step; }
// Fixed steps jump over a pole, and backward Euler passes it on another branch.
bool notices_poles(const IntegratorInfo& i) {
  return i.has_adaptive_step && i.name != "implicit-euler";
}
// Steps of fixed cost keep to the clock; all others step to breakpoints.
bool is_fixed_cost(const IntegratorInfo& i) { return i.form == Form::FixedCost; }
bool meets_breakpoints(const IntegratorInfo& i) { return !is_fixed_cost(i); }

#define KOPPEL_CONTRACT(suite, ...)        \
  class suite : public IntegratorSuite {}; \
  INSTANTIATE_TEST_SUITE_P(All, suite, ::testing::ValuesIn(cases(__VA_ARGS__)), name_of)

KOPPEL_CONTRACT(Integrator, is_any);
KOPPEL_CONTRACT(AdaptiveIntegrator, is_adaptive);
KOPPEL_CONTRACT(FixedStepIntegrator, has_fixed_step);
KOPPEL_CONTRACT(IntegratorAtAPole, notices_poles);
KOPPEL_CONTRACT(IntegratorWithBreakpoints, meets_breakpoints);
KOPPEL_CONTRACT(FixedCostIntegrator, is_fixed_cost);
// Event functions belong to motions.
KOPPEL_CONTRACT(IntegratorWithEvents, is_any, {ContractForm::Motion});

TEST_P(Integrator, ReachesTheEndExactly) {
  const Analytic system = contract_oscillator(form());
  const Outcome outcome = run(system);
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
  EXPECT_EQ(outcome.t, system.end);
  EXPECT_TRUE(outcome.text.empty());
  EXPECT_LT(distance(outcome.y, system.exact(system.end)), 0.1);
}

// The steps of a run as an observer sees them: one begins where the last one ended, with its
// values.
class StepsSeen {
 public:
  explicit StepsSeen(const Analytic& system) : before_(system.y), y_(system.y.size()) {}
  bool operator()(const Step& step) {
    EXPECT_EQ(step.t0, reached);
    EXPECT_LT(step.t0, step.t1);
    step.evaluate(step.t0, y_);
    EXPECT_LT(distance(y_, before_), 1e-13);
    step.evaluate(step.t1, before_);
    reached = step.t1;
    ++count;
    return true;
  }
  void expect_end(const Outcome& outcome, double end) const {
    EXPECT_EQ(outcome.t, end);
    EXPECT_EQ(reached, end);
    EXPECT_EQ(outcome.statistics.steps, count);
    EXPECT_LT(distance(before_, outcome.y), 1e-15);
  }
  double reached = 0;
  long count = 0;

 private:
  std::vector<double> before_, y_;
};

TEST_P(Integrator, ShowsStepsWithoutGapsEvenAroundBreakpoints) {
  const Analytic system = contract_jump(form());
  StepsSeen seen(system);
  const Outcome outcome = run(system, std::ref(seen));
  seen.expect_end(outcome, system.end);
  EXPECT_LT(distance(outcome.y, system.exact(system.end)), 0.02);
}

TEST_P(IntegratorWithBreakpoints, EndsAStepAtEach) {
  const Analytic system = contract_jump(form());
  bool met_the_break = false;
  const Outcome outcome = run(system, system.end, options(0.07), [&](const Step& step) {
    met_the_break = met_the_break || step.t1 == 1;
    EXPECT_FALSE(step.t0 < 1 && step.t1 > 1);
    return true;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
  EXPECT_TRUE(met_the_break);
}

TEST_P(FixedCostIntegrator, KeepsToTheClockAtBreakpoints) {
  const Analytic system = contract_jump(form());
  constexpr double h = 2.0 / 29;  // 1 is in the middle of a step
  long k = 0;
  const Outcome outcome = run(system, system.end, options(h), [&](const Step& step) {
    EXPECT_TRUE(near(step.t1, static_cast<double>(++k) * h,
                     {.relative = 1e-15, .because = "one product and one sum"}));
    return true;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
  EXPECT_EQ(k, 29);
}

TEST_P(Integrator, StopsWhenTheObserverSaysSo) {
  const Analytic system = contract_oscillator(form());
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
  const Analytic system = contract_oscillator(form());
  IntegrateOptions few = options();
  few.max_steps = 3;
  const Outcome outcome = run(system, 1e4, few);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.text, "the limit of 3 steps is reached");
  EXPECT_EQ(outcome.statistics.steps, 3);
}

// The limit is what may be taken: a run that ends with its last step is done.
TEST_P(Integrator, MayTakeAllStepsOfTheLimit) {
  const Analytic system = contract_oscillator(form());
  constexpr double kEnd = 4;  // long enough for series to take more than one step
  const auto run_with = [&](long limit) {
    IntegrateOptions few = options();
    few.max_steps = limit;
    return run(system, kEnd, few);
  };
  const long needed = run_with(1'000'000).statistics.steps;
  ASSERT_GT(needed, 1);
  EXPECT_EQ(run_with(needed).status, Outcome::Status::Done);
  const Outcome less = run_with(needed - 1);
  EXPECT_EQ(less.status, Outcome::Status::Failed);
  EXPECT_EQ(less.statistics.steps, needed - 1);
  EXPECT_LT(less.t, kEnd);
}

TEST_P(Integrator, CountsItsWork) {
  const Outcome outcome = run(contract_oscillator(form()));
  const Statistics& s = outcome.statistics;
  EXPECT_GT(s.steps, 1);
  EXPECT_GE(s.evaluations, s.steps);
  EXPECT_GE(s.order, 1);
  if (!info().has_adaptive_step) {
    EXPECT_EQ(s.rejected, 0);
  }
}

TEST_P(AdaptiveIntegrator, KeepsTheLargestStep) {
  IntegrateOptions small = options();
  small.max_step = 1e-2;
  const Outcome outcome = run(contract_oscillator(form()), 1, small, [](const Step& step) {
    EXPECT_LE(step.t1 - step.t0, 1e-2 * (1 + 1e-12));
    return true;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Done);
}

TEST_P(AdaptiveIntegrator, IsMoreAccurateWithASmallerTolerance) {
  const Analytic system = contract_oscillator(form());
  const auto error = [&](double tolerance) {
    return distance(run(system, 2, {.tolerance = tolerance}).y, system.exact(2));
  };
  // Backward Euler has the root of the tolerance, all others nearly the tolerance itself.
  EXPECT_LT(error(1e-7), error(1e-3) / 50);
}

// Halving the step divides the error by 2^p, at nodes for the order that the statistics state and
// between them for that of dense output, from the first step on whose error is small; or leaves it
// at round-off.
TEST_P(FixedStepIntegrator, HasItsOrderAtNodesAndBetweenThem) {
  Analytic system = contract_oscillator(form());
  system.end = 4;
  int order_between = 0;
  const auto run_with = [&](double h) {
    const IntegrateOptions options{.tolerance = 1e-12, .step = h};
    run(system, system.end, options, [&](const Step& step) {
      order_between = step.order();
      return true;
    });
    return koppel::testing::run(system, info().name, options);
  };
  double h = 0.5;
  Errors coarse = run_with(h);
  while (largest(coarse.at_end) > 1e-3 || largest(coarse.within) > 1e-3) {
    ASSERT_GT(h, 1e-4);
    coarse = run_with(h /= 2);
  }
  const Errors fine = run_with(h / 2);
  constexpr double kRoundOff = 1e-12, kMargin = 0.34;
  const auto expect_order = [&](int stated, const std::vector<double>& a,
                                const std::vector<double>& b) {
    if (largest(b) < kRoundOff) return;
    EXPECT_GT(order(largest(a), largest(b)), stated - kMargin) << "h = " << h;
  };
  expect_order(fine.outcome.statistics.order, coarse.at_end, fine.at_end);
  expect_order(std::min(order_between, fine.outcome.statistics.order), coarse.within, fine.within);
}

// From q = 1 at rest, q passes zero at π/2; with π/2 after it, the state is that of the time.
TEST_P(IntegratorWithEvents, EndsWithTheEventThatHappens) {
  const Analytic system =
      motion("-q", 1, 0, 5, "events: {middle: {when: q}, other: {when: q - 2}}\n");
  double last = 0;
  const Outcome outcome = run(system, system.end, options(1e-3), [&](const Step& step) {
    last = step.t1;
    return true;
  });
  ASSERT_EQ(outcome.status, Outcome::Status::Event);
  EXPECT_EQ(outcome.event, 0);
  EXPECT_EQ(outcome.sides, (std::vector{-2, -1}));
  EXPECT_EQ(last, outcome.t);
  EXPECT_NEAR(outcome.t, std::numbers::pi / 2, 5e-3);
  EXPECT_LT(distance(outcome.y, std::vector<double>{0, -1}), 5e-3);
}

// 1/(1 − t) has the pole t = 1.
TEST_P(IntegratorAtAPole, FailsWithFiniteValues) {
  const Outcome outcome = run(contract_pole(form()));
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_NEAR(outcome.t, 1, 0.01);
  EXPECT_FALSE(outcome.text.empty());
  for (const double y : outcome.y) EXPECT_TRUE(std::isfinite(y));
}

// Explicit steps that evaluate where they begin may end just beyond what is defined.
TEST_P(Integrator, NeverReturnsWhatIsNotANumber) {
  const Analytic system = contract_root(form());
  std::vector<double> y(system.y.size());
  const Outcome outcome = run(system, [&](const Step& step) {
    step.evaluate((step.t0 + step.t1) / 2, y);
    for (const double value : y) EXPECT_TRUE(std::isfinite(value));
    return true;
  });
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_LE(outcome.t, info().form == Form::FixedCost ? 1.01 : 1);
  EXPECT_GT(outcome.t, 0.9);
  for (const double value : outcome.y) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(Integrator, FailsAtOnceWhereNothingCanBeEvaluated) {
  const Analytic system = contract_nowhere(form());
  const Outcome outcome = run(system);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_FALSE(outcome.text.empty());
  EXPECT_EQ(outcome.t, 0);
  EXPECT_EQ(outcome.y, system.y);
}

TEST_P(Integrator, FollowsThePendulumInEveryFormulationItTakes) {
  bool any = false;
  for (const Analytic& system : contract_pendulums(form())) {
    if (why_not(info(), system.problem)) continue;
    any = true;
    const Outcome outcome = run(system, system.end, options(2e-3));
    const std::string& formulation = system.problem.formulation;
    EXPECT_EQ(outcome.status, Outcome::Status::Done) << formulation << ": " << outcome.text;
    EXPECT_LT(distance(outcome.y, system.exact(system.end), 0, 2), 0.05) << formulation;
  }
  EXPECT_TRUE(any);
}

TEST_P(Integrator, StartsAgainFromWhereItStopped) {
  const Analytic system = contract_oscillator(form());
  const auto go = [&](const Start& from, double end) {
    return integrate(system.problem, info().name, from, end, options());
  };
  const Outcome half = go({0, system.y}, 5), whole = go({half.t, half.y}, 10);
  EXPECT_LT(distance(whole.y, system.exact(10)), 0.1);
  const Outcome nothing = go({10, whole.y}, 10);
  EXPECT_EQ(nothing.status, Outcome::Status::Done);
  EXPECT_EQ(nothing.y, whole.y);
}

}  // namespace
}  // namespace koppel::testing
