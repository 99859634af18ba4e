// Smooth curves: against closed forms, and against what defines them.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/model/smooth_curve.hpp>
#include <koppel/model/time_law.hpp>

namespace koppel {
namespace {

// The m-th derivative of piece i at x.
double derivative(const Curve& curve, std::size_t i, int m, double x) {
  double sum = 0;
  for (std::size_t k = curve.coefficients[i].size(); k-- > static_cast<std::size_t>(m);) {
    double factor = 1;
    for (int j = 0; j < m; ++j) factor *= static_cast<double>(k) - j;
    sum = sum * (x - curve.knots[i]) + factor * curve.coefficients[i][k];
  }
  return sum;
}

// The largest jump of the m-th derivative at the knots, against its largest value there and
// between.
double jump(const Curve& curve, int m) {
  double largest = 0, size = 0;
  for (std::size_t i = 1; i < curve.knots.size(); ++i) {
    const double x = curve.knots[i];
    const double left = derivative(curve, i - 1, m, x), right = derivative(curve, i, m, x);
    const double middle = derivative(curve, i - 1, m, 0.7 * curve.knots[i - 1] + 0.3 * x);
    largest = std::max(largest, std::abs(right - left));
    size = std::max({size, std::abs(left), std::abs(middle), std::abs(right)});
  }
  return largest / size;
}

TEST(Curve, ThroughTwoPointsIsTheRestToRestPolynomial) {
  Graph graph;
  const Expr t = graph.symbol("t");
  for (const int n : {1, 4, 8}) {
    const Function law(std::vector<Expr>{t}, std::vector<Expr>{rest_to_rest(t, 2, n)});
    const std::vector<double> x = {1, 3}, y = {-1, 4};
    const Curve curve = curve_through(x, y, n, CurveEnds::Rest);
    for (const double at : {0.5, 1.0, 1.3, 2.0, 2.9, 3.0, 4.0}) {
      // Coefficients of the polynomial reach 1e4 (n = 4) and 1e8 (n = 8) times round-off.
      const double tolerance = n < 8 ? 1e-12 : 1e-8;
      EXPECT_NEAR(curve(at), -1 + 5 * law(std::vector<double>{at - 1})[0], tolerance) << n << at;
    }
  }
}

TEST(Curve, OfSmoothnessOneIsTheClampedCubicSpline) {
  // Slope m in the middle of (0, 0), (1, 1), (3, 0) with slope 0 at both ends, from y″ continuous:
  // m (4/h₀ + 4/h₁) = 6 d₀/h₀ + 6 d₁/h₁, d the slopes of the chords.
  const std::vector<double> x = {0, 1, 3}, y = {0, 1, 0};
  const Curve curve = curve_through(x, y, 1, CurveEnds::Rest);
  const double m = (6 * 1.0 + 6 * -0.5 / 2) / (4 + 4 / 2.0);
  EXPECT_NEAR(derivative(curve, 2, 1, 1), m, 1e-13);
}

TEST(Curve, HasTwiceAsManyContinuousDerivativesInside) {
  const std::vector<double> x = {0, 1, 1.5, 3, 4.2, 5, 6}, y = {0, 1, -1, 0.5, 0.2, 0, 1};
  const Curve rest = curve_through(x, y, 4, CurveEnds::Rest);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(rest(x[i]), y[i], 1e-12);
  for (int m = 0; m <= 4; ++m) EXPECT_LT(jump(rest, m), 1e-9) << m;
  const Curve free = curve_through(x, y, 4, CurveEnds::Free);
  // Optimality is reached to the square root of round-off: normal equations.
  for (int m = 0; m <= 8; ++m) EXPECT_LT(jump(free, m), m <= 4 ? 1e-9 : 1e-5) << m;
}

TEST(Curve, WithFreeEndsReproducesPolynomials) {
  for (const std::size_t count : {3U, 5U, 7U}) {
    std::vector<double> x, y;
    const auto p = [](double s) { return 2 - s + 0.5 * s * s; };
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(0.3 * static_cast<double>(i));
      y.push_back(p(x.back()));
    }
    const Curve curve = curve_through(x, y, 4, CurveEnds::Free);
    for (const double at : {-0.1, 0.2, 0.5}) EXPECT_NEAR(curve(at), p(at), 1e-8) << count;
  }
}

TEST(Curve, NearSamplesRecoversWhatWasSampled) {
  // A motion from rest to rest, rounded to millimetres.
  Graph graph;
  const Expr t = graph.symbol("t");
  const Function law(std::vector<Expr>{t}, std::vector<Expr>{rest_to_rest(t, 3, 4)});
  std::vector<double> x, y;
  for (int i = 0; i <= 300; ++i) {
    x.push_back(0.01 * i);
    y.push_back(std::round(1000 * law(std::vector<double>{x.back()})[0]) / 1000);
  }
  const auto near = curve_near(x, y, 1e-3, 4, CurveEnds::Rest);
  ASSERT_TRUE(near);
  EXPECT_LE(near->deviation, 1e-3);
  for (int m = 0; m <= 4; ++m) EXPECT_LT(jump(near->curve, m), 1e-8) << m;
  for (double at = 0; at <= 3; at += 0.05) {
    // The samples are 0.5 mm off, the curve 1 mm from those.
    EXPECT_NEAR(near->curve(at), law(std::vector<double>{at})[0], 1.5e-3);
  }
}

TEST(Curve, NearSamplesSaysWhenThereIsNone) {
  std::vector<double> x, y;
  for (int i = 0; i <= 20; ++i) {
    x.push_back(i);
    y.push_back(i % 2);
  }
  EXPECT_FALSE(curve_near(x, y, 1e-6, 4, CurveEnds::Rest));
}

}  // namespace
}  // namespace koppel
