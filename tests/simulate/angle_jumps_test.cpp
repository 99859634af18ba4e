// Angles in forces that jump: every integrator says so.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

const Health::Reason* jump_of(const Simulation& s) {
  for (const Health::Reason& reason : s.summary.health.reasons) {
    if (reason.what == Health::What::Jump) return &reason;
  }
  return nullptr;
}

Simulation run(const std::string& text, const char* integrator, const char* coordinates = "") {
  const Model model = read_model_text(text, "jump.yaml");
  SimulateOptions options = options_of(model);
  options.integrator = integrator;
  options.coordinates = coordinates;
  if (options.integrator.is("rk4") || options.integrator.is("linear-implicit")) options.step = 1e-3;
  return simulate(model, options);
}

// It pitches at 1 rad/s, through a right angle after π/2 s; a torque about its vertical axis
// follows an angle.
std::string tumbling(const std::string& torque) {
  return R"(
bodies:
  box: {mass: 1, inertia: [1, 1, 1]}
forces:
  steer: {type: torque, on: box, torque: [0, 0, ")" +
         torque + R"("]}
initial: {box.wy: 1}
run: {end: 2}
)";
}

TEST(AngleJumps, YawThroughPitchOf90DegreesIsToldByEveryIntegrator) {
  for (const char* integrator : {"dop853", "radau5", "rk4", "linear-implicit"}) {
    const Simulation s = run(tumbling("-0.1*box.yaw"), integrator, "absolute");
    EXPECT_EQ(s.summary.status, "doubtful") << integrator << ": " << s.text;
    const Health::Reason* const jump = jump_of(s);
    ASSERT_NE(jump, nullptr) << integrator << ": " << s.text;
    EXPECT_NEAR(jump->t, 1.5708, 1e-3)
        << integrator;  // π/2; fixed steps have dense output of order 3
    EXPECT_NE(jump->text.find("an angle that 'steer' uses jumps"), std::string::npos) << jump->text;
  }
}

TEST(AngleJumps, SmoothFunctionsOfAnglesDoNotJump) {
  // 2 yaw jumps by a whole turn there, and its sine is smooth.
  const Simulation s = run(tumbling("-0.1*sin(2*box.yaw)"), "dop853", "absolute");
  EXPECT_EQ(jump_of(s), nullptr) << s.text;
}

const char* const kSpinning = R"(
bodies:
  box: {mass: 1, inertia: [1, 1, 1]}
forces:
  twist: {type: torque, on: box, torque: [0, 0, "-0.01*box.)";

TEST(AngleJumps, TheCutOfYawAtHalfATurnIsTold) {
  const std::string text =
      kSpinning + std::string("yaw\"]}\ninitial: {box.wz: 2}\nrun: {end: 2}\n");
  const Simulation s = run(text, "dop853", "absolute");
  const Health::Reason* const jump = jump_of(s);
  ASSERT_NE(jump, nullptr) << s.text;
  // φ̈ = −φ/100 from φ̇ = 2 comes to π at 10 asin(π/20) s.
  EXPECT_NEAR(jump->t, 10 * std::asin(3.141592653589793 / 20), 1e-6);
}

TEST(AngleJumps, AnglesThatTurnBackBeforeTheCutAreGood) {
  for (const std::string angle : {"yaw", "rz"}) {
    const std::string text =
        kSpinning + angle + "\"]}\ninitial: {box.wz: 0.3}\nrun: {end: 60}\n";  // up to 3 rad
    const Simulation s = run(text, "dop853", "absolute");
    EXPECT_EQ(s.summary.status, "done") << angle << ": " << s.text;
  }
}

TEST(UndefinedForce, SpringWithCoincidingEndsIsNamed) {
  const std::string text = R"(
dimension: 2
bodies:
  load: {point_mass: 1}
forces:
  coil: {type: spring, between: [ground, load], stiffness: 100, free_length: 0.1}
run: {end: 1}
)";
  for (const char* integrator : {"taylor", "dop853", "radau5"}) {
    const Simulation s = run(text, integrator);
    EXPECT_EQ(s.status, Outcome::Status::Failed);
    EXPECT_EQ(
        s.text.find("'coil' has no finite value there: its ends coincide, and the force has no "
                    "direction. Start them apart ("),
        0u)
        << s.text;
  }
}

// Where it touches the ground has no direction there; its load is that of the depth, 1 mm, all the
// same.
TEST(UndefinedForce, TyreOfAWheelThatLiesFlatIsFinite) {
  const Simulation s = run(R"(
bodies:
  wheel: {mass: 20, inertia: [0.6, 1.1, 0.6], rotation: {axis: [1, 0, 0], angle: 90 deg}, position: [0, 0, -0.001]}
forces:
  tyre: {type: tyre, on: wheel, axis: [0, 1, 0], radius: 0.3, stiffness: 2e5, friction: 0.9, slip_stiffness: [20, 14]}
outputs: {z: wheel.z}
run: {end: 1e-3}
)",
                           "dop853", "absolute");
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  // ½ F t²/m with F = k δ, less what the soft beginning of the contact takes.
  EXPECT_NEAR(s.trajectory["z"].back() + 0.001, 0.5 * 200 / 20 * 1e-6, 2e-6);
}

// yaw − 2 does not pass through zero at ±180 deg, where it jumps from 1.14 to −5.14.
TEST(AngleJumps, EventsThatHappenBecauseOfThemAreDoubtful) {
  const char* const turning = R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
initial: {a.wz: 1}
events: {e: {when: a.yaw - 2, direction: WAY, stop: true}}
run: {end: 4}
)";
  const auto with = [&](const char* way) {
    std::string text = turning;
    return text.replace(text.find("WAY"), 3, way);
  };
  const Simulation falling = run(with("falling"), "");
  EXPECT_EQ(falling.status, Outcome::Status::Doubtful);
  ASSERT_NE(jump_of(falling), nullptr);
  EXPECT_NEAR(jump_of(falling)->t, std::numbers::pi, 1e-8);
  const Simulation rising = run(with("rising"), "");
  EXPECT_EQ(jump_of(rising), nullptr);
  EXPECT_NEAR(rising.summary.events.at(0).t, 2, 1e-8);
}

// Steps that control their error tightly end where the force jumps, to round-off.
TEST(AngleJumps, BetweenStepsAreTold) {
  const Model model = read_model_text(R"(
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {r: {type: revolute, between: [ground, b], axis: [0, 0, 1]}}
forces: {s: {type: torque, on: b, torque: [0, 0, -3*b.rz]}}
initial: {"r.angle'": 8}
run: {end: 1}
)",
                                      "turning.yaml");
  for (const char* integrator : {"taylor", "dop853", "radau5"}) {
    for (const double tolerance : {1e-9, 1e-11, 1e-12, 1e-13}) {
      SimulateOptions options = options_of(model);
      options.coordinates = "joint";
      options.integrator = integrator;
      options.tolerance = tolerance;
      const Simulation s = simulate(model, options);
      ASSERT_NE(jump_of(s), nullptr) << integrator << ' ' << tolerance << ": " << s.text;
      // 8/√3 sin √3 t = π.
      EXPECT_NEAR(jump_of(s)->t, std::asin(std::numbers::pi * std::sqrt(3) / 8) / std::sqrt(3),
                  1e-6);
    }
  }
}

}  // namespace
}  // namespace koppel
