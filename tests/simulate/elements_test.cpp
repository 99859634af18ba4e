// Elements against closed forms.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

constexpr double kPi = std::numbers::pi;

Model read(const std::string& text) { return read_model_text(text, "m.yaml"); }

// Two shafts that meet at 40 degrees; the first is driven.
std::string shafts(const std::string& joint) {
  return R"(
bodies:
  in: {mass: 1, inertia: [1, 1, 2]}
  out: {mass: 1, inertia: [1, 1, 2], rotation: {axis: [1, 0, 0], angle: 40 deg}}
joints:
  input: {type: revolute, between: [ground, in], axis: [0, 0, 1], drive: 3*t}
  output: {type: revolute, between: [ground, out], axes: [[0, -sin(40 deg), cos(40 deg)], [0, 0, 1]]}
  coupling: {between: [in, out], )" +
         joint + R"(}
outputs: {rate: output.angle'}
)";
}

class EverySet : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sets, EverySet,
                         ::testing::Values("absolute", "joint", "natural", "directors", "cardan"));

TEST_P(EverySet, ConstantVelocityJointPassesTheRateOn) {
  const Model m = read(shafts("type: constant-velocity, axes: [[0, 0, 1], [0, 0, 1]]"));
  const Simulation s = simulate(m, {.end = 2, .coordinates = GetParam(), .tolerance = 1e-10});
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  for (const double rate : s["rate"]) {
    EXPECT_TRUE(near(rate, 3, {.relative = 1e-8, .because = "100 times the tolerance"}));
  }
}

// A Cardan joint does not: its output rate is between ω cos β and ω/cos β.
TEST(UniversalJoint, MakesTheOutputHurryAndLag) {
  const Model m = read(shafts("type: universal, axes: [[1, 0, 0], [0, 1, 0]]"));
  const Simulation s = simulate(m, {.end = 3, .tolerance = 1e-10});
  const std::vector<double> rate = s["rate"];
  const auto [least, most] = std::minmax_element(rate.begin(), rate.end());
  EXPECT_NEAR(*least, 3 * std::cos(40 * kPi / 180), 1e-3);
  EXPECT_NEAR(*most, 3 / std::cos(40 * kPi / 180), 1e-3);
}

// A chain of constant-velocity joints that swings freely has its energy, and the same motion in all
// sets.
TEST_P(EverySet, ConstantVelocityJointsSwing) {
  const Model m = read(R"(
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0.1, 0.2, -0.5]}
  b: {mass: 2, inertia: [0.3, 0.4, 0.2], com: [0, 0.1, -0.3], position: [0, 0, -1]}
joints:
  top: {type: constant-velocity, between: [ground, a], axis: [0, 0, 1]}
  low: {type: constant-velocity, between: [b, a], at: [0, 0, -1], axis: [0.2, 0, 1]}
initial: {"a.wx": 1.5, "a.wy": -0.7, "b.wx": -1}
outputs: {x: b.x, y: b.y, z: b.z}
)");
  const Simulation s = simulate(m, {.end = 3, .coordinates = GetParam(), .tolerance = 1e-11});
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  static const Simulation reference =
      simulate(m, {.end = 3, .coordinates = "absolute", .tolerance = 1e-12});
  EXPECT_LT(s.summary.energy_drift, 1e-9);
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_NEAR(s[name].back(), reference[name].back(), 1e-8) << name;
  }
}

// An eccentric disc of radius R = 0.1 about its centre, which is e = 0.03 off the axis, turns at a
// rate; a roller of radius r = 0.02 on the y axis is at e sin θ + √((R + r)² − e² cos² θ).
Model eccentric(const std::string& rate, const std::string& more = "") {
  return read(R"m(
dimension: 2
gravity: [0, -9.81]
parameters: {R: 0.1, e: 0.03}
bodies:
  disc: {mass: 1, inertia: 0.01}
  rod: {mass: 0.5, inertia: 0.01, position: [0, 0.12]}
joints:
  axle: {type: revolute, between: [ground, disc], drive: )m" +
              rate + R"m(*t}
  guide: {type: prismatic, between: [ground, rod], axis: [0, 1]}
  lift: {type: cam, between: [disc, rod], curve: ["e + R*cos(lift.s)", R*sin(lift.s)], radius: 0.02, start: 90 deg)m" +
              more + R"m(}
outputs: {y: rod.y}
)m");
}

// What is told about the contact.
std::string leaving(const Simulation& s) {
  std::string out;
  for (const std::string& message : s.summary.messages) {
    if (message.starts_with("'lift.contact'")) out += message;
  }
  return out;
}

