// A sub-assembly is the same wherever it is placed: all that its file can say of it, and its
// motion.
#include <algorithm>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

using testing::near;
using testing::TemporaryFolder;

// Each body is held by a joint of its own against the ground, and pushed. Some are not placed where
// angles are zero, so that a spring has a preload that must not get lost.
const char* const kInSpace = R"m(
bodies:
  ground: {points: {P: [1, 2, 0]}, axes: {pin: [0, 1, 0]}}
  hinged: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0.5, 0, 0.1], rotation: {axis: [0, 1, 0], angle: 30 deg}}
  carried: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0.3, 0], position: [1, 2, 0]}
  slanted: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0.3, 0], rotation: {axis: [1, 0, 0], angle: 20 deg}}
  driven: {mass: 1, inertia: [0.4, 0.5, 0.6]}
  started: {mass: 1, inertia: [0.4, 0.5, 0.6]}
  slider: {mass: 1, inertia: [0.4, 0.5, 0.6], position: [0.2, 0, 0]}
  sleeve: {mass: 1, inertia: [0.4, 0.5, 0.6]}
  nut: {mass: 1, inertia: [0.4, 0.5, 0.6]}
  ball: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0, 0.2]}
  cross: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0, 0.2]}
  shaft: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0, 0.2], rotation: {axis: [1, 0, 0], angle: 10 deg}}
  plate: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0.1, 0, 0]}
  block: {mass: 1, inertia: [0.4, 0.5, 0.6], position: [0, 0, 3]}
  bob: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0.1, 0, 0], position: [0, 0, -1]}
  ring: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0.1, 0], position: [0.3, 0, 0]}
  foot: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0.1, 0], position: [0, 1, 0]}
  wheel: {mass: 1, inertia: [0.4, 0.5, 0.4], position: [0, 0, 0.5], rotation: {axis: [1, 0, 0], angle: 10 deg}}
  follower: {mass: 1, inertia: [0.4, 0.5, 0.6], com: [0, 0, 0.1], position: [1, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, hinged], axis: [0, 1, 0]}
  pin: {type: revolute, between: [carried, ground.P], axis: [0, 1, 0]}
  slant: {type: revolute, between: [ground, slanted], axes: [pin, [0.1, 1, 0.2]]}
  motor: {type: revolute, between: [ground, driven], axis: pin, drive: 0.2 + 0.5*t}
  start: {type: revolute, between: [started, ground], at: [0, 0, 0], axis: [1, 2, 3], zero: 0.3}
  slide: {type: prismatic, between: [ground, slider], axis: [1, 0, 0], zero: 0.1}
  tube: {type: cylindrical, between: [ground, sleeve], axis: [0, 1, 1], drive: {angle: 0.4*t}, zero: {angle: 0.1, position: 0.2}}
  thread: {type: screw, between: [ground, nut], axis: [0, 0, 1], pitch: 0.5}
  socket: {type: spherical, between: [ground, ball]}
  gimbal: {type: universal, between: [ground, cross], axes: [[1, 0, 0], [0, 1, 0]]}
  bellows: {type: constant-velocity, between: [ground, shaft], axis: [0, 0, 1]}
  table: {type: planar, between: [ground, plate], axis: [0, 0, 1]}
  weld: {type: fixed, between: [ground, block]}
  rod: {type: distance, between: [ground, bob]}
  wire: {type: point-on-line, between: [ground, ring], axis: [1, 0, 0]}
  floor: {type: point-on-plane, between: [ground, foot], axis: [0, 0, 1]}
  road: {type: rolling, body: wheel, radius: 0.5, axis: [0, 1, 0]}
  groove: {type: cam, between: [ground, follower], curve: ["cos(groove.s)", "sin(groove.s)", "0.2*groove.s"]
}
forces:
  spring: {type: torsion, joint: hinge, stiffness: 10}
  coil: {type: torsion, joint: pin, stiffness: 10, rest: 0.1}
  clutch: {type: friction, joint: slant, torque: 0.2, velocity: 0.1}
  f1: {type: force, on: hinged, force: [1, 2, 3]}
  f2: {type: force, on: {carried: [0, 1, 0]}, force: [1, 2, 3]}
  f3: {type: torque, on: slanted, torque: [1, 2, 3]}
  f4: {type: torque, on: started, torque: [1, 2, 3]}
  f5: {type: force, on: slider, force: [1, 2, 3]}
  f6: {type: force, on: sleeve, force: [1, 2, 3]}
  f7: {type: torque, on: nut, torque: [1, 2, 3], frame: body}
  f8: {type: torque, on: ball, torque: [1, 2, 3]}
  f9: {type: torque, on: cross, torque: [1, 2, 3]}
  f10: {type: torque, on: shaft, torque: [1, 2, 3]}
  f11: {type: force, on: {plate: [0, 1, 0]}, force: [1, 2, 3]}
  f12: {type: force, on: block, force: [1, 2, 3]}
  f13: {type: force, on: bob, force: [1, 2, -3]}
  f14: {type: force, on: ring, force: [1, 2, 3]}
  f15: {type: force, on: foot, force: [1, 2, 3]}
  f16: {type: force, on: wheel, force: [1, 2, -3]}
  f17: {type: force, on: follower, force: [1, 2, 3]}
  mount: {type: bushing, between: [ground, foot], stiffness: [1, 2, 3, 4, 5, 6]}
