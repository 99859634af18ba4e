// Every run watches itself: what is wrong is not `done`.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

Model read(const std::string& text) { return read_model_text(text, "health.yaml"); }

bool has_reason(const Simulation& s, Health::What what) {
  for (const Health::Reason& reason : s.summary.health.reasons) {
    if (reason.what == what) return true;
  }
  return false;
}

const char* const kPendulum = R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, shape: {rod: {from: [0, 0], to: [0, -1]}}}
joints:
  hinge: {type: revolute, between: [ground, rod]}
initial: {hinge.angle: 1}
)";

// ω h = 4 > 2: the explicit Euler method gains energy by 1 + (ω h)² in every step.
TEST(Health, OscillatorBeyondItsStableStepFails) {
  const Model model = read(R"(
coordinates: {x: 1}
kinetic: x'^2/2
potential: 200*x^2
)");
  SimulateOptions options = options_of(model);
  options.integrator = "explicit-euler";
  options.step = 0.2;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_EQ(s.summary.status, "failed");
  EXPECT_EQ(s.summary.health.state, Health::State::Failed);
  ASSERT_TRUE(has_reason(s, Health::What::Energy));
  // Within a dozen steps, each of which multiplies x by √17.
  EXPECT_LT(s.summary.reached, 15 * 0.2);
}

TEST(Health, LostEnergyMakesARunDoubtfulAndItGoesOnToItsEnd) {
  const Model model = read(kPendulum);
  SimulateOptions options = options_of(model);
  options.integrator = "implicit-euler";
  options.coordinates = "joint";
  options.step = 0.01;
  options.end = 10;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.summary.status, "doubtful");
  EXPECT_EQ(s.summary.reached, 10);
  ASSERT_EQ(s.summary.health.reasons.size(), 1u);
  EXPECT_EQ(s.summary.health.reasons[0].what, Health::What::Energy);
  EXPECT_LT(s.summary.health.reasons[0].value, 0);
  EXPECT_NE(s.text.find("the motion lacks energy that no force, drive or impact took."),
            std::string::npos)
      << s.text;

  options.health.loosen = 1000;
  EXPECT_EQ(simulate(model, options).summary.status, "done");
  options.health = {.is_watched = false};
  const Simulation unwatched = simulate(model, options);
  EXPECT_EQ(unwatched.summary.status, "done");
  EXPECT_EQ(unwatched.summary.health.state, Health::State::Unwatched);
}

// E falls by 1 − e² at each impact; the balance counts that as given by the event.
TEST(Health, BouncingBallKeepsItsBalance) {
  const Model model = read(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 1}
initial: {ball.y: 1}
events:
  floor: {when: ball.y, direction: falling, bounce: 0.8}
)");
  SimulateOptions options = options_of(model);
  options.end = 2;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.summary.status, "done") << s.text;
  EXPECT_GT(s.summary.events.size(), 1u);
  EXPECT_LT(s.summary.energy_drift, 1e-9);
  const auto energy = s.trajectory["energy"];
  EXPECT_LT(energy.back(), 0.5 * energy.front());
}

// A hinge that is turned by ω = 2 t takes up the power τ ω: the work is in the balance.
TEST(Health, WorkOfDrivesAndDampersIsInTheBalance) {
  const Model model = read(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}}
  tip: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}}
joints:
  motor: {type: revolute, between: [ground, arm], drive: t^2}
  elbow: {type: revolute, between: [arm, tip], at: [1, 0]}
forces:
  damper: {type: effort, on: elbow.angle, effort: -0.3*elbow.angle'}
)");
  // Errors of multistep methods of low order add up over their many steps.
  const struct {
    const char* name;
    double error;
  } kReach[] = {{"taylor", 1e-8}, {"dop853", 1e-6}, {"radau5", 1e-6}, {"ida", 1e-3}};
  for (const auto& [integrator, error] : kReach) {
    SimulateOptions options = options_of(model);
    options.integrator = integrator;
    options.coordinates = "absolute";
    options.end = 3;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(s.summary.status, "done") << integrator << ": " << s.text;
    EXPECT_LT(s.summary.energy_drift, error) << integrator;
    EXPECT_GT(s.summary.energy_drift, 0) << integrator;
    EXPECT_FALSE(s.summary.is_conservative);
  }
}

