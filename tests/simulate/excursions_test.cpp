// Contacts, impacts and friction that act within a step only, between ends that know nothing of
// them.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/integrate/dip.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

Simulation run(const std::string& text, const std::string& integrator, double end) {
  SimulateOptions options;
  options.integrator = integrator;
  options.end = end;
  return simulate(read_model_text(text, "contact.yaml"), options);
}

const std::array kIntegrators = {"", "taylor", "dop853", "radau5", "cvode", "ida"};

// v = 3 m/s, and back with it after half a period of the wall.
TEST(Excursions, AWallIsMetThatIsThereInsideAStepOnly) {
  constexpr double k = 1e6;
  const double expected = -3 * (2 - 1.0 / 3 - std::numbers::pi / std::sqrt(k));
  for (const char* integrator : kIntegrators) {
    const Simulation s = run(R"yaml(
dimension: 2
bodies: {a: {point_mass: 1, position: [-1, 0]}}
joints: {rail: {type: point-on-line, between: [ground, a], axis: [1, 0]}}
forces: {wall: {type: effort, on: a.x, effort: "select(a.x > 0, -1e6*a.x, 0)"}}
initial: {"a.x'": 3}
outputs: {x: a.x}
)yaml",
                             integrator, 2);
    EXPECT_EQ(s.status, Outcome::Status::Done) << integrator << s.text;
    // 1e-8 over some hundred steps, by methods that differ in how they meet a corner.
    EXPECT_NEAR(s.trajectory["x"].back(), expected, 2e-5) << integrator;
  }
}

// Balls of one mass exchange their velocities along the line between them: v (1 − (p/d)²) with the
// offset p = 0.03 and the sum of the radii d = 0.1. The springs between them give way, so that the
// direction turns a little while they touch: 2.7121 instead of 2.73.
TEST(Excursions, BallsThatMeetObliquelyDoNotFlyThroughEachOther) {
  for (const char* integrator : kIntegrators) {
    for (const double distance : {0.35, 1.0, 1.7, 3.1}) {
      const Simulation s = run(fmt::format(R"yaml(
dimension: 2
bodies: {{a: {{point_mass: 1, position: [{}, 0.03]}}, b: {{point_mass: 1, position: [0, 0]}}}}
forces: {{f: {{type: spring, between: [a, b], tension: "-1e6*max(0, 0.1-f.length)"}}}}
initial: {{"a.x'": 3}}
outputs: {{b: "b.x'", px: "a.x' + b.x'", py: "a.y' + b.y'"}}
)yaml",
                                           -distance),
                               integrator, 2);
      EXPECT_EQ(s.status, Outcome::Status::Done) << integrator << s.text;
      EXPECT_NEAR(s.trajectory["b"].back(), 2.71215, 2e-5) << integrator << distance;
      EXPECT_NEAR(s.trajectory["px"].back(), 3, 1e-6) << integrator << distance;
      EXPECT_NEAR(s.trajectory["py"].back(), 0, 1e-6) << integrator << distance;
    }
  }
}

TEST(Excursions, EventsAreFoundThatComeAndGoWithinAStep) {
  for (const char* integrator : kIntegrators) {
    const Simulation s = run(R"yaml(
dimension: 2
bodies: {a: {point_mass: 1, position: [-1, 0.03]}, b: {point_mass: 1, position: [0, 0]}}
definitions: {d: "sqrt((a.x-b.x)^2+(a.y-b.y)^2)"}
events: {hit: {when: d - 0.1, bounce: 1}}
initial: {"a.x'": 3}
outputs: {b: "b.x'"}
)yaml",
                             integrator, 2);
    EXPECT_EQ(s.summary.events.size(), 1u) << integrator;
    EXPECT_NEAR(s.trajectory["b"].back(), 3 * (1 - 0.09), 1e-6) << integrator;
  }
}