initial: {start.angle: 0.1, tube.position: 0.3, "thread.angle'": 1, "wheel.wy": 2, "wheel.wx": 0.3}
outputs: {hinge: hinge.angle, pin: pin.angle, slant: slant.angle, motor: motor.angle, start: start.angle,
  slide: slide.position, tube: tube.angle, along: tube.position, thread: thread.angle, lead: thread.position,
  rod: rod.length, groove: groove.s, hz: hinged.z, hx: hinged.rx, hy: hinged.pitch, cy: carried.y, cw: carried.wy,
  sx: slanted.x, sr: slanted.roll, dp: driven.pitch, dt: started.rz, ny: nut.yaw, nz: nut.z, br: ball.rx, bw: ball.wy,
  xr: cross.roll, xp: cross.pitch, sw: shaft.wx, sp: shaft.rx, px: plate.x, py: plate.yaw, bx: block.z, bob: bob.x,
  ring: ring.x, foot: foot.y, fw: foot.wz, wx: wheel.x, wy: wheel.y, wr: wheel.roll, ww: wheel.yaw, fz: follower.z,
  P: ground.P.x}
)m";

const char* const kInPlane = R"m(
dimension: 2
bodies:
  ground: {points: {P: [1, 2]}}
  hinged: {mass: 1, inertia: 1, com: [0.5, 0], angle: 20 deg}
  carried: {mass: 1, inertia: 1, com: [0.5, 0], position: [1, 2]}
  driven: {mass: 1, inertia: 1, com: [0.5, 0]}
  started: {mass: 1, inertia: 1, com: [0.5, 0]}
  slider: {mass: 1, inertia: 1, angle: 10 deg}
  block: {mass: 1, inertia: 1, position: [0, 3]}
  bob: {mass: 1, inertia: 1, com: [0.1, 0], position: [0, -1]}
  ring: {mass: 1, inertia: 1, com: [0, 0.1], position: [0.3, 0]}
  wheel: {mass: 1, inertia: 1, position: [0, 0.5], angle: 10 deg}
  follower: {mass: 1, inertia: 1, com: [0, 0.1], position: [1.1, 0]}
joints:
  hinge: {type: revolute, between: [ground, hinged]}
  pin: {type: revolute, between: [carried, ground.P]}
  motor: {type: revolute, between: [ground, driven], drive: 0.5*t}
  start: {type: revolute, between: [ground, started], zero: 0.3}
  slide: {type: prismatic, between: [ground, slider], axis: [1, 1], zero: 0.1}
  weld: {type: fixed, between: [ground, block]}
  rod: {type: distance, between: [ground, bob]}
  wire: {type: point-on-line, between: [ground, ring], axis: [1, 0]}
  road: {type: rolling, body: wheel, radius: 0.5}
  groove: {type: cam, between: [ground, follower], curve: ["cos(groove.s)", "sin(groove.s)"], radius: 0.1, groove: true
}
forces:
  spring: {type: torsion, joint: hinge, stiffness: 10}
  coil: {type: torsion, joint: pin, stiffness: 10, rest: 0.1}
  f1: {type: force, on: hinged, force: [1, 2]}
  f2: {type: force, on: {carried: [0, 1]}, force: [1, 2]}
  f3: {type: torque, on: started, torque: 1}
  f4: {type: force, on: slider, force: [1, 2]}
  f5: {type: force, on: bob, force: [1, -2]}
  f6: {type: force, on: ring, force: [1, 2]}
  f7: {type: force, on: wheel, force: [1, -2]}
  f8: {type: force, on: follower, force: [1, 2]}
  f9: {type: effort, on: block.angle, effort: block.angle + 1}
initial: {start.angle: 0.1}
outputs: {hinge: hinge.angle, pin: pin.angle, motor: motor.angle, start: start.angle, slide: slide.position,
  rod: rod.length, groove: groove.s, ha: hinged.angle, hx: hinged.x, ca: carried.angle, da: driven.angle, sa: started.angle,
  sx: slider.x, ba: block.angle, by: block.y, bob: bob.y, bobs: bob.angle, ring: ring.x, rings: ring.angle, wx: wheel.x,
  wa: wheel.angle, fx: follower.x, fa: follower.angle, P: ground.P.x}
)m";

