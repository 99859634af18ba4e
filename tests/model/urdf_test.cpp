// Robots from URDF: what they become, what is said about wrong ones, and hostile files.
#include <chrono>
#include <cmath>
#include <fstream>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include <koppel/expr/text/print.hpp>
#include <koppel/model/elements/list.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

using testing::kEps;
using testing::near;

constexpr const char* kInclude = "include: {arm: {urdf: r.urdf}}\n";

Model read(const std::string& urdf, const std::string& yaml = kInclude) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "r.urdf", std::ios::binary) << urdf;
  return read_model_text(yaml, (folder.path() / "m.yaml").string());
}

// Without the folder in front of file names.
std::string said_about(const std::string& urdf, const std::string& yaml = kInclude) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "r.urdf", std::ios::binary) << urdf;
  const std::string place = folder.path().string() + "/";
  try {
    read_model_text(yaml, place + "m.yaml");
    return "nothing";
  } catch (const Error& error) {
    std::string text = error.what();
    for (std::size_t i = text.find(place); i != text.npos; i = text.find(place)) {
      text.erase(i, place.size());
    }
    return text;
  }
}

::testing::AssertionResult is(const Vec3e& v, double x, double y, double z) {
  const double expected[] = {x, y, z};
  for (std::size_t i = 0; i < 3; ++i) {
    auto result = near(v[i].value(), expected[i],
                       {.relative = 20 * kEps, .scale = 1, .because = "a few operations"});
    if (!result) return result << " in component " << i;
  }
  return ::testing::AssertionSuccess();
}

constexpr const char* kRobot = R"(<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <!-- Joints may stand before their links. -->
  <joint name="lift" type="prismatic">
    <parent link="turret"/> <child link="sledge"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 3 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="4" friction="1"/>
  </joint>
  <joint name="turn-1" type="continuous">
    <parent link="base"/> <child link="turret"/>
    <origin xyz="1 2 3" rpy="1.5707963267948966 0 0"/>
    <axis xyz="0 0 1"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="sledge"/> <child link="tool"/>
    <origin xyz="0.5 0 0"/>
  </joint>
  <joint name="glued" type="fixed">
    <parent link="tool"/> <child link="brick"/>
    <origin xyz="0.25 0 0"/>
  </joint>
  <joint name="loose" type="floating"> <parent link="base"/> <child link="ball"/> </joint>
  <joint name="sliding" type="planar">
    <parent link="base"/> <child link="puck"/> <axis xyz="0 0 1"/>
  </joint>
  <joint name="default_axis" type="revolute"> <parent link="puck"/> <child link="knob"/> </joint>
  <link name="base">
    <visual>
      <origin xyz="0 0 1"/> <geometry><sphere radius="0.5"/></geometry>
    </visual>
  </link>
  <link name="turret">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0.2" izz="2.5"/>
    </inertial>
    <visual>
      <origin xyz="0 0 1" rpy="1.5707963267948966 0 0"/>
      <geometry><cylinder radius="0.1" length="2"/></geometry>
      <material name="blue"/>
    </visual>
    <visual> <geometry><mesh filename="a.stl"/></geometry> </visual>
    <collision> <geometry><box size="0 0 0"/></geometry> </collision>
  </link>
  <link name="sledge">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <link name="tool">
    <visual><origin xyz="0 1 0"/><geometry><box size="1 2 3"/></geometry></visual>
  </link>
  <link name="brick">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <link name="ball">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <link name="puck">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <link name="knob">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <transmission name="t"/>
</robot>
)";

const Body& body(const Model& m, const char* name) {
  return m.bodies.at(static_cast<std::size_t>(m.find_body(name)));
}

const Joint& joint(const Model& m, const char* name) {
  return m.joints.at(static_cast<std::size_t>(m.find_joint(name)));
}

TEST(Urdf, LinksBecomeBodiesAtTheirPlaces) {
  const Model m = read(kRobot);
  ASSERT_EQ(m.bodies.size(), 7U) << "the root and the link without mass are frames";
  const Body& turret = body(m, "arm.turret");
  EXPECT_EQ(turret.mass.value(), 2);
  EXPECT_TRUE(is(turret.com, 0.1, 0.2, 0.3));
  // Turned by 90° about z: x and y change places, and Ixy its sign.
  EXPECT_TRUE(is(turret.inertia.column[0], 2, -0.1, -0.2));
  EXPECT_TRUE(is(turret.inertia.column[1], -0.1, 1, 0));
  EXPECT_TRUE(is(turret.inertia.column[2], -0.2, 0, 2.5));
  EXPECT_TRUE(is(turret.position, 1, 2, 3));
  EXPECT_TRUE(is(turret.rotation.column[1], 0, 0, 1));
  EXPECT_EQ(turret.where.line, 35);
  // Up along the turret's z, which is −y of the world.
  EXPECT_TRUE(is(body(m, "arm.sledge").position, 1, 1, 3));
  EXPECT_TRUE(is(body(m, "arm.brick").position, 1, 1, 3.75));
}

