// Laws of time: nothing that is short against the run is stepped over, and nothing jumps silently.
#include <cmath>
#include <numbers>

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

SimulateOptions until(double end) {
  SimulateOptions options;
  options.end = end;
  return options;
}

// A mass of 1 kg, free, with a force of time on it.
Model pushed(const std::string& force) {
  return read_model_text(R"(
name: pushed
parameters: {w: 1e-3}
coordinates: {x: 0}
kinetic: x'^2/2
generalized_forces: {x: ")" + force +
                             R"("}
outputs: {x: x, "x'": x'}
)",
                         "pushed.yaml");
}

// The velocity at 10 s, by each integrator that chooses its steps.
void expect_velocity(const std::string& force, double velocity) {
  for (const IntegratorInfo& integrator : integrators()) {
    if (!integrator.has_adaptive_step) continue;
    SCOPED_TRACE(std::string(integrator.name) + ": " + force);
    SimulateOptions options;
    options.end = 10;
    options.integrator = integrator.name;
    const bool is_low_order = integrator.name == "implicit-euler";
    options.tolerance = is_low_order ? 1e-5 : 1e-8;
    const Simulation s = simulate(pushed(force), options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_TRUE(near(s.trajectory["x'"].back(), velocity,
                     {.relative = static_cast<double>(s.summary.steps) * options.tolerance,
                      .scale = 1,
                      .because = "the tolerance in each step"}));
  }
}

TEST(TimeLaws, PulsesAreNotSteppedOver) {
  const double area = std::sqrt(std::numbers::pi);
  expect_velocity("exp(-((t - 5)/w)^2)/w", area);
  expect_velocity("1e6*exp(-((t - 7.3)/1e-6)^2)", area);
  expect_velocity("exp(-((t - 5)/0.3)^2)", 0.3 * area);
}

TEST(TimeLaws, StepsAreNotSteppedOver) {
  // ∫ (1 + tanh((t − 3)/w)) dt = 14 for small w.
  expect_velocity("1 + tanh((t - 3)/1e-4)", 14);
  expect_velocity("2/(1 + exp(-(t - 3)/1e-2))", 14);
  expect_velocity("select(t^2 < 9, 0, 2)", 14);
}

TEST(TimeLaws, SwitchesOfOtherThanLinearArgumentsAreNotSteppedOver) {
  // ∫₀¹⁰ |sin 3t| = (2·9 + 1 − cos(30 − 9π))/3.
  expect_velocity("abs(sin(3*t))", (19 - std::cos(30 - 9 * std::numbers::pi)) / 3);
  // A window of 1 µs.
  expect_velocity("select((t - 4)^2 < 0.25e-12, 1e6, 0)", 1);
}

TEST(TimeLaws, SwitchesAtTheStartAreMet) {
  expect_velocity("sign(sin(pi*t))", 0);
  expect_velocity("sign(exp(t) - 1)", 10);
  expect_velocity("min(1, cos(t))", std::sin(10.0));
  expect_velocity("sign(exp(t) - exp(4))", 2);
}

TEST(TimeLaws, ManyShortPulsesAreAllMet) {
  // 20,000 pulses of 0.9 ms.
  SimulateOptions options = until(400);
  options.integrator = "taylor";
  options.sampling.count = 2;
  const Simulation s = simulate(pushed("select(sin(2*pi*50*t) > 0.99, 1, 0)"), options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_TRUE(near(s.trajectory["x'"].back(), 400 * std::acos(0.99) / std::numbers::pi,
                   {.relative = 1e-7, .because = "the tolerance"}));
}

TEST(TimeLaws, ManyPulsesAreAllMet) {
  // exp(−(sin πt/w)²), w = 0.01, at t = 1 … 9, and halves at both ends: each of
  // e⁻ᶻ I₀(z), z = 1/(2w²), which is w/√π (1 + w²/4 + …).
  expect_velocity("exp(-(sin(pi*t)/0.01)^2)", 0.1 / std::sqrt(std::numbers::pi) * 1.000025);
}

// An arm with a drive, and a rod that hangs on it freely.
Model driven(const std::string& drive, const std::string& more = "") {
  return read_model_text(R"(
name: driven
dimension: 2
gravity: [0, -9.81]
tables:
  hold: {type: held, x: [0, 1, 2], y: [0, 0.5, 1]}
  line: {type: linear, x: [0, 1, 2], y: [0, 0.5, 0.5]}
bodies:
  arm: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {B: [1, 0]}}
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {C: [1, 0]}, position: [1, 0]}
joints:
  O: {type: revolute, between: [ground, arm], drive: ")" +
                             drive + "\"" + more + R"(}
  B: {type: revolute, between: [arm.B, rod]}
outputs: {x: rod.C.x, y: rod.C.y, omega: "B.angle'"}
)",
                         "driven.yaml");
}