TEST(Cam, AnEccentricLiftsItsRollerByTheClosedForm) {
  constexpr double R = 0.1, e = 0.03, r = 0.02;
  for (const char* set : {"absolute", "joint", "natural"}) {
    const Model m = eccentric("2");
    const Simulation s = simulate(
        m, {.end = 4, .coordinates = set, .tolerance = 1e-10, .reactions = ReactionAxes::World});
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_EQ(leaving(s), "");
    const std::vector<double> y = s["y"], force = s["lambda.lift.contact"];
    const std::vector<double> fx = s["lift.force.x"], fy = s["lift.force.y"];
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double theta = 2 * s.trajectory.time()[i], c = e * std::cos(theta);
      const double root = std::sqrt((R + r) * (R + r) - c * c);
      EXPECT_NEAR(y[i], e * std::sin(theta) + root, 1e-9) << set << i;
      // m (ÿ + g) along the guide; the contact pushes along the line of centres.
      const double cs = e * e * std::cos(theta) * std::sin(theta), c2 = e * e * std::cos(2 * theta);
      const double acceleration =
          -4 * e * std::sin(theta) + 4 * (c2 / root - cs * cs / (root * root * root));
      EXPECT_NEAR(force[i] * root / (R + r), 0.5 * (acceleration + 9.81), 1e-6) << set << i;
      EXPECT_NEAR(fy[i], 0.5 * (acceleration + 9.81), 1e-6) << set << i;
      EXPECT_NEAR(fx[i], -fy[i] * c / root, 1e-6) << set << i;
    }
  }
}

// Faster, gravity cannot hold the roller down: ÿ < −g. That is told, unless a groove holds it, and
// the run is doubtful.
TEST(Cam, ARollerThatWouldLeaveMakesARunDoubtful) {
  const Simulation s = simulate(eccentric("30"), {.end = 0.3});
  const std::string text = leaving(s);
  EXPECT_TRUE(text.starts_with("'lift.contact' would have to act the wrong way from t = ")) << text;
  EXPECT_EQ(s.status, Outcome::Status::Doubtful);
  ASSERT_EQ(s.summary.health.reasons.size(), 1u);
  EXPECT_EQ(s.summary.health.reasons[0].what, Health::What::WrongWay);
  EXPECT_TRUE(
      s.text.ends_with("'lift.contact' would have to act the wrong way (a cable push, an "
                       "open contact pull)."))
      << s.text;
  const Simulation held = simulate(eccentric("30", ", groove: true"), {.end = 0.3});
  EXPECT_EQ(leaving(held), "");
  EXPECT_EQ(held.status, Outcome::Status::Done);
  EXPECT_EQ(simulate(eccentric("30"), {.end = 0.3, .health = {.is_watched = false}}).status,
            Outcome::Status::Done);
}

// A point on a helix, in space: a bead of mass 1 slides down with the constant acceleration
// g p/(2π √(r² + (p/2π)²)) along it.
TEST(Cam, ABeadSlidesDownAHelix) {
  const Model m = read(R"(
gravity: [0, 0, -9.81]
parameters: {r: 0.5, c: 0.2}
bodies: {bead: {point_mass: 1, position: [0.5, 0, 0]}}
joints: {wire: {type: cam, between: [ground, bead], curve: [r*cos(wire.s), r*sin(wire.s), -c*wire.s]}}
outputs: {z: bead.z}
)");
  const Simulation s = simulate(m, {.end = 2, .tolerance = 1e-11});
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  const double length = std::hypot(0.5, 0.2), turns = 9.81 * 0.2 / (length * length);  // s''
  EXPECT_NEAR(s["z"].back(), -0.2 * turns * 2, 1e-8);
}

TEST(Cam, ACurveHasPlaces) {
  EXPECT_EQ(testing::error_of([&] {
              read(
                  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                  "joints: {c: {type: cam, between: [ground, a], curve: [1, 2, 3]}}\n");
            }),
            "m.yaml:2:54: error[model.bad-value]: curve of joint 'c' does not depend on c.s, the "
            "place on it.");
}

TEST_P(EverySet, AnglesAndPositionsCountFromTheirZero) {
  const Model m = read(R"(
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [1, 2, 1.5], com: [0.1, 0, 0]}
  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}
joints:
  hinge: {type: revolute, between: [ground, a], axis: [0, 1, 0], zero: 30 deg}
  slide: {type: prismatic, between: [a, b], axis: [0, 1, 0], zero: 0.2}
