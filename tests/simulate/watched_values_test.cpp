// What a run says about itself, computed again from its rows.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/momentum.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

// x² + y² = 1 by steps of 0.1 s, with rows in the middle of each: there the dense output, a cubic,
// is off the circle, while the ends of steps are projected onto it.
TEST(Summary, TellsTheViolationOfRowsBetweenStepsFromThatAtTheirEnds) {
  const Model model = read_model_text(
      "dimension: 2\ngravity: [0, -9.81]\nbodies: {bob: {point_mass: 1, position: [1, 0]}}\n"
      "joints: {bar: {type: distance, between: [ground, bob], length: 1}}\n"
      "outputs: {x: bob.x, y: bob.y, u: \"bob.x'\", v: \"bob.y'\"}\n",
      "pendulum.yaml");
  SimulateOptions options;
  options.health = {.is_watched = false};
  options.end = 1;
  options.coordinates = "natural";
  options.formulation = "index1";
  options.integrator = "rk4";
  options.step = 0.1;
  for (int k = 0; k < 10; ++k) options.sampling.times.push_back(0.05 + 0.1 * k);
  const Simulation s = simulate(model, options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  double position = 0, velocity = 0;
  for (std::size_t row = 0; row < 10; ++row) {
    const double x = s.trajectory["x"][row], y = s.trajectory["y"][row];
    const double u = s.trajectory["u"][row], v = s.trajectory["v"][row];
    position = std::max(position, std::abs(x * x + y * y - 1));
    velocity = std::max(velocity, std::abs(2 * (x * u + y * v)));
  }
  EXPECT_GT(position, 1e-6) << "else there is nothing to tell";
  EXPECT_GT(velocity, 1e-6) << "else there is nothing to tell";
  const testing::Tolerance round_off{.relative = 1e-9, .because = "round-off of the row"};
  EXPECT_TRUE(near(s.summary.max_position_violation_between, position, round_off));
  EXPECT_TRUE(near(s.summary.max_velocity_violation_between, velocity, round_off));
  EXPECT_LT(s.summary.max_position_violation, 1e-12);
  EXPECT_LT(s.summary.max_velocity_violation, 1e-12);
}

// p = 50 r² φ′ of a body of 50 kg, by explicit Euler steps, which lose it; from the columns.
TEST(MomentumError, IsRelativeToTheLargestMomentum) {
  const Model model = read_model_text(
      "coordinates: {r: 1, phi: 0}\nkinetic: 25*(r'^2 + r^2*phi'^2)\npotential: -50/r\n"
      "initial: {\"phi'\": 0.8}\noutputs: {r: r, \"phi'\": phi'}\n",
      "orbit.yaml");
  SimulateOptions options;
  options.health = {.is_watched = false};
  options.end = 2;
  options.integrator = "explicit-euler";
  options.step = 0.02;
  options.sampling.every_step = true;
  const Simulation s = simulate(model, options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  double deviation = 0, largest = 0;
  const auto momentum = [&](std::size_t row) {
    const double r = s.trajectory["r"][row];
    return 50 * r * r * s.trajectory["phi'"][row];
  };
  for (std::size_t row = 0; row < s.trajectory.num_rows(); ++row) {
    deviation = std::max(deviation, std::abs(momentum(row) - momentum(0)));
    largest = std::max(largest, std::abs(momentum(row)));
  }
  EXPECT_GT(deviation, 0.1);
  const auto error = momentum_error(s);
  ASSERT_TRUE(error);
  EXPECT_TRUE(near(*error, deviation / largest, {.relative = 1e-12, .because = "round-off"}));
}

}  // namespace
}  // namespace koppel