// A rod of length l that hangs at rest from a cart, which sets off with v at once: the impulse J at
// its end gives its centre J/m and turns it with J (l/2)/(m l²/12), so that v = 4 J/m and
// ω = 3/2 v/l; both stay.
TEST(Jumps, OfRatesAtTheStartAreImpulses) {
  for (const char* const drive :
       {"0.8*abs(t)", "0.8*max(0, t)", "select(sin(t) > 0, 0.8*t, 0)", "0.8*t*sign(exp(t) - 1)"}) {
    const Model model = read_model_text(std::string(R"yaml(
dimension: 2
bodies:
  cart: {mass: 3, inertia: 1}
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [0, -1.2]}}}
joints:
  slide: {type: prismatic, between: [ground, cart], axis: [1, 0], drive: ")yaml") +
                                            drive + R"yaml("}
  hinge: {type: revolute, between: [cart, rod]}
)yaml",
                                        "start.yaml");
    for (const char* const integrator : {"taylor", "radau5", "dop853"}) {
      SCOPED_TRACE(std::string(integrator) + ": " + drive);
      SimulateOptions options = until(1);
      options.integrator = integrator;
      const Simulation s = simulate(model, options);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      EXPECT_TRUE(near(std::abs(s["hinge.angle'"].back()), 1.5 * 0.8 / 1.2,
                       {.relative = 1e-7, .because = "the tolerance, in some steps"}));
      ASSERT_EQ(s.summary.events.size(), 1U);
      EXPECT_LT(s.summary.events[0].t, 2e-16);  // the last law is 0 up to there
    }
  }
}

TEST(Jumps, OfPositionsAreRefusedInAllCoordinates) {
  const Model model = driven("hold(t)");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 3;
    options.coordinates = set;
    EXPECT_EQ(testing::error_of([&] { simulate(model, options); }),
              "driven.yaml:12:3: error[model.jump]: 'O.drive' jumps by 0.5 at t = 1 s; a "
              "position cannot jump.\n"
              "  Give it a course without jumps: a linear or spline table, or a signal of "
              "type rest-to-rest; or say 'jump: impulse' where an impact is meant.");
  }
}

// A cart that jumps by Δ at t = 1 under a rod that turns freely with ω₀ and has come to the angle
// β. With centre c = x e_x + l/2 n(θ), n = (sin θ, −cos θ), the nearest position in the mean of
// masses has Δ cos θ + 2l/3 sin(θ − β) = 0; velocities differ least from those before, of the
// centre and of turning, with ω (1/4 + 1/12) = ω₀ (cos(θ − β)/4 + 1/12).
TEST(Jumps, OfPositionsAreImpactsWhereTheModelSaysSo) {
  const Model model = read_model_text(R"yaml(
dimension: 2
bodies:
  cart: {mass: 3, inertia: 1}
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [0, -1.2]}}}
joints:
  slide: {type: prismatic, between: [ground, cart], axis: [1, 0], drive: "select(t < 1, 0, 0.4)",
          jump: impulse}
  hinge: {type: revolute, between: [cart, rod]}
initial: {"hinge.angle'": 0.5}
outputs: {angle: hinge.angle, rate: "hinge.angle'", x: slide.position}
)yaml",
                                      "jumping.yaml");
  constexpr double kDelta = 0.4, kLength = 1.2, kRate = 0.5, kBefore = 0.5;
  const double phi =
      std::atan2(-kDelta * std::cos(kBefore), 2 * kLength / 3 - kDelta * std::sin(kBefore));
  const double rate = kRate * (3 * std::cos(phi) + 1) / 4;
  std::optional<double> first;
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 2;
    options.coordinates = set;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_NEAR(s.trajectory["x"].back(), kDelta, 1e-10);
    // A millionth of the largest mass and moment is added to those of every body (placement.hpp).
    EXPECT_NEAR(s.trajectory["rate"].back(), rate, 1e-6);
    EXPECT_NEAR(s.trajectory["angle"].back(), kBefore + phi + rate, 2e-6);
    if (!first) first = s.trajectory["angle"].back();
    EXPECT_NEAR(s.trajectory["angle"].back(), *first, 1e-9) << "the same in all coordinates";
    ASSERT_EQ(s.summary.events.size(), 1U);
    EXPECT_EQ(s.summary.events[0].name, "slide.drive");
    EXPECT_EQ(s.summary.messages[0].substr(0, 62),
              "the position that 'slide.drive' prescribes jumps by 0.4 at t =");
  }
}

