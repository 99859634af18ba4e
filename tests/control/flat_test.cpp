// Inputs from prescribed outputs, by Taylor stages: against independent solutions.
#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;

// Every column of the reference, relative to the largest value of its kind: lengths, multipliers
// and inputs have columns of the same size each. Stored values have 12 digits.
void expect_reference(const Model& model, const std::string& file, const std::string& coordinates,
                      double tolerance = 1e-9) {
  const Trajectory reference = read_csv(KOPPEL_REFERENCE + file + ".csv");
  InverseOptions options = inverse_options_of(model);
  options.coordinates = coordinates;
  options.health.judges_one_way = false;  // motions of the literature ask cables to push
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

TEST(Flat, CableManipulatorTurnsAboutAnyAxis) {
  // The third motion of [Yang 2017, section 6.3], to the Cardan angles π/6, π/4, π/3; end values of
  // an independent program with eight digits.
  const Model model = model_file(
      "cable_manipulator",
      {{"turn", "1.5244035316"}, {"ex", "0.56755243"}, {"ey", "0.29045270"}, {"ez", "0.77040345"}});
  InverseOptions options = inverse_options_of(model);
  options.sampling.count = 401;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  const std::vector<std::pair<const char*, double>> known = {
      {"pg0", 5.2437725},           {"pg1", 3.4662147},
      {"pg2", 1.0893082},           {"pg3", 3.7646603},
      {"pc1", 1.1652358},           {"pc2", 2.5173106},
      {"pc3", 0.5193480},           {"ug0", 0},
      {"ug1", -5.1030108},          {"ug2", -17.646443},
      {"ug3", 22.749454},           {"uc1", -4.7514802},
      {"uc2", -2.5136644},          {"uc3", -6.8175435},
      {"lambda.cable1", 40.776985}, {"lambda.cable2", 9.9855155},
      {"lambda.cable3", 131.2712}};
  for (const auto& [name, value] : known) {
    // The axis has eight digits here, and the lever arms of the platform are short.
    EXPECT_NEAR(result.trajectory[name].back(), value, 1e-6 * std::max(1.0, std::abs(value)))
        << name;
  }
  const auto ug0 = result.trajectory["ug0"];
  EXPECT_NEAR(*std::max_element(ug0.begin(), ug0.end()), 31.312, 1e-3);
  EXPECT_NEAR(*std::min_element(ug0.begin(), ug0.end()), -45.717, 1e-3);
}

TEST(Flat, InputsAtRestAreStatic) {
  const auto last = [](const char* model, const char* column) {
    const Model m = model_file(model);
    return inverse(m, inverse_options_of(m)).trajectory[column].back();
  };
  EXPECT_NEAR(last("overhead_crane", "F_t"), 0, 1e-9);
  EXPECT_NEAR(last("overhead_crane", "M_w"), -98.1, 1e-11);
  EXPECT_NEAR(last("rotary_crane", "M_b"), 0, 1e-9);
  EXPECT_NEAR(last("rotary_crane", "M_w"), -98.1, 1e-11);
  EXPECT_NEAR(last("navy_crane_2d_massless", "u1"), -64.73266, 1e-5);
  EXPECT_NEAR(last("navy_crane_3d", "u3"), -98.1, 1e-10);
  EXPECT_NEAR(last("navy_crane_3d", "u4"), 0, 1e-8);
}

TEST(Flat, TrolleyOfTheRotaryCraneIsFreeOfForceWhereItMovesUniformly) {
  // Between 5 s and 15 s the trolley moves uniformly on a straight line.
  const Model model = model_file("rotary_crane");
  const Inverse result = inverse(model, inverse_options_of(model));
  const auto t = result.trajectory.time(), F = result.trajectory["F_t"];
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] > 5 && t[i] < 15) {
      EXPECT_LT(std::abs(F[i]), 1e-11) << t[i];
    }
  }
}

TEST(Flat, SolvesTheCraneOfIndexSeven) {
  const Model model = model_file("navy_crane_3d");
  InverseOptions options = inverse_options_of(model);
  options.health.judges_one_way = false;  // motions of the literature ask cables to push
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.index, 7);
  EXPECT_EQ(result.summary.internal_dynamics, 0);
  EXPECT_LT(result.summary.max_residual, 1e-10);
  // What does not depend on how the ramps are rounded: extremes in the uniform phase.
  const auto u = result.trajectory["u2"];
  EXPECT_NEAR(*std::max_element(u.begin(), u.end()), 40.35, 0.05);
  EXPECT_NEAR(*std::min_element(u.begin(), u.end()), -29.15, 0.01);
}

