#include <koppel/results/observe.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/scene.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

constexpr const char* kPendulum = R"(
name: pendulum
dimension: 2
gravity: [0, -10]
bodies:
  rod: {mass: 2, inertia: 0.5, com: [0.5, 0], points: {tip: [1, 0]}, angle: 0.3,
        shape: {rod: {from: [0, 0], to: [1, 0]}}}
joints:
  hinge: {type: revolute, between: [ground, rod]}
forces:
  spring: {type: spring, between: [ground, rod.tip], stiffness: 3, free_length: 1}
initial: {"hinge.angle'": {value: 2, fixed: true}}
outputs: {height: rod.tip.y, "hinge.angle": hinge.angle, twice: 2*hinge.angle, speed: "hinge.angle'"}
)";

Model pendulum() { return read_model_text(kPendulum, "pendulum.yaml"); }

class Observe : public ::testing::TestWithParam<std::string> {};

TEST_P(Observe, ColumnsHoldWhatTheyAreNamedAfter) {
  const Model model = pendulum();
  const Equations e = derive(model, GetParam());
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const Observation observation(e, model, state);
  Observation::Workspace work = observation.make_workspace();
  Trajectory trajectory(observation.columns());
  std::vector<double> row(observation.num_columns());
  const std::vector<double> multipliers(e.num_rows(), 7.0);
  observation.evaluate({0.25, state.q, state.v, state.x, multipliers}, row, work);
  trajectory.append(row);

  const auto expect = [&](const char* name, double value) {
    EXPECT_TRUE(near(trajectory[name][0], value,
                     {.relative = 1e-9, .because = "the tolerance of assembly"}))
        << name;
  };
  expect("t", 0.25);
  expect("height", std::sin(0.3));
  expect("hinge.angle", 0.3);
  expect("twice", 0.6);
  expect("speed", 2);
  const double kinetic = 0.5 * (0.5 + 2 * 0.25) * 4;
  const double potential = 2 * 10 * 0.5 * std::sin(0.3);
  expect("kinetic_energy", kinetic);
  expect("potential_energy", potential);  // the spring has its free length
  expect("energy", kinetic + potential);
  EXPECT_LT(trajectory["position_violation"][0], 1e-12);
  EXPECT_LT(trajectory["velocity_violation"][0], 1e-12);
  for (std::size_t i = 0; i < e.num_g(); ++i) {
    EXPECT_EQ(trajectory["lambda." + e.rows[i].name][0], 7);
  }
  for (std::size_t i = 0; i < e.q.size(); ++i) {
    EXPECT_EQ(trajectory.column(observation.columns_of_q()[i])[0], state.q[i]);
  }
}

TEST_P(Observe, UnitsAreToldWhereTheyAreKnown) {
  const Model model = pendulum();
  const Equations e = derive(model, GetParam());
  const Observation observation(e, model, start_of(e));
  const Trajectory trajectory(observation.columns());
  const auto unit = [&](const char* name) {
    return trajectory.columns()[static_cast<std::size_t>(trajectory.find(name))].unit;
  };
  EXPECT_EQ(unit("t"), "s");
  EXPECT_EQ(unit("height"), "m");
  EXPECT_EQ(unit("hinge.angle"), "rad");
  EXPECT_EQ(unit("speed"), "rad/s");
  EXPECT_EQ(unit("twice"), "");
  EXPECT_EQ(unit("energy"), "J");
}

TEST_P(Observe, FramesOfBodiesAreTheSameInEverySet) {
  const Model model = pendulum();
  const Equations e = derive(model, GetParam());
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const Observation observation(e, model, state);
  Observation::Workspace work = observation.make_workspace();
  Trajectory trajectory(observation.columns());
  std::vector<double> row(observation.num_columns());
  const std::vector<double> multipliers(e.g.size());
  observation.evaluate({0, state.q, state.v, state.x, multipliers}, row, work);
  trajectory.append(row);

  Scene scene = make_scene(model);
  add_frames(e, observation, trajectory, 10, scene);
  ASSERT_EQ(scene.frames.size(), 1u);
  const Scene::Pose& rod = scene.frames[0].poses[1];
  const double expected[] = {0, 0, 0, std::cos(0.15), 0, 0, std::sin(0.15)};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(rod[i], expected[i], 1e-9) << i;
  EXPECT_EQ(scene.joints[0].kind, "revolute");
  EXPECT_EQ(scene.joints[0].at.body, 1);
  ASSERT_EQ(scene.springs.size(), 1u);
  EXPECT_EQ(scene.springs[0].b.point.x, 1);
}

INSTANTIATE_TEST_SUITE_P(Sets, Observe,
                         ::testing::Values("absolute", "joint", "natural", "directors"));

TEST(Observation, ACoordinateNamedLikeAnOutputKeepsItsColumn) {
  const Model model = read_model_text(R"(
coordinates: [x]
kinetic: x'^2/2
potential: x^2
outputs: {x: 2*x, t: x}
)",
                                      "oscillator.yaml");
  const Equations e = derive(model);
  const Observation observation(e, model, start_of(e));
  std::vector<std::string> names;
  for (const Column& column : observation.columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"t", "x", "outputs.t", "coordinates.x", "x'",
                                             "kinetic_energy", "potential_energy", "energy",
                                             "position_violation", "velocity_violation"}));
}

}  // namespace
}  // namespace koppel
