// Units of columns: of all that coordinate sets make, of outputs, and of their derivatives.
#include <koppel/equations/units.hpp>

#include <map>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/observe.hpp>

namespace koppel {
namespace {

TEST(Units, OfDerivativesCountSeconds) {
  EXPECT_EQ(unit_of_derivative("m"), "m/s");
  EXPECT_EQ(unit_of_derivative("m/s"), "m/s^2");
  EXPECT_EQ(unit_of_derivative("m/s^2"), "m/s^3");
  EXPECT_EQ(unit_of_derivative("rad", 3), "rad/s^3");
  EXPECT_EQ(unit_of_derivative("rad/s", 2), "rad/s^3");
  EXPECT_EQ(unit_of_derivative("N m"), "N m/s");
  EXPECT_EQ(unit_of_derivative("", 2), "");
  EXPECT_EQ(unit_of_derivative("m", 0), "m");
}

// A body in space on a spherical joint, another on a slide.
Model space() {
  return read_model_text(R"(
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 2, inertia: [1, 2, 3], com: [0, 0, 0.5]}
  block: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
joints:
  ball: {type: spherical, between: [ground, top]}
  slide: {type: prismatic, between: [ground, block], axis: [1, 0, 0]}
  turn: {type: revolute, between: [block, ground], axis: [0, 1, 0], closes: true}
outputs: {x: block.x, "x'": "block.x'", w: top.wx, s: slide.position, twice: 2*block.x}
)",
                         "space.yaml");
}

std::map<std::string, std::string> units_in(const Model& model, const std::string& set) {
  const Equations e = derive(model, set);
  const Observation observation(e, model, start_of(e));
  std::map<std::string, std::string> out;
  for (const Column& column : observation.columns()) out[column.name] = column.unit;
  return out;
}

TEST(Units, AreThoseOfLengthsAnglesAndForcesInEveryCoordinateSet) {
  const Model model = space();
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    auto units = units_in(model, set);
    EXPECT_EQ(units["t"], "s");
    EXPECT_EQ(units["x"], "m");
    EXPECT_EQ(units["x'"], "m/s");
    EXPECT_EQ(units["w"], "rad/s");
    EXPECT_EQ(units["s"], "m");
    EXPECT_EQ(units["twice"], "");
    EXPECT_EQ(units["energy"], "J");
    EXPECT_EQ(units["kinetic_energy"], "J");
    EXPECT_EQ(units["potential_energy"], "J");
  }
  auto absolute = units_in(model, "absolute");
  EXPECT_EQ(absolute["top.com.x"], "m");
  EXPECT_EQ(absolute["top.com.x'"], "m/s");
  EXPECT_EQ(absolute["top.omega.x"], "rad/s");
  EXPECT_EQ(absolute["top.e0"], "");
  EXPECT_EQ(absolute["lambda.ball.x"], "N");
  EXPECT_EQ(absolute["lambda.turn.tilt_x"], "");
  auto cardan = units_in(model, "cardan");
  for (const char* name : {"top.alpha", "top.beta", "top.gamma"}) EXPECT_EQ(cardan[name], "rad");
  auto joint = units_in(model, "joint");
  EXPECT_EQ(joint["slide.position"], "m");
  EXPECT_EQ(joint["slide.position'"], "m/s");
  EXPECT_EQ(joint["ball.omega.z"], "rad/s");
  auto directors = units_in(model, "directors");
  EXPECT_EQ(directors["top.d1.x"], "");
  EXPECT_EQ(directors["lambda.ball.x"], "N");
  EXPECT_EQ(directors["lambda.slide.off_x"], "N");
  EXPECT_EQ(directors["lambda.top.d1d1"], "");
}

// What a thing is called says nothing about its unit.
TEST(Units, AreNotReadFromNames) {
  const Model hinge = read_model_text(R"(
dimension: 2
bodies: {d1: {mass: 1, inertia: 1, com: [1, 0]}, omega: {mass: 1, inertia: 1, position: [2, 0]}}
joints:
  axis: {type: revolute, between: [ground, d1]}
  u1: {type: revolute, between: [d1, omega], at: [2, 0]}
)",
                                      "hinge.yaml");
  auto natural = units_in(hinge, "natural");
  EXPECT_EQ(natural["u1.x"], "m");
  EXPECT_EQ(natural["u1.y'"], "m/s");
  EXPECT_EQ(units_in(hinge, "absolute")["omega.com.x"], "m");
  const Model free = read_model_text(R"(
coordinates: {x: {start: 1}, angle: {start: 0}, position: {start: 0}}
kinetic: "x'^2 + angle'^2 + position'^2"
)",
                                     "free.yaml");
  auto lagrange = units_in(free, "lagrange");
  for (const char* name : {"x", "angle", "position", "x'", "angle'"}) EXPECT_EQ(lagrange[name], "");
}

// A point that slides on a line of the ground has its place on it as its coordinate.
TEST(Units, OfAPlaceOnALineIsALength) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {rod: {mass: 1, inertia: 1, com: [1, 0]}}
joints: {rail: {type: point-on-line, between: [ground, rod], axis: [1, 0]}}
)",
                                      "rail.yaml");
  auto natural = units_in(model, "natural");
  EXPECT_EQ(natural["rail.s"], "m");
  EXPECT_EQ(natural["rail.s'"], "m/s");
}

// An output that is a component of one of the user's points is a length, of a vector none.
TEST(Units, OfOutputsOfTheUsersPointsAreLengths) {
  Model model;
  const int P = model.add_point("P", {1, 2, 3}), n = model.add_vector("n", {1, 0, 0});
  model.outputs.push_back({"height", model.elements[static_cast<std::size_t>(P)].value.z, {}});
  model.outputs.push_back({"slope", model.elements[static_cast<std::size_t>(n)].value.x, {}});
  model.kinetic = 1;
  const Equations e = derive(model, "lagrange");
  EXPECT_EQ(e.outputs[0].unit, "m");
  EXPECT_EQ(e.outputs[1].unit, "");
  EXPECT_EQ(e.about.q[0].unit, "m");
  EXPECT_EQ(e.about.q[3].unit, "");
}

TEST(Units, OfDerivativeColumnsAreThoseOfTheirOutputs) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.5, com: [0.5, 0], points: {tip: [1, 0]}}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
outputs: {angle: hinge.angle, speed: "rod.tip.y'", plain: 2*hinge.angle}
)",
                                      "rod.yaml");
  const Equations e = derive(model, "joint");
  const State state = assemble(Evaluator(e)).state;
  Observation observation(e, model, state);
  observation.add_derivatives({formulate(e, "index3", state), e, 2});
  std::map<std::string, std::string> units;
  for (const Column& column : observation.columns()) units[column.name] = column.unit;
  EXPECT_EQ(units["angle'"], "rad/s");
  EXPECT_EQ(units["angle''"], "rad/s^2");
  EXPECT_EQ(units["speed'"], "m/s^2");
  EXPECT_EQ(units["speed''"], "m/s^3");
  EXPECT_EQ(units["plain''"], "");
}

}  // namespace
}  // namespace koppel