TEST(Urdf, JointsHaveOriginAndAxis) {
  const Model m = read(kRobot);
  ASSERT_EQ(m.joints.size(), 5U) << "a floating joint is none";
  const Joint& turn = joint(m, "arm.turn_1");
  EXPECT_EQ(turn.law->type(), "revolute");
  EXPECT_EQ(turn.a.body, kGround);
  EXPECT_TRUE(is(turn.a.point, 1, 2, 3));
  EXPECT_TRUE(is(turn.a.axes.column[2], 0, -1, 0));
  EXPECT_TRUE(is(turn.b.axes.column[2], 0, 0, 1));
  const Joint& lift = joint(m, "arm.lift");
  EXPECT_EQ(lift.law->type(), "prismatic");
  EXPECT_TRUE(is(lift.a.axes.column[2], -1, 0, 0));
  EXPECT_TRUE(is(lift.b.axes.column[2], 0, 1, 0));
  // On the tool, which is a frame of the sledge.
  const Joint& glued = joint(m, "arm.glued");
  EXPECT_EQ(glued.law->type(), "fixed");
  EXPECT_EQ(glued.a.body, m.find_body("arm.sledge"));
  EXPECT_TRUE(is(glued.a.point, 0.75, 0, 0));
  EXPECT_EQ(joint(m, "arm.sliding").law->type(), "planar");
  EXPECT_TRUE(is(joint(m, "arm.default_axis").b.axes.column[2], 1, 0, 0));
  ASSERT_EQ(m.forces.size(), 1U);
  EXPECT_EQ(to_text(m.forces[0].actions[0].effort), "-4 * arm.lift.position'");
}

TEST(Urdf, VisualsBecomeShapesOfTheBodyThatCarriesThem) {
  const Model m = read(kRobot);
  ASSERT_EQ(m.bodies[kGround].shapes.size(), 1U);
  EXPECT_EQ(m.bodies[kGround].shapes[0].kind, Shape::Kind::Sphere);
  EXPECT_EQ(m.bodies[kGround].shapes[0].position.z, 1);
  ASSERT_EQ(body(m, "arm.turret").shapes.size(), 1U) << "no meshes, no collisions";
  const Shape& cylinder = body(m, "arm.turret").shapes[0];
  EXPECT_EQ(cylinder.kind, Shape::Kind::Cylinder);
  EXPECT_EQ(cylinder.size.x, 0.1);
  EXPECT_EQ(cylinder.size.y, 2);
  EXPECT_EQ(cylinder.axes(1, 2), -1);
  ASSERT_EQ(body(m, "arm.sledge").shapes.size(), 1U);
  EXPECT_EQ(body(m, "arm.sledge").shapes[0].position.x, 0.5);
  EXPECT_EQ(body(m, "arm.sledge").shapes[0].size.z, 3);
}

TEST(Urdf, TheModelPlacesItAndAddsToIt) {
  const Model m = read(kRobot, R"(
parameters: {h: 2}
include:
  left: {urdf: r.urdf, position: [0, 0, h], rotation: {axis: [0, 0, 1], angle: 90 deg}}
  right: {urdf: r.urdf, floating: true}
bodies: {load: {point_mass: 1}}
joints:
  grip: {type: spherical, between: [left.tool, load]}
  stay: {type: distance, between: [{left.tool: [0, 0, 1]}, {left.base: [1, 0, 0]}]}
  link: {type: revolute, between: [right.base, left.tool], axis: [0, 0, 1]}
initial: {left.turn_1.angle: 0.5}
outputs: {x: left.tool.x, q: left.lift.position, z: right.base.z}
)");
  const Joint& grip = joint(m, "grip");
  EXPECT_EQ(grip.a.body, m.find_body("left.sledge"));
  EXPECT_TRUE(is(grip.a.point, 0.5, 0, 0));
  const Joint& stay = joint(m, "stay");
  EXPECT_TRUE(is(stay.a.point, 0.5, 0, 1));
  EXPECT_EQ(stay.b.body, kGround);
  EXPECT_EQ(to_text(stay.b.point.y), "1");
  EXPECT_EQ(to_text(stay.b.point.z), "h");
  EXPECT_EQ(joint(m, "link").a.body, m.find_body("right.base"));
  EXPECT_GE(m.find_body("right.base"), 0);
  EXPECT_EQ(m.find_body("left.base"), -1);
  EXPECT_EQ(to_text(body(m, "left.turret").position.z), "h + 3");
}

