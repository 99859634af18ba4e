// Events: found where they are by every integrator, and what they do.
#include <cmath>
#include <numbers>
#include <span>

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

// A ball that falls from height 1 and keeps e of its speed.
Model ball(const std::string& event) {
  return read_model_text(R"(
name: ball
parameters: {e: 0.5, g: 9.81}
coordinates: {y: 1}
kinetic: y'^2/2
potential: g*y
outputs: {y: y, "y'": y'}
events: {ground: )" + event + "}\n",
                         "ball.yaml");
}

// x″ = −k x, from x = 1.
Model oscillator(const std::string& events) {
  return read_model_text(R"(
name: oscillator
parameters: {k: 1}
coordinates: {x: 1}
kinetic: x'^2/2
potential: k*x^2/2
outputs: {x: x, "x'": x'}
events: )" + events + "\n",
                         "oscillator.yaml");
}

SimulateOptions until(double end) {
  SimulateOptions options;
  options.end = end;
  return options;
}

SimulateOptions options_for(const IntegratorInfo& integrator, double end) {
  SimulateOptions options;
  options.health = {.is_watched = false};  // errors are measured below, by what a method reaches
  options.end = end;
  options.integrator = integrator.name;
  options.tolerance = 1e-10;
  if (!integrator.has_adaptive_step) options.step = 1e-3;
  return options;
}

// Names of all integrators that these models can be given to, with what they reach.
struct Reach {
  double error;
  const char* because;
};
Reach reach_of(std::string_view integrator) {
  if (integrator == "implicit-euler") return {2e-4, "order 1, 1e-10 a step"};
  if (integrator == "explicit-euler" || integrator == "linear-implicit") {
    // A flight takes explicit Euler h longer, and speeds grow by g h in it: after four impacts with
    // e = ½ it is 6.875 h late. The linear-implicit one is as early.
    return {7e-3 / 1.24, "6.875 steps of 1e-3 after 1.24 s"};
  }
  if (!find_integrator(integrator).has_adaptive_step) return {1e-6, "order 2 or more, steps 1e-3"};
  return {1e-7, "tolerance 1e-10 over a few hundred steps; dense output of order 3 or more"};
}

TEST(Events, OfABouncingBallAreFoundByEveryIntegrator) {
  // t₁ = √(2/g); each flight is shorter by e.
  const double first = std::sqrt(2 / kGravity);
  for (const IntegratorInfo& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    const Simulation s = simulate(ball("{when: y, bounce: e}"), options_for(integrator, 1.27));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    ASSERT_EQ(s.summary.events.size(), 4U);
    double expected = first, flight = 2 * first;
    const Reach reach = reach_of(integrator.name);
    for (const Summary::Event& event : s.summary.events) {
      EXPECT_EQ(event.name, "ground");
      EXPECT_TRUE(near(event.t, expected, {.relative = reach.error, .because = reach.because}));
      flight *= 0.5;
      expected += flight;
    }
  }
}

TEST(Events, CanStopARun) {
  for (const IntegratorInfo& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    const Simulation s =
        simulate(oscillator("{middle: {when: x, stop: true}}"), options_for(integrator, 5));
    ASSERT_EQ(s.status, Outcome::Status::Event) << s.text;
    const Reach reach = reach_of(integrator.name);
    EXPECT_TRUE(near(s.trajectory.time().back(), std::numbers::pi / 2,
                     {.relative = reach.error, .because = reach.because}));
    EXPECT_EQ(s.summary.status, "done");
    ASSERT_EQ(s.summary.messages.size(), 1U);
    EXPECT_EQ(s.summary.messages[0].substr(0, 39), "event 'middle' ended the run at t = 1.5");
  }
}