// The file at a place, with reactions along the axes of joints where the coordinates have them.
Simulation run(const std::string& file, const std::string& place, const std::string& coordinates) {
  const TemporaryFolder folder;
  const std::string dimension = file.find("dimension: 2") == file.npos ? "" : "dimension: 2\n";
  std::ofstream(folder.path() / "part.yaml") << file;
  std::ofstream(folder.path() / "group.yaml")
      << dimension << "include: {A: {file: part.yaml" << place << "}}\n";
  std::ofstream(folder.path() / "main.yaml")
      << dimension << "include: {G: {file: group.yaml" << place << "}}\n";
  return simulate(read_model(folder.path() / "main.yaml"), {.end = 0.5,
                                                            .coordinates = coordinates,
                                                            .tolerance = 1e-10,
                                                            .sampling = {.count = 6},
                                                            .reactions = ReactionAxes::Joint});
}

std::vector<std::string> compared(const Simulation& s) {
  std::vector<std::string> names;
  for (const Output& output : s.model->outputs) names.push_back(output.name);
  for (const Column& column : s.trajectory.columns()) {
    if (column.name.find(".force.") != column.name.npos ||
        column.name.find(".torque.") != column.name.npos) {
      names.push_back(column.name);
    }
  }
  return names;
}

void expect_same_anywhere(const std::string& file, const std::vector<std::string>& places,
                          const std::string& coordinates) {
  const Simulation here = run(file, "", coordinates);
  ASSERT_EQ(here.status, Outcome::Status::Done) << here.text;
  for (const std::string& place : places) {
    const Simulation there = run(file, place, coordinates);
    ASSERT_EQ(there.status, Outcome::Status::Done) << there.text;
    ASSERT_EQ(compared(there), compared(here));
    for (const std::string& name : compared(here)) {
      const std::vector<double> a = here[name], b = there[name];
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(near(b[i], a[i],
                         {.relative = 1e-7,
                          .scale = 1,
                          .because = "1000 times the tolerance; reactions amplify it"}))
            << name << " in row " << i << place << ' ' << coordinates;
      }
    }
  }
}

TEST(SubAssembly, TheFilesOfTheseTestsHaveEveryJoint) {
  JointElements::for_each([](auto id) {
    using E = typename decltype(id)::type;
    const std::string type = "type: " + std::string(E::kInfo.type) + ",";
    const auto has = [&](const char* file) {
      return std::string_view(file).find(type) != type.npos;
    };
    EXPECT_EQ(has(kInSpace), E::kInfo.in_space) << type;
    EXPECT_EQ(has(kInPlane), E::kInfo.in_plane) << type;
  });
}

TEST(SubAssembly, MovesInSpaceTheSameWhereverItIsPlaced) {
  const std::vector<std::string> places = {
      ", position: [1, 2, 3]", ", rotation: {axis: [0, 0, 1], angle: 90 deg}",
      ", rotation: {axis: [0, 0, 1], angle: 180 deg}, position: [-1, 0, 0]",
      ", cardan: [0.4, -0.9, 1.3]"};
  for (const char* set : {"absolute", "joint", "natural"}) {
    expect_same_anywhere(kInSpace, places, set);
  }
}

TEST(SubAssembly, MovesInThePlaneTheSameWhereverItIsPlaced) {
  const std::vector<std::string> places = {", position: [1, 2]", ", angle: 50 deg",
                                           ", angle: -130 deg, position: [-1, 3]"};
  for (const char* set : {"absolute", "joint", "natural"}) {
    expect_same_anywhere(kInPlane, places, set);
  }
}

// What the ground of the other file looks like goes along too.
TEST(SubAssembly, TakesPicturesOfItsGroundAlong) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "part.yaml") << R"(
dimension: 2
bodies: {ground: {shape: [{box: {size: [2, 1], at: [1, 0]}}, {rod: {to: [0, 1]}}]}}
drawing: {cart: {box: [1, 0], size: [2, 1], turn: 0.1}}
)";
  std::ofstream(folder.path() / "main.yaml") << R"(
dimension: 2
include: {A: {file: part.yaml, position: [0, 5], angle: 90 deg}}
)";
  const Model m = read_model(folder.path() / "main.yaml");
  const std::vector<Shape>& shapes = m.bodies[kGround].shapes;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].position.x, 0);
  EXPECT_EQ(shapes[0].position.y, 6);
  EXPECT_EQ(shapes[0].axes(1, 0), 1);
  EXPECT_EQ(shapes[1].points[1].x, -1);
  EXPECT_EQ(shapes[1].points[1].y, 5);
  EXPECT_NEAR(m.drawing[0].turn.value(), 0.1 + std::numbers::pi / 2, 1e-15);
}

}  // namespace
}  // namespace koppel
