// The W-method of order 2 with steps of fixed cost: order for any Jacobian, constraints, stability.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/error_of.hpp"
#include "tests/integrate/fixed_cost_runs.hpp"

namespace koppel {
namespace {

using testing::Errors;
using testing::order;
using testing::prepare;
using testing::Ready;
using testing::run;

struct Case {
  const char *model, *coordinates;
  double h, end;
};
// The car axle before its fast motion has turned round often, the track while it speeds up.
constexpr Case kCases[] = {{"car_axle", "", 5e-4, 0.2},
                           {"circular_track", "", 2e-2, 4},
                           {"slider_crank", "natural", 1e-3, 0.5},
                           {"slider_crank", "absolute", 1e-3, 0.5},
                           {"heavy_top", "absolute", 2e-5, 0.02}};

TEST(Rosenbrock, HasOrderTwoInPositionsAndVelocities) {
  for (const Case& c : kCases) {
    const Ready ready = prepare(c.model, c.coordinates);
    const Errors coarse = run(ready, "rosenbrock", c.h, c.end),
                 fine = run(ready, "rosenbrock", c.h / 2, c.end);
    EXPECT_NEAR(order(coarse.q, fine.q), 2, 0.15) << c.model << ' ' << c.coordinates;
    EXPECT_NEAR(order(coarse.v, fine.v), 2, 0.15) << c.model << ' ' << c.coordinates;
  }
}

// A W-method: with any Jacobian, here none at all and that of half of the forces.
TEST(Rosenbrock, HasOrderTwoWithAnyJacobian) {
  for (const char* stiff : {"none", "potential/q"}) {
    const Ready ready = prepare("car_axle");
    const std::string integrator = std::string("rosenbrock:stiff=") + stiff;
    const Errors coarse = run(ready, integrator, 2e-4, 0.1),
                 fine = run(ready, integrator, 1e-4, 0.1);
    EXPECT_NEAR(order(coarse.q, fine.q), 2, 0.15) << stiff;
    EXPECT_NEAR(order(coarse.v, fine.v), 2, 0.15) << stiff;
  }
}

TEST(Rosenbrock, HoldsConstraintsToOrderFiveAndVelocitiesExactly) {
  const Ready ready = prepare("car_axle");
  const Errors coarse = run(ready, "rosenbrock", 4e-3, 1), fine = run(ready, "rosenbrock", 2e-3, 1);
  EXPECT_NEAR(order(coarse.position, fine.position), 5, 0.5);
  EXPECT_LT(coarse.velocity, 1e-13);  // rounding of terms of the size 1
}

TEST(Rosenbrock, BaumgartesTermsDoNotDisturbTheOrder) {
  const Ready ready = prepare("circular_track", "", "baumgarte");
  const Errors coarse = run(ready, "rosenbrock", 2e-2, 2), fine = run(ready, "rosenbrock", 1e-2, 2);
  EXPECT_NEAR(order(coarse.q, fine.q), 2, 0.2);
}

// q″ = −a q − b q′ and far beyond all limits of explicit steps.
TEST(Rosenbrock, IsStableForStiffMotions) {
  for (const double a : {1e2, 1e6, 1e10}) {
    for (const double b : {0.0, 1.0, 1e5}) {
      const Model model = read_model_text(
          "name: test\ncoordinates: {q: {start: 1}}\nkinetic: q'^2/2\n"
          "generalized_forces: {q: -a*q - b*q'}\nparameters: {a: " +
              std::to_string(a) + ", b: " + std::to_string(b) + "}\noutputs: {q: q}\n",
          "test.yaml");
      const Ready ready = prepare(model, "", "minimal");
      const Outcome end = integrate(ready.problem, "rosenbrock", ready.start, 20, {.step = 0.01});
      EXPECT_LT(std::abs(end.y[0]), 1.5) << a << ' ' << b;
    }
  }
}

TEST(Rosenbrock, NeedsConstraintsByAccelerations) {
  const Ready ready = prepare("car_axle", "", "ggl");
  EXPECT_EQ(why_not(find_integrator("rosenbrock"), ready.problem),
            "integrator 'rosenbrock' needs constraints that are stated by accelerations; "
            "formulation 'ggl' states velocities");
  EXPECT_EQ(testing::error_of([&] { find_integrator("rosenbrock:J1"); }),
            "error[integrate.unknown-variant]: 'J1' is no variant of rosenbrock\n"
            "  It has stiff=NAMES only.");
}

}  // namespace
}  // namespace koppel