TEST(Jumps, OfPositionsAreNotForStepsOfFixedCost) {
  Model model = read_model_text(
      "coordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\n"
      "constraints: {hold: {value: \"y - select(t < 1, 0, 0.1)\", jump: impulse}}\n",
      "ticks.yaml");
  SimulateOptions options = until(2);
  options.integrator = "rattle";
  options.step = 1e-2;
  EXPECT_EQ(testing::error_of([&] { simulate(model, options); }),
            "error[simulate.jump]: 'hold' jumps at t = 1 s; fixed-cost steps pass over a jump "
            "of position without noticing it.\n"
            "  Use an adaptive integrator, or a course without jumps.");
}

TEST(Jumps, OfRatesAreImpactsInAllCoordinates) {
  // At rest and in line until the drive starts at t = 1 with ω = 1/2. The impulse J at the joint B
  // that gives B the velocity ω l makes the rod turn with −6 J/(m l), J = m ω l/4: with −3/2 ω, and
  // against the arm with −5/2 ω.
  const Model model = read_model_text(R"(
name: started
dimension: 2
bodies:
  arm: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {B: [1, 0]}}
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {C: [1, 0]}, position: [1, 0]}
joints:
  O: {type: revolute, between: [ground, arm], drive: "max(0, t - 1)/2"}
  B: {type: revolute, between: [arm.B, rod]}
outputs: {x: rod.C.x, y: rod.C.y, omega: "B.angle'"}
)",
                                      "started.yaml");
  std::vector<double> ends;
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    SimulateOptions options;
    options.end = 1 + 1e-9;
    options.coordinates = set;
    const Simulation just = simulate(model, options);
    ASSERT_EQ(just.status, Outcome::Status::Done) << just.text;
    EXPECT_TRUE(near(just.trajectory["omega"].back(), -1.25,
                     {.relative = 1e-8, .because = "1e-9 s of motion"}));
    ASSERT_EQ(just.summary.events.size(), 1U);
    EXPECT_EQ(just.summary.events[0].name, "O.drive");
    EXPECT_EQ(
        just.summary.messages[0],
        "the rate that 'O.drive' prescribes jumps by 0.5 at t = 1 s: an impulse makes the "
        "motion follow. A spline table, or a signal of type rest-to-rest, has no such jumps.");
    options.end = 3;
    const Simulation s = simulate(model, options);
    ends.push_back(s.trajectory["y"].back());
    EXPECT_TRUE(near(ends.back(), ends[0], {.relative = 1e-6, .because = "tolerance 1e-8"}));
    EXPECT_LT(s.summary.max_velocity_violation, 1e-8);
  }
}

TEST(Jumps, OfParametersThatHoldPositionsAreRefused) {
  const Model model = read_model_text(R"(
name: cut
parameters: {l: 1}
coordinates: {x: 1, y: 0}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {rope: x^2 + y^2 - l^2}
events: {reel: {when: t - 0.5, set: {l: 0.5}}}
)",
                                      "cut.yaml");
  const Simulation s = simulate(model, until(1));
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text,
            "event 'reel' changed what 'rope' holds, which is off by 0.75 now; a position cannot "
            "jump");
}

TEST(Jumps, OfSmoothDrivesAreNone) {
  for (const char* drive : {"0.5*tanh((t - 1)/1e-3)", "select(t < 1, 0, (t - 1)^2)"}) {
    SCOPED_TRACE(drive);
    EXPECT_EQ(simulate(driven(drive), until(2)).status, Outcome::Status::Done);
  }
}

