// What a text becomes, field by field.
#include <koppel/model/elements/list.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>
#include <tests/near.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using testing::kEps;
using testing::near;

Model read(std::string_view text, const ReadOptions& options = {}) {
  return read_model_text(text, "m.yaml", options);
}

// With the parameters' values put in.
double value(const Model& model, Expr e) {
  std::vector<Expr> inputs;
  std::vector<double> values;
  for (const Parameter& p : model.parameters) {
    inputs.push_back(p.symbol);
    values.push_back(p.value);
  }
  const Expr outputs[] = {Expr(*model.graph, model.graph->adopt(e))};
  return Function(inputs, outputs)(values)[0];
}

::testing::AssertionResult is(const Model& model, const Vec3e& v, double x, double y, double z) {
  const double expected[] = {x, y, z};
  for (std::size_t i = 0; i < 3; ++i) {
    auto result = near(value(model, v[i]), expected[i],
                       {.relative = 20 * kEps, .scale = 1, .because = "a few operations"});
    if (!result) return result << " in component " << i;
  }
  return ::testing::AssertionSuccess();
}

const Quantity& quantity(const Model& model, const char* name) {
  const int index = model.find_quantity(name);
  EXPECT_GE(index, 0) << name;
  return model.quantities.at(static_cast<std::size_t>(index));
}

constexpr const char* kSliderCrank = R"(
name: slider crank
description: for the test
dimension: 2
parameters: {c: l/2, l: 0.4, m: 1}
gravity: [0, -9.81]
bodies:
  ground: {points: {D: [1, 0]}}
  crank: {mass: m, shape: {rod: {from: [0, 0], to: [l, 0]}}, points: {A: [l, 0]}, angle: 90 deg}
  rod: {mass: 2*m, com: [c, 0], inertia: m*l^2/12, position: [0, l], points: {B: [2*l, 0]}}
  slider: {point_mass: 5, position: [2*l, l]}
joints:
  pivot: {type: revolute, between: [ground, crank]}
  knee: {type: revolute, between: [crank.A, rod]}
  pin: {type: distance, between: [ground.D, slider]}
forces:
  s1: {type: spring, between: [ground.D, rod.B], stiffness: 100, damping: 2, free_length: 1/3}
outputs: {Bx: rod.B.x, "Bx'": "rod.B.x'", phi: crank.angle}
initial: {pivot.angle: {value: 45 deg, wish: true}, "pivot.angle'": 2}
run: {end: 5, tolerance: 1e-8, samples: 500, coordinates: joint}
)";

TEST(ReadModel, HeaderParametersAndRunSettings) {
  const Model m = read(kSliderCrank);
  EXPECT_EQ(m.name, "slider crank");
  EXPECT_EQ(m.description, "for the test");
  EXPECT_EQ(m.file, "m.yaml");
  EXPECT_TRUE(m.is_planar);
  ASSERT_EQ(m.parameters.size(), 3U);
  EXPECT_EQ(m.parameters[0].symbol.name(), "c");
  EXPECT_EQ(m.parameters[0].value, 0.2);
  EXPECT_TRUE(is(m, m.gravity, 0, -9.81, 0));
  EXPECT_EQ(m.run.end, 5);
  EXPECT_EQ(m.run.tolerance, 1e-8);
  EXPECT_EQ(m.run.samples, 500);
  EXPECT_EQ(m.run.coordinates, "joint");
  EXPECT_FALSE(m.run.step);
}

TEST(ReadModel, SetOverridesParametersAndWhatDependsOnThem) {
  const Model m = read(kSliderCrank, {.set = {{"l", "0.3*m"}, {"m", "2"}}});
  EXPECT_EQ(m.parameters[1].value, 0.6);
  EXPECT_EQ(m.parameters[0].value, 0.3);
}