// The cut step is as accurate as others, and leaves the clock only until its next or second tick.
TEST(Events, CutFixedCostStepsWhichReturnToTheClock) {
  const double t1 = std::sqrt(2 / kGravity);  // 0.4515 s
  for (const double step : {0.1, 0.15, 0.3}) {
    SCOPED_TRACE(step);
    SimulateOptions options = until(1.2);
    options.integrator = "rattle";
    options.step = step;
    options.sampling.every_step = true;
    const Simulation s = simulate(ball("{when: y, bounce: 1}"), options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    ASSERT_EQ(s.summary.events.size(), 1U);
    const testing::Tolerance exact{.relative = 1e-13, .because = "order 2 follows a fall exactly"};
    EXPECT_TRUE(near(s.summary.events[0].t, t1, exact));
    const std::span<const double> t = s.trajectory.time(), y = s.trajectory["y"];
    long off = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double d = std::abs(t[i] - t1), from_tick = std::remainder(t[i], step);
      EXPECT_NEAR(y[i], t[i] < t1 ? 1 - kGravity * t[i] * t[i] / 2 : kGravity * d * (t1 - d / 2),
                  1e-13);
      off += std::abs(from_tick) > 1e-12;
    }
    // Less than half a step is left until 0.5 s, and until 0.6 s where steps are 0.3 s long.
    EXPECT_EQ(off, step == 0.1 || step == 0.3 ? 2 : 1);
  }
}

// A state on the line between two ends of steps would be off by h²/8 times the curvature.
TEST(Events, AtWhichFixedCostStepsEndAreOnTheConstraints) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 0.1, position: [0, -1], points: {P: [0, 1]}}}
joints: {pin: {type: revolute, between: [ground, bob.P]}}
initial: {pin.angle: {value: 1, fixed: true}}
events: {there: {when: bob.x - 0.3, stop: true}}
)",
                                      "pendulum.yaml");
  SimulateOptions options = until(5);
  options.coordinates = "absolute";
  options.integrator = "rattle";
  options.step = 0.01;
  const Simulation s = simulate(model, options);
  ASSERT_EQ(s.status, Outcome::Status::Event) << s.text;
  EXPECT_LT(s.summary.max_position_violation, 1e-9);  // O(h⁶)
  EXPECT_LT(s.summary.max_velocity_violation, 1e-13);
}

TEST(Events, CountInTheirDirectionOnly) {
  const auto times = [](const std::string& direction) {
    SimulateOptions options;
    options.end = 12;
    options.tolerance = 1e-12;
    const Simulation s =
        simulate(oscillator("{middle: {when: x, direction: " + direction + "}}"), options);
    std::vector<double> t;
    for (const Summary::Event& event : s.summary.events) t.push_back(event.t);
    return t;
  };
  const auto expect = [](const std::vector<double>& found, std::vector<double> quarters) {
    ASSERT_EQ(found.size(), quarters.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(near(found[i], quarters[i] * std::numbers::pi / 2,
                       {.relative = 1e-11, .because = "tolerance 1e-12"}));
    }
  };
  expect(times("both"), {1, 3, 5, 7});
  expect(times("falling"), {1, 5});
  expect(times("rising"), {3, 7});
}

// A restart looks at many short parts first, on the way out and not back: a function that passes
// against its direction soon after another event has not passed in it.
TEST(Events, CountInTheirDirectionSoonAfterOthers) {
  // z = 0.1 + 0.6 t − t² rises through 0.15 at 0.1, as x passes another mark, and falls at 0.5.
  for (const char* const integrator : {"taylor", "dop853", "radau5"}) {
    for (const double mark : {0.4, 0.49, 0.499, 0.4999, 0.49999}) {
      SCOPED_TRACE(integrator + std::string(" ") + std::to_string(mark));
      SimulateOptions options;
      options.end = 1;
      options.integrator = integrator;
      const Simulation s = simulate(read_model_text("coordinates: {x: {rate: 1}}\n"
                                                    "kinetic: x'^2/2\n"
                                                    "states: {z: {rate: 0.6 - 2*t, start: 0.1}}\n"
                                                    "events:\n"
                                                    "  up: {when: z - 0.15, direction: rising}\n"
                                                    "  mark: {when: x - " +
                                                        std::to_string(mark) + "}\n",
                                                    "restart.yaml"),
                                    options);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      ASSERT_EQ(s.summary.events.size(), 2U);
      EXPECT_EQ(s.summary.events[0].name, "up");
      EXPECT_TRUE(near(s.summary.events[0].t, 0.1, {.relative = 1e-6, .because = "tolerance"}));
      EXPECT_EQ(s.summary.events[1].name, "mark");
    }
  }
}

