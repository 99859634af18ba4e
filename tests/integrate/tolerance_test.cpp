// What the tolerance promises, and starts without hints.
#include <gtest/gtest.h>

#include <problems/pendulum.hpp>
#include <tests/integrate/runs.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

using problems::Analytic;

double error_at(const Analytic& system, std::string_view integrator, double tolerance,
                std::size_t count) {
  const Errors errors = run(system, integrator, {.tolerance = tolerance});
  EXPECT_EQ(errors.outcome.status, Outcome::Status::Done) << errors.outcome.text;
  return largest(errors.at_end, 0, count);
}

struct Case {
  const char* integrator;
  const char* formulation;  // of the pendulum
  double power;             // error ~ tolerance^power
  double most;              // error over tolerance, at 1e-8
};
class ErrorOf : public ::testing::TestWithParam<Case> {};

// Over four decades the error falls as it should, within a factor of 30: step sizes are discrete
// choices, and errors of different steps may cancel.
TEST_P(ErrorOf, FollowsTheTolerance) {
  const Case& c = GetParam();
  const Analytic system = problems::pendulum(c.formulation);
  const double coarse = error_at(system, c.integrator, 1e-6, 4);
  const double middle = error_at(system, c.integrator, 1e-8, 4);
  const double fine = error_at(system, c.integrator, 1e-10, 4);
  EXPECT_LT(middle, c.most * 1e-8);
  const double power = std::log10(coarse / fine) / 4;
  EXPECT_NEAR(power, c.power, std::log10(30) / 4);
}
INSTANTIATE_TEST_SUITE_P(
    Pendulum, ErrorOf,
    ::testing::Values(Case{"dop853", "index1", 1, 10}, Case{"radau5", "index1", 5.0 / 6, 10},
                      Case{"radau5", "index2", 5.0 / 6, 10}, Case{"radau5", "ggl", 5.0 / 6, 10},
                      Case{"radau5", "index3", 5.0 / 6, 50}, Case{"ida", "index1", 1, 1000},
                      Case{"ida", "index2", 1, 1000}, Case{"ida", "ggl", 1, 1000},
                      Case{"cvode", "index1", 1, 1000}),
    [](const auto& suite) {
      return std::string(suite.param.integrator) + "_" + suite.param.formulation;
    });

TEST(ImplicitEulerError, FollowsTheRootOfTheTolerance) {
  const Analytic system = problems::pendulum("index3");
  const double coarse = error_at(system, "implicit-euler", 1e-4, 2);
  const double fine = error_at(system, "implicit-euler", 1e-6, 2);
  EXPECT_NEAR(coarse / fine, 10, 3);
}

TEST(Dop853Error, IsSmallOnTheArenstorfOrbit) {
  EXPECT_LT(error_at(problems::arenstorf(), "dop853", 1e-12, 4), 1e-8);
}

TEST(StiffProblems, TakeFewStepsAndAgree) {
  const Analytic system = problems::van_der_pol();
  const Outcome reference = run(system, "radau5", {.tolerance = 1e-11}).outcome;
  for (const char* integrator : {"radau5", "ida", "cvode"}) {
    const Outcome outcome = run(system, integrator, {.tolerance = 1e-6}).outcome;
    EXPECT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
    EXPECT_LT(outcome.statistics.steps, 3000) << integrator;
    EXPECT_LT(distance(outcome.y, reference.y), 1e-4) << integrator;
  }
}

TEST(SparseProblems, AreSolvedLikeSmallOnes) {
  const Analytic system = problems::spring_chain(60);
  for (const char* integrator : {"dop853", "radau5", "ida", "cvode", "implicit-euler"}) {
    const bool is_low = std::string_view(integrator) == "implicit-euler";
    const Errors errors = run(system, integrator, {.tolerance = is_low ? 1e-5 : 1e-7});
    EXPECT_EQ(errors.outcome.status, Outcome::Status::Done) << errors.outcome.text;
    EXPECT_LT(largest(errors.at_end), is_low ? 0.01 : 1e-4) << integrator;
  }
}

