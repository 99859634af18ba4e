// Columns of reactions against closed forms, from the model to the trajectory.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

Simulation run(const Model& model, const std::string& coordinates, ReactionAxes axes) {
  SimulateOptions options;
  options.end = 1;
  options.coordinates = coordinates;
  options.reactions = axes;
  options.sampling.count = 11;
  options.tolerance = 1e-10;
  Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return s;
}

// A rotor with products of inertia turns about z with 3 rad/s. In its own axes the torque on it is
// ω × J ω = ω² (−J_yz, J_xz, 0), and the force −m ω² c of a centre of mass at c; both turn with it.
// The bearing is on the ground: along its axes they go round.
TEST(ReactionColumns, OfAnUnbalancedRotorGoRoundInTheAxesOfItsBearing) {
  const Model model = read_model_text(R"(
bodies:
  rotor: {mass: 2, com: [0.1, 0.05, 0], inertia: [0.5, 0.6, 0.7, 0.02, 0.04, -0.03]}
joints: {bearing: {type: revolute, between: [ground, rotor], axis: [0, 0, 1]}}
initial: {"bearing.angle'": 3}
outputs: {angle: bearing.angle}
)",
                                      "rotor.yaml");
  // As in the file: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the centre of mass, as entries of the
  // matrix.
  const double omega2 = 9, m = 2, cx = 0.1, cy = 0.05, Jxz = 0.04, Jyz = -0.03;
  for (const char* set : {"absolute", "cardan", "directors"}) {
    for (const ReactionAxes axes : {ReactionAxes::World, ReactionAxes::Joint}) {
      SCOPED_TRACE(std::string(set) + (axes == ReactionAxes::Joint ? ", joint" : ", world"));
      const Simulation s = run(model, set, axes);
      for (const std::size_t row : {std::size_t{0}, std::size_t{4}, std::size_t{10}}) {
        const double phi = 3 * s.trajectory.time()[row], c = std::cos(phi), si = std::sin(phi);
        const auto expect = [&](const std::string& name, double x, double y) {
          const testing::Tolerance t{
              .relative = 1e-7, .scale = 1, .because = "multipliers at tolerance 1e-10"};
          EXPECT_TRUE(near(s.trajectory[name + ".x"][row], c * x - si * y, t)) << name << " x";
          EXPECT_TRUE(near(s.trajectory[name + ".y"][row], si * x + c * y, t)) << name << " y";
          EXPECT_TRUE(near(s.trajectory[name + ".z"][row], 0, t)) << name << " z";
        };
        expect("bearing.force", -m * omega2 * cx, -m * omega2 * cy);
        // The bearing's point is in the plane of the centre of mass: no lever along z.
        expect("bearing.torque", -omega2 * Jyz, omega2 * Jxz);
      }
    }
  }
}

// A beam that is welded in at one end: its weight, and its weight times the distance of its middle.
TEST(ReactionColumns, OfAWeldedBeamAreItsWeightAndMoment) {
  const Model model = read_model_text(R"(
gravity: [0, 0, -9.81]
bodies: {beam: {mass: 3, inertia: [0.1, 1, 1], com: [0.7, 0, 0]}}
joints: {weld: {type: fixed, between: [ground, beam]}}
outputs: {x: beam.x}
)",
                                      "beam.yaml");
  for (const char* set : {"absolute", "cardan", "directors"}) {
    const Simulation s = run(model, set, ReactionAxes::World);
    EXPECT_NEAR(s.trajectory["weld.force.z"].back(), 3 * 9.81, 1e-8) << set;
    EXPECT_NEAR(s.trajectory["weld.force.x"].back(), 0, 1e-8) << set;
    EXPECT_NEAR(s.trajectory["weld.torque.y"].back(), -3 * 9.81 * 0.7, 1e-8) << set;
    EXPECT_NEAR(s.trajectory["weld.torque.x"].back(), 0, 1e-8) << set;
  }
}

}  // namespace
}  // namespace koppel
