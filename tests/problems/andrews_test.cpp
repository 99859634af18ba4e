// Andrews' squeezing mechanism by hand against its reference trajectory.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>
#include <problems/andrews.hpp>
#include <problems/runge_kutta.hpp>

namespace koppel::problems {
namespace {

Trajectory reference() { return read_csv(KOPPEL_REFERENCE "andrews.csv"); }

// Columns: t, 7 angles, their rates, their accelerations, 6 multipliers.
Andrews::State state_of(const Trajectory& trajectory, std::size_t row) {
  Andrews::State angles;
  for (std::size_t i = 0; i < angles.size(); ++i) angles[i] = trajectory.column(1 + i)[row];
  return Andrews::absolute(angles);
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(AndrewsByHand, AccelerationsAndMultipliersAreThoseOfTheReference) {
  const Trajectory trajectory = reference();
  Andrews andrews;
  for (std::size_t row = 0; row < trajectory.num_rows(); ++row) {
    Andrews::State rate;
    andrews.rate(state_of(trajectory, row), rate);
    const Andrews::State angles = Andrews::relative(rate);
    // Round-off: stored states satisfy the constraints to 1e-17, relative to lengths of 1e-2.
    for (std::size_t i = 0; i < 7; ++i) {
      const auto column = trajectory.column(15 + i);
      EXPECT_NEAR(angles[7 + i], column[row], 1e-11 * largest_of(column)) << row << ", " << i;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const auto column = trajectory.column(22 + i);
      EXPECT_NEAR(andrews.multipliers()[i], column[row], 1e-11 * largest_of(column)) << row;
    }
  }
}

TEST(AndrewsByHand, RungeKuttaMethodsReachTheReference) {
  const Trajectory trajectory = reference();
  const std::size_t last = trajectory.num_rows() - 1;
  const Andrews::State end = state_of(trajectory, last);
  const auto error = [&](const Andrews::State& y) {
    double largest = 0;
    for (std::size_t i = 0; i < 7; ++i) largest = std::max(largest, std::abs(y[i] - end[i]));
    return largest;
  };
  Andrews andrews;
  Andrews::State y = Andrews::start();
  integrate_rk4(andrews, y, 0.03, 4000);
  EXPECT_LT(error(y), 1e-9);
  y = Andrews::start();
  integrate_adaptive(andrews, dopri5(), y, 0.03, 1e-11, 1e-6);
  EXPECT_LT(error(y), 1e-9);
}

// Off the constraints by 1e-4, the projection leaves the square of that.
TEST(AndrewsByHand, ProjectionLeadsOntoTheConstraints) {
  const AndrewsGgl ggl;
  std::vector<double> y(static_cast<std::size_t>(ggl.size())), F(y.size());
  const std::vector<double> no_rate(y.size());
  Andrews::State state = state_of(reference(), 20);
  const auto violation = [&] {
    std::copy(state.begin(), state.end(), y.begin());
    ggl.residual(y.data(), no_rate.data(), F.data());
    // Velocities are of the size of 1e3.
    return std::pair(largest_of(std::span(F).subspan(14, 6)),
                     1e-3 * largest_of(std::span(F).subspan(20, 6)));
  };
  const auto [g, G_v] = violation();
  EXPECT_LT(g, 1e-15);
  EXPECT_LT(G_v, 1e-15);
  for (std::size_t i = 0; i < 7; ++i) {
    state[i] += 1e-4 * std::sin(static_cast<double>(i));
    state[7 + i] += 0.1 * std::cos(static_cast<double>(i));
  }
  EXPECT_GT(violation().first, 1e-6);
  EXPECT_GT(violation().second, 1e-6);
  Andrews andrews;
  andrews.project(state);
  EXPECT_LT(violation().first, 1e-9);
  EXPECT_LT(violation().second, 1e-8);
  for (int i = 0; i < 2; ++i) andrews.project(state);
  EXPECT_LT(violation().first, 1e-15);
  EXPECT_LT(violation().second, 1e-15);
}

}  // namespace
}  // namespace koppel::problems
