// The residual of time-stepping methods is measured, and beyond its limit a result is doubtful.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <tests/control/stepping.hpp>

namespace koppel {
namespace {

using testing::stepped;

Model pushed_mass(const char* duration) {
  return read_model_text(
      "inputs: [F]\ncoordinates: [x]\nkinetic: 2*x'^2/2\n"
      "generalized_forces: {x: F}\n"
      "signals: {c: {type: rest-to-rest, duration: " +
          std::string(duration) +
          ", smoothness: 5}}\n"
          "servo: {x: {output: x, reference: c}}\nrun: {end: 2}\n",
      "pushed_mass.yaml");
}

// Between its nodes backward Euler is a line: v̇ = (vₙ₊₁ − vₙ)/h, and F = (Fₙ + Fₙ₊₁)/2 in the
// middle. `projection` has Fₙ₊₁ = 2 v̇ and leaves half the change of F; the extension has the exact
// F at nodes, which leaves h² F''/12.
TEST(Residual, OfLinesThroughTheNodes) {
  const Model model = pushed_mass("2");
  for (const auto& [method, order] : {std::pair("projection", 1), {"minimal-extension", 2}}) {
    double before = 0;
    for (const double step : {0.02, 0.01}) {
      const Inverse result = stepped(model, method, step);
      ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
      const auto F = result.trajectory["F"], v = result.trajectory["x'"];
      double expected = 0;
      for (std::size_t i = 0; i + 1 < F.size(); ++i) {
        expected =
            std::max(expected, std::abs(2 * (v[i + 1] - v[i]) / step - (F[i] + F[i + 1]) / 2));
      }
      EXPECT_NEAR(result.summary.max_residual, expected, 1e-6 * expected) << method;
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / result.summary.max_residual), order, 0.1);
      }
      before = result.summary.max_residual;
    }
  }
}

TEST(Residual, FallsWithTheOrderOfTheMethod) {
  const Model model = pushed_mass("2");
  const double euler = stepped(model, "minimal-extension", 0.02).summary.max_residual;
  const double radau = stepped(model, "minimal-extension", 0.02, "radau5").summary.max_residual;
  EXPECT_GT(radau, 0);
  EXPECT_LT(radau, 0.01 * euler);
}

TEST(Residual, BeyondItsLimitAResultIsDoubtful) {
  const Model model = pushed_mass("0.4");
  InverseOptions options = inverse_options_of(model);
  options.method = "minimal-extension";
  options.step = 0.2;
  const Inverse result = inverse(model, options);
  EXPECT_EQ(result.status, Outcome::Status::Doubtful);
  EXPECT_EQ(result.summary.status, "doubtful");
  ASSERT_FALSE(result.summary.health.reasons.empty());
  EXPECT_EQ(result.summary.health.reasons[0].what, Health::What::Residual);
  EXPECT_GT(result.summary.relative_residual, 0.1);
  EXPECT_EQ(result.text.substr(0, 28), "the steps are too coarse: at");
  EXPECT_GT(result.trajectory.num_rows(), 5u);

  options.health.is_watched = false;
  EXPECT_EQ(inverse(model, options).status, Outcome::Status::Done);
}

// A motor turns an arm through a spring: u = (J + J_m) φ̈ + (J_m J/k) φ⁗ holds φ on its path,
// sin⁶(2t) = (10 − 15 cos 4t + 6 cos 8t − cos 12t)/32. Steps of a hundredth of the time are off by
// 14 % of the range of u.
TEST(Accuracy, StepsAreHalvedUntilTheInputsOfAnElasticJointStay) {
  const Model model = read_model_text(R"(
inputs: [u]
coordinates: {phi: 0, psi: 0}
kinetic: phi'^2/2 + 0.2*psi'^2/2
potential: 20*(psi - phi)^2/2
generalized_forces: {psi: u}
servo: {phi: {output: phi, reference: sin(2*t)^6}}
run: {end: 3}
)",
                                      "arm.yaml");
  const auto exact = [](double t) {
    double sum = 0;
    for (const auto& [a, w] : {std::pair{-15.0, 4.0}, {6.0, 8.0}, {-1.0, 12.0}}) {
      sum += a / 32 * std::cos(w * t) * (-1.2 * w * w + 0.2 / 20 * std::pow(w, 4));
    }
    return sum;
  };
  for (const char* method : {"projection", "minimal-extension"}) {
    InverseOptions options = inverse_options_of(model);
    options.method = method;
    const Inverse result = inverse(model, options);
    EXPECT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_LT(result.summary.step, 0.005);
    const auto t = result.trajectory.time(), u = result.trajectory["u"];
    double worst = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
      worst = std::max(worst, std::abs(u[i] - exact(t[i])));
    EXPECT_LT(worst, 0.02 * 22.2) << method;  // 1 % of the range for 98 % of the rows, order 1
    options.step = 0.03;                      // taken as it is
    EXPECT_EQ(inverse(model, options).summary.step, 0.03);
  }
}

}  // namespace
}  // namespace koppel