TEST(ReadModel, Bodies) {
  const Model m = read(kSliderCrank);
  ASSERT_EQ(m.bodies.size(), 4U);
  const Body& crank = m.bodies[1];
  EXPECT_EQ(crank.name, "crank");
  EXPECT_EQ(crank.where.line, 9);
  EXPECT_EQ(crank.mass, parse(*m.graph, "m"));
  EXPECT_TRUE(is(m, crank.com, 0.2, 0, 0));
  EXPECT_TRUE(near(value(m, crank.inertia(2, 2)), 0.16 / 12,
                   {.relative = 4 * kEps, .because = "one rounding"}));
  EXPECT_TRUE(is(m, crank.rotation.column[0], 0, 1, 0));
  ASSERT_EQ(crank.points.size(), 1U);
  EXPECT_EQ(crank.points[0].name, "A");
  ASSERT_EQ(crank.shapes.size(), 1U);
  EXPECT_EQ(crank.shapes[0].kind, Shape::Kind::Line);
  const Body& rod = m.bodies[2];
  EXPECT_EQ(rod.com.x, parse(*m.graph, "c"));
  EXPECT_TRUE(is(m, rod.position, 0, 0.4, 0));
  EXPECT_TRUE(m.bodies[3].is_point);
  EXPECT_EQ(m.bodies[3].mass, Expr(5));
}

TEST(ReadModel, JointsInThePlane) {
  const Model m = read(kSliderCrank);
  ASSERT_EQ(m.joints.size(), 3U);
  const Joint& knee = m.joints[1];
  EXPECT_EQ(knee.law->type(), "revolute");
  EXPECT_EQ(knee.a.body, 1);
  EXPECT_EQ(knee.b.body, 2);
  EXPECT_TRUE(is(m, knee.a.point, 0.4, 0, 0));
  // Hinges in the plane count their angle from parallel frames, whatever the start.
  EXPECT_TRUE(is(m, knee.a.axes.column[0], 1, 0, 0));
  EXPECT_TRUE(is(m, knee.b.axes.column[0], 1, 0, 0));
  EXPECT_EQ(m.joints[2].law->type(), "distance");
  EXPECT_TRUE(near(value(m, m.joints[2].law->terms()[0].value), std::hypot(0.2, 0.4),
                   {.relative = 8 * kEps, .because = "as placed"}));
}

TEST(ReadModel, SpringsActOnTheirLength) {
  const Model m = read(kSliderCrank);
  ASSERT_EQ(m.forces.size(), 1U);
  const Quantity& length = quantity(m, "s1.length");
  EXPECT_TRUE(std::holds_alternative<Quantity::DistanceBetween>(length.of));
  const Expr tension = 100 * (length.value - 1.0 / 3) + 2 * length.rate;
  EXPECT_EQ(m.forces[0].actions[0].effort, -tension);
  EXPECT_FALSE(m.forces[0].potential.is_constant());
}

TEST(ReadModel, QuantitiesInitialValuesAndOutputs) {
  const Model m = read(kSliderCrank);
  ASSERT_EQ(m.outputs.size(), 3U);
  EXPECT_EQ(m.outputs[1].name, "Bx'");
  EXPECT_EQ(m.outputs[1].value, quantity(m, "rod.B.x").rate);
  EXPECT_TRUE(std::holds_alternative<Quantity::BodyAngle>(quantity(m, "crank.angle").of));
  const auto& point = std::get<Quantity::PointCoordinate>(quantity(m, "rod.B.x").of);
  EXPECT_EQ(point.point.body, 2);
  EXPECT_EQ(point.axis, 0);
  ASSERT_EQ(m.initial.size(), 2U);
  EXPECT_EQ(m.initial[0].symbol, quantity(m, "pivot.angle").value);
  EXPECT_TRUE(near(m.initial[0].value.value(), std::numbers::pi / 4,
                   {.relative = 2 * kEps, .because = "deg"}));
  EXPECT_FALSE(m.initial[0].fixed);
  EXPECT_EQ(m.initial[1].symbol, quantity(m, "pivot.angle").rate);
  EXPECT_TRUE(m.initial[1].fixed);
}

