// Models built in code are those of files.
#include <koppel/model/mechanism.hpp>

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/text/print.hpp>
#include <koppel/model/time_law.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <tests/temporary_folder.hpp>

#include "tests/error_of.hpp"

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

// Shapes, density, named points and axes: as in files.
TEST(Mechanism, BodiesHaveAllThatFilesSayOfThem) {
  Mechanism m("pendulum");
  m.gravity(0, 0, -9.81);
  BodyElement arm;
  arm.density = 2700;
  arm.points.values = {{"tip", {0.5, 0, 0}}};
  arm.axes.values = {{"pin", {0, 1, 0}}};
  const BodyHandle body =
      m.add("arm", arm, BoxShape{.size = WorldPoint(0.5, 0.02, 0.04), .at = WorldPoint(0.25, 0, 0)},
            SphereShape{.radius = 0.05, .at = WorldPoint(0.5, 0, 0)});
  m.add("hinge", Revolute{.between = {m.ground(), body}, .axis = Direction(0, 1, 0)});
  m.add("spring", Spring{.between = {m.ground().point(0.2, 0, 1), body.point("tip")},
                         .stiffness = 50,
                         .free_length = 0.8});
  m.output("z", body.measure("tip.z"));
  const Model file = read_model_text(R"(
gravity: [0, 0, -9.81]
bodies:
  arm:
    density: 2700
    shape: [{box: {size: [0.5, 0.02, 0.04], at: [0.25, 0, 0]}}, {sphere: {radius: 0.05, at: [0.5, 0, 0]}}]
    points: {tip: [0.5, 0, 0]}
    axes: {pin: [0, 1, 0]}
joints:
  hinge: {type: revolute, between: [ground, arm], axis: [0, 1, 0]}
forces:
  spring: {type: spring, between: [{ground: [0.2, 0, 1]}, arm.tip], stiffness: 50, free_length: 0.8}
outputs: {z: arm.tip.z}
)",
                                     "m.yaml");
  const SimulateOptions options = {.end = 1, .tolerance = 1e-10};
  const Simulation built = simulate(m.model(), options), read = simulate(file, options);
  EXPECT_NEAR(built["z"].back(), read["z"].back(), 1e-12);
  EXPECT_THROW(body.point("top"), Error);
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
  EXPECT_EQ(testing::error_of([&] { m.model(); }),
            "error[model.bad-value]: length of joint 'stay' must be positive.\n"
            "error[model.self-joint]: force 'pull' acts between two points of body 'rod'.\n"
            "error[model.missing-key]: force 'slip' needs joint, torque (or force) and velocity.\n"
            "  Below the velocity, friction is viscous.");
  EXPECT_THROW(m["nobody.x"], Error);
}

TEST(Mechanism, CurvesAndTablesAreThoseOfFiles) {
  Mechanism m("follower", Plane::XY);
  const BodyHandle slider = m.add_body("slider", {.mass = 2, .inertia = {0.1}});
  const std::vector<double> at = {0, 1, 2}, through = {0, 0.3, 0.1};
  const Expr path = m.spline("path", m.time(), at, through);
  const Table stiffness = m.table("k", TableData::linear(at, through));
  const JointHandle guide = m.add(
      "guide", Prismatic{.between = {m.ground(), slider}, .axis = Direction(1, 0), .drive = path});
  m.output("k", stiffness(guide.position()));
  const Model file = read_model_text(R"(
dimension: 2
tables: {k: {type: linear, x: [0, 1, 2], y: [0, 0.3, 0.1]}}
signals: {path: {type: spline, at: [0, 1, 2], through: [0, 0.3, 0.1]}}
bodies: {slider: {mass: 2, inertia: 0.1}}
joints: {guide: {type: prismatic, between: [ground, slider], axis: [1, 0], drive: path}}
outputs: {k: k(guide.position)}
)",
                                     "follower.yaml");
  const Simulation built = simulate(m.model(), {.end = 1.7}), read = simulate(file, {.end = 1.7});
  EXPECT_NEAR(built["k"].back(), read["k"].back(), 1e-15);
  EXPECT_NEAR(built["guide.position"].back(), read["guide.position"].back(), 1e-15);
  EXPECT_THROW(m.near_samples("no", at, through, 1e-30), Error);
}