TEST(Events, ChangeParameters) {
  // x = cos t up to π/2, where k becomes 4: x = −½ sin(2 (t − π/2)).
  SimulateOptions options;
  options.end = 3 * std::numbers::pi / 4;
  options.tolerance = 1e-12;
  const Simulation s =
      simulate(oscillator("{harder: {when: x, direction: falling, set: {k: 3 + k}}}"), options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_TRUE(near(s.trajectory["x"].back(), -0.5, {.relative = 1e-10, .because = "tolerance"}));
  // The energy that is stored is that of the new spring.
  const std::span<const double> potential = s.trajectory["potential_energy"];
  EXPECT_TRUE(near(potential.back(), 0.5, {.relative = 1e-10, .because = "tolerance"}));
}

TEST(Events, TimeIsAsGoodAsAnyOtherQuantity) {
  SimulateOptions options;
  options.end = 2;
  const Simulation s = simulate(oscillator("{late: {when: t - 1.25}}"), options);
  ASSERT_EQ(s.summary.events.size(), 1U);
  EXPECT_TRUE(near(s.summary.events[0].t, 1.25, {.relative = 1e-15, .because = "exact in t"}));
}

// A rod that hangs, hit at its tip: ω = 3 P/(m l), whatever the coordinates and the formulation.
Model rod() {
  return read_model_text(R"(
name: rod
dimension: 2
bodies:
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [0, -3]}}, points: {tip: [0, -3]}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
outputs: {omega: "pivot.angle'"}
events: {hit: {when: t - 0.5, impulse: {rod.tip.x: 4}}}
)",
                         "rod.yaml");
}

TEST(Events, ImpulsesRespectTheConstraintsInAllCoordinates) {
  const Model model = rod();
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 1;
    options.coordinates = set;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_TRUE(near(s.trajectory["omega"].back(), 2.0,
                     {.relative = 1e-9, .because = "free rotation, tolerance 1e-8"}));
    EXPECT_LT(s.summary.max_velocity_violation, 1e-12);
  }
}

TEST(Events, ElasticImpactsOfALinkageKeepItsEnergy) {
  // The slider hits a wall; no other forces do work.
  const Model model = read_model_text(R"(
name: linkage
dimension: 2
bodies:
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [0.4, 0]}}, points: {A: [0.4, 0]}}
  rod: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {B: [1, 0]}, position: [0.4, 0]}
  slider: {mass: 1, inertia: 0.1, position: [1.4, 0]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: revolute, between: [rod.B, slider]}
  guide: {type: prismatic, between: [ground, slider], axis: [1, 0]}
initial: {O.angle: {value: 1.2, fixed: true}, "O.angle'": {value: 3, fixed: true}}
outputs: {x: slider.x, "x'": "slider.x'"}
events: {wall: {when: slider.x - 0.8, bounce: 1}}
)",
                                      "linkage.yaml");
  for (const char* set : {"natural", "absolute", "joint"}) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 5;
    options.coordinates = set;
    options.tolerance = 1e-10;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_GE(s.summary.events.size(), 2U);
    EXPECT_LT(s.summary.energy_drift, 1e-8);
    EXPECT_GE(s.trajectory.statistics(static_cast<std::size_t>(s.trajectory.find("x"))).min,
              0.8 - 1e-9);
    EXPECT_LT(s.summary.max_position_violation, 1e-10);
  }
}

// A point in the plane, at (1, 1) with velocity −(1, speed).
Model thrown(const std::string& events, const std::string& speed = "1") {
  return read_model_text(R"(
name: thrown
coordinates: {x: 1, y: 1}
kinetic: (x'^2 + y'^2)/2
initial: {"x'": -1, "y'": -)" +
                             speed + R"(}
outputs: {x: x, y: y, "x'": x', "y'": y'}
events: )" + events + "\n",
                         "thrown.yaml");
}

