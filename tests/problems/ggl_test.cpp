// Stabilised forms by hand: their Jacobians, and IDA on them.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>
#include <problems/andrews.hpp>
#include <problems/bricard.hpp>
#include <problems/rods.hpp>

namespace koppel::problems {
namespace {

// ∂F/∂y + c ∂F/∂ẏ against central differences.
void expect_jacobian(const Ggl& ggl, double bound) {
  const auto n = static_cast<std::size_t>(ggl.size());
  std::vector<double> y(n), rate(n), before(n), after(n), values(ggl.row().size());
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = std::sin(3.0 * static_cast<double>(i) + 1);
    rate[i] = std::cos(2.0 * static_cast<double>(i));
  }
  constexpr double c = 0.7, h = 1e-6;
  ggl.jacobian(y.data(), rate.data(), c, values.data());
  for (std::size_t j = 0; j < n; ++j) {
    const auto shifted = [&](double by, std::vector<double>& F) {
      std::vector<double> y2 = y, rate2 = rate;
      y2[j] += by;
      rate2[j] += c * by;
      ggl.residual(y2.data(), rate2.data(), F.data());
    };
    shifted(-h, before);
    shifted(h, after);
    std::vector<double> column(n, 0.0);
    for (int k = ggl.column_start()[j]; k < ggl.column_start()[j + 1]; ++k) {
      column[static_cast<std::size_t>(ggl.row()[static_cast<std::size_t>(k)])] =
          values[static_cast<std::size_t>(k)];
    }
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR((after[i] - before[i]) / (2 * h), column[i], bound) << i << ", " << j;
    }
  }
}

TEST(GglByHand, JacobiansAreDerivatives) {
  // F is quadratic: central differences are exact but for round-off, 1e-16/h.
  expect_jacobian(make_four_bar_rods(3), 1e-8);
  expect_jacobian(BricardGgl(), 1e-8);
  // Third derivatives of the spring's potential, below 1e2, times h² are less than that.
  expect_jacobian(AndrewsGgl(), 1e-8);
}

TEST(GglByHand, StartsAreConsistent) {
  const auto expect_zero = [](const Ggl& ggl) {
    std::vector<double> F(static_cast<std::size_t>(ggl.size()));
    ggl.residual(ggl.start().data(), ggl.start_rate().data(), F.data());
    for (const double value : F) EXPECT_NEAR(value, 0, 1e-14);
  };
  expect_zero(make_rods(kThinSliderCrank));
  expect_zero(make_four_bar_rods(2));
  expect_zero(BricardGgl());
  expect_zero(AndrewsGgl());
}

// The end of columns of a reference against some of y.
double error_at_end(const std::vector<double>& y, const std::string& file,
                    const std::vector<std::string>& columns, std::size_t first = 0) {
  const Trajectory trajectory = read_csv(KOPPEL_REFERENCE + file + ".csv");
  double error = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    error = std::max(error, std::abs(y[first + i] - trajectory[columns[i]].back()));
  }
  return error;
}

// Errors over the whole motion are larger than the tolerance, which is for a step.
TEST(GglByHand, IdaReachesTheReferences) {
  std::vector<double> y;
  ASSERT_TRUE(integrate_ida(make_rods(kThinSliderCrank), y, 10, 1e-10));
  EXPECT_LT(error_at_end(y, "slider_crank", {"Ax", "Ay", "Bx"}), 1e-4);
  ASSERT_TRUE(integrate_ida(make_four_bar_rods(2), y, 10, 1e-7));
  EXPECT_LT(error_at_end(y, "four_bar", {"xB0", "yB0"}), 5e-3);
  ASSERT_TRUE(integrate_ida(BricardGgl(), y, 10, 1e-9));
  EXPECT_LT(error_at_end(y, "bricard", {"xP3", "yP3", "zP3"}, 2), 1e-5);
  ASSERT_TRUE(integrate_ida(AndrewsGgl(), y, 0.03, 1e-9));
  EXPECT_LT(error_at_end(y, "andrews", {"beta"}), 1e-5);
  EXPECT_LT(error_at_end(y, "andrews", {"gamma"}, 2), 1e-5);
}

}  // namespace
}  // namespace koppel::problems