// Two links on a base with the joints given.
std::string two_links(const std::string& inside_a, const std::string& inside_b,
                      const std::string& type_b = "prismatic") {
  const std::string link = R"(<inertial><mass value="1"/>)"
                           R"(<inertia ixx="1" iyy="1" izz="1"/></inertial></link>)";
  return "<robot name='r'>\n<link name='o'/>\n<link name='a'>" + link + "\n<link name='b'>" + link +
         "\n<joint name='ja' type='revolute'><parent link='o'/><child link='a'/>\n" + inside_a +
         "</joint>\n<joint name='jb' type='" + type_b + "'><parent link='a'/><child link='b'/>\n" +
         inside_b + "</joint>\n</robot>\n";
}

TEST(Urdf, MimicIsAConstraint) {
  const Model m = read(two_links("<mimic joint='jb' multiplier='2' offset='0.5'/>", ""));
  ASSERT_EQ(m.constraints.size(), 1U);
  EXPECT_EQ(m.constraints[0].name, "arm.ja.mimic");
  EXPECT_EQ(to_text(m.constraints[0].residual), "arm.ja.angle - 2 * arm.jb.position - 0.5");
  const Model same = read(two_links("", "<mimic joint='ja'/>"));
  EXPECT_EQ(to_text(same.constraints[0].residual), "arm.jb.position - arm.ja.angle");
}

struct Case {
  const char* name;
  std::string urdf;
  const char* said;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }

class WrongRobot : public ::testing::TestWithParam<Case> {};

TEST_P(WrongRobot, IsRefusedWithPlaceReasonAndRemedy) {
  EXPECT_EQ(said_about(GetParam().urdf), GetParam().said);
}

