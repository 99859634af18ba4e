#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"
#include "tests/simulate/slider_crank.hpp"

namespace koppel::testing {
namespace {

// √A of the kinetic energy ½ A φ̇² of crank (1 m, 1 kg), rod (2 m, 2 kg) and slider (1 kg), φ the
// angle of the crank: from the velocities of the centres of mass for φ̇ = 1, with sin ψ = ½ sin φ.
double root_of_inertia(double phi) {
  const double sin_psi = std::sin(phi) / 2, cos_psi = std::sqrt(1 - sin_psi * sin_psi),
               psi_rate = std::cos(phi) / (2 * cos_psi);
  const double rod_x = -std::sin(phi) - sin_psi * psi_rate, rod_y = std::cos(phi) / 2,
               slider = -std::sin(phi) - 2 * sin_psi * psi_rate;
  return std::sqrt(1.0 / 3 + 2 * (rod_x * rod_x + rod_y * rod_y) +
                   2 * 4.0 / 12 * psi_rate * psi_rate + slider * slider);
}

// The time from φ0 to φ1, with √A φ̇ constant: ∫ √A dφ / (√A φ̇)(φ0). The trapezoidal rule, which
// converges faster than any power for a whole number of turns, which this is.
double time_of_turns(double phi0, int turns, double rate0) {
  constexpr int kNum = 200;
  double sum = 0;
  for (int i = 0; i < kNum; ++i) {
    sum += root_of_inertia(phi0 + 2 * std::numbers::pi * i / kNum);
  }
  return turns * sum * 2 * std::numbers::pi / kNum / (root_of_inertia(phi0) * rate0);
}

// Nothing does work on it: after a whole number of turns, at the time of the quadrature, it is back
// where it started.
TEST(SliderCrankFormulations, TurnsByTheQuadratureOfItsEnergy) {
  const double phi0 = std::numbers::pi / 4, sin_psi = std::sin(phi0) / 2;
  // β̇ = φ̇ + ψ̇ = 1 at the start.
  const double rate0 = 1 / (1 + std::cos(phi0) / (2 * std::sqrt(1 - sin_psi * sin_psi)));
  for (const char* name : {"slider_crank_reversed", "slider_crank_minimal"}) {
    const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
    SimulateOptions options = options_of(model);
    options.end = time_of_turns(phi0, 5, rate0);
    options.tolerance = 1e-12;
    const Simulation s = simulate(model, options);
    for (const char* column : {"x", "alpha"}) {
      EXPECT_TRUE(near(s.trajectory[column].back(), s.trajectory[column][0],
                       {.relative = 1e-9, .scale = 1, .because = "errors grow with five turns"}))
          << name << ' ' << column;
    }
    EXPECT_TRUE(near(s.trajectory["beta"].back() - s.trajectory["beta"][0], 10 * std::numbers::pi,
                     {.relative = 1e-9, .because = "five turns"}))
        << name;
  }
}

// Fig. 3 of the paper: without stabilisation, the drift of the positions grows with the square of
// time where only accelerations satisfy the constraints, and linearly where velocities do.
TEST(SliderCrankFormulations, DriftAsInThePaper) {
  const Comparison c = compare_slider_crank(40, Projection::None, 1e-8);
  ASSERT_EQ(c.runs.size(), kPaperForms.size() + 1);
  for (const Compared& run : c.runs)
    EXPECT_EQ(run.status, Outcome::Status::Done) << run.formulation << run.text;
  const double qr = run_of(c, "qr").position_drift, svd = run_of(c, "svd").position_drift;
  EXPECT_NEAR(qr, svd, 0.01 * qr);
  for (const char* partition : {"partition:x", "partition:alpha", "partition:beta"}) {
    EXPECT_LT(run_of(c, partition).position_drift, 100 * qr) << partition;
    EXPECT_GT(run_of(c, partition).position_drift, qr / 2) << partition;
  }
  for (const char* index1 : {"explicit", "implicit"}) {
    const Compared& run = run_of(c, index1);
    EXPECT_GT(run.position_drift, 50 * qr) << index1;
    // Twice the time, four times the drift.
    const double half = run.violations[run.violations.size() / 2];
    EXPECT_NEAR(run.violations.back() / half, 4, 1.5) << index1;
  }
  EXPECT_EQ(run_of(c, "minimal").position_drift, 0);
}

TEST(SliderCrankFormulations, AgreeWithTheMinimalForm) {
  const Comparison c = compare_slider_crank(10, Projection::Full, 1e-11);
  EXPECT_LT(c.reference_error, 1e-10);
  for (const Compared& run : c.runs) {
    ASSERT_EQ(run.status, Outcome::Status::Done) << run.formulation << run.text;
    EXPECT_LT(run.position_drift, 1e-10) << run.formulation;
    ASSERT_TRUE(run.error) << run.formulation;
    EXPECT_LT(*run.error, 1e-7) << run.formulation;
  }
}

}  // namespace
}  // namespace koppel::testing
