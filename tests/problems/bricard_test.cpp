// Bricard's mechanism by hand against its reference trajectory.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>
#include <problems/bricard.hpp>
#include <problems/runge_kutta.hpp>

namespace koppel::problems {
namespace {

double error_of(const Bricard::State& y, const Trajectory& trajectory, std::size_t row) {
  const auto P3 = Bricard::P3(y);
  double error = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    error = std::max(error, std::abs(P3[i] - trajectory.column(1 + i)[row]));
  }
  return error;
}

TEST(BricardByHand, FollowsTheReference) {
  const Trajectory trajectory = read_csv(KOPPEL_REFERENCE "bricard.csv");
  Bricard bricard;
  Bricard::State y = Bricard::start();
  double worst = error_of(y, trajectory, 0);
  for (std::size_t row = 1; row < trajectory.num_rows(); ++row) {
    integrate_rk4(bricard, y, trajectory.time()[row] - trajectory.time()[row - 1], 5);
    worst = std::max(worst, error_of(y, trajectory, row));
  }
  EXPECT_LT(worst, 1e-10);  // order 4 with steps of 2e-3 s
  y = Bricard::start();
  integrate_adaptive(bricard, dopri5(), y, 10, 1e-11, 1e-3);
  EXPECT_LT(error_of(y, trajectory, trajectory.num_rows() - 1), 1e-9);
}

// Also the equation that is left out holds: u₃·u₄ = 0.
TEST(BricardByHand, TheEquationLeftOutHolds) {
  Bricard bricard;
  Bricard::State y = Bricard::start();
  for (int i = 0; i < 10; ++i) {
    integrate_rk4(bricard, y, 1, 500);
    EXPECT_NEAR(y[8] * y[11] + y[9] * y[12] + y[10] * y[13], 0, 1e-13) << i;
  }
}

}  // namespace
}  // namespace koppel::problems
