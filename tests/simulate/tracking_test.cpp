// Mechanisms that follow a signal [Lipovac 2020, chapters 3 and 4].
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/quadrature.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/formulation/fixed_cost/tracking.hpp>
#include <koppel/model/grip.hpp>
#include <koppel/model/signal_faults.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

// A unit sphere that is held at its centre and follows the recorded hand.
constexpr const char* kBall = R"(
bodies:
  ball: {{mass: 1, inertia: [0.4, 0.4, 0.4], position: [0.9716, -0.1003, 1.2480]}}
gravity: [0, 0, {}]
signals:
  hand: {{type: held, file: hand.csv, columns: [x, y, z]{}}}
tracking:
  hold: {{point: ball, follows: [hand.x, hand.y, hand.z], {}}}
outputs: {{x: ball.x, z: ball.z, vx: "ball.x'", vz: "ball.z'", fx: hold.force_x, fz: hold.force_z,
           dx: ball.x - hand.x, dz: ball.z - hand.z}}
run: {{end: 2}}
)";

Model ball(const std::string& law, double gravity = 0, const std::string& faults = "") {
  return read_model_text(fmt::format(kBall, gravity, faults, law),
                         std::string(KOPPEL_REFERENCE) + "tracking/ball.yaml");
}

Simulation run(const Model& model, double step) {
  SimulateOptions options = options_of(model);
  options.step = step;
  options.sampling.every_step = true;
  options.health = {.is_watched = false};
  return simulate(model, options);
}

double largest(std::span<const double> x, std::size_t from = 0) {
  double size = 0;
  for (std::size_t i = from; i < x.size(); ++i) size = std::max(size, std::abs(x[i]));
  return size;
}

double largest_change(std::span<const double> x) {
  double size = 0;
  for (std::size_t i = 2; i < x.size(); ++i) size = std::max(size, std::abs(x[i] - x[i - 1]));
  return size;
}

// How often it turns round.
int count_turns(std::span<const double> x) {
  int turns = 0;
  for (std::size_t i = 2; i < x.size(); ++i) turns += (x[i] - x[i - 1]) * (x[i - 1] - x[i - 2]) < 0;
  return turns;
}

// Section 4.1.2, figures 4.1 and 4.2. For one free body and ρ₀ the law is an oscillator
// of the frequency h/√ρ₀ per step: finer steps need a finer ρ₀, and make the motion smoother.
TEST(Tracking, FinerStepsAreSmoother) {
  double before = 1e300;
  for (const int n : {0, 1, 2}) {
    const double h = 1e-3 * std::pow(2, -n);
    const Simulation s = run(ball("method: l2, rho0: 1e-5"), h);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    const double jerk = largest_change(s.trajectory["vx"]);
    EXPECT_LT(jerk, before);
    before = jerk;
  }
}

// One step of the law by hand: μ = −(h/ρ₀) E (e₁ + h e₀), E = 1/m.
TEST(Tracking, FirstStepIsThatOfTheSource) {
  const double h = 1e-3, rho0 = 1e-5;
  const Simulation s = run(ball("method: l2, rho0: 1e-5", -9.81), h);
  // Nothing is known of the hand's velocity, and the ball starts at rest where the hand is.
  EXPECT_EQ(s.trajectory["fx"][1], 0);
  EXPECT_NEAR(s.trajectory["fz"][1], 9.81, 1e-10);  // ε⁴ = 1e-12 of it
  // After the first sample (t = 0.023009) the difference is that of the samples.
  const std::size_t k = 23;
  const double e0 = s.trajectory["x"][k] - 0.971600, e1 = s.trajectory["x"][k] - 0.964775;
  EXPECT_NEAR(s.trajectory["fx"][k + 1], -h / rho0 * (e1 + h * e0), 1e-9);
}

TEST(Tracking, TooSmallAPenaltyOscillates) {
  const int few = count_turns(run(ball("method: l2, rho0: 1e-5"), 1e-3).trajectory["vx"]);
  const int many = count_turns(run(ball("method: l2, rho0: 3e-7"), 1e-3).trajectory["vx"]);
  EXPECT_GT(many, 2 * few);
}