// λ of the start is a guess at first, and jumps at breakpoints.
TEST(Radau5, DoesNotDependOnMultipliersAtTheStart) {
  for (const char* formulation : {"index1", "index2", "index3", "ggl"}) {
    Analytic system = problems::pendulum(formulation);
    system.y[4] = -100;
    const Errors errors = run(system, "radau5", {.tolerance = 1e-8});
    EXPECT_EQ(errors.outcome.status, Outcome::Status::Done) << errors.outcome.text;
    EXPECT_LT(largest(errors.at_end, 0, 4), 1e-6) << formulation;
    EXPECT_LT(errors.outcome.statistics.steps, 400) << formulation;
  }
}

TEST(Projection, KeepsConstraintsToRoundOff) {
  for (const char* integrator : {"rk4", "dop853", "cvode", "radau5", "implicit-euler"}) {
    const Analytic system = problems::pendulum("index1");
    const std::optional<double> step =
        std::string_view(integrator) == "rk4" ? std::optional(0.01) : std::nullopt;
    const Outcome outcome = run(system, integrator, {.tolerance = 1e-4, .step = step}).outcome;
    ASSERT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
    auto work = system.problem.projector->make_workspace();
    const std::span<const double> y = outcome.y;
    const auto violation = system.problem.projector->violation(system.end, system.problem.q(y),
                                                               system.problem.v(y), work);
    EXPECT_LT(violation.position, 1e-13) << integrator;
    EXPECT_LT(violation.velocity, 1e-12) << integrator;
  }
}

// Multipliers are not states of a right-hand side, but they are in y, inside of steps as well.
TEST(Multipliers, FollowFromTheStateOfARightHandSide) {
  for (const char* integrator : {"dop853", "cvode"}) {
    const Errors errors = run(problems::pendulum("index1"), integrator, {.tolerance = 1e-10});
    EXPECT_LT(errors.at_end[4], 1e-6) << integrator;
    EXPECT_LT(errors.within[4], 1e-6) << integrator;
  }
}

// The oscillator in units in which a second, or the amplitude, is another number.
Analytic scaled_oscillator(double frequency, double amplitude) {
  Analytic system{problems::make_ode("scaled", 2,
                                     [=](Expr, const std::vector<Expr>& y) {
                                       return std::vector{frequency * y[1], -frequency * y[0]};
                                     }),
                  10 / frequency,
                  {amplitude, 0},
                  [=](double t) {
                    return std::vector{amplitude * std::cos(frequency * t),
                                       -amplitude * std::sin(frequency * t)};
                  }};
  return system;
}

TEST(StartingStep, IsSoundInAnyUnits) {
  for (const char* integrator : {"dop853", "radau5", "ida", "cvode"}) {
    for (const double frequency : {1e-6, 1.0, 1e6}) {
      for (const double amplitude : {1e-8, 1.0, 1e8}) {
        const Errors errors = run(scaled_oscillator(frequency, amplitude), integrator,
                                  {.tolerance = 1e-7, .absolute_scale = amplitude});
        EXPECT_EQ(errors.outcome.status, Outcome::Status::Done)
            << integrator << ' ' << frequency << ' ' << amplitude << ": " << errors.outcome.text;
        EXPECT_LT(largest(errors.at_end), 1e-3 * amplitude) << integrator;
        EXPECT_LT(errors.outcome.statistics.steps, 300) << integrator;
        EXPECT_LE(errors.outcome.statistics.rejected, 8) << integrator;
      }
    }
  }
}

TEST(StartingStep, DoesNotJumpOverWhatHappensAtOnce) {
  // A fast transient from a start far off the slow solution.
  Analytic system = problems::stiff_relaxation(1e5);
  system.y = {3};
  for (const char* integrator : {"dop853", "radau5", "ida", "cvode"}) {
    system.end = 2e-4;
    const Outcome outcome = run(system, integrator, {.tolerance = 1e-8}).outcome;
    ASSERT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
    // y = cos t + 2 exp(−1e5 t).
    EXPECT_NEAR(outcome.y[0], std::cos(2e-4) + 2 * std::exp(-20.0), 1e-6) << integrator;
  }
}

}  // namespace
}  // namespace koppel::testing