TEST(Flat, ResultDoesNotDependOnTheNumberOfSamples) {
  const Model model = model_file("navy_crane_2d");
  InverseOptions few = inverse_options_of(model), many = few;
  few.health.judges_one_way = false;  // motions of the literature ask cables to push
  few.sampling.count = 4;
  many.sampling.count = 3001;
  const Inverse a = inverse(model, few), b = inverse(model, many);
  ASSERT_EQ(a.status, Outcome::Status::Done) << a.text;
  for (const char* name : {"L1", "x0", "u1", "u3", "lambda.cable1"}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double exact = b.trajectory[name][1000 * i];
      EXPECT_NEAR(a.trajectory[name][i], exact, 1e-9 * std::max(1.0, std::abs(exact))) << name;
    }
  }
}

// x_n = y, and from the motion of mass i: x_{i−1} = x_i − d + (m x_i″ + [k (x_i − x_{i+1} + d)])/k
// with the bracket for i < n; F = m x₁″ + k (x₁ − x₂ + d). Derivatives of y to any order come from
// its coefficients.
std::vector<long double> chain_derivatives(int n, long double tau, int count) {
  // y = c(τ), τ = t/T with T = 2: coefficients of the polynomial of degree 4n + 1.
  const int s = 2 * n;
  const auto binomial = [](int a, int b) {
    long double x = 1;
    for (int i = 1; i <= b; ++i) x = x * (a - b + i) / i;
    return x;
  };
  // From the nearer end, y(τ) = 1 − y(1 − τ): the terms of the polynomial cancel less.
  if (tau > 0.5L) {
    std::vector<long double> mirrored = chain_derivatives(n, 1 - tau, count);
    for (std::size_t r = 0; r < mirrored.size(); ++r) {
      mirrored[r] *= r % 2 == 0 ? -1 : 1;
    }
    mirrored[0] += 1;
    return mirrored;
  }
  std::vector<long double> out;
  for (int r = 0; r < count; ++r) {
    long double sum = 0;
    for (int k = 0; k <= s; ++k) {
      long double term = binomial(s + k, k) * binomial(2 * s + 1, s - k) * (k % 2 == 0 ? 1 : -1);
      const int power = s + 1 + k;
      for (int i = 0; i < r; ++i) term *= (power - i) / 2.0L;
      if (power < r) continue;
      sum += term * std::pow(tau, static_cast<long double>(power - r));
    }
    out.push_back(sum);
  }
  return out;
}

TEST(Flat, ChainsOfMassesHaveAnyIndex) {
  const long double m = 1, k = 100, d = 0.5L;
  for (int n = 1; n <= 6; ++n) {
    const Model model = model_file("mass_chain", {{"n", std::to_string(n)}});
    InverseOptions options = inverse_options_of(model);
    options.sampling.count = 41;
    const Inverse result = inverse(model, options);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_EQ(result.summary.index, 2 * n + 1);
    EXPECT_EQ(result.summary.internal_dynamics, 0);
    double worst = 0;
    for (std::size_t i = 1; i < 40; ++i) {
      const int count = 2 * n + 1;
      // Deviations from the places at rest: z_i = x_i − i d.
      std::vector<long double> right(static_cast<std::size_t>(count), 0.0L);  // z_{i+1}
      std::vector<long double> z =
          chain_derivatives(n, static_cast<long double>(result.trajectory.time()[i]) / 2, count);
      for (int mass = n; mass > 1; --mass) {
        std::vector<long double> left(z.size(), 0.0L);
        for (std::size_t r = 0; r + 2 < z.size(); ++r) {
          left[r] = z[r] + m / k * z[r + 2] + (mass < n ? z[r] - right[r] : 0);
        }
        right = z;
        z = left;
      }
      const long double F = m * z[2] + (n > 1 ? k * (z[0] - right[0]) : 0);
      worst = std::max(worst, std::abs(static_cast<double>(F) - result.trajectory["F"][i]));
    }
    // Round-off of y grows with the coefficients of its polynomial, to 1e-16 · 4^(4n+1), in the
    // halves of the polynomial less; and with k.
    EXPECT_LT(worst, n < 5 ? 1e-9 : 1e-7) << n << ' ' << static_cast<double>(d);
  }
}

}  // namespace
}  // namespace koppel