TEST(Events, InACornerHappenTogether) {
  for (const IntegratorInfo& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    const Simulation s =
        simulate(thrown("{left: {when: x, bounce: 1}, floor: {when: y, bounce: 0.5}}"),
                 options_for(integrator, 3));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    ASSERT_EQ(s.summary.events.size(), 2U);
    EXPECT_EQ(s.summary.events[0].name, "left");
    EXPECT_EQ(s.summary.events[1].name, "floor");
    const testing::Tolerance exact{.relative = 1e-9, .because = "uniform motion"};
    EXPECT_TRUE(near(s.summary.events[0].t, 1, exact));
    EXPECT_TRUE(near(s.trajectory["x"].back(), 2, exact));
    EXPECT_TRUE(near(s.trajectory["y"].back(), 1, exact));
    EXPECT_TRUE(near(s.trajectory["x'"].back(), 1, exact));
    EXPECT_TRUE(near(s.trajectory["y'"].back(), 0.5, exact));
  }
}

TEST(Events, InACornerAreTheLimitOfOneAfterTheOther) {
  // A little later at the floor than at the wall: the order does not matter for walls at right
  // angles.
  const Simulation s =
      simulate(thrown("{left: {when: x, bounce: 1}, floor: {when: y, bounce: 0.5}}", "(1 - 1e-12)"),
               until(3));
  ASSERT_EQ(s.summary.events.size(), 2U);
  EXPECT_TRUE(near(s.trajectory["y"].back(), 1, {.relative = 1e-8, .because = "tolerance"}));
}

TEST(Events, OfThreeWallsThroughOnePointPushAndNeverPull) {
  // A third wall across the corner, x + y = 0. The equations of (2) in impulse.hpp by hand, all
  // e = 1: w = (P1 + P3 − 2, P2 + P3 − 2, P1 + P2 + 2 P3 − 4); P = (2, 2, 0) solves them, and so do
  // (0, 0, 2) and all between: the velocity after is (1, 1) for each.
  const Simulation s = simulate(thrown("{left: {when: x, bounce: 1}, floor: {when: y, bounce: 1}, "
                                       "across: {when: x + y, bounce: 1}}"),
                                until(3));
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_EQ(s.summary.events.size(), 3U);
  EXPECT_TRUE(near(s.trajectory["x'"].back(), 1, {.relative = 1e-12, .because = "uniform"}));
  EXPECT_TRUE(near(s.trajectory["y'"].back(), 1, {.relative = 1e-12, .because = "uniform"}));
}

