// Floquet multipliers against closed forms and plain Runge–Kutta programs.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/floquet.hpp>

namespace koppel {
namespace {

PeriodicMotion motion_of(const Model& model, std::optional<double> period = {},
                         const char* set = "") {
  SimulateOptions options = options_of(model);
  options.tolerance = 1e-12;
  options.coordinates = set;
  return find_periodic_motion(model, options, period);
}

// x″ + 0.1 x′ + (0.9 + 0.6 cos t) x = 0 about x = 0. The numbers are those of a Runge–Kutta program
// with 8000 steps, whose determinant is exp(−0.2 π) to 2e-14.
TEST(Floquet, MultipliersOfMathieusEquation) {
  const Model model = read_model_text(R"(
coordinates: [x]
kinetic: x'^2/2
potential: (0.9 + 0.6*cos(t))*x^2/2
dissipation: 0.1*x'^2/2
)",
                                      "mathieu.yaml");
  const PeriodicMotion found = motion_of(model, 2 * std::numbers::pi);
  ASSERT_TRUE(found.is_periodic) << found.text;
  EXPECT_EQ(found.num_one, 0);
  ASSERT_EQ(found.multipliers.size(), 1u);
  EXPECT_NEAR(found.multipliers[0].real(), 0.6553912381677, 1e-9);
  EXPECT_NEAR(std::abs(found.multipliers[0].imag()), 0.3224134240756, 1e-9);
  const PeriodicMotion open = motion_of(model);
  EXPECT_FALSE(open.is_periodic);
  EXPECT_EQ(open.text, "the equations depend on time itself: give the `period`");
}

// Van der Pol's limit cycle: the period is known to many digits; the multiplier is exp ∮(1 − x²) dt
// by Liouville's formula, here from a Runge–Kutta program with steps of 5e-4.
TEST(Floquet, MultiplierOfAVanDerPolOscillator) {
  const Model model = read_model_text(R"(
coordinates: {x: {start: 2.008619860874843}}
kinetic: x'^2/2
potential: x^2/2
forces: {pump: {type: effort, on: x, effort: "(1 - x^2)*x'"}}
run: {end: 20}
)",
                                      "van_der_pol.yaml");
  const PeriodicMotion found = motion_of(model);
  ASSERT_TRUE(found.is_periodic) << found.text;
  EXPECT_NEAR(found.period, 6.66328685932313, 1e-9);
  EXPECT_EQ(found.num_one, 1);
  ASSERT_EQ(found.multipliers.size(), 1u);
  EXPECT_NEAR(found.multipliers[0].real(), 8.596950636e-4, 1e-9);
  // It does not come back to a start beside the cycle.
  Model beside = read_model_text(R"(
coordinates: {x: {start: 3}}
kinetic: x'^2/2
potential: x^2/2
forces: {pump: {type: effort, on: x, effort: "(1 - x^2)*x'"}}
run: {end: 20}
)",
                                 "van_der_pol.yaml");
  const PeriodicMotion open = motion_of(beside);
  EXPECT_FALSE(open.is_periodic);
  EXPECT_EQ(
      open.text,
      "the motion does not return to its start within 20 s; give the `period` if it "
      "is longer");
}

// A pendulum swings with the period 2π √(l/g)/agm(1, cos(θ/2)), and both multipliers are 1.
TEST(Floquet, APendulumReturnsAndNeighboursStay) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0, com: [0.7, 0]}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
initial: {hinge.angle: {value: 1 - pi/2, fixed: true}}
run: {end: 5}
)",
                                      "pendulum.yaml");
  double a = 1, b = std::cos(0.5);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 2 * std::numbers::pi * std::sqrt(0.7 / 9.81) / a;
  for (const char* set : {"joint", "absolute"}) {
    const PeriodicMotion found = motion_of(model, {}, set);
    ASSERT_TRUE(found.is_periodic) << set << ": " << found.text;
    EXPECT_NEAR(found.period, period, 1e-8) << set;
    EXPECT_EQ(found.num_one, 2) << set;
    EXPECT_TRUE(found.multipliers.empty()) << set;
  }
}

// A steady motion has any period: multipliers are exp(λ T) of the published eigenvalues.
TEST(Floquet, MultipliersOfTheWhippleBicycleAreThoseOfItsEigenvalues) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "whipple_bicycle.yaml");
  const double T = 0.5;
  const PeriodicMotion found = motion_of(model, T, "joint");
  ASSERT_TRUE(found.is_periodic) << found.text;
  EXPECT_EQ(found.num_one, 6);
  EXPECT_EQ(found.multipliers.size(), 3u);
  for (const std::complex<double> eigenvalue :
       {std::complex<double>{-0.77534188219585, 4.46486771378823},
        {-0.32286642900409, 0},
        {-14.07838969279822, 0}}) {
    double nearest = 1;
    for (const auto& z : found.multipliers) {
      nearest = std::min(nearest, std::abs(z - std::exp(eigenvalue * T)));
    }
    EXPECT_LT(nearest, 1e-8) << eigenvalue;
  }
}

}  // namespace
}  // namespace koppel