TEST(ReadModel, LagrangianModel) {
  const Model m = read(R"(
parameters: {m: 1, M: 2, l: 1, g: 9.81}
inputs: [F]
coordinates: {s: {start: 0, rate: 1, fixed: true}, beta: 30 deg}
kinetic: (M + m)/2*s'^2 + m*l*s'*beta'*cos(beta) + m/2*l^2*beta'^2
potential: -m*g*l*cos(beta)
dissipation: 0.1*beta'^2
generalized_forces: {s: F}
states: {z: {rate: s - z, start: 0.5}}
constraints: {c: s - l*sin(beta)}
nonholonomic: {n: s' - beta'*s}
servo: {y: {output: s + l*sin(beta), reference: t^2}}
)");
  ASSERT_EQ(m.coordinates.size(), 2U);
  EXPECT_EQ(m.coordinates[1].name, "beta");
  EXPECT_EQ(m.potential, parse(*m.graph, "-m*g*l*cos(beta)"));
  EXPECT_EQ(m.kinetic,
            parse(*m.graph, "(M + m)/2*s'^2 + m*l*s'*beta'*cos(beta) + m/2*l^2*beta'^2"));
  EXPECT_EQ(m.dissipation, parse(*m.graph, "0.1*beta'^2"));
  ASSERT_EQ(m.forces.size(), 1U);
  EXPECT_EQ(m.forces[0].actions[0].effort, m.inputs[0]);
  ASSERT_EQ(m.first_order.size(), 1U);
  EXPECT_EQ(m.first_order[0].rate, parse(*m.graph, "s - z"));
  ASSERT_EQ(m.initial.size(), 4U);
  EXPECT_TRUE(m.initial[0].fixed);
  EXPECT_FALSE(m.initial[2].fixed);
  EXPECT_EQ(m.initial[3].symbol, m.first_order[0].state);
  EXPECT_EQ(m.constraints.size(), 1U);
  EXPECT_EQ(m.nonholonomic.size(), 1U);
  ASSERT_EQ(m.servos.size(), 1U);
  EXPECT_EQ(m.servos[0].reference, parse(*m.graph, "t^2"));
}

TEST(ReadModel, RepetitionMakesAChain) {
  const char* const text = R"(
parameters: {n: 3}
bodies:
  link[i]:
    repeat: {i: 1..n}
    mass: 1/i
    inertia: [i, i, i]
    points: {end: [1, 0, 0]}
    position: [i - 1, 0, 0]
joints:
  hinge[1]: {type: revolute, between: [ground, "link[1]"], axis: [0, 1, 0]}
  hinge[i]: {repeat: {i: 2..n}, type: revolute, between: ["link[i-1].end", "link[i]"], axis: [0, 1, 0]}
outputs:
  x: link[n].end.x
  grid[i][j]: {repeat: {i: 1..2, j: 1..i}, value: 10*i + j}
)";
  const Model m = read(text);
  ASSERT_EQ(m.bodies.size(), 4U);
  EXPECT_EQ(m.bodies[3].name, "link[3]");
  EXPECT_EQ(m.bodies[2].mass, Expr(0.5));
  EXPECT_TRUE(is(m, m.bodies[3].position, 2, 0, 0));
  ASSERT_EQ(m.joints.size(), 3U);
  EXPECT_EQ(m.joints[2].name, "hinge[3]");
  EXPECT_EQ(m.joints[2].a.body, 2);
  ASSERT_EQ(m.outputs.size(), 4U);
  EXPECT_EQ(to_text(m.outputs[0].value), "link[3].end.x");
  EXPECT_EQ(m.outputs[3].name, "grid[2][2]");
  EXPECT_EQ(m.outputs[3].value, Expr(22));
  EXPECT_EQ(read(text, {.set = {{"n", "50"}}}).joints.size(), 50U);
}

TEST(ReadModel, JointsAtWorldCoordinatesFollowTheStartPoses) {
  const Model m = read(R"(
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
  b: {mass: 1, inertia: [1, 1, 1], rotation: {axis: [0, 0, 1], angle: 90 deg}}
joints:
  p: {type: revolute, between: [a, b], at: [1, -1, 0], axis: [1, 0, 0]}
  q: {type: revolute, between: [a, b], axis: [0, 0, 1]}
)");
  const Joint& p = m.joints[0];
  EXPECT_TRUE(is(m, p.a.point, 0, -1, 0));
  EXPECT_TRUE(is(m, p.b.point, -1, -1, 0));
  EXPECT_TRUE(is(m, p.a.axes.column[2], 1, 0, 0));
  EXPECT_TRUE(is(m, p.b.axes.column[2], 0, -1, 0));
  // As placed, all axes of the markers coincide: the angle is zero there.
  for (const std::size_t i : {0, 1, 2}) {
    const Vec3e in_world = m.bodies[2].rotation * p.b.axes.column[i];
    EXPECT_TRUE(is(m, in_world - p.a.axes.column[i], 0, 0, 0));
  }
  // The frames share their z axis: the angle is counted from parallel frames.
  EXPECT_TRUE(is(m, m.joints[1].a.axes.column[0] - m.joints[1].b.axes.column[0], 0, 0, 0));
}

