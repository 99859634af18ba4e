// The exact text of refusals.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <problems/pendulum.hpp>
#include <tests/integrate/runs.hpp>

#include "tests/error_of.hpp"

namespace koppel::testing {
namespace {

TEST(IntegrateErrors, AnUnknownNameIsRefusedWithASuggestion) {
  EXPECT_EQ(
      error_of([] { find_integrator("radua5"); }),
      "error[integrate.unknown-integrator]: there is no integrator 'radua5'\n"
      "  integrators: taylor, radau5, ida, cvode, dop853, rk4, implicit-euler, midpoint, "
      "generalized-alpha, energy-momentum, variational, bdf2, bdf3, bdf4, bdf5, explicit-euler, "
      "linear-implicit, rosenbrock, rattle. Did you mean 'radau5'?");
}

TEST(IntegrateErrors, AWrongPairIsExplained) {
  const Problem index3 = problems::pendulum("index3").problem;
  EXPECT_EQ(*why_not(find_integrator("rk4"), index3),
            "integrator 'rk4' needs a right-hand side; formulation 'index3' gives none");
  EXPECT_EQ(*why_not(find_integrator("ida"), index3),
            "integrator 'ida' solves problems up to index 2; formulation 'index3' has 3");
  EXPECT_EQ(*why_not(find_integrator("taylor"), index3),
            "integrator 'taylor' needs a series; formulation 'index3' gives none");
  EXPECT_FALSE(why_not(find_integrator("radau5"), index3));
  Problem rhs_only = problems::harmonic_oscillator().problem;
  rhs_only.residual = {};
  EXPECT_EQ(*why_not(find_integrator("radau5"), rhs_only),
            "integrator 'radau5' needs a residual; formulation 'ode' gives none");
}

TEST(IntegrateErrors, AVariantThatThereIsNotIsRefused) {
  EXPECT_EQ(
      error_of([] { find_integrator("generalized-alpha:2"); }),
      "error[integrate.unknown-variant]: integrator 'generalized-alpha' has no variant '2'.\n"
      "  Behind the colon stands the spectral radius at infinite frequency, from 0 to 1, as in "
      "generalized-alpha:0.5; null-space.");
  EXPECT_EQ(error_of([] { find_integrator("variational:simpson"); }),
            "error[integrate.unknown-variant]: integrator 'variational' has no variant 'simpson'.\n"
            "  Behind the colon stands the discrete Lagrangian: variational:midpoint or "
            "variational:trapezoidal; null-space.");
  EXPECT_EQ(error_of([] { find_integrator("rk4:x"); }),
            "error[integrate.unknown-variant]: integrator 'rk4' has no variant 'x'.\n"
            "  It has none.");
  EXPECT_EQ(find_integrator("generalized-alpha:0.5+null-space").name, "generalized-alpha");
}

TEST(IntegrateErrors, OptionsThatMakeNoSenseAreRefused) {
  const auto validate = [](const IntegrateOptions& options) {
    return error_of([&] { options.validate(); });
  };
  EXPECT_EQ(validate({.tolerance = -1}),
            "error[integrate.bad-option]: the tolerance is -1\n  it lies between 0 and 1");
  EXPECT_EQ(validate({.step = 0.0}),
            "error[integrate.bad-option]: the step is 0\n  it must be positive");
  EXPECT_EQ(validate({.max_step = std::nan("")}),
            "error[integrate.bad-option]: the largest step is nan\n  it must be positive, or 0 for "
            "no limit");
}

TEST(IntegrateErrors, StepsAndStartsThatDoNotFitAreRefused) {
  const problems::Analytic system = problems::harmonic_oscillator();
  const auto attempt = [&](std::string_view integrator, const Start& start, double end,
                           const IntegrateOptions& options) {
    return error_of([&] { integrate(system.problem, integrator, start, end, options); });
  };
  EXPECT_EQ(attempt("rk4", {0, {1, 0}}, 1, {}),
            "error[integrate.no-step]: integrator 'rk4' does not choose its steps\n  give a step");
  EXPECT_EQ(attempt("ida", {0, {1, 0}}, 1, {.step = 0.1}),
            "error[integrate.no-fixed-step]: integrator 'ida' chooses its steps itself\n"
            "  give a tolerance instead of a step");
  EXPECT_EQ(attempt("dop853", {0, {1}}, 1, {}),
            "error[integrate.bad-start]: 1 starting values for 2 unknowns");
  EXPECT_EQ(attempt("dop853", {0, {1, std::nan("")}}, 1, {}),
            "error[integrate.bad-start]: the starting value of 'y[1]' is nan");
  EXPECT_EQ(attempt("dop853", {2, {1, 0}}, 1, {}),
            "error[integrate.bad-option]: the end time is 1\n"
            "  it must be finite and not before the start, 2");
}

TEST(IntegrateErrors, ASingularMatrixIsSaidToBeOne) {
  problems::Analytic system = problems::pendulum("index1");
  system.y = {0, 0, 0, 0, 0};  // at the pivot the constraint has no gradient
  const Outcome outcome = integrate(system.problem, "dop853", {0, system.y}, 1);
  EXPECT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_TRUE(outcome.is_singular);
  EXPECT_EQ(outcome.text,
            "the equations cannot be solved for the rates: their matrix is singular, or a value is "
            "not finite");
}

// What was said is printed as it was said; what follows from it is not.
TEST(IntegratorValue, IsReadOnceAndPrintsItself) {
  for (const char* text : {"taylor", "generalized-alpha:0.5+null-space", "variational:trapezoidal",
                           "linear-implicit:J2:velocities-first:stiff=tyre/v,axle",
                           "linear-implicit:exact", "rosenbrock:stiff=auto", "fixed-cost", ""}) {
    EXPECT_EQ(Integrator(text).text(), text);
    EXPECT_EQ(Integrator(text), Integrator(Integrator(text).text()));
  }
  EXPECT_TRUE(Integrator("auto").is_open());
  EXPECT_EQ(Integrator("linear-implicit:velocities-first+J2"),
            Integrator("linear-implicit:J2:velocities-first"));
  const FixedCostOptions options = Integrator("explicit-euler").fixed_cost(Projection::None);
  EXPECT_EQ(options.jacobian, FixedCostOptions::Jacobian::None);
  EXPECT_FALSE(options.projects);
}

}  // namespace
}  // namespace koppel::testing
