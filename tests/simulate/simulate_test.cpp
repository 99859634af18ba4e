#include <koppel/simulate/simulate.hpp>

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::near;

// x'' = −4 π² x from x = 1: cos(2πt), conservative.
Model oscillator(const std::string& more = "") {
  return read_model_text(R"(
name: oscillator
coordinates: [x]
kinetic: x'^2/2
potential: 2*pi^2*x^2
initial: {x: 1}
outputs: {x: x}
)" + more,
                         "oscillator.yaml");
}

// A closed loop of three rods whose crank can turn all around.
Model four_bar() {
  return read_model_text(R"(
name: four-bar
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [0, 1]}}, points: {A: [0, 1]}}
  coupler: {mass: 1, shape: {rod: {from: [0, 0], to: [2, 0]}}, points: {B: [2, 0]}, position: [0, 1]}
  rocker: {mass: 1, shape: {rod: {from: [0, 0], to: [0, 2]}}, points: {B: [0, 2]}, position: [2, -1]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, coupler]}
  B: {type: revolute, between: [coupler.B, rocker.B]}
  C: {type: revolute, between: [ground, rocker], at: [2, -1]}
initial: {"O.angle'": {value: 1}}
outputs: {x: crank.A.x, y: crank.A.y}
run: {end: 2, samples: 41}
)",
                         "four_bar.yaml");
}

std::string error_of(const Model& model, const SimulateOptions& options) {
  return testing::error_of([&] { simulate(model, options); });
}

