// Sine and cosine of runtime/trig.h: accurate, and the same on the tape and in native code.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <koppel/runtime/trig.h>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>

namespace koppel {
namespace {

// In units of the last place; long double has 11 bits more.
double error_of(double found, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(size, INFINITY) - size;
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact) /
                             static_cast<long double>(unit));
}

TEST(Trig, IsWithinOneUnitOfTheLastPlace) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> part(-1, 1);
  double worst = 0;
  for (const double size : {1e-8, 0.8, 3.2, 100.0, 1e4, 1.5e6}) {
    for (int k = 0; k < 50000; ++k) {
      const double x = size * part(random);
      worst = std::max({worst, error_of(koppel_sin(x), std::sin(static_cast<long double>(x))),
                        error_of(koppel_cos(x), std::cos(static_cast<long double>(x)))});
    }
  }
  EXPECT_LT(worst, 1);
}

// Where one of them nearly vanishes, the reduction has to have many more digits.
TEST(Trig, IsAccurateAtMultiplesOfARightAngle) {
  double worst = 0;
  for (int n = 1; n < 1000000; n += 37) {
    const double x = n * 1.57079632679489661923;
    worst = std::max({worst, error_of(koppel_sin(x), std::sin(static_cast<long double>(x))),
                      error_of(koppel_cos(x), std::cos(static_cast<long double>(x)))});
  }
  EXPECT_LT(worst, 1);
}

// Beyond 1.6e6 the reduction is another. The last one is the double that comes closest of all to a
// multiple of a right angle [Muller 2016, section 11.2.1].
TEST(Trig, IsAccurateForEveryHugeAngle) {
  std::mt19937_64 random(12);
  const double closest = 6381956970095103 * 0x1p797;
  std::vector<double> angles = {1.6e6, -1.6e6, 1e9, -1e22, 1e300, 1.7e308, closest, -closest};
  for (int k = 0; k < 100000; ++k) {
    const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                21 + static_cast<int>(random() % 1003));
    angles.push_back(random() % 2 == 0 ? x : -x);
  }
  double worst = 0;
  for (const double x : angles) {
    worst = std::max({worst, error_of(koppel_sin(x), std::sin(static_cast<long double>(x))),
                      error_of(koppel_cos(x), std::cos(static_cast<long double>(x)))});
  }
  EXPECT_LT(worst, 0.85);
  EXPECT_NEAR(koppel_cos(closest), -4.687165924254627611e-19, 1e-34);
}

TEST(Trig, SpecialValuesAreThoseOfTheLibrary) {
  EXPECT_EQ(koppel_sin(0.0), 0);
  EXPECT_TRUE(std::signbit(koppel_sin(-0.0)));
  EXPECT_EQ(koppel_cos(0.0), 1);
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(koppel_sin(tiny), tiny);
  for (const double x : std::initializer_list<double>{INFINITY, -INFINITY, std::nan("")}) {
    EXPECT_TRUE(std::isnan(koppel_sin(x)));
    EXPECT_TRUE(std::isnan(koppel_cos(x)));
  }
  for (double x = 0; x < 10; x += 0.01) {
    EXPECT_EQ(koppel_sin(-x), -koppel_sin(x));
    EXPECT_EQ(koppel_cos(-x), koppel_cos(x));
  }
}

TEST(Trig, TapeAndNativeCodeAgreeToTheLastBit) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const std::vector<Expr> in = {x}, out = {sin(x), cos(x), sin(x) * cos(x)};
  const Function tape(in, out, {.fixed_cost = true});
  const Function native(in, out, {.native = Native::Cc, .fixed_cost = true});
  for (double t = -20; t < 20; t += 0.137) {
    const std::vector<double> at = {t}, a = tape(at), b = native(at);
    EXPECT_EQ(a, b);
    EXPECT_EQ(a[0], koppel_sin(t));
    EXPECT_EQ(koppel_turn(t).sin, koppel_sin(t));
    EXPECT_EQ(koppel_turn(t).cos, koppel_cos(t));
  }
}

// Sine and cosine of an angle are next to each other wherever they stand in the expressions, and
// what depends on them stays behind them.
TEST(Trig, SineAndCosineOfAnAngleAreComputedTogether) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Expr first = sin(x) + y, second = cos(first), third = sin(first * y) + cos(x);
  const std::vector<Expr> in = {x, y}, out = {second, third, sin(first), cos(y)};
  const Function function(in, out, {.fixed_cost = true});
  const Program& program = function.program();
  int pairs = 0;
  for (std::size_t n = 0; n + 1 < program.code.size(); ++n) {
    const Instruction &a = program.code[n], &b = program.code[n + 1];
    if (a.variant == 1 && b.variant == 1 && a.op != b.op && a.a == b.a) ++pairs;
  }
  EXPECT_EQ(pairs, 2);
  const std::vector<double> at = {0.3, 1.7};
  const double f = std::sin(0.3) + 1.7;
  const std::vector<double> values = function(at),
                            expected = {std::cos(f), std::sin(f * 1.7) + std::cos(0.3), std::sin(f),
                                        std::cos(1.7)};
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 4e-16);
}

}  // namespace
}  // namespace koppel