// A bar of length 2 falls flat on two supports under its ends. One impact after the other would
// turn it; together, each end leaves with e of its speed.
Model bar(const std::string& left, const std::string& right) {
  return read_model_text(R"(
name: bar
dimension: 2
bodies:
  bar: {mass: 3, shape: {rod: {from: [-1, 0], to: [1, 0]}}, points: {L: [-1, 0], R: [1, 0]}, position: [0, 1]}
initial: {"bar.x'": 0, "bar.y'": -1, "bar.angle'": 0}
outputs: {L: "bar.L.y'", R: "bar.R.y'", y: bar.y}
events: {left: {when: bar.L.y, bounce: )" +
                             left + "}, right: {when: bar.R.y, bounce: " + right + "}}\n",
                         "bar.yaml");
}

TEST(Events, OfABarOnTwoSupportsActTogetherInAllCoordinates) {
  const testing::Tolerance exact{.relative = 1e-9, .because = "uniform motion, tolerance 1e-8"};
  const Model flat = bar("0.5", "0.5"), turning = bar("1", "0.25");
  for (const std::string& set : coordinate_sets(flat)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 1.5;
    options.coordinates = set;
    const Simulation s = simulate(flat, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_EQ(s.summary.events.size(), 2U);
    EXPECT_TRUE(near(s.trajectory["L"].back(), 0.5, exact));
    EXPECT_TRUE(near(s.trajectory["R"].back(), 0.5, exact));
    EXPECT_TRUE(near(s.trajectory["y"].back(), 0.25, exact));
    options.end = 1.0000001;  // it turns from then on
    const Simulation t = simulate(turning, options);
    EXPECT_EQ(t.summary.events.size(), 2U);
    const testing::Tolerance soon{.relative = 1e-6, .because = "1e-7 s of turning"};
    EXPECT_TRUE(near(t.trajectory["L"].back(), 1, soon));
    EXPECT_TRUE(near(t.trajectory["R"].back(), 0.25, soon));
  }
}

TEST(Events, ThatSetAParameterToTwoValuesAreRefused) {
  const Simulation s =
      simulate(oscillator("{a: {when: x, set: {k: 2}}, b: {when: 2*x, set: {k: 3}}}"), until(3));
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text, "events 'a' and 'b' happen together and set 'k' to 2 and to 3");
}

std::vector<std::string> messages_of(const Model& model, double end) {
  return simulate(model, until(end)).summary.messages;
}

TEST(Events, ThatAreBehindTheStartAreTold) {
  EXPECT_EQ(messages_of(ball("{when: y - 1.5, bounce: e}"), 0.1),
            (std::vector<std::string>{
                "event 'ground' is -0.5 at the start, beyond its impact: it counts when falling "
                "through zero, and the motion may never come back to it.",
                "event 'ground' did not happen; it is -0.54905 at the end."}));
  EXPECT_EQ(messages_of(ball("{when: y - 1.5, direction: falling}"), 0.1)[0],
            "event 'ground' is -0.5 at the start and counts when falling: it has to pass zero the "
            "other way first.");
  EXPECT_EQ(messages_of(oscillator("{top: {when: x - 1}}"), 0.1)[0],
            "event 'top' is zero at the start; it counts when it passes zero again.");
}

TEST(Events, ThatAreZeroAtTheStartHappenAtOnce) {
  // Thrown down from the floor itself: it bounces there, with half of the speed.
  const Model down = read_model_text(R"(
name: down
coordinates: {y: 0}
kinetic: y'^2/2
initial: {"y'": -1}
outputs: {y: y}
events: {floor: {when: y, bounce: 0.5}}
)",
                                     "down.yaml");
  const Simulation s = simulate(down, until(1));
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  ASSERT_EQ(s.summary.events.size(), 1U);
  EXPECT_EQ(s.summary.events[0].t, 0);
  EXPECT_TRUE(near(s.trajectory["y"].back(), 0.5, {.relative = 1e-9, .because = "uniform"}));
  EXPECT_EQ(s.summary.messages[0],
            "event 'floor' is zero at the start: it happens at once unless the motion leads away "
            "from it.");
  // At rest on the floor under gravity: contact that lasts, which is not modelled.
  const Model resting = read_model_text(R"(
name: resting
coordinates: {y: 0}
kinetic: y'^2/2
potential: 9.81*y
events: {floor: {when: y, bounce: 0.5}}
)",
                                        "resting.yaml");
  EXPECT_EQ(simulate(resting, until(1)).status, Outcome::Status::Failed);
}

// An impulse that slows a fall down leaves the function at zero and on its way down: round-off
// there is no second passage, whatever the tolerance.
TEST(Events, HappenOnceWhereTheFunctionGoesOn) {
  const Model model = read_model_text(R"(
parameters: {kk: 40}
coordinates: {x: 0.4, y: {start: 0.1, rate: 0.5}}
kinetic: 1.3*x'^2/2 + 1.3*(x' + y'*cos(y))^2/2 + 1.3*y'^2/2
potential: kk*x^2/2 + 12*(1 - cos(y)) + 3*y^2
dissipation: 0.3*x'^2/2
generalized_forces: {x: 2*sin(3*t)}
events:
  soft: {when: x - 0.15, direction: falling, set: {kk: 90}}
  hit: {when: x + 0.1, bounce: 0.6}
  kick: {when: y - 0.05, direction: falling, impulse: {y: 0.39}}
)",
                                      "kick.yaml");
  for (const char* const integrator : {"ida", "cvode", "dop853", "taylor"}) {
    for (int digits = 4; digits <= 12; ++digits) {
      SimulateOptions options;
      options.end = 1;
      options.integrator = integrator;
      options.tolerance = 3 * std::pow(10.0, -digits);
      EXPECT_EQ(simulate(model, options).summary.events.size(), 4U) << integrator << ' ' << digits;
    }
  }
}

