// Partially reduced forms: constraints that are stated in different ways give the same motion
// [Lipovac 2020, eq. (2.21)].
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

// A double pendulum in absolute coordinates whose pivot is led along a smooth course: joints, and a
// rheonomic constraint.
Model led() {
  return read_model_text(
      "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
      "  cart: {mass: 1, inertia: 0.1}\n"
      "  a: {mass: 1, inertia: 0.05, position: [0.5, 0], points: {o: [-0.5, 0], e: [0.5, 0]}}\n"
      "  b: {mass: 1, inertia: 0.05, position: [1, -0.5], points: {o: [0, 0.5]}}\n"
      "joints:\n  track: {type: prismatic, between: [ground, cart], axis: [1, 0]}\n"
      "  upper: {type: revolute, between: [cart, a.o]}\n"
      "  lower: {type: revolute, between: [a.e, b.o]}\n"
      "constraints: {lead: \"cart.x - 0.1*(1 - cos(2*t))\"}\n"
      "outputs: {x: b.x, y: b.y, s: cart.x}\nrun: {end: 1}\n",
      "led.yaml");
}

Simulation run(const char* formulation, const char* integrator, std::optional<double> step = {}) {
  const Model model = led();
  SimulateOptions options = options_of(model);
  options.coordinates = "absolute";
  options.formulation = formulation;
  options.integrator = integrator;
  options.tolerance = 1e-10;
  options.step = step;
  options.sampling.count = 101;
  return simulate(model, options);
}

double difference(const Simulation& a, const Simulation& b) {
  double largest = 0;
  for (const char* name : {"x", "y", "s"}) {
    for (std::size_t i = 0; i < a.trajectory.num_rows(); ++i) {
      largest = std::max(largest, std::abs(a.trajectory[name][i] - b.trajectory[name][i]));
    }
  }
  return largest;
}

TEST(PartiallyReduced, FormsHaveTheSameMotion) {
  const Simulation reference = run("index3", "taylor");
  ASSERT_EQ(reference.status, Outcome::Status::Done);
  for (const char* formulation :
       {"index1:lead=index3", "index1:lead=index2", "index2:lead=index3", "ggl:lead=index1",
        "index2:lower=ggl+lead=baumgarte", "baumgarte:upper=index1+lower=index1",
        "index1:upper.x=index2", "index3:upper=index1", "index3:upper=index2",
        "index3:lower=index1"}) {
    const Simulation s = run(formulation, "radau5");
    ASSERT_EQ(s.status, Outcome::Status::Done) << formulation << ' ' << s.text;
    EXPECT_EQ(s.summary.formulation, formulation);
    // The tolerance is 1e-10 a step; the pendulum multiplies errors by some ten in a second.
    EXPECT_LT(difference(s, reference), 1e-7) << formulation;
  }
}

// Multipliers of rows that are stated as accelerations are as uncertain as those of positions
// beside them; what judged them more strictly took six times the steps, and failed at tight
// tolerances.
TEST(PartiallyReduced, MixingCostsNoSteps) {
  const auto steps = [](const char* formulation) {
    const Simulation s = run(formulation, "radau5");
    EXPECT_EQ(s.status, Outcome::Status::Done) << formulation << ' ' << s.text;
    return static_cast<double>(s.summary.steps);
  };
  const double plain = steps("index3");
  EXPECT_LT(steps("index3:upper=index1"), 1.2 * plain);
  EXPECT_LT(steps("index1:lead=index3"), 1.2 * plain);
}

TEST(PartiallyReduced, AnExplicitIntegratorTakesAccelerationsOnly) {
  const Simulation reference = run("index3", "taylor");
  EXPECT_LT(difference(run("index1:lead=baumgarte", "dop853"), reference), 1e-7);
  EXPECT_THROW(run("index1:lead=index2", "dop853"), Error);
}

TEST(PartiallyReduced, FixedCostStepsHaveOneFormulation) {
  EXPECT_THROW(run("ggl:lead=index2", "linear-implicit", 1e-3), Error);
  EXPECT_THROW(run("ggl:lead=index2", "rattle", 1e-3), Error);
}

TEST(PartiallyReduced, MistakesAreTold) {
  const auto mistake = [](const char* formulation) -> std::string {
    try {
      run(formulation, "radau5");
    } catch (const Error& error) {
      return error.diagnostics()[0].message + ' ' + error.diagnostics()[0].hint;
    }
    return "";
  };
  EXPECT_EQ(mistake("index1:leed=index3"),
            "'led' has no constraint 'leed' in 'absolute' coordinates. Did you mean 'lead'? "
            "Constraints are of: track, upper, lower, lead.");
  EXPECT_EQ(
      mistake("index1:lead=qr"),
      "formulation 'qr' is of all constraints together; it has no part in a partially reduced "
      "form. Those of single constraints are index3, index2, index1, baumgarte, baumgarte2 "
      "and ggl.");
  EXPECT_EQ(mistake("index1:lead=index4").substr(0, 34), "there is no formulation 'index4'. ");
}

}  // namespace
}  // namespace koppel
