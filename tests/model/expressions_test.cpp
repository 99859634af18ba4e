// What expressions of a model may say: units of angles, definitions, tables beyond their points.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

Model read(const std::string& text) { return read_model_text(text, "m.yaml"); }

std::string said_about(const std::string& text) {
  return testing::error_of([&] { read(text); }, "nothing");
}

// Of the first output, with these values of its symbols.
double output(const Model& m, const std::vector<std::pair<std::string, double>>& values) {
  std::vector<Expr> symbols;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) {
    symbols.push_back(m.graph->symbol(name));
    numbers.push_back(value);
  }
  const std::vector<Expr> wanted = {m.outputs[0].value};
  return Function(symbols, wanted)(numbers)[0];
}

TEST(AngleUnits, AreFactorsBehindAnyOperand) {
  const auto value = [](const std::string& text) {
    const Model m = read("parameters: {a: 2}\ncoordinates: [x]\nkinetic: x'^2/2\noutputs: {y: \"" +
                         text + "\"}\n");
    return output(m, {{"a", 2}, {"t", 3}, {"x", 5}});
  };
  constexpr double kDegree = std::numbers::pi / 180;
  EXPECT_EQ(value("sin(30 deg)"), std::sin(30 * kDegree));
  EXPECT_EQ(value("45 deg + 2*t"), 45 * kDegree + 6);
  EXPECT_EQ(value("(a + x) deg"), 7 * kDegree);
  EXPECT_EQ(value("x*2 deg"), 5 * (2 * kDegree));
  EXPECT_EQ(value("2 rad + a deg"), 2 + 2 * kDegree);
}

TEST(AngleUnits, ANameMayStillBeDeg) {
  const Model m =
      read("parameters: {deg: 7}\ncoordinates: [x]\nkinetic: x'^2/2\noutputs: {y: deg + 1}\n");
  EXPECT_EQ(output(m, {{"deg", 7}}), 8);
}

constexpr const char* kTwo = R"(
dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
  b: {mass: 1, inertia: 1, position: [2, 0]}
)";

TEST(Definitions, StandForTheirExpressionsInAnyOrder) {
  const Model m = read(std::string(kTwo) + R"(
parameters: {k: 3}
definitions: {pull: k*gap + gap', gap: b.x - a.x + t}
outputs: {pull: pull}
)");
  // gap' = b.x' − a.x' + 1.
  EXPECT_EQ(output(m, {{"k", 3}, {"t", 0.5}, {"a.x", 1}, {"b.x", 4}, {"a.x'", 0.25}, {"b.x'", 2}}),
            3 * 3.5 + 2.75);
}

TEST(Definitions, MistakesAreFoundWhereTheyStand) {
  EXPECT_EQ(said_about(std::string(kTwo) + "definitions: {p: q + 1, q: 2*p}\n"),
            "m.yaml:6:15: error[model.cyclic-definition]: definition 'p' is defined by itself.");
  EXPECT_EQ(said_about(std::string(kTwo) + "definitions: {p: c.x}\n"),
            "m.yaml:6:18: error[model.unknown-name]: unknown name 'c.x'.\n"
            "  known: a.angle, a.x, a.y, b.angle, b.x, b.y, p, pi, t. Did you mean 'a.x'?");
  EXPECT_EQ(
      said_about(std::string(kTwo) + "definitions: {p: a.x'}\nconstraints: {c: p - b.x}\n"),
      "m.yaml:7:18: error[model.name-not-allowed]: 'p' changes during the motion; rates may not "
      "stand here.");
}

TEST(Tables, BeyondTheirPointsAsTheModelSays) {
  const auto value = [](const std::string& outside, double x) {
    const Model m = read("tables: {f: {type: linear, x: [0, 1, 3], y: [1, 2, 6]" + outside +
                         "}}\ncoordinates: [x]\nkinetic: x'^2/2\noutputs: {y: f(x)}\n");
    return output(m, {{"x", x}});
  };
  for (const std::string outside :
       {"", ", outside: hold", ", outside: extrapolate", ", outside: error"}) {
    EXPECT_EQ(value(outside, 0), 1) << outside;
    EXPECT_EQ(value(outside, 2), 4) << outside;
    EXPECT_EQ(value(outside, 3), 6) << outside;
  }
  EXPECT_EQ(value("", 5), 6);
  EXPECT_EQ(value(", outside: hold", -1), 1);
  EXPECT_EQ(value(", outside: extrapolate", 5), 10);
  EXPECT_EQ(value(", outside: extrapolate", -1), 0);
  EXPECT_TRUE(std::isnan(value(", outside: error", 3.0001)));
  EXPECT_TRUE(std::isnan(value(", outside: error", -1e-9)));
}

}  // namespace
}  // namespace koppel
