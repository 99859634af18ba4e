// Implicit integrators: coordinates in which they take long steps, and round-off in index 3.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

Model model_of(const char* name) { return read_model(std::string(KOPPEL_MODELS) + name + ".yaml"); }

Simulation run(const Model& model, const char* coordinates, const char* formulation,
               double tolerance, double end) {
  SimulateOptions options = options_of(model);
  options.coordinates = coordinates;
  options.formulation = formulation;
  options.integrator = "radau5";
  options.tolerance = tolerance;
  options.end = end;
  options.sampling.count = 11;
  return simulate(model, options);
}

TEST(Implicit, StepsFollowTheMotionNotTheDirectionsOfWheels) {
  const Model model = model_of("vehicle_trailer");
  const Simulation chosen = run(model, "", "", 1e-6, 1);
  ASSERT_EQ(chosen.status, Outcome::Status::Done) << chosen.text;
  EXPECT_EQ(chosen.choice.coordinates, "joint");
  const Simulation natural = run(model, "natural", "ggl", 1e-6, 1);
  ASSERT_EQ(natural.status, Outcome::Status::Done) << natural.text;
  EXPECT_LT(5 * chosen.summary.steps, natural.summary.steps);
  EXPECT_NEAR(chosen.trajectory["y"].back(), natural.trajectory["y"].back(), 1e-5);
}

// Found to be stiff, a mechanism with a loop is simulated in joint coordinates as well.
TEST(Implicit, JointCoordinatesAreChosenForStiffLoops) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, shape: {rod: {to: [0, 1]}}}
  b: {mass: 1, position: [0, 1], shape: {rod: {to: [2, 0.5]}}}
  c: {mass: 1, position: [2, 0], shape: {rod: {to: [0, 1.5]}}}
  d: {mass: 1, position: [2, 1.5], shape: {rod: {to: [0.5, 0]}}}
joints:
  j1: {type: revolute, between: [ground, a], at: [0, 0]}
  j2: {type: revolute, between: [a, b], at: [0, 1]}
  j3: {type: revolute, between: [b, c], at: [2, 1.5]}
  j4: {type: revolute, between: [ground, c], at: [2, 0]}
  j5: {type: revolute, between: [c, d], at: [2, 1.5]}
forces:
  brake: {type: effort, on: j5.angle, effort: "-1e5*j5.angle'"}
)",
                                      "loop.yaml");
  const Prepared prepared = prepare(model, options_of(model));
  EXPECT_EQ(prepared.choice.coordinates, "joint");
  EXPECT_EQ(prepared.choice.formulation, "index1");
  EXPECT_EQ(prepared.choice.integrator, "radau5");
}

// Multipliers of index 3 are uncertain by m ε/h², which is no reason to give up.
TEST(Implicit, IndexThreeOfAHeavySuspensionIsNotStoppedByRoundOff) {
  const Model model = model_of("five_link");
  const Simulation reference = run(model, "joint", "ggl", 1e-10, 0.5);
  ASSERT_EQ(reference.status, Outcome::Status::Done) << reference.text;
  for (const double tolerance : {1e-8, 1e-10}) {
    const Simulation s = run(model, "joint", "index3", tolerance, 0.5);
    ASSERT_EQ(s.status, Outcome::Status::Done) << tolerance << ": " << s.text;
    for (const auto& [name, value] : reference.summary.final) {
      for (const auto& [other, found] : s.summary.final) {
        if (other == name) {
          EXPECT_NEAR(found, value, 1e3 * tolerance * (1 + std::abs(value))) << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace koppel