// A rod of length l hangs at rest from a cart that sets off with v. The impulse J at its end gives
// its centre J/m and turns it with J (l/2)/(m l²/12), so that v = 4 J/m and ω = 3/2 v/l; both stay.
TEST(Health, ImpulsesOfDrivesGiveEnergyInStepsOfFixedCost) {
  const Model model = read(R"yaml(
dimension: 2
bodies:
  cart: {mass: 3, inertia: 1}
  rod: {mass: 2, shape: {rod: {from: [0, 0], to: [0, -1.2]}}}
joints:
  slide: {type: prismatic, between: [ground, cart], axis: [1, 0], drive: "0.8*max(0, t - 0.5)"}
  hinge: {type: revolute, between: [cart, rod]}
)yaml");
  for (const char* const integrator : {"rattle", "linear-implicit", "rosenbrock"}) {
  for (const double h : {1e-3, 0.7e-3}) {  // 0.5 s is a tick, and is none
    SCOPED_TRACE(std::string(integrator) + ", step " + std::to_string(h));
    SimulateOptions options = options_of(model);
    options.integrator = integrator;
    options.step = h;
    options.end = 2.1;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(s.summary.status, "done") << s.text;
    EXPECT_TRUE(near(std::abs(s["hinge.angle'"].back()), 1.5 * 0.8 / 1.2,
                     {.relative = 2 * h, .because = "the impulse takes a step"}));
  }
}
}

TEST(Health, BaumgartesFeedbackBeyondItsStableGainIsNotDone) {
  Model model = read(kPendulum);
  SimulateOptions options = options_of(model);
  options.coordinates = "absolute";
  options.formulation = "baumgarte2";
  options.integrator = "explicit-euler";
  options.projection = Projection::None;
  options.step = 1e-2;
  options.baumgarte = 3;  // |1 − 3| > 1
  options.end = 5;
  const Simulation s = simulate(model, options);
  EXPECT_NE(s.summary.status, "done");
  EXPECT_FALSE(s.summary.health.reasons.empty());
}

Model built_in(const std::string& name) { return read_model(KOPPEL_MODELS + name + ".yaml"); }

// Constraints that nothing brings back drift until they mean nothing.
TEST(Health, DriftWithoutProjectionIsNotDone) {
  SimulateOptions options;
  options.end = 300;
  options.formulation = "implicit";
  options.integrator = "ida";
  options.tolerance = 1e-5;
  options.projection = Projection::None;
  const Simulation s = simulate(built_in("slider_crank_reversed"), options);
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  ASSERT_FALSE(s.summary.health.reasons.empty());
  EXPECT_EQ(s.summary.health.reasons[0].what, Health::What::Position);
  EXPECT_LT(s.summary.reached, 300);
}

// A force of 1000 N over 1 mm, which is passed in 0.1 ms of steps of 0.1 s: ẋ² grows by 2, and all
// methods find that or say that they do not. So does a bump of a road, as a table.
TEST(Health, ForcesMuchShorterThanAStepAreNotMissedInSilence) {
  const Model pulse = read(R"(
coordinates: {x: {start: 0, rate: 10}}
kinetic: x'^2/2
generalized_forces: {x: 'select(x > 1, select(x < 1.001, 1000, 0), 0)'}
outputs: {v: "x'"}
run: {end: 1}
)");
  const Model bump = read(R"(
tables: {road: {type: linear, x: [0, 1, 1.001, 1.002, 20], y: [0, 0, 1, 0, 0]}}
coordinates: {x: {start: 0, rate: 10}}
kinetic: x'^2/2
generalized_forces: {x: 1000*road(x)}
outputs: {v: "x'"}
run: {end: 1}
)");
  for (const Model* model : {&pulse, &bump}) {
    for (const char* const integrator : {"taylor", "dop853", "radau5", "ida"}) {
      SimulateOptions options = options_of(*model);
      options.integrator = integrator;
      const Simulation s = simulate(*model, options);
      if (s.summary.status == "done") {
        EXPECT_NEAR(s.trajectory["v"].back(), std::sqrt(102), 1e-5) << integrator;
      } else {
        EXPECT_EQ(s.summary.status, "doubtful");
        EXPECT_TRUE(has_reason(s, Health::What::Energy)) << integrator;
      }
    }
  }
  SimulateOptions by_series = options_of(pulse);  // which shorten steps until they are right
  by_series.integrator = "taylor";
  EXPECT_EQ(simulate(pulse, by_series).summary.status, "done");
}