TEST(Simulate, SamplesLieOnTheSolution) {
  SimulateOptions options = options_of(oscillator());
  options.end = 1;
  options.tolerance = 1e-12;
  options.sampling.count = 11;
  const Simulation s = simulate(oscillator(), options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  ASSERT_EQ(s.trajectory.num_rows(), 11u);
  EXPECT_EQ(s.trajectory.time().back(), 1.0);
  for (std::size_t i = 0; i < 11; ++i) {
    const double t = s.trajectory.time()[i];
    EXPECT_TRUE(near(s.trajectory["x"][i], std::cos(2 * std::numbers::pi * t),
                     {.relative = 1e-10, .scale = 1, .because = "the tolerance, over a period"}));
  }
}

TEST(Simulate, SamplesAtEndsOfStepsAreThereOnce) {
  SimulateOptions options = options_of(oscillator());
  options.end = 1;
  options.integrator = "rk4";
  options.step = 1.0 / 64;
  options.sampling.count = 5;
  const Simulation s = simulate(oscillator(), options);
  ASSERT_EQ(s.trajectory.num_rows(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(s.trajectory.time()[i], 0.25 * static_cast<double>(i));
  }
}

TEST(Simulate, RowsAtGivenTimesAndAtSteps) {
  SimulateOptions options = options_of(oscillator());
  options.end = 1;
  options.sampling.times = {0, 0.1, 0.7};
  EXPECT_EQ(simulate(oscillator(), options).trajectory.num_rows(), 3u);
  options.sampling.times.clear();
  options.sampling.every_step = true;
  const Simulation s = simulate(oscillator(), options);
  EXPECT_EQ(s.trajectory.num_rows(), static_cast<std::size_t>(s.summary.steps) + 1);
  EXPECT_EQ(s.trajectory.time().back(), 1.0);
}

TEST(Simulate, EnergyDriftIsTheErrorOfTheBalanceWithDampersToo) {
  const Simulation free = simulate(oscillator(), options_of(oscillator()));
  EXPECT_TRUE(free.summary.is_conservative);
  EXPECT_LT(free.summary.energy_drift, 1e-6);
  const Model damped_model = oscillator("dissipation: x'^2/2\n");
  const Simulation damped = simulate(damped_model, options_of(damped_model));
  EXPECT_FALSE(damped.summary.is_conservative);
  EXPECT_LT(damped.summary.energy_drift, 1e-6);  // the work of the damper is in the balance
}

TEST(Simulate, EveryFormulationGivesTheSameMotion) {
  SimulateOptions options = options_of(four_bar());
  options.tolerance = 1e-10;
  const Simulation reference = simulate(four_bar(), options);
  ASSERT_EQ(reference.status, Outcome::Status::Done) << reference.text;
  EXPECT_EQ(reference.summary.integrator, "taylor");
  EXPECT_EQ(reference.summary.dof, 1);
  EXPECT_LT(reference.summary.max_position_violation, 1e-9);
  for (const auto& [formulation, integrator] : {std::pair{"index1", "dop853"},
                                                {"index3", "radau5"},
                                                {"ggl", "radau5"},
                                                {"index2", "radau5"},
                                                {"baumgarte", "dop853"}}) {
    options.formulation = formulation;
    options.integrator = integrator;
    options.tolerance = 1e-8;
    const Simulation s = simulate(four_bar(), options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << formulation << ": " << s.text;
    EXPECT_TRUE(near(s.trajectory["x"].back(), reference.trajectory["x"].back(),
                     {.relative = 1e-4, .scale = 1, .because = "tolerances of steps, accumulated"}))
        << formulation << ' ' << integrator;
  }
}

TEST(Simulate, MultipliersAgreeBetweenFormulations) {
  SimulateOptions options = options_of(four_bar());
  options.coordinates = "absolute";
  options.tolerance = 1e-10;
  options.formulation = "index3";
  const Simulation series = simulate(four_bar(), options);
  options.formulation = "index1";
  const Simulation rates = simulate(four_bar(), options);
  for (const Equations::Row& row : series.equations->rows) {
    const std::string& name = row.name;
    EXPECT_TRUE(near(series.trajectory["lambda." + name][20],
                     rates.trajectory["lambda." + name][20],
                     {.relative = 1e-5, .scale = 10, .because = "both within tolerance"}))
        << name;
  }
}

// A rod on a hinge and a block on a frictionless slope of 30 degrees.
TEST(Simulate, ReactionsBalanceWeightAndInertia) {
  const Model model = read_model_text(R"(
name: loads
dimension: 2
gravity: [0, -10]
bodies:
  rod: {mass: 2, inertia: 0.5, com: [0.5, 0]}
  block: {mass: 3, inertia: 1}
joints:
  hinge: {type: revolute, between: [ground, rod]}
  slope: {type: prismatic, between: [ground, block], axis: [cos(pi/6), sin(pi/6)]}
run: {end: 0.5, samples: 2}
)",
                                      "loads.yaml");
  for (const char* set : {"absolute", "directors"}) {
    SimulateOptions options = options_of(model);
    options.reactions = ReactionAxes::World;
    options.coordinates = set;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    const auto expect = [&](const char* name, double value) {
      EXPECT_NEAR(s.trajectory[name][0], value, 1e-9) << set << ' ' << name;
    };
    // Level at rest: angular acceleration −m g c/(J + m c²) = −10, the centre falls with 5.
    expect("hinge.force.x", 0);
    expect("hinge.force.y", 2 * (10 - 5.0));
    // Only the normal force, N = m g cos 30°.
    expect("slope.force.x", -3 * 10 * std::sqrt(0.75) * 0.5);
    expect("slope.force.y", 3 * 10 * 0.75);
    expect("slope.torque.z", 0);
  }
  // Along the joint's own axes the slide carries nothing along z, its axis.
  SimulateOptions options = options_of(model);
  options.reactions = ReactionAxes::Joint;
  const Simulation s = simulate(model, options);
  const auto at = [&](const char* name) {
    return s.trajectory.find(name) < 0 ? 0 : s.trajectory[name][0];
  };
  EXPECT_NEAR(std::hypot(at("slope.force.x"), at("slope.force.y")), 30 * std::sqrt(0.75), 1e-9);
  EXPECT_NEAR(at("slope.force.z"), 0, 1e-9);
}

TEST(Simulate, ACallbackCanStopItAndTheRestIsKept) {
  SimulateCallbacks callbacks;
  std::size_t rows = 0;
  callbacks.row = [&](std::span<const double>) { return ++rows, true; };
  callbacks.progress = [](const Progress& p) { return p.t < 5; };
  const Simulation s = simulate(oscillator(), options_of(oscillator()), callbacks);
  EXPECT_EQ(s.status, Outcome::Status::Stopped);
  EXPECT_GE(s.summary.reached, 5);
  EXPECT_LT(s.summary.reached, 9);
  EXPECT_EQ(rows, s.trajectory.num_rows());
}

TEST(Simulate, AFailureKeepsWhatWasReached) {
  // x' = x² from 1 has a pole at t = 1.
  const Model model = read_model_text(R"(
name: pole
coordinates: [y]
kinetic: y'^2/2
states: {x: {rate: x^2, start: 1}}
outputs: {x: x}
)",
                                      "pole.yaml");
  const Simulation s = simulate(model, options_of(model));
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_FALSE(s.text.empty());
  EXPECT_NEAR(s.summary.reached, 1, 0.01);
  for (const double x : s.trajectory["x"]) EXPECT_TRUE(std::isfinite(x));
}

TEST(Simulate, OutputsThatAreNotDefinedAreToldAbout) {
  const Model model = read_model_text(R"(
name: oscillator
coordinates: [x]
kinetic: x'^2/2
potential: x^2/2
initial: {x: 1}
outputs: {root: sqrt(x)}
run: {end: 6, samples: 7}
)",
                                      "oscillator.yaml");
  const Simulation s = simulate(model, options_of(model));
  ASSERT_EQ(s.summary.messages.size(), 1u);
  EXPECT_EQ(s.summary.messages[0],
            "'root' has no finite value in 3 of 7 rows, first at t = 2 s; its fields there are "
            "empty.");
}

