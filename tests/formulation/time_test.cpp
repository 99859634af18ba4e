// Switches and short features of functions of time are found before a run.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

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