// The default choice at 1 ms over 20 s: energy is kept and constraints hold, or the run says so.
TEST(Health, StepsOfFixedCostHoldOrSaySo) {
  for (const char* const name :
       {"robot", "chain", "slider_crank", "mcpherson", "heavy_top", "five_link", "andrews"}) {
    SimulateOptions options = options_of(built_in(name));
    options.end = 20;
    options.integrator = "fixed-cost";
    options.step = 1e-3;
    options.sampling.count = 21;
    const Simulation s = simulate(built_in(name), options);
    if (s.status != Outcome::Status::Done) {
      EXPECT_FALSE(s.text.empty()) << name;
      EXPECT_STREQ(name, "andrews") << s.text;  // 1 ms is a thirtieth of its whole motion
      continue;
    }
    EXPECT_LT(s.summary.energy_drift, 1e-2) << name;
    // One Newton step leaves the square of what it corrects, (h² a)²/l: with h² = 1e-6 s², 1e-5 m
    // for accelerations of 3000 m/s² on a metre, which is what whipping chains reach.
    EXPECT_LT(s.summary.max_position_violation, 1e-5) << name;
  }
}

// The spin is the fastest motion and moves no constraint: what the others' rates are measured by
// has to follow those that do.
TEST(Health, AFastSpinDoesNotHideHowFastConstraintsMove) {
  const Model model = read(R"(
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.02, 0.03], points: {E: [0.5, 0, 0]}}
  tip: {mass: 0.5, inertia: [0.01, 0.02, 0.03], position: [0.5, 0, 0]}
joints:
  pivot: {type: revolute, between: [ground, arm], axis: [0, 1, 0]}
  sleeve: {type: cylindrical, between: [arm.E, tip], axis: [1, 0, 0]}
forces: {spring: {type: effort, on: sleeve.position, effort: -30*sleeve.position}}
events: {note: {when: t - 0.2}}
initial: {"sleeve.angle'": 2}
)");
  for (const char* integrator : {"dop853", "radau5"}) {
    SimulateOptions options;
    options.end = 1;
    options.coordinates = "absolute";
    options.integrator = integrator;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  }
}

// In joint coordinates rows of this loop are sums of round-off, 1.1e-16 sin of an angle.
TEST(Health, RowsOfRoundOffAreNotViolated) {
  const Model model = read(R"(
bodies:
  in: {mass: 1, inertia: [1, 1, 1], points: {E: [1, 0, 0]}}
  out:
    {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: 30 deg},
     points: {E: [1, 0, 0]}}
joints:
  drive: {type: revolute, between: [ground, in], axis: [1, 0, 0], drive: 3*t}
  u: {type: constant-velocity, between: [in.E, out], axes: [[1, 0, 0], [1, 0, 0]]}
  e: {type: cylindrical, between: [{ground: [1.8660254037844386, 0.5, 0]}, out.E], axis: [0.8660254037844387, 0.5, 0]}
outputs: {a: e.angle}
)");
  SimulateOptions options;
  options.end = 1;
  options.coordinates = "joint";
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_NEAR(s["a"].back(), 3, 1e-9);
}

}  // namespace
}  // namespace koppel