TEST(ReadModel, InertiaOfShapes) {
  const Model m = read(R"(
parameters: {a: 2}
bodies:
  rod: {mass: 3, shape: {rod: {from: [1, 0, 0], to: [1, 0, a]}}}
  box: {density: 1/6, shape: {box: {size: [1, a, 3], at: [0, 0, 1]}}}
  cylinder: {mass: 12, shape: {cylinder: {radius: a, length: 3, axis: [0, 5, 0]}}}
  ball: {mass: 5, shape: {sphere: {radius: a}}}
  disc: {mass: 4, shape: {disc: {radius: a, axis: [1, 0, 0]}}}
  dumbbell: {density: 1, shape: [{box: {size: [1, 1, 1], at: [1, 0, 0]}}, {box: {size: [1, 1, 1], at: [-1, 0, 0]}}]}
)");
  const auto diagonal = [&](std::size_t i) {
    const Mat3e& I = m.bodies[i].inertia;
    return Vec3e{I(0, 0), I(1, 1), I(2, 2)};
  };
  EXPECT_TRUE(is(m, diagonal(1), 1, 1, 0));
  EXPECT_TRUE(is(m, m.bodies[1].com, 1, 0, 1));
  EXPECT_TRUE(is(m, diagonal(2), 13.0 / 12, 10.0 / 12, 5.0 / 12));
  EXPECT_TRUE(is(m, m.bodies[2].com, 0, 0, 1));
  EXPECT_TRUE(is(m, diagonal(3), 21, 24, 21));
  EXPECT_TRUE(is(m, diagonal(4), 8, 8, 8));
  EXPECT_TRUE(is(m, diagonal(5), 8, 4, 4));
  EXPECT_TRUE(is(m, diagonal(6), 2.0 / 6, 2.0 / 6 + 2, 2.0 / 6 + 2));
}

TEST(ReadModel, DrivesBecomeConstraints) {
  const Model m = read(R"(
dimension: 2
bodies: {a: {mass: 1, inertia: 1}}
joints: {slide: {type: prismatic, between: [ground, a], axis: [1, 0], drive: 0.1*sin(t)}}
)");
  ASSERT_EQ(m.constraints.size(), 1U);
  EXPECT_EQ(m.constraints[0].name, "slide.drive");
  EXPECT_EQ(m.constraints[0].residual,
            quantity(m, "slide.position").value - parse(*m.graph, "0.1*sin(t)"));
}

TEST(ReadModel, RollingDiscIsAContactAndTwoSlips) {
  const Model m = read(R"(
bodies: {disc: {mass: 1, shape: {disc: {radius: 0.5, axis: [0, 1, 0]}}, position: [0, 0, 0.5]}}
joints: {roll: {type: rolling, body: disc, radius: 0.5, axis: [0, 1, 0]}}
)");
  ASSERT_EQ(m.constraints.size(), 1U);
  ASSERT_EQ(m.nonholonomic.size(), 2U);
  // Upright, rolling along x with speed 1: the axis is y, the centre at the height of the radius.
  std::vector<Expr> inputs;
  std::vector<double> values;
  const auto set = [&](const char* name, double x, double rate) {
    const Quantity& q = quantity(m, name);
    inputs.push_back(q.value);
    values.push_back(x);
    inputs.push_back(q.rate);
    values.push_back(rate);
  };
  set("roll.centre.x", 0, 1);
  set("roll.centre.y", 0, 0);
  set("roll.centre.z", 0.5, 0);
  set("roll.axis.x", 0, 1);
  set("roll.axis.y", 1, 0);
  set("roll.axis.z", 0.5, 0);
  set("roll.omega.x", 0, 0);
  set("roll.omega.y", 0, 2);
  set("roll.omega.z", 0, 0.3);
  const Expr residuals[] = {m.constraints[0].residual, m.nonholonomic[0].residual,
                            m.nonholonomic[1].residual};
  for (const double residual : Function(inputs, residuals)(values)) {
    EXPECT_TRUE(near(residual, 0, {.relative = 4 * kEps, .scale = 1, .because = "rounding"}));
  }
}