// With mixed ends the force goes on from step to step; its jumps shrink with the step.
TEST(Tracking, MixedForcesAreContinuous) {
  const auto jump = [](const std::string& law, double h) {
    return largest_change(run(ball(law), h).trajectory["fx"]);
  };
  const std::string neumann = "method: neumann, rho0: 1e-6, rho1: 5e-13";
  const std::string mixed = "method: mixed, rho0: 5e-6, rho1: 6e-12";
  EXPECT_LT(jump(mixed, 1e-3), 0.7 * jump(neumann, 1e-3));
  EXPECT_LT(jump(mixed, 2.5e-4), 0.4 * jump(mixed, 1e-3));
}

TEST(Tracking, GravityIsCompensated) {
  const std::string law = "method: neumann, rho0: 5e-7, rho1: 1e-13";
  const Simulation with = run(ball(law, -9.81), 1e-3), none = run(ball(law), 1e-3);
  for (std::size_t i = 0; i < with.trajectory.num_rows(); ++i) {
    ASSERT_NEAR(with.trajectory["z"][i], none.trajectory["z"][i], 1e-9) << i;
  }
  const Simulation left = run(ball(law + ", uncompensated: true", -9.81), 1e-3);
  double off = 0;
  for (std::size_t i = 0; i < left.trajectory.num_rows(); ++i) {
    off = std::max(off, std::abs(left.trajectory["z"][i] - none.trajectory["z"][i]));
  }
  EXPECT_GT(off, 1e-3);
}

// A mechanism whose point jumps by `size` after half a second, at the force limit.
struct Followed {
  double overshoot = 0;  // of the jump
  double rest = 0;       // the distance at the end
  double force = 0;
  double violation = 0;
};

Followed follow_jump(const std::string& mechanism, double from, double to, double force,
                     double end) {
  const Model model = read_model_text(
      fmt::format("{}\ntracking:\n  hold: {{{}, force: {}}}\nrun: {{end: {}}}\n", mechanism,
                  fmt::format("output: [s], follows: [\"select(t < 0.5, {}, {})\"]", from, to),
                  force, end),
      "follow.yaml");
  const Simulation s = run(model, 1e-3);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  Followed out;
  const double size = to - from;
  for (const double y : s.trajectory["s"]) out.overshoot = std::max(out.overshoot, (y - to) / size);
  out.rest = std::abs(s.trajectory["s"].back() - to);
  out.force = largest(s.trajectory["F"]);
  out.violation = s.summary.max_position_violation;
  return out;
}

TEST(Tracking, JumpsAreMetWithoutOvershootAtTheLimit) {
  const std::pair<const char*, std::pair<double, double>> kMechanisms[] = {
      {"coordinates: {x: 0}\nkinetic: x'^2\ndefinitions: {s: x}\n"
       "outputs: {s: s, F: hold.force}",
       {0, 1}},
      // A slider crank, driven by its slider from 1.2 to 0.8 m.
      {"dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
       "  crank: {mass: 1, inertia: 0.05, position: [0.2, 0.2], points: {a: [-0.2, -0.2], b: [0.2, "
       "0.2]}}\n"
       "  rod: {mass: 1, inertia: 0.1, position: [0.8, 0.2], points: {a: [-0.4, 0.2], b: [0.4, "
       "-0.2]}}\n"
       "  slider: {mass: 2, inertia: 0.01, position: [1.2, 0]}\n"
       "joints:\n  hinge: {type: revolute, between: [ground, crank.a]}\n"
       "  pin: {type: revolute, between: [crank.b, rod.a]}\n"
       "  end: {type: revolute, between: [rod.b, slider]}\n"
       "  guide: {type: prismatic, between: [ground, slider], axis: [1, 0]}\n"
       "definitions: {s: slider.x}\noutputs: {s: s, F: hold.force}",
       {1.2, 0.8}},
      // A pendulum by the height of its bob, against a spring.
      {"dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
       "  bob: {point_mass: 3, position: [1, 0]}\n"
       "joints: {rod: {type: distance, between: [ground, bob]}}\n"
       "forces: {spring: {type: spring, between: [{ground: [2, 0]}, bob], stiffness: 50, "
       "free_length: 1}}\n"
       "definitions: {s: bob.y}\noutputs: {s: s, F: hold.force}",
       {0, -0.7}}};
  for (const auto& [mechanism, way] : kMechanisms) {
    for (const double force : {60.0, 200.0}) {
      const Followed f = follow_jump(mechanism, way.first, way.second, force, 3);
      EXPECT_LT(f.overshoot, 0.05) << mechanism;
      EXPECT_LT(f.rest, 1e-3) << mechanism;
      EXPECT_LE(f.force, force * (1 + 1e-12));
      EXPECT_LT(f.violation, 1e-8);
    }
  }
}

