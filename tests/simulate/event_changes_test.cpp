// Events that `set` parameters together with an impact: expressions see the state that the event
// was found in, the impact has the restitution of before, and what was set holds from then on.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

constexpr double kGravity = 9.81;

Simulation run(const Model& model, double end, const std::string& coordinates = "") {
  SimulateOptions options;
  options.end = end;
  options.coordinates = coordinates;
  options.tolerance = 1e-11;
  Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return s;
}

// A ball falls from 1 m: it hits the ground with v = −√(2g), leaves it with e v, and gravity is 4
// times as large from then on.
TEST(EventChanges, SeeTheVelocityBeforeTheImpactAndHoldAfterIt) {
  const Model model = read_model_text(R"(
parameters: {e: 0.5, g: 9.81, hit: 0, n: 0}
coordinates: {y: 1}
kinetic: y'^2/2
potential: g*y
outputs: {y: y, v: y', hit: hit, g: g, n: n}
events: {ground: {when: y, bounce: e, set: {hit: y', g: 4*g, n: n + 1}}}
)",
                                      "ball.yaml");
  const double v = std::sqrt(2 * kGravity), first = std::sqrt(2 / kGravity), end = first + 0.05;
  const Simulation s = run(model, end);
  ASSERT_EQ(s.summary.events.size(), 1U);
  const testing::Tolerance tolerance{.relative = 1e-9, .because = "tolerance 1e-11"};
  EXPECT_TRUE(near(s.trajectory["hit"].back(), -v, tolerance));
  EXPECT_EQ(s.trajectory["hit"].front(), 0);
  EXPECT_EQ(s.trajectory["g"].back(), 4 * kGravity);
  EXPECT_EQ(s.trajectory["n"].back(), 1);
  const double t = end - first;
  EXPECT_TRUE(near(s.trajectory["v"].back(), 0.5 * v - 4 * kGravity * t, tolerance));
  EXPECT_TRUE(near(s.trajectory["y"].back(), 0.5 * v * t - 2 * kGravity * t * t, tolerance));
}

// e = ½, then ¼, then ⅛: flights take 2 v e/g each, with v what is left.
TEST(EventChanges, OfTheRestitutionCountFromTheNextImpactOn) {
  const Model model = read_model_text(R"(
parameters: {e: 0.5}
coordinates: {y: 1}
kinetic: y'^2/2
potential: 9.81*y
events: {ground: {when: y, bounce: e, set: {e: e/2}}}
)",
                                      "ball.yaml");
  const double v = std::sqrt(2 * kGravity), first = std::sqrt(2 / kGravity);
  const double second = first + 2 * 0.5 * v / kGravity, third = second + 2 * 0.125 * v / kGravity;
  const Simulation s = run(model, third + 0.005);
  ASSERT_EQ(s.summary.events.size(), 3U);
  const testing::Tolerance tolerance{.relative = 1e-9, .because = "tolerance 1e-11"};
  EXPECT_TRUE(near(s.summary.events[0].t, first, tolerance));
  EXPECT_TRUE(near(s.summary.events[1].t, second, tolerance));
  EXPECT_TRUE(near(s.summary.events[2].t, third, tolerance));
}

// A rod on a hinge turns with 2 rad/s, meets a stop at 0.5 rad, comes back with e = ¾, and from
// then on feels a torque of 3 N m; J = m l²/3 = 6 kg m². With constraints in all coordinates but
// one set.
TEST(EventChanges, KeepTheVelocitiesOfTheImpactInAMechanismWithConstraints) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {T: 0}
bodies: {rod: {mass: 2, shape: {rod: {from: [0, 0], to: [3, 0]}}}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
forces: {motor: {type: effort, on: pivot.angle, effort: T}}
initial: {"pivot.angle'": 2}
outputs: {angle: pivot.angle, omega: "pivot.angle'"}
events: {stop: {when: 0.5 - pivot.angle, bounce: 0.75, set: {T: 3}}}
)",
                                      "stop.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Simulation s = run(model, 0.65, set);
    const double t = 0.65 - 0.25, acceleration = 3.0 / 6;
    const testing::Tolerance tolerance{.relative = 1e-8, .because = "tolerance 1e-11, assembly"};
    EXPECT_TRUE(near(s.trajectory["omega"].back(), -1.5 + acceleration * t, tolerance));
    EXPECT_TRUE(
        near(s.trajectory["angle"].back(), 0.5 - 1.5 * t + acceleration * t * t / 2, tolerance));
  }
}