// v̇ = 3 + 2(t − 1) − 3 tanh(v/w): v comes down to the width of the friction and leaves it again.
TEST(Excursions, FrictionIsFeltWhereASlidingBodyNearlyStops) {
  const auto rate = [](double t, double v) { return 3 + 2 * (t - 1) - 3 * std::tanh(v / 1e-3); };
  double v = 0.9995;
  constexpr int kSteps = 400'000;
  constexpr double h = 2.0 / kSteps;  // h·3/1e-3 = 0.015: errors of order 4 are round-off
  for (int k = 0; k < kSteps; ++k) {
    const double t = k * h, k1 = rate(t, v), k2 = rate(t + h / 2, v + h / 2 * k1),
                 k3 = rate(t + h / 2, v + h / 2 * k2), k4 = rate(t + h, v + h * k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  for (const char* integrator : {"", "taylor", "dop853", "radau5"}) {
    const Simulation s = run(R"(
dimension: 2
bodies: {b: {mass: 1, inertia: 1}}
joints: {p: {type: prismatic, between: [ground, b], axis: [1, 0]}}
forces:
  d: {type: effort, on: p.position, effort: 3 + 2*(t-1)}
  f: {type: friction, joint: p, force: 3, velocity: 1e-3}
initial: {"p.position'": 0.9995}
outputs: {v: p.position'}
)",
                             integrator, 2);
    EXPECT_EQ(s.status, Outcome::Status::Done) << integrator << s.text;
    EXPECT_NEAR(s.trajectory["v"].back(), v, 1e-6) << integrator;
  }
}

// A mass at 2 m/s passes a window in which a force acts, made of smooth laws; long before and after
// it nothing does. What it gains is the work there: 20 N over 0.3 m between two steps by tanh, and
// s √π times 20 N of a bell. Implicit steps may miss a bell of 10 µm; one that BDF fails at is
// told.
TEST(Excursions, WindowsOfSmoothLawsAreFelt) {
  const auto model = [](const std::string& force, double s) {
    return fmt::format(R"(
parameters: {{s: {}}}
coordinates: {{x: {{start: 0, rate: 2}}}}
kinetic: x'^2/2
generalized_forces: {{x: "{}"}}
outputs: {{v: x'}}
)",
                       s, force);
  };
  for (const char* integrator : {"taylor", "dop853", "radau5", "ida", "cvode"}) {
    const bool is_explicit =
        integrator == std::string("taylor") || integrator == std::string("dop853");
    for (const double s : {0.03, 1e-3, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, s));
      const Simulation window =
          run(model("10*(tanh((x-5.1234)/s) - tanh((x-5.4234)/s))", s), integrator, 4);
      EXPECT_EQ(window.status, Outcome::Status::Done) << window.text;
      EXPECT_NEAR(window.trajectory["v"].back(), 4, 1e-5);
      if (s < 1e-4 && !is_explicit) continue;
      const Simulation bell = run(model("20*exp(-((x-5.1234)/s)^2)", s), integrator, 4);
      if (bell.status == Outcome::Status::Doubtful && integrator == std::string("cvode")) continue;
      EXPECT_EQ(bell.status, Outcome::Status::Done) << bell.text;
      EXPECT_NEAR(bell.trajectory["v"].back(), std::sqrt(4 + 40 * s * std::sqrt(std::numbers::pi)),
                  1e-5);
    }
  }
}

// Steps of 0.1 s at 3 m/s: both balls are past each other before anything is felt.
TEST(SkippedLaws, StepsOfGivenLengthThatLeadOverAContactAndBackMakeARunDoubtful) {
  const Model model = read_model_text(R"yaml(
dimension: 2
bodies: {a: {point_mass: 1, position: [-1, 0.03]}, b: {point_mass: 1, position: [0, 0]}}
forces: {f: {type: spring, between: [a, b], tension: "-1e6*max(0, 0.1-f.length)"}}
initial: {"a.x'": 3}
outputs: {b: "b.x'"}
)yaml",
                                      "contact.yaml");
  for (const char* integrator : {"taylor", "rk4", "dop853", "radau5", "midpoint", "bdf2", "rattle",
                                 "linear-implicit", "explicit-euler"}) {
    SimulateOptions options;
    options.integrator = integrator;
    options.end = 1;
    options.step = 0.1;
    const Simulation s = simulate(model, options);
    EXPECT_NE(s.status, Outcome::Status::Done) << integrator;
    // Stages of the step may feel the contact: it fails, or gains energy.
    if (s.status == Outcome::Status::Failed || s.trajectory["b"].back() != 0) continue;
    EXPECT_NE(s.text.find("a step leads over '"), std::string::npos) << integrator << s.text;
    EXPECT_NE(s.text.find("and back, first at t = 0.3"), std::string::npos) << s.text;
  }
}

// A limiter that is touched by a part in 1e6 within a step changes nothing that a step could see.
TEST(SkippedLaws, WhatMakesNoDifferenceIsNotTold) {
  SimulateOptions options;
  options.integrator = "rk4";
  options.end = 6;
  options.step = 0.01;
  const Simulation s = simulate(read_model_text(R"yaml(
parameters: {top: 0.9999995}
coordinates: {x: {start: 0, rate: 1}}
kinetic: x'^2/2
potential: x^2/2
generalized_forces: {x: "min(x, top) - x"}
)yaml",
                                                "limited.yaml"),
                                options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
}

TEST(Dip, IsFoundHoweverNarrowTheCornerAndOnlyWhereThereIsOne) {
  int count = 0;
  const auto search = [&](double depth) {
    const auto f = [&](double t) {
      ++count;
      return std::hypot(3 * (t - 0.3217), 1e-3) - depth;
    };
    return find_dip({0, 0.4, 1, f(0), f(0.4), f(1)}, f);
  };
  const auto found = search(2e-3);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 0.3217, 1e-3);
  EXPECT_FALSE(search(0.9e-3));
  count = 0;
  EXPECT_FALSE(search(-0.5));  // far from it: not looked for long
  EXPECT_LE(count, 3 + 6);
}

}  // namespace
}  // namespace koppel