TEST(Tracking, LimitsOfSpeedAndAccelerationHold) {
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2/2\ntracking:\n  hold: {output: x, follows: \"select(t < "
      "0.1, 0, select(t < 0.6, 1, -2))\", speed: 3, acceleration: 40}\noutputs: {x: x, v: \"x'\"}\n"
      "run: {end: 2.5}\n",
      "limits.yaml");
  const double h = 1e-3;
  const Simulation s = run(model, h);
  EXPECT_NEAR(largest(s.trajectory["v"]), 3, 1e-9);
  EXPECT_LE(largest_change(s.trajectory["v"]), 40 * h * (1 + 1e-9));
  EXPECT_NEAR(s.trajectory["x"].back(), -2, 1e-6);
}

// That of acceleration is one of the point, whatever the coordinates: where its way is curved, a
// part of it is there without the force. To the order of the step.
TEST(Tracking, AccelerationIsThatOfThePoint) {
  const Model model = read_model_text(
      "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
      "  upper: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {a: [-0.5, 0], b: [0.5, 0]}}\n"
      "  lower: {mass: 1, inertia: 0.1, position: [1, -0.5], angle: -90 deg, points: {a: [-0.5, "
      "0], "
      "b: [0.5, 0]}}\njoints:\n  shoulder: {type: revolute, between: [ground, upper.a]}\n"
      "  elbow: {type: revolute, between: [upper.b, lower.a]}\ntracking:\n"
      "  hold: {point: lower.b, follows: [\"select(t < 0.3, 1, 0.6)\", \"select(t < 0.3, -1, "
      "0.5)\"], acceleration: 30}\noutputs: {vx: \"lower.b.x'\", vy: \"lower.b.y'\"}\n"
      "run: {end: 2}\n",
      "arm.yaml");
  for (const char* const coordinates : {"joint", "absolute", "natural"}) {
    SimulateOptions options = options_of(model);
    options.coordinates = coordinates;
    options.integrator = "linear-implicit";
    options.step = 1e-3;
    options.sampling.count = 2001;
    const Simulation s = simulate(model, options);
    const auto vx = s.trajectory["vx"], vy = s.trajectory["vy"];
    double most = 0;
    for (std::size_t i = 1; i < vx.size(); ++i) {
      most = std::max(most, std::hypot(vx[i] - vx[i - 1], vy[i] - vy[i - 1]) / 1e-3);
    }
    EXPECT_LT(most, 30 * 1.005) << coordinates;
    EXPECT_GT(most, 29) << coordinates;
  }
}

TEST(Tracking, ValuesThatMeanNothingAreMistakes) {
  const auto said = [](const std::string& keys) -> std::string {
    return testing::error_of(
        [&] {
          read_model_text(
              "coordinates: {x: 0}\nkinetic: x'^2/2\ntracking:\n  hold: {output: x, "
              "follows: 1, " +
                  keys + "}\n",
              "m.yaml");
        },
        "nothing");
  };
  const auto has = [&](const std::string& keys, const std::string& words) {
    EXPECT_NE(said(keys).find(words), std::string::npos) << said(keys);
  };
  has("force: -5", "force of tracking 'hold' must be positive.");
  has("speed: 0", "speed of tracking 'hold' must be positive.");
  has("method: l2, rho0: -1", "rho0 of tracking 'hold' must be positive.");
  has("method: l2, rho0: 1, acceleration: 3", "belongs to the method `auto`");
  has("active: -1", "active of tracking 'hold' must not be negative.");
}