// A sled comes to a switch, from where its slide leads away at 60 degrees: half its speed is left,
// in all coordinates. It is at the switch at 0.5 s.
TEST(EventChanges, OfASlideTakeAnImpulse) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {slope: 0}
bodies: {sled: {mass: 1, inertia: 0.1, position: [-1, 0]}}
joints: {rail: {type: prismatic, between: [ground, sled], axis: [cos(slope), sin(slope)]}}
initial: {"rail.position'": 2}
events: {switch: {when: rail.position, set: {slope: 60 deg}}}
outputs: {x: sled.x, y: sled.y, v: "rail.position'"}
)",
                                      "sled.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Simulation s = run(model, 1, set);
    EXPECT_NEAR(s["v"].back(), 1, 1e-9);
    EXPECT_NEAR(s["x"].back(), 0.25, 1e-9);
    EXPECT_NEAR(s["y"].back(), 0.25 * std::sqrt(3), 1e-9);
  }
}

// The knee goes elsewhere, which joint coordinates would follow.
TEST(EventChanges, ThatMoveBodiesAreRefusedInAllCoordinates) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {l: 1}
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, points: {end: [l, 0]}}
  lower: {mass: 1, inertia: 0.1, com: [0.1, 0], position: [l, 0]}
joints:
  hip: {type: revolute, between: [ground, upper]}
  knee: {type: revolute, between: [upper.end, lower]}
events: {shorter: {when: t - 0.3, set: {l: 0.8}}}
)",
                                      "legs.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 1;
    options.coordinates = set;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(s.status, Outcome::Status::Failed);
    EXPECT_NE(s.text.find("a position cannot jump"), std::string::npos) << s.text;
  }
}

// A rod hits two supports on the same side of its centre at once, at x = 0.5 with −0.1 m/s and at
// 0.2 with −1 m/s. What the second does lifts the first: it gets no impulse, and would have to pull
// otherwise.
//   P = 1.5/(1/m + 0.2²/J),   y′ = −1.6 + P/m,   ω = 3 + 0.2 P/J.
TEST(SimultaneousImpacts, PushAndNeverPull) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {rod: {mass: 2, inertia: 0.3, position: [0, 0.8], angle: -1.5, points: {A: [0.2, 0], B: [0.5, 0]}}}
initial: {"rod.y'": -1.6, rod.wz: 3}
outputs: {vy: "rod.y'", omega: rod.wz}
events: {b: {when: rod.B.y, bounce: 0.5}, a: {when: rod.A.y, bounce: 0.5}}
)",
                                      "rod.yaml");
  const double m = 2, J = 0.3, P = 1.5 / (1 / m + 0.04 / J);
  const Simulation s = run(model, 0.6, "absolute");
  ASSERT_EQ(s.summary.events.size(), 2U);
  EXPECT_EQ(s.summary.events[0].t, s.summary.events[1].t);
  const testing::Tolerance tolerance{.relative = 1e-8, .because = "tolerance 1e-11"};
  EXPECT_TRUE(near(s.summary.events[0].t, 0.5, tolerance));
  EXPECT_TRUE(near(s.trajectory["vy"].back(), -1.6 + P / m, tolerance));
  EXPECT_TRUE(near(s.trajectory["omega"].back(), 3 + 0.2 * P / J, tolerance));
}

// After the run, only the values of parameters at its start are known.
TEST(ChangedParameters, AreNoQuantityAfterTheRunButMayBeAnOutput) {
  const Model model = read_model_text(R"(
parameters: {k: 1, m: 1}
coordinates: {x: 1}
kinetic: m*x'^2/2
potential: k*x^2/2
outputs: {stiffness: k}
events: {soft: {when: t - 0.5, set: {k: 0.25}}}
)",
                                      "soft.yaml");
  const Simulation before = simulate(model, SimulateOptions{.end = 0.25});
  EXPECT_EQ(before["k"].back(), 1);
  const Simulation s = simulate(model, SimulateOptions{.end = 1});
  EXPECT_EQ(s["stiffness"].front(), 1);
  EXPECT_EQ(s["stiffness"].back(), 0.25);
  EXPECT_EQ(s["m"].back(), 1);
  EXPECT_EQ(testing::error_of([&] { s["k"]; }),
            "error[results.changed-parameter]: 'k' depends on the parameter 'k', which event "
            "'soft' changed at t = 0.5 s: it cannot be computed afterwards.\n  Make it an "
            "output of the model: outputs are computed during the run.");
}

}  // namespace
}  // namespace koppel