TEST(Events, ThatDoNotHappenAreTold) {
  EXPECT_EQ(messages_of(oscillator("{far: {when: x - 5}}"), std::numbers::pi),
            (std::vector<std::string>{"event 'far' did not happen; it is -6 at the end."}));
}

TEST(Events, ThatComeToRestEndTheRunWithAReason) {
  SimulateOptions options;
  options.end = 3;  // the bounces end at 3 t₁ = 1.355
  const Simulation s = simulate(ball("{when: y, bounce: e}"), options);
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text,
            "event 'ground' happens again and again: the impacts come to rest, and lasting contact "
            "is not modelled; let the event stop the run, or use a contact force instead");
  EXPECT_TRUE(near(s.trajectory.time().back(), 3 * std::sqrt(2 / kGravity),
                   {.relative = 1e-5, .because = "a hundred impacts in a millionth of the run"}));
}

TEST(Events, ThatNoMotionLeadsAwayFromAreRefused) {
  // x is driven: no impulse changes its rate.
  const Model model = read_model_text(R"(
name: driven
coordinates: {x: 1, y: 0}
kinetic: x'^2/2 + y'^2/2
constraints: {drive: x + t - 1}
events: {wall: {when: x, bounce: 0.5}}
)",
                                      "driven.yaml");
  SimulateOptions options;
  options.end = 3;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text, "no motion that the constraints allow leads away from event 'wall'");
}

TEST(Events, ThatChangeParametersGoWithoutDerivatives) {
  SimulateOptions options;
  options.derivatives = 2;
  EXPECT_EQ(
      testing::error_of([&] { simulate(oscillator("{harder: {when: x, set: {k: 4}}}"), options); }),
      "error[simulate.bad-option]: event 'harder' changes parameters, and derivatives "
      "are asked for; they would be those of the parameters at the start.\n"
      "  Leave out `derivatives`.");
}

// A level rod falls on both ends at once. End A stays where it is, end B leaves with 0.8 of its
// speed: each by its own restitution, since the mass of the rod moves neither end by pushing the
// other away. B leaves its contact while A comes back to it again and again.
TEST(Impacts, OfOneContactDoNotPushAnotherBackThatLeaves) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -10]
bodies: {rod: {mass: 1, inertia: 0.08333333333333333, points: {A: [-0.5, 0], B: [0.5, 0]}, position: [0, 1]}}
events:
  a: {when: rod.A.y, bounce: 0}
  b: {when: rod.B.y, bounce: 0.8}
outputs: {vA: "rod.A.y'", vB: "rod.B.y'"}
)",
                                      "rod.yaml");
  const Simulation s = simulate(model, {.end = 0.45});
  EXPECT_NE(s.text.find("lasting contact is not modelled"), std::string::npos) << s.text;
  EXPECT_NEAR(s["vA"].back(), 0, 1e-9);
  EXPECT_NEAR(s["vB"].back(), 0.8 * std::sqrt(20), 1e-9);
  const auto num_b = std::count_if(s.summary.events.begin(), s.summary.events.end(),
                                   [](const Summary::Event& event) { return event.name == "b"; });
  EXPECT_EQ(num_b, 1);
}