const Case kCases[] = {
    {"NotXml", "<robot name='r'>\n  <link name='a'></lnk>\n</robot>",
     "r.urdf:2:20: error[model.syntax]: this is not XML: start-end tags mismatch."},
    {"Truncated", "<robot name='r'>\n  <link name='a'>\n",
     "r.urdf:2:18: error[model.syntax]: this is not XML: start-end tags mismatch."},
    {"Empty", "", "r.urdf:1:1: error[model.syntax]: this is not XML: no document element found."},
    {"AnotherElement", "<?xml version='1.0'?>\n<sdf><model/></sdf>",
     "r.urdf:2:1: error[model.syntax]: a robot file has the element <robot>, found <sdf>."},
    {"NoLinks", "<robot name='r'/>",
     "r.urdf:1:1: error[model.missing-key]: the robot has no links."},
    {"AllAtOnce",
     "<robot name='r'>\n"
     "<link name='a'><inertail/></link>\n"
     "<link name='a'/>\n"
     "<link/>\n"
     "<joint name='j' type='revolut'><parent link='a'/><child link='aa'/>\n"
     "  <origin xyz='0 0' rpy='0 0 ${pi}'/><axis xyz='0 0 x'/>\n"
     "</joint>\n"
     "</robot>",
     R"(r.urdf:2:16: error[model.unknown-key]: unknown element <inertail> in link 'a'.
  Did you mean 'inertial'?
r.urdf:3:1: error[model.duplicate-name]: link 'a' stands here twice.
r.urdf:4:1: error[model.missing-key]: a link needs the attribute name.
r.urdf:5:23: error[model.unknown-type]: type of joint 'j' cannot be 'revolut'.
  choices: revolute, continuous, prismatic, fixed, floating, planar. Did you mean 'revolute'?
r.urdf:5:63: error[model.unknown-body]: joint 'j' names link 'aa'; there is none.
  Did you mean 'a'?
r.urdf:6:16: error[model.wrong-kind]: xyz of the origin of joint 'j' must be three numbers, found '0 0'.
r.urdf:6:26: error[model.wrong-kind]: rpy of the origin of joint 'j' must be three numbers, found '0 0 ${pi}'.
  The file is a template; expand it with xacro first.
r.urdf:6:49: error[model.wrong-kind]: xyz of the axis of joint 'j' must be three numbers, found '0 0 x'.)"},
    {"Inertial",
     "<robot name='r'>\n<link name='o'/>\n<link name='a'>\n"
     "  <inertial><origin xzy='1 2 3'/><mass value='2 kg'/><inertia ixx='1' iyy='1'/></inertial>\n"
     "  <visual><geometry><box size='1 1 0'/></geometry></visual>\n"
     "  <visual><geometry><cylinder radius='1'/></geometry></visual>\n"
     "</link>\n<link name='b'>\n  <inertial/>\n</link>\n"
     "<joint name='j' type='revolute'><parent link='o'/><child link='a'/></joint>\n"
     "<joint name='k' type='revolute'><parent link='o'/><child link='b'/></joint>\n</robot>",
     R"(r.urdf:4:26: error[model.unknown-key]: unknown attribute 'xzy' in the origin of the inertial of link 'a'.
  attributes: xyz, rpy. Did you mean 'xyz'?
r.urdf:4:47: error[model.wrong-kind]: value of the mass of link 'a' must be a number, found '2 kg'.
r.urdf:4:54: error[model.missing-key]: the inertia of link 'a' needs the attribute izz.
r.urdf:5:32: error[model.bad-value]: size of a visual of link 'a' must be positive.
r.urdf:6:21: error[model.missing-key]: a visual of link 'a' needs the attribute length.
r.urdf:9:3: error[model.missing-mass]: the inertial of link 'b' has no mass.
r.urdf:9:3: error[model.missing-inertia]: the inertial of link 'b' has no inertia.)"},
    {"TriangleInequality",
     "<robot name='r'>\n<link name='o'/>\n<link name='a'>\n"
     "  <inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link>\n"
     "<joint name='j' type='revolute'><parent link='o'/><child link='a'/></joint>\n</robot>",
     R"(r.urdf:3:1: error[model.bad-inertia]: body 'arm.a' cannot have the principal moments of inertia 1, 1 and 3: none is larger than the sum of the others.
  Check that inertia is about the centre of mass, and the signs of the products of inertia.)"},
    {"Axis", two_links("<axis xyz='0 0 0'/>", "<limit lower='1' upper='-1'/>"),
     R"(r.urdf:6:12: error[model.zero-axis]: the axis of joint 'ja' has length zero; it gives no direction.
r.urdf:8:1: error[model.bad-value]: lower is above upper in the limit of joint 'jb'.)"},
    {"TwoRoots", "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n</robot>",
     "r.urdf:3:1: error[model.contradiction]: link 'b' is the child of no joint, like the root "
     "'a'; a robot has one root."},
    {"TwoParents",
     "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n"
     "<joint name='i' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
     "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>\n"
     "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>\n</robot>",
     R"(r.urdf:7:1: error[model.contradiction]: link 'c' is the child of joint 'k' and of joint 'j'.
  URDF describes trees; a loop is closed by a joint in the model file.)"},
    {"Loop",
     "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
     "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
     "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n</robot>",
     R"(r.urdf:2:1: error[model.contradiction]: link 'a' is in a loop of parents, or hangs on one.
  URDF describes trees; a loop is closed by a joint in the model file.)"},
    {"SelfJoint",
     "<robot name='r'>\n<link name='a'/>\n"
     "<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>\n</robot>",
     "r.urdf:3:1: error[model.self-joint]: joint 'j' joins link 'a' to itself."},
    {"SameNames",
     "<robot name='r'>\n<link name='a'/>\n<link name='a-b'/>\n"
     "<joint name='a_b' type='fixed'><parent link='a'/><child link='a-b'/></joint>\n</robot>",
     "r.urdf:4:1: error[model.duplicate-name]: joint 'a_b' has the name of another link."},
    {"MimicOfNothing", two_links("<mimic joint='jbb'/>", "<mimic joint='jb'/>"),
     R"(r.urdf:6:15: error[model.unknown-joint]: the mimic of joint 'ja' names joint 'jbb'; there is none.
  Did you mean 'jb'?
r.urdf:8:15: error[model.self-joint]: joint 'jb' mimics itself.)"},
    {"MimicOfAFixedJoint", two_links("<mimic joint='jb'/>", "", "fixed"),
     R"(r.urdf:6:15: error[model.wrong-joint]: the mimic of joint 'ja' needs joints with a coordinate; joint 'jb' has none.
  Revolute, continuous and prismatic joints have.)"},
};