TEST(ReadModel, ForcesInBodyAxesTorquesAndBushings) {
  const Model m = read(R"(
dimension: 2
inputs: [M]
bodies: {a: {mass: 1, inertia: 1, points: {A: [1, 0]}}}
joints: {pivot: {type: revolute, between: [ground, a]}}
forces:
  f: {type: force, on: a.A, force: [0, 3], frame: body}
  m: {type: torque, on: a, torque: M}
  b: {type: bushing, between: [ground, a], stiffness: [1, 2, 3]}
  r: {type: friction, joint: pivot, torque: 0.1, velocity: 0.01}
  e: {type: effort, on: pivot.angle, effort: -a.wz}
)");
  ASSERT_EQ(m.forces.size(), 5U);
  EXPECT_EQ(m.forces[0].actions[1].effort, parse(*m.graph, "3*(f.ey.y - f.y)"));
  EXPECT_EQ(m.forces[1].actions[0].effort, m.inputs[0]);
  EXPECT_EQ(m.forces[2].actions[2].effort, parse(*m.graph, "-3*atan2(b.ex.y - b.y, b.ex.x - b.x)"));
  EXPECT_EQ(m.forces[3].actions[0].effort, parse(*m.graph, "-0.1*tanh(pivot.angle'/0.01)"));
  const auto& spin = std::get<Quantity::AngularVelocity>(quantity(m, "a.wz").of);
  EXPECT_EQ(spin.axis, 2);
  EXPECT_EQ(quantity(m, "a.wz").rate.name(), "a.wz");
}

TEST(ReadModel, BushingsForDisplacementsHaveNoTorques) {
  const Model m = read(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1], points: {A: [1, 0, 0]}}}
forces:
  b: {type: bushing, between: [ground, a.A], stiffness: [1, 2, 3], damping: [4, 5, 6]}
)");
  ASSERT_EQ(m.forces[0].actions.size(), 3U);
  EXPECT_EQ(m.forces[0].actions[1].effort, parse(*m.graph, "-(2*b.y + 5*b.y')"));
  EXPECT_TRUE(std::holds_alternative<Quantity::PointCoordinate>(
      m.quantities[static_cast<std::size_t>(m.forces[0].actions[2].quantity)].of));
}

TEST(ReadModel, JointsMayCloseAndForcesBeStiff) {
  const Model m = read(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {ball: {type: spherical, between: [ground, a], closes: true}}
forces: {t: {type: torque, on: a, torque: [1, 0, 0], stiff: true}, s: {type: force, on: a, force: [1, 0, 0]}}
)");
  EXPECT_TRUE(m.joints[0].closes);
  EXPECT_TRUE(m.forces[0].is_stiff);
  EXPECT_FALSE(m.forces[1].is_stiff);
}

TEST(ReadModel, ParametersMayBeRepeated) {
  const Model m = read("parameters: {a: 2, 'b[i]': {repeat: {i: 1..3}, value: a*i}}");
  ASSERT_EQ(m.parameters.size(), 4U);
  EXPECT_EQ(m.parameters[3].symbol.name(), "b[3]");
  EXPECT_EQ(m.parameters[3].value, 6);
}

TEST(ReadModel, FramesFollowFromPointsAndVectors) {
  const Model m = read(R"(
parameters: {l: 2}
points: {O: {is: [0, 0, 1]}, A: {start: [0, l, 1], moves: xy}}
vectors: {u: [1, 1, 0]}
bodies: {rod: {frame: [O, A, u], mass: 1, inertia: [1, 1, 1]}}
outputs: {v: "A.x' + A.z'"}
)");
  ASSERT_EQ(m.elements.size(), 3U);
  EXPECT_EQ(m.coordinates.size(), 5U);
  EXPECT_TRUE(m.elements[0].is_given);
  EXPECT_FALSE(m.elements[2].is_point);
  const Body& rod = m.bodies[1];
  ASSERT_EQ(rod.frame.size(), 3U);
  EXPECT_TRUE(is(m, rod.position, 0, 0, 1));
  EXPECT_TRUE(is(m, rod.rotation.column[0], 0, 1, 0));
  EXPECT_TRUE(is(m, rod.rotation.column[1], 1, 0, 0));
  EXPECT_TRUE(is(m, rod.rotation.column[2], 0, 0, -1));
  EXPECT_TRUE(is(m, rod.frame[1].local, 2, 0, 0));
  EXPECT_TRUE(is(m, rod.frame[2].local, 1, 1, 0));
  EXPECT_EQ(to_text(m.outputs[0].value), "A.x'");
}

