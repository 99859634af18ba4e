// Kinds of references, seen through the inputs that they lead to.
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include <tests/control/inverse_runs.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

using testing::distance;
using testing::largest;

std::string text_of(const std::string& name) {
  std::ifstream stream(KOPPEL_MODELS + name + ".yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Everything from `from` up to `to`, exclusive, becomes `with`.
std::string replaced(std::string text, const std::string& from, const std::string& to,
                     const std::string& with) {
  const std::size_t begin = text.find(from), end = text.find(to, begin);
  EXPECT_NE(begin, text.npos);
  EXPECT_NE(end, text.npos);
  return text.replace(begin, end - begin, with);
}

Inverse solve(const std::string& text, const std::string& file = "m.yaml", int samples = 201) {
  const Model model = read_model_text(text, file);
  InverseOptions options = inverse_options_of(model);
  options.sampling.count = samples;
  options.verify = true;
  return inverse(model, options);
}

// The same turn of the platform by three elements of its rotation matrix (the model file) and by
// the vector of the rotation from half-way: other outputs, the same inputs.
TEST(Attitude, LeadsToTheInputsOfElementsOfTheRotationMatrix) {
  const std::string turn =
      "dx: 2, dy: 3.8, dz: -2, turn: 1.5244035316, ex: 0.5675524, ey: 0.2904527, ez: 0.7704035,";
  const std::string by_elements = replaced(text_of("cable_manipulator"), "dx: 2, dy", " x0:", turn);
  const std::string by_attitude =
      replaced(by_elements, "  # Three elements of the rotation", "  triangle:",
               "  attitude: {attitude: platform, to: {rotation: {axis: [ex, ey, ez], angle: "
               "turn}}, law: c}\n");
  const Inverse a = solve(by_elements), b = solve(by_attitude);
  ASSERT_EQ(a.status, Outcome::Status::Done) << a.text;
  ASSERT_EQ(b.status, Outcome::Status::Done) << b.text;
  for (const Expr& u : a.equations->u) {
    const auto x = a.trajectory[u.name()], y = b.trajectory[u.name()];
    // The axis of the model file has length 1 to eight digits only.
    EXPECT_LT(distance(x, y), 1e-5 * largest(x)) << u.name();
  }
}

std::string crane(const std::string& signals, const std::string& x, const std::string& z) {
  std::string text = replaced(text_of("overhead_crane"), "signals:", "servo:", signals);
  return replaced(text, "servo:", "positive:",
                  "servo:\n  load_x: {output: x, reference: " + x +
                      "}\n  load_z: {output: z, reference: " + z + "}\n");
}

TEST(References, ThroughWayPointsAreFollowed) {
  const Inverse r = solve(
      crane("signals: {way: {type: spline, at: [0, 1, 2, 3], through: [0, 1, 4, 5]}, c: {type: "
            "rest-to-rest, duration: 3}}\n",
            "way", "-4 + 3*c"));
  ASSERT_EQ(r.status, Outcome::Status::Done) << r.text;
  EXPECT_LT(r.summary.verification->relative_error, 1e-6);
  EXPECT_NEAR(r.trajectory["x"][r.trajectory.num_rows() / 3], 1, 0.02);
}

TEST(References, OnAnArcAreFollowed) {
  const std::string signals = R"(signals:
  c: {type: rest-to-rest, duration: 3}
  way: {type: arc, center: [0, -1, 0], from: [0, -4, 0], axis: [0, 0, 1], angle: 90 deg, law: c}
)";
  const Inverse r = solve(crane(signals, "way.x", "way.y"));
  ASSERT_EQ(r.status, Outcome::Status::Done) << r.text;
  for (std::size_t i = 0; i < r.trajectory.num_rows(); ++i) {
    EXPECT_NEAR(std::hypot(r.trajectory["x"][i], r.trajectory["z"][i] + 1), 3, 1e-12);
  }
  EXPECT_LT(r.summary.verification->relative_error, 1e-6);
}

TEST(References, FromAFileAreFollowedToWithinItsTolerance) {
  const testing::TemporaryFolder folder;
  std::ofstream csv(folder.path() / "walk.csv");
  csv << "t,x,z\n";
  for (int i = 0; i <= 300; ++i) {
    // A cycloid, to millimetres: its third derivative jumps, and its samples are rough.
    const double tau = i / 300.0;
    const double c = tau - std::sin(2 * std::numbers::pi * tau) / (2 * std::numbers::pi);
    csv << 0.01 * i << ',' << std::round(5000 * c) / 1000 << ','
        << std::round(-4000 + 3000 * c) / 1000 << '\n';
  }
  csv.close();
  const std::string text =
      crane("signals: {way: {type: file, file: walk.csv, columns: [x, z, z], tolerance: 0.01}}\n",
            "way.x", "way.y");
  const Inverse r = solve(text, (folder.path() / "m.yaml").string());
  ASSERT_EQ(r.status, Outcome::Status::Done) << r.text;
  EXPECT_LT(r.summary.verification->relative_error, 1e-6);
}

}  // namespace
}  // namespace koppel