TEST(Mechanism, FramesOfPointsAreThoseOfFiles) {
  Mechanism m("rod", Plane::XY);
  m.gravity(0, -9.81);
  const ElementHandle a = m.add_point("A", 0.2, 0), b = m.add_point("B", 1.2, 0);
  const BodyHandle rod = m.add_body("rod", {.mass = 1, .com = {0.5, 0, 0}, .inertia = {0.1}});
  m.frame(rod, {a, b});
  m.constrain("ax", m["A.x"] - 0.2);
  m.constrain("ay", m["A.y"]);
  const Model file = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
points: {A: [0.2, 0], B: [1.2, 0]}
bodies: {rod: {mass: 1, com: [0.5, 0], inertia: 0.1, frame: [A, B]}}
constraints: {ax: A.x - 0.2, ay: A.y}
)",
                                     "rod.yaml");
  const Simulation built = simulate(m.model(), {.end = 0.4}), read = simulate(file, {.end = 0.4});
  EXPECT_NEAR(built["B.y"].back(), read["B.y"].back(), 1e-12);
  EXPECT_LT(built["B.y"].back(), -0.1);
}

TEST(Mechanism, AttitudesAreThoseOfFiles) {
  Mechanism m("satellite");
  const BodyHandle body = m.add_body("body", {.mass = 1, .inertia = {1, 2, 3}});
  const Mat3<double> to = rotation(Vec3<double>{0, 0, 1}, 1.0);
  m.servo_attitude("turn", body, Mat3<double>::identity(), to, rest_to_rest(m.time(), 2, 4));
  const Model file = read_model_text(R"(
bodies: {body: {mass: 1, inertia: [1, 2, 3]}}
signals: {law: {type: rest-to-rest, duration: 2}}
servo: {turn: {attitude: body, to: {rotation: {axis: [0, 0, 1], angle: 1}}, law: law}}
)",
                                     "satellite.yaml");
  const Model& built = m.model();
  ASSERT_EQ(built.servos.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(built.servos[i].name, file.servos[i].name);
    EXPECT_EQ(to_text(built.servos[i].output), to_text(file.servos[i].output));
    EXPECT_EQ(to_text(built.servos[i].reference), to_text(file.servos[i].reference));
  }
}

TEST(Mechanism, OtherElementsAreAddedToo) {
  Mechanism m("ball", Plane::XY);
  m.gravity(0, -9.81);
  const BodyHandle ball = m.add_body("ball", {.mass = 1, .is_point = true});
  ball.place(0, 1);
  m.add("floor", EventElement{.when = ball.y().value(), .bounce = Expr(0.5)});
  m.add("hold", TrackingElement{.point = ball, .follows = {0, 1}, .force = Expr(100)});
  EXPECT_EQ(m.model().events.size(), 1u);
  ASSERT_EQ(m.model().tracking.size(), 1u);
  EXPECT_EQ(m.model().tracking[0].forces[1].name(), "hold.force_y");
}

// Half-way in time a law from rest to rest is half-way along its path.
TEST(Mechanism, SignalsAreKnownByTheirNames) {
  Mechanism m("load", Plane::XY);
  const BodyHandle load = m.add_body("load", {.mass = 1, .is_point = true});
  m.add("c", RestToRest{.duration = Expr(2), .start = Expr(1)});
  m.add("way", LinePath{.from = WorldPoint(1, 2), .to = WorldPoint(5, 4), .law = m["c"]});
  m.add("x", ServoElement{.output = load.x().value(), .reference = m["way.x"]});
  m.add("y", ServoElement{.output = load.y().value(), .reference = m["way.y"]});
  const std::vector<Expr> references = {m.model().servos[0].reference,
                                        m.model().servos[1].reference};
  const Function at(std::vector<Expr>{m.time()}, references);
  EXPECT_NEAR(at(std::vector<double>{2})[0], 3, 1e-14);
  EXPECT_NEAR(at(std::vector<double>{2})[1], 3, 1e-14);
  EXPECT_EQ(at(std::vector<double>{7})[0], 5);
  m.add("d", ThreePhase{.duration = Expr(1), .ramp = Expr(0.8)});
  EXPECT_EQ(testing::error_of([&] { m.model(); }),
            "error[model.bad-value]: signal 'd' has ramps that are longer than half of it.");
}