TEST(ReadModel, ExamplesOfTheDocumentation) {
  std::ifstream stream(KOPPEL_SOURCE_DIR "/docs/model-format.md");
  std::string line, text;
  bool inside = false;
  int count = 0;
  while (std::getline(stream, line)) {
    if (inside && line == "```") {
      EXPECT_NO_THROW(read(text)) << text;
      inside = false;
      ++count;
    } else if (inside) {
      text += line + '\n';
    } else if (line == "```yaml") {
      inside = true;
      text.clear();
    }
  }
  EXPECT_GE(count, 7);
}

TEST(ReadModel, RightAnglesAreExact) {
  const Model m = read(R"(
dimension: 2
bodies: {a: {point_mass: 1, angle: 90 deg}}
)");
  EXPECT_EQ(m.bodies[1].rotation(0, 0), Expr(0));
  EXPECT_EQ(m.bodies[1].rotation(1, 0), Expr(1));
}

TEST(ReadModel, SubAssembliesHaveAPrefixAPlaceAndParameters) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "koppel_include";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.yaml") << R"(
dimension: 2
parameters: {l: 1}
tables: {law: {type: linear, x: [0, 1], y: [0, 2], outside: extrapolate}}
bodies:
  ground: {points: {D: [1, 0]}}
  arm: {mass: law(l), inertia: 1, points: {E: [l, 0]}, position: [1, 0]}
joints: {p: {type: revolute, between: [ground.D, arm]}}
forces: {s: {type: torsion, joint: p, effort: -law(p.angle)}}
)";
  std::ofstream(folder / "main.yaml") << R"(
dimension: 2
parameters: {L: 2}
include:
  left: {file: arm.yaml, parameters: {l: 2*L}, position: [3, 0], angle: 90 deg}
  right: {file: arm.yaml}
joints: {d: {type: distance, between: [left.arm.E, right.arm.E], length: 5}}
outputs: {a: left.p.angle}
)";
  const Model m = read_model(folder / "main.yaml");
  ASSERT_EQ(m.bodies.size(), 3U);
  EXPECT_EQ(m.bodies[1].name, "left.arm");
  EXPECT_EQ(value(m, m.bodies[1].mass), 8);
  EXPECT_TRUE(is(m, m.bodies[1].position, 3, 1, 0));
  EXPECT_TRUE(is(m, m.joints[0].a.point, 3, 1, 0));
  EXPECT_TRUE(is(m, m.joints[1].a.point, 1, 0, 0));
  EXPECT_TRUE(is(m, m.joints[2].a.point, 4, 0, 0));
  EXPECT_EQ(to_text(m.forces[0].actions[0].effort), "-left.law(left.p.angle)");
  EXPECT_EQ(to_text(m.outputs[0].value), "left.p.angle");

  // From outside: what is handed over, and what the file itself says, give way.
  std::vector<ParameterOrigin> origins;
  const ReadOptions set{{{"left.l", "3"}, {"right.l", "1/2"}}};
  const Model other = read_model(folder / "main.yaml", set, origins);
  EXPECT_EQ(value(other, other.bodies[1].mass), 6);
  EXPECT_EQ(value(other, other.bodies[2].mass), 1);
  ASSERT_EQ(other.parameters.size(), 3U);
  EXPECT_EQ(other.parameters[1].symbol.name(), "left.l");
  EXPECT_FALSE(origins[1].definition) << "it follows L no longer";
  EXPECT_EQ(testing::error_of([&] {
              read_model(folder / "main.yaml", {{{"left.L", "3"}}});
            }),
            (folder / "main.yaml").string() +
                ": error[model.unknown-parameter]: there is no parameter 'left.L' "
                "to be set.\n  parameters: L, left.l, right.l. Did you mean "
                "'left.l'?");
}

}  // namespace
}  // namespace koppel
