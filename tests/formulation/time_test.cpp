// Switches and short features of functions of time are found before a run.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/time_features.hpp>

namespace koppel {
namespace {

std::vector<double> breakpoints(const std::string& text, Interval range) {
  Graph graph;
  const Expr t = graph.symbol("t"), p = graph.symbol("p");
  const std::vector<Expr> f = {parse(graph, text)}, parameters = {p};
  const std::vector<double> values = {0.1};
  return find_breakpoints(f, t, parameters, values, range);
}

std::vector<double> features(const std::string& text, Interval range) {
  Graph graph;
  const Expr t = graph.symbol("t"), p = graph.symbol("p");
  const std::vector<Expr> f = {parse(graph, text)}, given = {p};
  const std::vector<double> values = {1e-3};
  const std::vector<double> breaks = find_breakpoints(f, t, given, values, range);
  return find_time_features(f, t, given, values, range, breaks);
}

TEST(Breakpoints, OfLinearArgumentsAreWhereTheSideChanges) {
  // 0.3/0.1 and the like are rounded; the side must be that of the condition as it is evaluated.
  for (int i = 1; i < 200; ++i) {
    const std::string text = std::to_string(0.1 * i);
    const double level = std::stod(text);
    const auto found = breakpoints("select(p*t < " + text + ", 1, 2)", {});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(0.1 * std::nextafter(found[0], 0) < level);
    EXPECT_FALSE(0.1 * std::nextafter(found[0], HUGE_VAL) < level);
  }
}

TEST(Breakpoints, OfOtherArgumentsAreFoundWithinTheRun) {
  const auto found = breakpoints("abs(sin(3*t))", {0.1, 10});
  ASSERT_EQ(found.size(), 9U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], static_cast<double>(i + 1) * std::numbers::pi / 3, 1e-14);
  }
  // A window of 1e-7 s, which no grid would hit: t² − 8 t + 16 < 0.25e-14.
  const auto window = breakpoints("select((t - 4)^2 < 0.25e-14, 1, 0)", {0, 10});
  ASSERT_EQ(window.size(), 2U);
  EXPECT_NEAR(window[0], 4 - 0.5e-7, 1e-14);
  EXPECT_NEAR(window[1], 4 + 0.5e-7, 1e-14);
}

TEST(Breakpoints, AreFoundBetweenJumpsOfTheArgument) {
  // A sawtooth, t up to 1, t − 1 up to 2, t − 2 from there: below 0.3 at the beginning of each
  // tooth.
  const auto teeth =
      breakpoints("select(t - select(t < 1, 0, select(t < 2, 1, 2)) < 0.3, 1, 0)", {0, 3});
  const std::vector<double> expected = {0.3, 1, 1.3, 2, 2.3};
  ASSERT_EQ(teeth.size(), expected.size());
  for (std::size_t i = 0; i < teeth.size(); ++i) EXPECT_NEAR(teeth[i], expected[i], 1e-14);
  // The same by the cut of atan2.
  const auto angle = breakpoints("select(atan2(sin(t), cos(t)) < 1, 1, 0)", {0, 8});
  const double pi = std::numbers::pi;
  for (const double at : {1.0, pi, 1 + 2 * pi}) {
    EXPECT_TRUE(std::any_of(angle.begin(), angle.end(),
                            [&](double t) { return std::abs(t - at) < 1e-14; }));
  }
}

TEST(Breakpoints, OfManyPulsesAreAllFound) {
  // Each lasts 2 acos(0.99)/(100 π) s = 0.9 ms.
  const auto found = breakpoints("select(sin(2*pi*50*t) > 0.99, 1, 0)", {0, 1000});
  ASSERT_EQ(found.size(), 100'000U);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); i += 2) sum += found[i + 1] - found[i];
  EXPECT_NEAR(sum, 1000 * std::acos(0.99) / std::numbers::pi, 1e-7);  // rounding of 2 π 50 t
}

TEST(Breakpoints, DoNotEndWhereAnArgumentIsZeroForLong) {
  const auto found = breakpoints("max(0, max(0, t - 1)*sin(pi*t))", {0, 5.5});
  for (const double at : {2.0, 3.0, 4.0, 5.0}) {
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](double t) { return std::abs(t - at) < 1e-14; }));
  }
}

TEST(Breakpoints, AreWhereZerosOfRoundingEnd) {
  // The first numbers at which these are not 0: 2^-53 · 2, and where cos(t) is rounded to 1 −
  // 2^-53.
  const auto sign = breakpoints("sign(exp(t) - 1)", {0, 2});
  ASSERT_EQ(sign.size(), 1U);
  EXPECT_GT(std::exp(sign[0]), 1);
  EXPECT_EQ(std::exp(std::nextafter(sign[0], 0)), 1);
  const auto least = breakpoints("min(1, cos(t))", {0, 2});
  ASSERT_EQ(least.size(), 1U);
  EXPECT_LT(std::cos(least[0]), 1);
  EXPECT_EQ(std::cos(std::nextafter(least[0], 0)), 1);
  // sin(3 t) does so next to 0.
  EXPECT_EQ(breakpoints("sign(sin(3*t))", {0, 1}), std::vector<double>{0x1p-1074});
}

TEST(Breakpoints, HaveNoNeighbours) {
  EXPECT_EQ(breakpoints("sign(t - 1)", {}), std::vector<double>{1});
  EXPECT_EQ(breakpoints("min(t, 1) + select(t <= 1, 0, 1)", {}), std::vector<double>{1});
}

TEST(TimeFeatures, OfPulsesAndStepsLieAroundThem) {
  struct Case {
    const char* text;
    double at, width;
  };
  for (const Case& c :
       {Case{"exp(-((t - 5)/p)^2)", 5, 1e-3}, Case{"tanh((t - 3)/1e-4)", 3, 1e-4},
        Case{"1/(1 + exp(-(t - 7)/1e-5))", 7, 1e-5}, Case{"1/(1 + ((t - 2.5)/1e-4)^2)", 2.5, 1e-4},
        Case{"100*sin(t) + exp(-((t - 5)/1e-6)^2)", 5, 1e-6},
        Case{"exp(-(sin(t - 4)/1e-3)^2)*cos(t)", 4, 1e-3}}) {
    SCOPED_TRACE(c.text);
    const auto found = features(c.text, {0, 10});
    const auto near = [&](double t) {
      return std::any_of(found.begin(), found.end(),
                         [&](double x) { return std::abs(x - t) < 200 * c.width; });
    };
    EXPECT_TRUE(near(c.at));
    // One before, some within, one behind.
    EXPECT_GE(std::count_if(found.begin(), found.end(),
                            [&](double x) { return std::abs(x - c.at) < 3 * c.width; }),
              2);
    EXPECT_LT(found.size(), 150U);  // at most 50 for each of the pulses, of which there are up to 3
  }
}

TEST(TimeFeatures, AreNoneWhereFunctionsVaryAllOver) {
  for (const char* text : {"sin(t)", "sin(1000*t)", "t^3 - t", "exp(-t/5)*cos(20*t)",
                           "sqrt(1 + t^2)", "1/(2 + sin(3*t))", "sin(t^2)"}) {
    EXPECT_TRUE(features(text, {0, 10}).empty()) << text;
  }
}

}  // namespace
}  // namespace koppel
