// Small motions about steady ones.
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/steady.hpp>
#include <koppel/base/csv.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

SteadyMotion motion_of(const Model& model, const char* set = "joint") {
  const Evaluator evaluator(derive(model, set));
  const Assembly start = assemble(evaluator);
  EXPECT_TRUE(start) << start.text;
  return find_steady_motion(evaluator, start.state);
}

Model bicycle(double v) {
  ReadOptions read;
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  read.set.emplace_back("v", text);
  return read_model(std::string(KOPPEL_MODELS) + "whipple_bicycle.yaml", read);
}

// All that are not zero, both of a pair.
std::vector<std::complex<double>> eigenvalues_at(double v) {
  const SteadyMotion motion = motion_of(bicycle(v));
  EXPECT_TRUE(motion.is_steady) << motion.text;
  EXPECT_EQ(motion.is_at_rest, v == 0);
  const Spectrum spectrum = find_spectrum(motion.system);
  EXPECT_EQ(spectrum.num_zero, 6) << v;  // x, y, heading, two wheels, speed
  std::vector<std::complex<double>> all;
  for (const Mode& mode : spectrum.modes) {
    all.push_back(mode.eigenvalue);
    if (mode.eigenvalue.imag() != 0) all.push_back(std::conj(mode.eigenvalue));
  }
  return all;
}

TEST(SteadyMotion, OfTheWhippleBicycleHasThePublishedEigenvalues) {
  std::ifstream file(std::string(KOPPEL_REFERENCE) + "whipple_bicycle.csv");
  std::stringstream text;
  text << file.rdbuf();
  const CsvColumns reference = parse_csv(text.str(), "whipple_bicycle.csv");
  ASSERT_EQ(reference.values[0].size(), 11u);
  for (std::size_t row = 0; row < 11; ++row) {
    const double v = reference.values[0][row];
    const auto found = eigenvalues_at(v);
    ASSERT_EQ(found.size(), 4u) << v;
    for (std::size_t i = 1; i < reference.values.size(); i += 2) {
      const std::complex<double> expected{reference.values[i][row], reference.values[i + 1][row]};
      double nearest = 1e300;
      for (const auto& z : found) nearest = std::min(nearest, std::abs(z - expected));
      EXPECT_LT(nearest, 1e-10 * std::max(1.0, std::abs(expected)))
          << "v = " << v << ", " << expected;
    }
  }
}

// The largest real part of the oscillation changes its sign.
TEST(SteadyMotion, WeaveOfTheWhippleBicycleBecomesStableAtThePublishedSpeed) {
  const auto growth = [](double v) {
    double most = -1e300;
    for (const auto& z : eigenvalues_at(v)) {
      if (z.imag() > 0) most = std::max(most, z.real());
    }
    return most;
  };
  double low = 4.2, high = 4.4, at_low = growth(low), at_high = growth(high);
  for (int i = 0; i < 8; ++i) {  // the secant method
    const double v = high - at_high * (high - low) / (at_high - at_low);
    low = high, at_low = at_high;
    high = v, at_high = growth(v);
    if (std::abs(high - low) < 1e-12) break;
  }
  EXPECT_NEAR(high, 4.29238253634110, 1e-10);
}

// A mass on an arm (θ from below) that whirls with a free shaft of inertia J: cos θ = g/(l Ω²).
// With the angular momentum L = (J + m l² sin²θ) Ω, θ moves in the potential L²/(2 (J + m l²
// sin²θ)) − m g l cos θ, whose second derivative there makes ω² = Ω² sin²θ (1 + 4 m l² cos²θ/(J + m
// l² sin²θ)).
TEST(SteadyMotion, OfAWhirlingArmHasItsClosedForm) {
  const double l = 0.5, m = 2, J = 0.3, spin = 6, c = 9.81 / (l * spin * spin), s2 = 1 - c * c;
  char text[800];
  std::snprintf(text, sizeof text, R"(
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [1, 1, %.17g]}
  arm: {mass: %.17g, inertia: [0, 0, 0], com: [0, 0, -%.17g]}
joints:
  bearing: {type: revolute, between: [ground, shaft], axis: [0, 0, 1]}
  hinge: {type: revolute, between: [shaft, arm], axis: [0, 1, 0]}
initial:
  "bearing.angle'": {value: %.17g, fixed: true}
  hinge.angle: {value: %.17g, fixed: true}
  "hinge.angle'": {value: 0, fixed: true}
)",
                J, m, l, spin, std::acos(c));
  const SteadyMotion motion = motion_of(read_model_text(text, "whirl.yaml"));
  ASSERT_TRUE(motion.is_steady) << motion.text;
  EXPECT_FALSE(motion.is_at_rest);
  const Spectrum spectrum = find_spectrum(motion.system);
  EXPECT_EQ(spectrum.num_zero, 2);  // the angle and the speed of the shaft
  ASSERT_EQ(spectrum.modes.size(), 1u);
  const double omega = spin * std::sqrt(s2 * (1 + 4 * m * l * l * c * c / (J + m * l * l * s2)));
  EXPECT_NEAR(spectrum.modes[0].eigenvalue.imag(), omega, 1e-9 * omega);
  EXPECT_NEAR(spectrum.modes[0].eigenvalue.real(), 0, 1e-9);
}

TEST(SteadyMotion, IsToldFromOthers) {
  const char* pendulum = R"(
dimension: 2
gravity: [0, -10]
bodies: {rod: {mass: 1, inertia: 0, com: [1, 0]}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
initial: {hinge.angle: {value: 0.3, fixed: true}, "hinge.angle'": {value: 2, fixed: true}}
)";
  const SteadyMotion falling = motion_of(read_model_text(pendulum, "pendulum.yaml"));
  EXPECT_FALSE(falling.is_steady);
  EXPECT_EQ(falling.text, "hinge.angle' changes at a rate of -9.55");
  // At the bottom nothing accelerates, for an instant.
  std::string low = pendulum;
  low.replace(low.find("0.3"), 3, "-pi/2");
  const SteadyMotion passing = motion_of(read_model_text(low, "pendulum.yaml"));
  EXPECT_FALSE(passing.is_steady);
  EXPECT_EQ(passing.text, "velocities are constant at the start, but not 0.35 s later");
  // A rotor that is not balanced about its own axis goes round steadily, but its small motions
  // see a stiffness that turns.
  const SteadyMotion rotor = motion_of(read_model_text(R"(
bodies:
  frame: {mass: 1, inertia: [1, 1, 1]}
  rotor: {mass: 1, inertia: [1, 2, 1]}
joints:
  slide: {type: prismatic, between: [ground, frame], axis: [1, 0, 0]}
  axle: {type: revolute, between: [frame, rotor], axis: [0, 0, 1]}
forces:
  turning: {type: effort, on: slide.position, effort: -(2 + cos(axle.angle))*slide.position}
initial: {"axle.angle'": {value: 3, fixed: true}}
)",
                                                       "rotor.yaml"));
  EXPECT_FALSE(rotor.is_steady);
  EXPECT_EQ(rotor.text,
            "velocities are constant, but the linearised equations are different 0.233 s "
            "later");
}

}  // namespace
}  // namespace koppel
