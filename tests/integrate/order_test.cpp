// Measured orders of convergence against stated ones.
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include <problems/pendulum.hpp>
#include <tests/integrate/runs.hpp>
#include <tests/near.hpp>

#include <koppel/runtime/dop853.h>

namespace koppel::testing {
namespace {

using problems::Analytic;

// Errors with a step and with half of it.
struct Pair {
  Errors coarse, fine;
};

Pair measure(const Analytic& system, std::string_view integrator, double h,
             Projection projection = Projection::Full) {
  IntegrateOptions options{.tolerance = 1e-12, .step = h, .projection = projection};
  Pair pair;
  pair.coarse = run(system, integrator, options);
  options.step = h / 2;
  pair.fine = run(system, integrator, options);
  EXPECT_EQ(pair.coarse.outcome.status, Outcome::Status::Done) << pair.coarse.outcome.text;
  EXPECT_EQ(pair.fine.outcome.status, Outcome::Status::Done) << pair.fine.outcome.text;
  return pair;
}

// Within a third of what it should be, for the largest error among some unknowns; an order that is
// higher because errors cancel does no harm.
void expect_order(double stated, const Pair& pair, std::size_t first, std::size_t count,
                  std::vector<double> Errors::*where = &Errors::at_end) {
  const double measured =
      order(largest(pair.coarse.*where, first, count), largest(pair.fine.*where, first, count));
  EXPECT_GT(measured, stated - 0.34);
  EXPECT_LT(measured, stated + 1.2);
}

TEST(Rk4, HasOrderFour) {
  const Pair pair = measure(problems::harmonic_oscillator(), "rk4", 0.1);
  expect_order(4, pair, 0, 2);
  expect_order(4, pair, 0, 2, &Errors::within);
}

TEST(Dop853, HasOrderEight) {
  const Pair pair = measure(problems::harmonic_oscillator(), "dop853", 0.5);
  expect_order(8, pair, 0, 2);
  expect_order(8, pair, 0, 2, &Errors::within);
}

// For lengths of steps, in place of pow, whose bits differ from machine to machine.
TEST(Dop853, HasPowersOfItsOwn) {
  double worst = 0;
  for (int i = -1200; i <= 3000; ++i) {
    const double x = std::pow(10, 0.01 * i) * 1.2345;
    for (const double p : {KOPPEL_DOP853_EXPONENT, KOPPEL_DOP853_BETA}) {
      worst = std::max(worst, std::abs(koppel_power_of(x, p) / std::pow(x, p) - 1));
    }
  }
  // Some four roundings, and those of log x, which is up to 69, times p.
  EXPECT_LT(worst, 2e-15);
  EXPECT_EQ(koppel_power_of(1, 0.095), 1);
}

TEST(Dop853, KeepsItsOrderWhenProjected) {
  const Pair pair = measure(problems::pendulum("index1"), "dop853", 0.1);
  expect_order(8, pair, 0, 4);
  expect_order(8, pair, 0, 4, &Errors::within);
}

TEST(Bdf, HasItsOrder) {
  for (int k = 2; k <= 5; ++k) {
    const Pair pair = measure(problems::harmonic_oscillator(), "bdf" + std::to_string(k), 0.05);
    expect_order(k, pair, 0, 2);
    expect_order(k, pair, 0, 2, &Errors::within);
  }
}

TEST(Bdf, HasItsOrderInIndexThree) {
  for (int k = 2; k <= 5; ++k) {
    const Pair pair = measure(problems::pendulum("index3"), "bdf" + std::to_string(k), 0.02);
    expect_order(k, pair, 0, 4);
  }
}

TEST(ImplicitEuler, HasOrderOne) {
  expect_order(1, measure(problems::harmonic_oscillator(), "implicit-euler", 0.005), 0, 2);
  for (const char* formulation : {"index1", "index2", "ggl", "index3"}) {
    expect_order(1, measure(problems::pendulum(formulation), "implicit-euler", 0.001), 0, 5);
  }
}

TEST(Midpoint, HasOrderTwo) {
  expect_order(2, measure(problems::harmonic_oscillator(), "midpoint", 0.05), 0, 2);
  expect_order(2, measure(problems::harmonic_oscillator(), "midpoint", 0.05), 0, 2,
               &Errors::within);
  for (const char* formulation : {"index1", "index2", "ggl", "index3"}) {
    expect_order(2, measure(problems::pendulum(formulation), "midpoint", 0.01), 0, 4);
  }
}

// Dense output is the collocation polynomial of degree 3: order 4 inside of a step.
TEST(Radau5, HasOrderFive) {
  const Pair pair = measure(problems::harmonic_oscillator(), "radau5", 0.2);
  expect_order(5, pair, 0, 2);
  expect_order(4, pair, 0, 2, &Errors::within);
}

TEST(Radau5, HasOrderFiveInIndexOneForAllVariables) {
  expect_order(5, measure(problems::pendulum("index1"), "radau5", 0.02), 0, 5);
}

// [Hairer & Wanner 1996, section VII.4], table 4.1: positions and velocities 5, multipliers 3.
TEST(Radau5, HasItsOrdersInIndexTwo) {
  for (const char* formulation : {"index2", "ggl"}) {
    const Pair pair = measure(problems::pendulum(formulation), "radau5", 0.025);
    expect_order(5, pair, 0, 4);
    expect_order(3, pair, 4, 1);
  }
}

// The same table: positions 5, velocities 3, multipliers 2.
TEST(Radau5, HasItsOrdersInIndexThree) {
  const Pair pair = measure(problems::pendulum("index3"), "radau5", 0.025, Projection::None);
  expect_order(5, pair, 0, 2);
  expect_order(3, pair, 2, 2);
  expect_order(2, pair, 4, 1);
}

TEST(Radau5, ProjectionRestoresTheOrderOfVelocitiesInIndexThree) {
  const Pair pair = measure(problems::pendulum("index3"), "radau5", 0.025);
  expect_order(5, pair, 0, 4);
}

TEST(AllFixed, KeepTheirOrderAcrossABreakpoint) {
  expect_order(4, measure(problems::jump(), "rk4", 0.07), 0, 1);
  expect_order(8, measure(problems::jump(), "dop853", 0.2), 0, 1);
  expect_order(5, measure(problems::jump(), "radau5", 0.1), 0, 1);
  expect_order(1, measure(problems::jump(), "implicit-euler", 0.003), 0, 1);
  expect_order(2, measure(problems::jump(), "midpoint", 0.07), 0, 1);
}

// Σ_j a_ij = c_i, Σ b_i c_i^k = 1/(k+1) up to k = 7, and error weights that annihilate what both
// formulas integrate exactly.
TEST(Dop853, CoefficientsSatisfyTheConditionsOfQuadrature) {
  const auto sum = [](koppel_weights row, int power) {
    double total = 0;
    for (const koppel_weight& w : std::span(row.weights, static_cast<std::size_t>(row.count))) {
      total += w.value * std::pow(koppel_dop853_c[w.stage], power);
    }
    return total;
  };
  const Tolerance rounding{.relative = 100 * kEps, .scale = 50, .because = "entries reach 50"};
  for (int i = 1; i < KOPPEL_DOP853_ALL_STAGES; ++i) {
    EXPECT_TRUE(near(sum(koppel_dop853_a[i], 0), koppel_dop853_c[i], rounding)) << i;
  }
  const koppel_weights b = koppel_dop853_a[KOPPEL_DOP853_STAGES];
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(near(sum(b, k), 1.0 / (k + 1), rounding)) << k;
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(near(sum(koppel_dop853_e5, k), 0, rounding)) << k;
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(near(sum(koppel_dop853_e3, k), 0, rounding)) << k;
  EXPECT_GT(std::abs(sum(koppel_dop853_e5, 5)), 1e-6);
  EXPECT_GT(std::abs(sum(koppel_dop853_e3, 3)), 1e-6);
}

}  // namespace
}  // namespace koppel::testing