TEST(Simulate, SaysWhereThereIsNoCompilerForNativeCode) {
  const testing::ScopedEnvironment compiler("KOPPEL_CC", "/no/such/compiler");
  const Model model = read_model_text(
      "coordinates: {x: {start: 1}}\nkinetic: x'^2/2\npotential: x^2/2\nrun: {end: 1}\n",
      "oscillator.yaml");
  SimulateOptions options = options_of(model);
  EXPECT_TRUE(simulate(model, options).summary.messages.empty());
  options.native = Native::Cc;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done);
  ASSERT_EQ(s.summary.messages.size(), 1u);
  EXPECT_EQ(s.summary.messages[0],
            "the C compiler was asked for, but there is no compiler '/no/such/compiler'; machine "
            "code is generated instead. KOPPEL_CC names another compiler.");
}

TEST(Simulate, SaysThatACompilerFails) {
  const testing::TemporaryCache cache;
  const testing::ScopedEnvironment compiler("KOPPEL_CC", "/bin/false");
  const Model model = read_model_text(
      "coordinates: {x: {start: 1}}\nkinetic: x'^2/2\npotential: x^2/2\nrun: {end: 1}\n",
      "oscillator.yaml");
  SimulateOptions options = options_of(model);
  options.native = Native::Cc;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done);
  ASSERT_EQ(s.summary.messages.size(), 1u);
  EXPECT_EQ(s.summary.messages[0],
            "the C compiler was asked for, but '/bin/false' failed; machine code is generated "
            "instead. KOPPEL_CC names another compiler.");
}

TEST(Simulate, WrongOptionsAreRefused) {
  SimulateOptions options = options_of(oscillator());
  options.end = -1;
  EXPECT_EQ(error_of(oscillator(), options),
            "error[simulate.bad-option]: the end time is -1; it must be positive.");
  options = options_of(oscillator());
  options.sampling.count = 1;
  EXPECT_EQ(error_of(oscillator(), options),
            "error[simulate.bad-option]: 1 samples are asked for; there must be at least 2, the "
            "start and the end.");
}

TEST(Simulate, AWrongPairIsRefusedWithThePairsThatMakeSense) {
  SimulateOptions options = options_of(four_bar());
  options.formulation = "ggl";
  options.integrator = "taylor";
  EXPECT_EQ(
      error_of(four_bar(), options),
      "error[simulate.wrong-pair]: integrator 'taylor' needs a series; formulation 'ggl' "
      "gives none.\n"
      "  taylor goes with the formulations: index3. ggl goes with the integrators: radau5, "
      "ida, implicit-euler, midpoint, generalized-alpha, bdf2, bdf3, bdf4, bdf5, explicit-euler, "
      "linear-implicit, rattle.");
}

TEST(Simulate, StepsOfFixedCostNeedAStep) {
  SimulateOptions options = options_of(oscillator());
  options.integrator = "fixed-cost";
  EXPECT_EQ(error_of(oscillator(), options),
            "error[simulate.wrong-step]: fixed-cost steps need a step size, and none is given.\n"
            "  Give a step, such as `step = 1e-3`.");
}

// Two gears about the origin: assembly leaves lengths of 1e-23 m, which say nothing about a size.
TEST(Simulate, RoundOffIsNoSizeOfAMechanism) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {a: {mass: 1, inertia: 2}, b: {mass: 1, inertia: 3}}
joints: {p: {type: revolute, between: [ground, a]}, q: {type: revolute, between: [ground, b]}}
couplings: {gear: q.angle - 2*p.angle}
forces: {spring: {type: torsion, joint: p, stiffness: 14}}
initial: {p.angle: 0.5}
outputs: {p: p.angle}
run: {end: 3}
)",
                                      "gears.yaml");
  for (const char* integrator : {"taylor", "radau5", "ida", "dop853"}) {
    SCOPED_TRACE(integrator);
    SimulateOptions options = options_of(model);
    options.coordinates = "absolute";
    options.integrator = integrator;
    const Simulation s = simulate(model, options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_NEAR(s["p"].back(), 0.5 * std::cos(3), 1e-5);
  }
}

TEST(Simulate, FixedStepsNeedAStep) {
  SimulateOptions options = options_of(oscillator());
  options.integrator = "rk4";
  EXPECT_EQ(error_of(oscillator(), options),
            "error[simulate.wrong-step]: integrator 'rk4' has fixed steps, and none is given.\n"
            "  Give a step, such as `step = 1e-3`.");
}

}  // namespace
}  // namespace koppel