// The two seconds in which it moves are a thousandth of the run: its size must be seen inside of
// them, or round-off at their ends passes for jumps.
TEST(Jumps, OfAShortSmoothDriveInALongRunAreNone) {
  const Model model = read_model_text(R"yaml(
name: slider
coordinates: {x: 0}
kinetic: x'^2/2
constraints: {drive: "x - select(t < 1, 0, select(t < 3, 0.03*sin(pi*(t - 1))^3, 0))"}
)yaml",
                                      "slider.yaml");
  const Simulation s = simulate(model, until(5000));
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_TRUE(s.summary.events.empty());
  EXPECT_TRUE(s.summary.messages.empty()) << s.summary.messages[0];
}

TEST(Remarks, InputsThatNothingSetsAreZero) {
  const Model model = read_model_text(R"(
name: cart
inputs: [F, M, idle]
coordinates: {x: 0, phi: 1}
kinetic: x'^2/2 + phi'^2/2
potential: phi^2
generalized_forces: {x: F, phi: M}
)",
                                      "cart.yaml");
  const Simulation s = simulate(model, until(1));
  ASSERT_EQ(s.summary.messages.size(), 1U);
  EXPECT_EQ(s.summary.messages[0],
            "inputs 'F' and 'M' are zero: nothing sets them in a run. `inverse` computes "
            "inputs, `live` takes them from outside.");
}

Model pendulum(const std::string& more) {
  return read_model_text(R"(
name: pendulum
dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}}}
joints: {O: {type: revolute, between: [ground, rod]}}
)" + more,
                         "pendulum.yaml");
}

TEST(Remarks, AMechanismThatNothingMovesIsTold) {
  const auto messages = [](const std::string& more) {
    return simulate(pendulum(more), until(1)).summary.messages;
  };
  EXPECT_EQ(messages(""),
            std::vector<std::string>{
                "nothing moves: there is no gravity, no force acts at the start, and all "
                "velocities are zero there. Is `gravity: [0, 0, -9.81]` missing (in the plane [0, "
                "-9.81]), or `initial`?"});
  EXPECT_TRUE(messages("gravity: [0, -9.81]").empty());
  EXPECT_TRUE(messages("initial: {\"O.angle'\": 1}").empty());
  EXPECT_TRUE(messages("forces: {M: {type: torque, on: rod, torque: sin(t)}}").empty());
}

TEST(Remarks, CardanAnglesThatAreSingularAtTheStartAreRefused) {
  const Model model = read_model_text(R"(
name: top
bodies: {b: {mass: 1, inertia: [1, 2, 3], cardan: [0, 90 deg, 0]}}
initial: {b.wx: 1, b.wy: 0.3, b.wz: 0.1}
)",
                                      "top.yaml");
  SimulateOptions options;
  options.end = 1;
  options.coordinates = "cardan";
  try {
    simulate(model, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics()[0].id, "simulate.singular-coordinates");
    EXPECT_EQ(error.diagnostics()[0].hint,
              "Use other coordinates (absolute, joint, natural, directors), or start elsewhere.");
  }
}

// An inertia of 0.5 kg m² that is turned with 2, −2 and 0 rad/s². From 2 s on it stands still, and
// one step leads to the end: what is told of the torque within it begins with that of before.
TEST(TimeLaws, MultipliersJumpWithTheAccelerationThatADrivePrescribes) {
  const Model model = read_model_text(R"yaml(
dimension: 2
bodies: {b: {mass: 2, inertia: 0.5}}
joints:
  p:
    type: revolute
    between: [ground, b]
    drive: "select(t < 1, t^2, select(t < 2, 1 + 2*(t-1) - (t-1)^2, 2))"
)yaml",
                                      "stepped.yaml");
  for (const char* formulation : {"ggl", "index2", "index3", "index1"}) {
    SimulateOptions options = until(3);
    options.integrator = "radau5";
    options.formulation = formulation;
    options.reactions = ReactionAxes::World;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    const auto t = s.trajectory["t"], torque = s.trajectory["p.torque.z"];
    for (std::size_t k = 0; k < t.size(); ++k) {
      if (std::abs(t[k] - 1) < 1e-6 || std::abs(t[k] - 2) < 1e-6) continue;
      const double expected = t[k] < 1 ? 1 : t[k] < 2 ? -1 : 0;
      // Multipliers of index 3 are the least accurate.
      EXPECT_NEAR(torque[k], expected, 1e-4) << formulation << " at " << t[k];
    }
  }
}

}  // namespace
}  // namespace koppel
