// Models built in code are those of files.
#include <koppel/model/mechanism.hpp>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

TEST(Mechanism, ADoublePendulumSwingsAsTheOneInAFile) {
  Mechanism m("double pendulum", Plane::XY);
  m.gravity(0, -9.81);
  const RodHandle upper = m.add_rod("upper", {.mass = 1, .length = 1});
  const RodHandle lower = m.add_rod("lower", {.mass = 1, .length = 1});
  m.add("hip", Revolute{.between = {m.ground(), upper.start()}});
  const JointHandle knee = m.add("knee", Revolute{.between = {upper.end(), lower.start()}});
  knee.angle().start(0.3);
  const Model file = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {end: [1, 0]}}
  lower: {mass: 1, shape: {rod: {to: [1, 0]}}}
joints:
  hip: {type: revolute, between: [ground, upper]}
  knee: {type: revolute, between: [upper.end, lower]}
initial: {knee.angle: 0.3}
)",
                                     "m.yaml");
  for (const char* set : {"absolute", "joint", "natural"}) {
    const SimulateOptions options = {.end = 3, .coordinates = set, .tolerance = 1e-10};
    const Simulation built = simulate(m.model(), options), read = simulate(file, options);
    EXPECT_EQ(built["knee.angle"][0], 0.3);
    for (const char* name : {"knee.angle", "hip.angle", "lower.x", "lower.y'", "upper.angle"}) {
      EXPECT_NEAR(built[name].back(), read[name].back(), 1e-12) << set << ' ' << name;
    }
  }
}

// A flywheel that turns many times between rows, in coordinates that do not know its angle.
TEST(Mechanism, AnglesAfterARunCountTheirTurns) {
  Mechanism m("flywheel");
  const BodyHandle wheel = m.add_body("wheel", {.mass = 1, .inertia = {1, 1, 2}});
  const JointHandle axle =
      m.add("axle", Revolute{.between = {m.ground(), wheel}, .axis = Direction(0, 0, 1)});
  axle.angle().start_rate(100);
  const Simulation s =
      simulate(m.model(), {.end = 10, .coordinates = "absolute", .sampling = {.count = 21}});
  EXPECT_NEAR(s["axle.angle"].back(), 1000, 1e-5);
}

TEST(Mechanism, AClosedLoopWithSpringAndDrive) {
  Mechanism m("loop", Plane::XY);
  m.gravity(0, -9.81);
  const Expr a = m.parameter("a", 0.4);
  const RodHandle crank = m.add_rod("crank", {.mass = 1, .length = a});
  const RodHandle rod = m.add_rod("rod", {.mass = 1, .length = 1});
  m.add("O", Revolute{.between = {m.ground(), crank.start()}, .drive = 2 * m.time()});
  m.add("A", Revolute{.between = {crank.end(), rod.start()}});
  m.add("B", PointOnLine{.between = {m.ground(), rod.end()}, .axis = Direction(1, 0)});
  const ForceHandle spring = m.add(
      "spring", Spring{.between = {m.ground(), rod.end()}, .stiffness = 10, .free_length = 1});
  m.output("stretch", spring.length() - 1);
  const Simulation s = simulate(m.model(), {.end = 1, .tolerance = 1e-10});
  // The slider is at a cos φ + √(1 − a² sin² φ), φ = 2 t.
  const double x = 0.4 * std::cos(2.0) + std::sqrt(1 - 0.16 * std::sin(2.0) * std::sin(2.0));
  EXPECT_NEAR(s["stretch"].back(), x - 1, 1e-9);
  EXPECT_NEAR(s["O.angle"].back(), 2, 1e-9);
}

TEST(Mechanism, SaysAllThatIsWrong) {
  Mechanism m("wrong", Plane::XY);
  const RodHandle rod = m.add_rod("rod", {.mass = 1, .length = 1});
  m.add("stay", Distance{.between = {m.ground(), rod.end()}, .length = -1});
  m.add("pull", Spring{.between = {rod.start(), rod.end()}, .stiffness = 1, .free_length = 0});
  m.add("slip", Friction{});
  try {
    m.model();
    FAIL() << "no mistake";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "error[model.bad-value]: length of joint 'stay' must be positive.\n"
        "error[model.self-joint]: force 'pull' acts between two points of body 'rod'.\n"
        "error[model.missing-key]: force 'slip' needs joint, torque (or force) and velocity.\n"
        "  Below the velocity, friction is viscous.");
  }
  EXPECT_THROW(m["nobody.x"], Error);
}

}  // namespace
}  // namespace koppel