// A sled hits three that touch at rest; its speed goes through them, and the last one comes back
// from a wall. All but the first one end where they were. Gaps that are zero but for round-off lead
// out of it as the sleds drift.
TEST(Impacts, OfBodiesThatTouchAtRestGoThroughThem) {
  constexpr double kSpeed = 1.3, kWall = 2, kEnd = 6;
  for (const double first : {0.1, 0.2, 0.3, 0.33, 0.7, 1.1}) {
    const Model model = read_model_text("dimension: 2\nparameters: {x: " + std::to_string(first) +
                                            R"(}
bodies:
  a: {point_mass: 1, position: [-0.9, 0]}
  b: {point_mass: 1, position: [x, 0]}
  c: {point_mass: 1, position: [x + 0.2, 0]}
  d: {point_mass: 1, position: [x + 0.4, 0]}
joints:
  sa: {type: prismatic, between: [ground, a], axis: [1, 0]}
  sb: {type: prismatic, between: [ground, b], axis: [1, 0]}
  sc: {type: prismatic, between: [ground, c], axis: [1, 0]}
  sd: {type: prismatic, between: [ground, d], axis: [1, 0]}
initial: {"a.x'": 1.3}
events:
  ab: {when: b.x - a.x - 0.2, bounce: 1}
  bc: {when: c.x - b.x - 0.2, bounce: 1}
  cd: {when: d.x - c.x - 0.2, bounce: 1}
  wall: {when: 2 - d.x, bounce: 1}
outputs: {a: a.x, b: b.x, c: c.x, d: d.x}
)",
                                        "sleds.yaml");
    // The way of the speed, with the sleds of 0.2 m left out.
    const double way = kSpeed * kEnd - (first - 0.2 + 0.9) - 2 * (kWall - first - 0.4);
    for (const std::string set : {"absolute", "joint", "natural"}) {
      for (const char* integrator : {"taylor", "radau5", "dop853"}) {
        SCOPED_TRACE(std::to_string(first) + " " + set + " " + integrator);
        SimulateOptions options = until(kEnd);
        options.coordinates = set;
        options.integrator = integrator;
        const Simulation s = simulate(model, options);
        ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
        EXPECT_NEAR(s["a"].back(), first - 0.2 - way, 1e-6);
        EXPECT_NEAR(s["b"].back(), first, 1e-6);
        EXPECT_NEAR(s["c"].back(), first + 0.2, 1e-6);
        EXPECT_NEAR(s["d"].back(), first + 0.4, 1e-6);
      }
    }
  }
}

// √(1 − x) ends at x = 1, and passes ½ before: at x = ¾.
TEST(Events, AreFoundBeforeTheirFunctionsEnd) {
  for (const char* when : {"sqrt(1 - x) - 0.5", "0.8 - asin(x)", "f(x) - 0.75"}) {
    const Model model = read_model_text(
        std::string("tables: {f: {type: linear, x: [0, 1], y: [0, 1], outside: error}}\n"
                    "coordinates: {x: {start: 0, rate: 1, fixed: true}}\nkinetic: x'^2/2\n"
                    "events: {e: {when: \"") +
            when + "\", stop: true}}\n",
        "ends.yaml");
    const double expected = std::string(when).starts_with("0.8") ? std::sin(0.8) : 0.75;
    for (const char* integrator : {"taylor", "dop853", "radau5"}) {
      SimulateOptions options;
      options.end = 3;
      options.integrator = integrator;
      const Simulation s = simulate(model, options);
      ASSERT_EQ(s.summary.events.size(), 1U) << when << ' ' << integrator;
      EXPECT_NEAR(s.summary.events[0].t, expected, 1e-9) << when << ' ' << integrator;
    }
  }
}

TEST(Events, SetNothingThatIsNotFinite) {
  const Model model = read_model_text(
      "parameters: {k: 1}\ntables: {f: {type: linear, x: [0, 1], y: [0, 1], outside: error}}\n"
      "coordinates: {x: {start: 0, rate: 1, fixed: true}}\nkinetic: x'^2/2\n"
      "events: {e: {when: t - 0.5, set: {k: f(t + 5)}}}\noutputs: {k: k}\n",
      "set.yaml");
  const Simulation s = simulate(model, {.end = 1});
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text,
            "event 'e' sets 'k' to a value that is not finite: table 'f' has `outside: "
            "error`");
}

}  // namespace
}  // namespace koppel
