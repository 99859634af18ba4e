// Events: found where they are by every integrator, and what they do.
#include <cmath>
#include <numbers>
#include <span>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

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

SimulateOptions options_for(const IntegratorInfo& integrator, double end) {
  SimulateOptions options;
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
  if (integrator == "rosenbrock" || integrator == "rattle") {
    return {1e-5, "a line between steps of 1e-3: g h²/8 off, at speeds down to 0.55 m/s"};
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

TEST(Events, ThatComeToRestEndTheRunWithAReason) {
  SimulateOptions options;
  options.end = 3;  // the bounces end at 3 t₁ = 1.355
  const Simulation s = simulate(ball("{when: y, bounce: e}"), options);
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.text,
            "event 'ground' happens again and again: impacts come to rest here, and contact that "
            "lasts is not modelled; let the event stop the run, or use a force of contact instead");
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
  try {
    simulate(oscillator("{harder: {when: x, set: {k: 4}}}"), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "error[simulate.bad-option]: event 'harder' changes parameters, and derivatives "
                 "are asked for; they would be those of the parameters at the start.\n"
                 "  Leave out --derivatives.");
  }
}

}  // namespace
}  // namespace koppel