// A smooth signal of time is followed with its rate, without lag.
TEST(Tracking, SmoothSignalsAreFollowedWithoutLag) {
  const auto error = [](double h) {
    const Model model = read_model_text(
        "coordinates: {x: 0}\nkinetic: x'^2/2\ntracking:\n  hold: {output: x, follows: "
        "sin(2*t)}\noutputs: {d: x - sin(2*t)}\nrun: {end: 3}\n",
        "smooth.yaml");
    const Simulation s = run(model, h);
    return largest(s.trajectory["d"], s.trajectory.num_rows() / 4);
  };
  // The rate is that of the start of a step: what is left after it, h² z̈/2, is of order 2.
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

// What joints forbid is not fought for: a slider that should leave its guide goes below the target.
TEST(Tracking, TargetsOutOfReachAreApproached) {
  const Model model = read_model_text(
      "dimension: 2\nbodies:\n  slider: {mass: 2, inertia: 0.01}\njoints:\n  guide: {type: "
      "prismatic, between: [ground, slider], axis: [1, 0]}\ntracking:\n  hold: {point: slider, "
      "follows: [0.4, 5], force: 100}\noutputs: {x: slider.x, y: slider.y, fx: hold.force_x, fy: "
      "hold.force_y}\nrun: {end: 2}\n",
      "reach.yaml");
  const Simulation s = run(model, 1e-3);
  EXPECT_NEAR(s.trajectory["x"].back(), 0.4, 1e-6);
  EXPECT_LT(largest(s.trajectory["y"]), 1e-9);
  EXPECT_LT(largest(s.trajectory["fy"]), 1e-6);
}

// A load on a cable that is torn to and fro with 1500 m/s²: the winch turns by 0.4 rad in a step.
// Its angle is counted beside the directions in it, and the cable closes on both.
TEST(Tracking, FastWinchesKeepTheirCables) {
  const Model model = read_model_text(
      "gravity: [0, 0, -9.81]\nbodies:\n  winch: {mass: 3, inertia: [0.26, 0.02, 0.26]}\n"
      "  load: {point_mass: 10, position: [0.5, 0, -5]}\njoints:\n"
      "  drum: {type: revolute, between: [ground, winch], axis: [0, 1, 0]}\nconstraints:\n"
      "  cable: (load.x^2 + load.y^2 + load.z^2 - (0.1*drum.angle + sqrt(25.25))^2)/2\n"
      "tracking:\n  hold: {point: load, follows: [0.5, \"select(sin(30*t) > 0, 0.5, -0.5)\", "
      "\"select(sin(20*t) > 0, -3.5, -6.5)\"], force: 15000}\n"
      "outputs: {z: load.z, turn: \"drum.angle'\"}\nrun: {end: 1.5}\n",
      "winch.yaml");
  SimulateOptions options = options_of(model);
  options.coordinates = "natural";
  options.step = 1e-3;
  options.sampling.every_step = true;
  options.health = {.is_watched = false};
  const Simulation s = simulate(model, options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_GT(largest(s.trajectory["turn"]), 300);  // rad/s
  EXPECT_LT(s.summary.max_position_violation, 1e-10);
}

// The recorded hand with noise, drop-outs and late samples.
TEST(Tracking, FaultsOfTheSignalAreHarmless) {
  const std::string faults =
      ", noise: 0.002, jitter: 0.01, latency: 0.02, drop_every: 0.7, drop_for: 0.1, seed: 7";
  const Simulation s = run(ball("force: 400, response: 0.01", -9.81, faults), 1e-3);
  ASSERT_EQ(s.status, Outcome::Status::Done);
  EXPECT_LE(largest(s.trajectory["fx"]), 400);
  EXPECT_LT(largest(s.trajectory["dx"]), 0.2);  // m: what the hand goes during a drop-out
}

TEST(SignalFaults, AreWhatTheySay) {
  std::vector<double> t, y;
  for (int i = 0; i < 1000; ++i) {
    t.push_back(0.01 * i);
    y.push_back(1);
  }
  std::vector<std::vector<double>> columns = {y};
  const std::vector<double> sent = t;
  add_faults({.noise = 0.1, .latency = 0.5, .drop_every = 1, .drop_for = 0.2}, t, columns);
  EXPECT_EQ(t[0], 0);
  EXPECT_NEAR(static_cast<double>(t.size()), 810, 12);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < t.size(); ++i) {
    EXPECT_LE(std::fmod(t[i] - 0.5 + 1e-9, 1), 0.8 + 1e-6);
    sum += columns[0][i] - 1;
    squares += (columns[0][i] - 1) * (columns[0][i] - 1);
  }
  const auto n = static_cast<double>(t.size());
  EXPECT_NEAR(sum / n, 0, 0.1 * 4 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.1, 0.01);
}

TEST(Tracking, OtherIntegratorsRefuse) {
  SimulateOptions options = options_of(ball("force: 10"));
  EXPECT_EQ(options.integrator.text(), "linear-implicit");
  for (const auto& [integrator, id] :
       {std::pair{"taylor", "simulate.no-tracking"}, {"rattle", "integrate.no-tracking"}}) {
    options.integrator = integrator;
    options.step = integrator == std::string("taylor") ? std::nullopt : std::optional(1e-3);
    EXPECT_EQ(testing::id_of([&] { simulate(ball("force: 10"), options); }), id);
  }
}

TEST(Tracking, MistakesAreTold) {
  const auto mistake = [](const std::string& law) -> std::string {
    return testing::message_of([&] {
      read_model_text(
          "dimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\ntracking:\n  hold: {" + law + "}\n",
          "wrong.yaml");
    });
  };
  EXPECT_EQ(mistake("point: b"),
            "tracking 'hold' needs follows, and one of point, orientation and output.");
  EXPECT_EQ(mistake("point: b, follows: [1, 2], method: l2"), "tracking 'hold' needs rho0.");
  EXPECT_EQ(mistake("point: b, follows: [1, 2], method: mixed, rho0: 1"),
            "tracking 'hold' needs rho0 and rho1.");
  EXPECT_EQ(mistake("output: 3, follows: 1"), "output of tracking 'hold' does not move.");
}

// A hand takes hold of the middle of a rod, pulls it, and lets go.
TEST(Grip, HoldsAnyPointOfAnyBody) {
  const Model pendulum = read_model_text(
      "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  rod: {mass: 1, inertia: 0.1, position: [0.5, "
      "0]}\n  other: {mass: 1, inertia: 0.1, position: [5, 5]}\njoints:\n  hinge: {type: revolute, "
      "between: [ground, {rod: [-0.5, 0]}]}\noutputs: {x: rod.x, y: rod.y, ox: other.x}\n",
      "pendulum.yaml");
  const Model model = with_grip(pendulum);
  SimulateOptions options = options_of(model);
  EXPECT_EQ(options.integrator.text(), "linear-implicit");
  options.sampling.every_step = true;
  options.end = 1;
  // Nothing is held: as without a hand.
  const Simulation free = simulate(model, options);
  SimulateOptions plain = options;
  const Simulation reference = simulate(pendulum, plain);
  ASSERT_EQ(free.trajectory.num_rows(), reference.trajectory.num_rows());
  for (std::size_t i = 0; i < free.trajectory.num_rows(); ++i) {
    ASSERT_EQ(free.trajectory["y"][i], reference.trajectory["y"][i]) << i;
  }
  Model held = model;
  for (Parameter& p : held.parameters) {
    if (p.symbol.name() == "grip.body") p.value = 0;
  }
  // The inputs are zero: its target is the origin, which the middle of the rod cannot reach.
  const Simulation pulled = simulate(held, options);
  ASSERT_EQ(pulled.status, Outcome::Status::Done) << pulled.text;
  for (std::size_t i = 0; i < pulled.trajectory.num_rows(); ++i) {
    ASSERT_NEAR(std::hypot(pulled.trajectory["x"][i], pulled.trajectory["y"][i]), 0.5, 1e-8);
  }
  EXPECT_EQ(pulled.trajectory["ox"].back(), 5);
}

// Limits of force and acceleration are minima, which would hide a target that is none.
TEST(Tracking, FailsWhereTheTargetIsNotFinite) {
  for (const char* target : {"sqrt(0.5 - t)", "1/(max(0.5 - t, 0))"}) {
    const Model model = read_model_text(
        std::string("dimension: 2\nbodies: {arm: {mass: 2, inertia: 0.1}}\n"
                    "joints: {p: {type: revolute, between: [ground, arm]}}\n"
                    "tracking: {a: {output: arm.angle, acceleration: 20, force: 5, follows: \"") +
            target + "\"}}\noutputs: {angle: p.angle}\nrun: {end: 1}\n",
        "arm.yaml");
    const Simulation s = run(model, 1e-3);
    EXPECT_EQ(s.status, Outcome::Status::Failed) << target;
    EXPECT_NEAR(s.trajectory.time().back(), 0.5, 2e-3) << target;
  }
}

}  // namespace
}  // namespace koppel
