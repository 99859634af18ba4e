// Code by hand against reference trajectories and against itself.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <problems/chain.hpp>
#include <problems/four_bar.hpp>
#include <problems/runge_kutta.hpp>
#include <problems/slider_crank.hpp>

namespace koppel::problems {
namespace {

// The ends of tests/reference/slider_crank.csv and four_bar.csv, and of the latter for N = 40.
constexpr double kSliderCrankEnd[] = {1.287115065724222928e-01, -3.787259537922603119e-01,
                                      1.054220367645152761e+00};
constexpr double kFourBarEnd[] = {3.284581115408153787e-01, 9.445185381786009622e-01};
constexpr double kFourBar40End[] = {0.1805122266867283901, 0.9835727405823115749};

template <typename Values>
double error_of(const Values& y, std::span<const double> end) {
  double error = 0;
  for (std::size_t i = 0; i < end.size(); ++i) error = std::max(error, std::abs(y[i] - end[i]));
  return error;
}

TEST(SliderCrankByHand, TaylorSeriesReachTheReference) {
  SliderCrank::Vector y = kThinSliderCrank.start();
  const long steps = integrate_taylor(kThinSliderCrank, y, 10, 1e-12);
  EXPECT_LT(error_of(y, kSliderCrankEnd), 2e-10);
  EXPECT_LT(steps, 700);
}

TEST(SliderCrankByHand, RungeKuttaMethodsReachTheReference) {
  SliderCrankRates rates(kThinSliderCrank);
  SliderCrank::Vector y = kThinSliderCrank.start();
  integrate_rk4(rates, y, 10, 100'000);
  EXPECT_LT(error_of(y, kSliderCrankEnd), 1e-7);
  y = kThinSliderCrank.start();
  integrate_adaptive(rates, dopri5(), y, 10, 1e-11, 1e-3);
  EXPECT_LT(error_of(y, kSliderCrankEnd), 1e-7);
}

TEST(SliderCrankByHand, HeavyOneIsTheSameByAllMethods) {
  SliderCrank::Vector y = kHeavySliderCrank.start(), other = y;
  integrate_taylor(kHeavySliderCrank, y, 10, 1e-14);
  SliderCrankRates rates(kHeavySliderCrank);
  integrate_adaptive(rates, dop853_method(), other, 10, 1e-12, 1e-3);
  EXPECT_LT(error_of(other, std::span(y).first(3)), 1e-8);
}

TEST(FourBarByHand, ReachesTheReference) {
  FourBar two(2), forty(40);
  FourBar::State y = two.start();
  integrate_rk4(two, y, 10, 4000);
  EXPECT_LT(error_of(y, kFourBarEnd), 1e-6);
  y = forty.start();
  integrate_rk4(forty, y, 10, 2000);
  EXPECT_LT(error_of(y, kFourBar40End), 1e-5);
}

// The energy of a chain that was released level stays 0.
TEST(ChainByHand, KeepsItsEnergy) {
  constexpr std::size_t n = 5;
  Chain<double> chain(n);
  auto y = chain.start();
  integrate_adaptive(chain, dop853_method(), y, 1, 1e-12, 1e-3);
  double energy = 0, angle = 0, omega = 0, x = 0, height = 0, vx = 0, vy = 0;
  constexpr double l = 1.0 / n;
  for (std::size_t i = 0; i < n; ++i) {
    angle += y[i];
    omega += y[n + i];
    const double dx = l / 2 * std::cos(angle), dy = l / 2 * std::sin(angle);
    const double cx = vx - omega * dy, cy = vy + omega * dx;  // of the centre
    energy += 0.5 * (cx * cx + cy * cy + l * l / 12 * omega * omega) + 9.81 * (height + dy);
    x += 2 * dx;
    height += 2 * dy;
    vx -= 2 * omega * dy;
    vy += 2 * omega * dx;
  }
  EXPECT_NEAR(energy, 0, 1e-9);
  EXPECT_NEAR(chain.tip(y)[0], x, 1e-14);
  EXPECT_NEAR(chain.tip(y)[1], height, 1e-14);
}

// The steps of Koppel's kernel and the plain ones lead to the same point.
TEST(ChainByHand, BothMethodsOfOrder8ReachTheSamePoint) {
  Chain<double> chain(3);
  auto y = chain.start(), other = y;
  EXPECT_GT(integrate_dop853(chain, y, 1, 1e-12, 1e-3), 0);
  EXPECT_GT(integrate_adaptive(chain, dop853_method(), other, 1, 1e-12, 1e-3), 0);
  EXPECT_LT(error_of(y, other), 1e-9);
}

// Two links, against the equations of the double pendulum.
TEST(ChainByHand, AccelerationsAreThoseOfADoublePendulum) {
  Chain<double> chain(2);
  const std::vector<double> y = {0.3, -0.8, 1.1, 0.4};
  std::vector<double> rate(4);
  chain.rate(y, rate);
  const double a = y[0], b = y[0] + y[1], wa = y[2], wb = y[2] + y[3];
  const double l = 0.5, g = 9.81, c = std::cos(a - b), s = std::sin(a - b);
  // 4/3 l² ä + ½ l² c b̈ = −½ l² s ḃ² − 3/2 g l cos a,  ½ l² c ä + ⅓ l² b̈ = ½ l² s ȧ² − ½ g l cos b
  const double p = -l * l / 2 * s * wb * wb - 1.5 * g * l * std::cos(a);
  const double q = l * l / 2 * s * wa * wa - 0.5 * g * l * std::cos(b);
  const double m11 = 4.0 / 3 * l * l, m12 = l * l / 2 * c, m22 = l * l / 3;
  const double det = m11 * m22 - m12 * m12;
  const double aa = (m22 * p - m12 * q) / det, bb = (m11 * q - m12 * p) / det;
  EXPECT_NEAR(rate[2], aa, 1e-12);
  EXPECT_NEAR(rate[3], bb - aa, 1e-12);
}

}  // namespace
}  // namespace koppel::problems