INSTANTIATE_TEST_SUITE_P(Urdf, WrongRobot, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Urdf, WrongIncludesAreRefused) {
  EXPECT_EQ(
      said_about(kRobot, "include:\n  arm: {urdf: r.urdf, file: a.yaml, parameters: {l: 1}}"),
      R"(m.yaml:2:29: error[model.unknown-key]: key 'file' in sub-assembly 'arm' belongs to sub-assemblies that are model files.
m.yaml:2:49: error[model.unknown-key]: key 'parameters' in sub-assembly 'arm' belongs to sub-assemblies that are model files.)");
  EXPECT_EQ(said_about(kRobot, "include:\n  arm: {file: r.yaml, floating: true}"),
            R"(m.yaml:2:15: error[model.no-file]: sub-assembly 'arm': cannot read the file 'r.yaml'.
m.yaml:2:33: error[model.unknown-key]: key 'floating' in sub-assembly 'arm' belongs to robot files.)");
  EXPECT_EQ(said_about(kRobot, "dimension: 2\ninclude:\n  arm: {urdf: r.urdf}"),
            "m.yaml:3:15: error[model.wrong-dimension]: sub-assembly 'arm' is a robot file, which "
            "has dimension 3; the model has 2.");
  EXPECT_EQ(
      said_about(kRobot, "include:\n  arm: {urdf: none.urdf}"),
      "m.yaml:2:15: error[model.no-file]: sub-assembly 'arm': cannot read the file 'none.urdf'.");
}

// The id of the first mistake. Fails when reading takes longer than any of these may.
std::string refused_with(const std::string& urdf) {
  const auto start = std::chrono::steady_clock::now();
  std::string id = "read";
  try {
    read(urdf);
  } catch (const Error& error) {
    id = error.diagnostics().front().id;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 10) << "for " << urdf.size() << " bytes, " << id;
  return id;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(HostileUrdf, EveryTruncationIsRefused) {
  const std::string whole = kRobot;
  for (std::size_t size = 0; size + 2 < whole.size(); size += 13) {
    EXPECT_NE(refused_with(whole.substr(0, size)), "read") << size;
  }
}

TEST(HostileUrdf, ChangedFilesAreReadOrRefused) {
  unsigned state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % below;
  };
  constexpr std::string_view kBytes = "<>/='\"& 0-eabxyz&;!?\n";
  for (int i = 0; i < 1000; ++i) {
    std::string urdf = kRobot;
    for (std::size_t n = 1 + random(4); n > 0; --n) {
      const std::size_t place = random(urdf.size());
      switch (random(3)) {
        case 0: urdf[place] = kBytes[random(kBytes.size())]; break;
        case 1: urdf.erase(place, random(40)); break;
        default: urdf.insert(place, urdf.substr(random(urdf.size()), random(80)));
      }
    }
    refused_with(urdf);
  }
}

TEST(HostileUrdf, MoreThan16MegabytesAreNotRead) {
  EXPECT_EQ(refused_with("<robot name='" + std::string(100 << 20, 'x') + "'/>"), "model.too-large");
}

TEST(HostileUrdf, NestingAndSizeAreBounded) {
  EXPECT_EQ(refused_with("<robot>" + repeated("<a>", 100) + repeated("</a>", 100) + "</robot>"),
            "model.too-large");
  EXPECT_EQ(refused_with(repeated("<a>", 900'000) + repeated("</a>", 10)), "model.syntax");
  EXPECT_EQ(refused_with(repeated("<a>", 450'000) + repeated("</a>", 450'000)), "model.too-large");
  EXPECT_EQ(refused_with(repeated("<a>", 5'000'000)), "model.too-large");
  EXPECT_EQ(refused_with("<!DOCTYPE r " + repeated("<![INCLUDE[", 80'000) + "><robot/>"),
            "model.syntax");
}

TEST(HostileUrdf, EntitiesAreNotExpanded) {
  EXPECT_EQ(refused_with("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>"
                         "<!ENTITY f SYSTEM '/etc/passwd'>]>\n"
                         "<robot name='&b;'>&f;</robot>"),
            "model.missing-key");
}

TEST(HostileUrdf, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(refused_with(std::string("<robot name='a\0'/>", 18)), "model.encoding");
  EXPECT_EQ(refused_with("<robot name='\xFF'/>"), "model.encoding");
}

TEST(HostileUrdf, LongChainsAreReadInLinearTimeAndManyMistakesEnd) {
  std::string links, joints;
  for (int i = 0; i < 20'000; ++i) {
    links += "<link name='l" + std::to_string(i) + "'/>\n";
    if (i == 0) continue;
    joints += "<joint name='j" + std::to_string(i) + "' type='fixed'><parent link='l" +
              std::to_string(i - 1) + "'/><child link='l" + std::to_string(i) + "'/></joint>\n";
  }
  EXPECT_EQ(refused_with("<robot name='r'>" + links + joints + "</robot>"), "read");
  EXPECT_EQ(refused_with("<robot name='r'>" + links + "</robot>"), "model.contradiction");
}

}  // namespace
}  // namespace koppel
