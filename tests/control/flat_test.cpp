// Inputs from prescribed outputs, by Taylor stages: against independent solutions.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/control/inverse.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/csv.hpp>

namespace koppel {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Model model_file(const std::string& name, const Settings& set = {}) {
  return read_model(KOPPEL_MODELS + name + ".yaml", {.set = set});
}

double largest(std::span<const double> x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

// Every column of the reference, relative to the largest value of its kind: lengths, multipliers
// and inputs have columns of the same size each. Stored values have 12 digits.
void expect_reference(const Model& model, const std::string& file, const std::string& coordinates,
                      double tolerance = 1e-9) {
  const Trajectory reference = read_csv(KOPPEL_REFERENCE + file + ".csv");
  InverseOptions options = inverse_options_of(model);
  options.coordinates = coordinates;
  options.sampling.times.assign(reference.time().begin(), reference.time().end());
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  ASSERT_EQ(result.trajectory.num_rows(), reference.num_rows());
  EXPECT_EQ(result.summary.internal_dynamics, 0);
  EXPECT_LT(result.summary.max_servo_error, 1e-13);
  for (std::size_t i = 1; i < reference.num_columns(); ++i) {
    const std::string& name = reference.columns()[i].name;
    const auto a = result.trajectory[name], b = reference.column(i);
    double worst = 0, at = 0;
    for (std::size_t n = 0; n < b.size(); ++n) {
      if (!(std::abs(a[n] - b[n]) <= worst)) {
        worst = std::abs(a[n] - b[n]);
        at = reference.time()[n];
      }
    }
    EXPECT_LE(worst, tolerance * std::max(1.0, largest(b))) << name << " at " << at;
  }
}

TEST(Flat, OverheadCraneFollowsTheReference) {
  expect_reference(model_file("overhead_crane"), "overhead_crane", "");
}

TEST(Flat, RotaryCraneFollowsTheReference) {
  expect_reference(model_file("rotary_crane"), "rotary_crane", "");
  expect_reference(
      model_file("rotary_crane", {{"J_b", "19.01"}, {"m_t", "53"}, {"J_w", "0.02"}, {"m", "10"}}),
      "rotary_crane_light", "");
}

TEST(Flat, PlanarNavyCranesFollowTheReference) {
  expect_reference(model_file("navy_crane_2d"), "navy_crane_2d", "");
  expect_reference(model_file("navy_crane_2d_massless"), "navy_crane_2d_massless", "");
}

TEST(Flat, NavyCraneInSpaceFollowsTheReference) {
  expect_reference(model_file("navy_crane_3d_massless"), "navy_crane_3d_massless", "");
}

TEST(Flat, CableManipulatorFollowsTheReferenceInAllCoordinates) {
  const Settings turn = {{"dx", "0"}, {"dy", "0"}, {"dz", "0"}, {"turn", "pi/3"}};
  for (const std::string set : {"natural", "directors", "absolute", "joint"}) {
    SCOPED_TRACE(set);
    expect_reference(model_file("cable_manipulator"), "cable_manipulator_move", set);
    expect_reference(model_file("cable_manipulator", turn), "cable_manipulator_turn", set);
  }
}

}  // namespace
}  // namespace koppel