outputs: {angle: hinge.angle, position: slide.position}
)");
  const Simulation s = simulate(m, {.end = 0.1, .coordinates = GetParam()});
  EXPECT_NEAR(s["angle"][0], -kPi / 6, 1e-12);
  EXPECT_NEAR(s["position"][0], 0.3, 1e-12);
}

// A body turning about a fixed axis n: the rotation vector is the angle times n.
TEST(Orientation, RotationVectorsAndCardanAnglesOfAHinge) {
  const Model m = read(R"(
bodies:
  frame: {mass: 1, inertia: [1, 1, 1]}
  rotor: {mass: 1, inertia: [1, 1, 1]}
joints:
  base: {type: revolute, between: [ground, frame], axis: [0, 0, 1], drive: 0.3}
  spin: {type: revolute, between: [frame, rotor], axis: [2, -1, 2], drive: 2.5*t - 1}
definitions: {turn: {between: [frame, rotor]}}
outputs: {rx: turn.rx, ry: turn.ry, rz: turn.rz, rate: turn.ry', yaw: frame.yaw, roll: frame.roll}
)");
  const Simulation s = simulate(m, {.end = 1});
  for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
    const double phi = 2.5 * s.trajectory.time()[i] - 1;
    EXPECT_NEAR(s["rx"][i], 2 * phi / 3, 1e-9);
    EXPECT_NEAR(s["ry"][i], -phi / 3, 1e-9);
    EXPECT_NEAR(s["rz"][i], 2 * phi / 3, 1e-9);
    EXPECT_NEAR(s["rate"][i], -2.5 / 3, 1e-7);
    EXPECT_NEAR(s["yaw"][i], 0.3, 1e-12);
    EXPECT_NEAR(s["roll"][i], 0, 1e-12);
  }
}

// At half a turn the rotation vector has the length π, and jumps to its negative.
TEST(Orientation, RotationVectorsPassHalfATurn) {
  const Model m = read(R"(
bodies: {rotor: {mass: 1, inertia: [1, 1, 1]}}
joints: {spin: {type: revolute, between: [ground, rotor], axis: [2, -1, 2], drive: t}}
outputs: {rx: rotor.rx, ry: rotor.ry, rz: rotor.rz, rate: rotor.rx'}
)");
  SimulateOptions options;
  options.end = 6.5;
  options.sampling.times = {1.5,        kPi / 2,    1.6,        3,   kPi - 1e-5, kPi - 1e-9,
                            kPi + 1e-9, kPi + 1e-5, kPi + 1e-2, 5.5, 6.5};
  const Simulation s = simulate(m, options);
  for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
    const double phi = std::remainder(s.trajectory.time()[i], 2 * kPi);
    EXPECT_NEAR(s["rx"][i], 2 * phi / 3, 1e-9) << phi;
    EXPECT_NEAR(s["ry"][i], -phi / 3, 1e-9) << phi;
    EXPECT_NEAR(s["rz"][i], 2 * phi / 3, 1e-9) << phi;
    EXPECT_NEAR(s["rate"][i], 2.0 / 3, 1e-6) << phi;
  }
}

// Outputs do not move anything: the run goes on, and says so.
TEST(Tables, OutputsThatNeedThemBeyondTheirEndsAreDoubtful) {
  const Model m = read(R"(
tables: {k: {type: linear, x: [-1, 1], y: [2, 2], outside: error}}
coordinates: {x: {start: 0, rate: 1, fixed: true}}
kinetic: x'^2/2
outputs: {x: x, k: k(x)}
)");
  const Simulation s = simulate(m, {.end = 3});
  EXPECT_EQ(s.status, Outcome::Status::Doubtful);
  EXPECT_NE(s.text.find("output 'k' needs table 'k' beyond its points"), std::string::npos)
      << s.text;
  EXPECT_NEAR(s["x"].back(), 3, 1e-9);
}

// Beyond a table with `outside: error` there is no motion.
TEST(Tables, ARunEndsWhereATableDoes) {
  const Model m = read(R"(
tables: {k: {type: linear, x: [-1, 1], y: [2, 2], outside: error}}
coordinates: {x: {start: 0, rate: 1, fixed: true}}
kinetic: x'^2/2
generalized_forces: {x: 0.01*k(x)}
outputs: {x: x}
)");
  const Simulation s = simulate(m, {.end = 3});
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_TRUE(s.text.starts_with("table 'k' ends at 1, and the model says `outside: error`: "))
      << s.text;
  EXPECT_NEAR(s["x"].back(), 1, 1e-3);  // what is near enough to be told
}

}  // namespace
}  // namespace koppel