// A robot's rod that swings about x with a load welded to its end. With I about the hinge and the
// first moment S = m_rod l/2 + m_load l, energy says ½ I ω² = S g (cos θ − cos θ₀).
TEST(Mechanism, AModelThatWasReadGoesOn) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "rod.urdf") << R"(<robot name="rod">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="1 0 0"/></joint>
</robot>)";
  Mechanism m(read_model_text("gravity: [0, 0, -9.81]\ninclude: {arm: {urdf: rod.urdf}}\n",
                              (folder.path() / "m.yaml").string()));
  const BodyHandle load = m.add_body("load", {.mass = 3, .inertia = {0.1, 0.1, 0.1}});
  m.add("grasp", Fixed{.between = {m.body("arm.rod").point(0, 0, -1), load}});
  m.joint("arm.hinge").angle().start(1.2);
  const Simulation s = simulate(m.model(), {.end = 1, .tolerance = 1e-11});
  const double inertia = 0.2 + 2 * 0.25 + 0.1 + 3, moment = 2 * 0.5 + 3;
  const std::vector<double> angle = s["arm.hinge.angle"], rate = s["arm.hinge.angle'"];
  for (std::size_t i = 0; i < angle.size(); i += 100) {
    EXPECT_NEAR(0.5 * inertia * rate[i] * rate[i],
                moment * 9.81 * (std::cos(angle[i]) - std::cos(1.2)), 1e-8)
        << "an energy of 25 J at the tolerance";
  }
  EXPECT_GT(std::abs(rate.back()), 0.1);
}

// Two arms from one file, at places of their own, and a rod between their tips.
TEST(Mechanism, SubAssembliesGoOnToo) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "arm.yaml")
      << "dimension: 2\nparameters: {l: 1}\nbodies: {rod: {mass: 1, shape: {rod: {to: [l, 0]}}, "
         "points: {tip: [l, 0]}}}\njoints: {base: {type: revolute, between: [ground, rod]}}\n";
  Mechanism m(
      read_model_text("dimension: 2\ngravity: [0, -9.81]\ninclude:\n  left: {file: arm.yaml}\n"
                      "  right: {file: arm.yaml, position: [1, 1], parameters: {l: 2}}\n",
                      (folder.path() / "cell.yaml").string()));
  const BodyHandle left = m.body("left.rod"), right = m.body("right.rod");
  m.add("link", Distance{.between = {left.point("tip"), right.point("tip")}, .length = 2});
  const Simulation s = simulate(m.model(), {.end = 1, .tolerance = 1e-10});
  EXPECT_NEAR(std::hypot(s["right.rod.tip.x"].back() - s["left.rod.tip.x"].back(),
                         s["right.rod.tip.y"].back() - s["left.rod.tip.y"].back()),
              2, 1e-9);
}

TEST(Mechanism, NamesThatAreNotThereAreSuggested) {
  Mechanism m("pendulum", Plane::XY);
  const RodHandle upper = m.add_rod("upper", {.mass = 1, .length = 1});
  m.add("hip", Revolute{.between = {m.ground(), upper.start()}});
  const auto said = [](const auto& ask) -> std::string {
    return testing::error_of([&] { ask(); }, "nothing");
  };
  EXPECT_EQ(said([&] { m.body("uper"); }),
            "error[model.unknown-name]: there is no body 'uper'.\n  Did you mean 'upper'?");
  EXPECT_EQ(said([&] { m.joint("hop"); }),
            "error[model.unknown-name]: there is no joint 'hop'.\n  Did you mean 'hip'?");
}

}  // namespace
}  // namespace koppel
