#include <koppel/results/report.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/summary.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

Trajectory long_trajectory(std::size_t num_rows) {
  Trajectory trajectory({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (std::size_t i = 0; i < num_rows; ++i) {
    trajectory.append(std::array{1e-3 * static_cast<double>(i), 1.0 / 3});
  }
  return trajectory;
}

TEST(Report, DataCannotEndTheScriptItStandsIn) {
  const Trajectory trajectory = long_trajectory(2);
  const Report report{
      "</script><script>alert(1)", "a <b> c", {{"<", "<!--"}}, {"<"}, &trajectory, {}};
  const std::string json = to_json(report);
  EXPECT_EQ(json.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json)["title"], "</script><script>alert(1)");
}

// Floats, the least byte first, in base64: bits by bits.
std::vector<float> unpacked(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<bool> bits;
  for (const char c : text) {
    for (int k = 5; c != '=' && k >= 0; --k) bits.push_back(digits.find(c) >> k & 1);
  }
  std::vector<float> out;
  for (std::size_t i = 0; i + 32 <= bits.size(); i += 32) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 32; ++k)
      word |= std::uint32_t{bits[i + k]} << (k / 8 * 8 + 7 - k % 8);
    out.push_back(std::bit_cast<float>(word));
  }
  return out;
}

TEST(Report, LongTrajectoriesAreThinnedAndNumbersAreFloats) {
  const Trajectory trajectory = long_trajectory(100'001);
  const auto json = nlohmann::json::parse(to_json(Report{"", "", {}, {}, &trajectory, {}}));
  const std::vector<float> t = unpacked(json["data"][0]), x = unpacked(json["data"][1]);
  EXPECT_EQ(t.size(), kMaxPlotted);
  EXPECT_EQ(t.front(), 0);
  EXPECT_EQ(t.back(), 100);
  EXPECT_EQ(x[5], 1.0f / 3);
  EXPECT_TRUE(json["scene"].is_null());
  EXPECT_EQ(json["columns"][1],
            (nlohmann::json{{"name", "x"}, {"unit", "m"}, {"group", "outputs"}}));
}

// Whatever the number of rows: one to three of them end in 1, 2 and 0 bytes beyond triples.
TEST(Report, WhatIsNotFiniteIsNotANumber) {
  for (const std::size_t num_rows : {1, 2, 3}) {
    Trajectory trajectory = long_trajectory(num_rows);
    trajectory.append(std::array{1.0, std::numeric_limits<double>::infinity()});
    const auto json = nlohmann::json::parse(to_json(Report{"", "", {}, {}, &trajectory, {}}));
    const std::vector<float> x = unpacked(json["data"][1]);
    ASSERT_EQ(x.size(), num_rows + 1);
    EXPECT_EQ(x[0], 1.0f / 3);
    EXPECT_TRUE(std::isnan(x.back()));
  }
}

// Numbers that no float has are written with digits.
TEST(Report, TinyNumbersAreNotLost) {
  Trajectory trajectory = long_trajectory(1);
  trajectory.append(std::array{1.0, 1e-60});
  const auto json = nlohmann::json::parse(to_json(Report{"", "", {}, {}, &trajectory, {}}));
  EXPECT_EQ(json["data"][1][1], 1e-60);
}

// The image of z by a unit quaternion, scalar first.
std::vector<double> turned_z(const nlohmann::json& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
}

// A cylinder lies along (3, 0, 4)/5 in the frame of its body; a spring goes from (1, 2, 3) on the
// ground to (0.5, 0, 0) on the body.
TEST(Report, ShowsShapesAndSpringsWhereTheModelHasThem) {
  const Model model = read_model_text(
      "bodies: {b: {mass: 1, inertia: [1, 1, 1], "
      "shape: {cylinder: {radius: 0.1, length: 2, axis: [3, 0, 4], at: [0, 0, 7]}}}}\n"
      "joints: {j: {type: revolute, between: [ground, b], at: [0, 1, 0], axis: [0, 1, 0]}}\n"
      "forces: {s: {type: spring, between: [{ground: [1, 2, 3]}, {b: [0.5, 0, 0]}], stiffness: 1, "
      "free_length: 1}}\n",
      "picture.yaml");
  const Trajectory trajectory({{"t", "s", Group::Time}});
  Report report;
  report.trajectory = &trajectory;
  report.scene = make_scene(model);
  const nlohmann::json scene = nlohmann::json::parse(to_json(report))["scene"];
  const nlohmann::json& shape = scene["bodies"][1]["shapes"][0];
  EXPECT_EQ(shape["kind"], "cylinder");
  EXPECT_EQ(shape["size"], (std::vector<double>{0.1, 2, 0}));
  EXPECT_EQ(shape["position"], (std::vector<double>{0, 0, 7}));
  const std::vector<double> axis = turned_z(shape["quaternion"]);
  EXPECT_NEAR(axis[0], 0.6, 1e-6) << "seven digits are written";
  EXPECT_NEAR(axis[1], 0, 1e-6);
  EXPECT_NEAR(axis[2], 0.8, 1e-6);
  const nlohmann::json& spring = scene["springs"][0];
  EXPECT_EQ(spring["a"], (nlohmann::json{{"body", 0}, {"point", {1, 2, 3}}}));
  EXPECT_EQ(spring["b"], (nlohmann::json{{"body", 1}, {"point", {0.5, 0, 0}}}));
  const nlohmann::json& joint = scene["joints"][0];
  EXPECT_EQ(joint["kind"], "revolute");
  EXPECT_EQ(joint["axis"], (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(joint["point"], (std::vector<double>{0, 1, 0}));
}

// What pulls whatever its length is a cable; springs and dampers are not.
TEST(Scene, PullsWithoutStiffnessAreCables) {
  const Scene scene = make_scene(read_model_text(
      "dimension: 2\ninputs: [T]\nbodies: {b: {point_mass: 1, position: [1, 0]}}\nforces:\n"
      "  rope: {type: spring, between: [ground, b], tension: T}\n"
      "  coil: {type: spring, between: [ground, b], stiffness: 1, free_length: 1, tension: T}\n"
      "  air: {type: damper, between: [ground, b], damping: 1}\n",
      "pulls.yaml"));
  ASSERT_EQ(scene.springs.size(), 3u);
  for (const Scene::SpringPicture& spring : scene.springs) {
    EXPECT_EQ(spring.is_cable, spring.name == "rope") << spring.name;
  }
}

// Up is against gravity, whatever its axis.
TEST(Scene, UpIsAgainstGravity) {
  const auto up = [](const char* text) {
    const Vec3<double> u = make_scene(read_model_text(text, "up.yaml")).up;
    return std::array{u.x, u.y, u.z};
  };
  EXPECT_EQ(up("gravity: [0, 0, 9.81]\nbodies: {b: {point_mass: 1}}"), (std::array{0., 0., -1.}));
  EXPECT_EQ(up("gravity: [-2, 0, 0]\nbodies: {b: {point_mass: 1}}"), (std::array{1., 0., 0.}));
  EXPECT_EQ(up("bodies: {b: {point_mass: 1}}"), (std::array{0., 0., 1.}));
  EXPECT_EQ(up("dimension: 2\nbodies: {b: {point_mass: 1}}"), (std::array{0., 1., 0.}));
}

// A body of 12 kg that is a box of 1 x 2 x 3 m has the moments 13, 10 and 5 kg m².
TEST(Scene, ABodyThatNothingHoldsIsABoxOfItsInertia) {
  const Scene scene =
      make_scene(read_model_text("bodies: {b: {mass: 12, inertia: [13, 10, 5]}}", "box.yaml"));
  ASSERT_EQ(scene.bodies[1].shapes.size(), 1u);
  EXPECT_NEAR(scene.bodies[1].shapes[0].size.x, 1, 1e-12);
  EXPECT_NEAR(scene.bodies[1].shapes[0].size.y, 2, 1e-12);
  EXPECT_NEAR(scene.bodies[1].shapes[0].size.z, 3, 1e-12);
  const Scene held = make_scene(
      read_model_text("bodies: {b: {mass: 12, inertia: [13, 10, 5]}}\n"
                      "joints: {j: {type: spherical, between: [ground, {b: [1, 0, 0]}]}}",
                      "held.yaml"));
  EXPECT_TRUE(held.bodies[1].shapes.empty());
}

TEST(Report, AFileThatCannotBeWrittenLeavesNoPart) {
  const testing::TemporaryFolder folder;
  try {
    write_text(folder.path() / "none" / "report.html", "text");
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_EQ(error.what(), (folder.path() / "none" / "report.html").string() +
                                " cannot be written: No such file or directory.");
  }
}

TEST(Summary, HasTheKeysOfTheContract) {
  Summary summary;
  summary.model = "pendulum";
  summary.energy_drift = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(to_json(summary));
  for (const char* key :
       {"model", "dof", "index", "coordinates", "formulation", "integrator", "steps", "evaluations",
        "setup_seconds", "wall_seconds", "max_position_violation", "max_velocity_violation",
        "energy_drift", "final"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_TRUE(json["energy_drift"].is_null());
}

TEST(Summary, TakesFinalValuesOfOutputsFromTheTrajectory) {
  Summary summary;
  describe(long_trajectory(11), summary);
  ASSERT_EQ(summary.final.size(), 1u);
  EXPECT_EQ(summary.final[0].first, "x");
  EXPECT_EQ(summary.final[0].second, 1.0 / 3);
  EXPECT_EQ(summary.samples, 11u);
  EXPECT_EQ(summary.reached, 0.01);
}

}  // namespace
}  // namespace koppel
