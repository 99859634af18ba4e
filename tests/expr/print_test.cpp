#include <koppel/expr/text/print.hpp>

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

class Print : public ::testing::Test {
 protected:
  std::string latex(std::string_view text) {
    return to_latex(parse(graph, text, {.make_symbols = true}));
  }

  Graph graph;
  Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("z");
};

TEST_F(Print, ParenthesesAreFew) {
  // Each of these texts prints as itself.
  for (const char* text : {"x - 2",
                           "x + 2",
                           "1 - x",
                           "-2 - x",
                           "x + y + z",
                           "x - (y + z)",
                           "x - (y - z)",
                           "-(x + y)",
                           "-x * y",
                           "-x / y",
                           "-2 * x / y",
                           "-(2 * x / y)",
                           "-(-2 * x / y)",
                           "2 * x * y * z",
                           "2 * y * x^2",
                           "2 * (x / y)",
                           "x / (y * z)",
                           "x / -3",
                           "x / y * z",
                           "z * (x + y)",
                           "2 * x - 3 * y",
                           "x^2",
                           "-x^2",
                           "x * y^3",
                           "x^-2",
                           "x^-y",
                           "x^y^z",
                           "(x^y)^z",
                           "(x^2)^y",
                           "x^(-2 * y)",
                           "(-2)^x",
                           "2^x",
                           "-2^x",
                           "(x + y)^2",
                           "x^(y / z)",
                           "sin(x)^2",
                           "sqrt(x + y)",
                           "x < y",
                           "(x < y) + 1",
                           "(x < y) < z",
                           "x + 1 <= 2 * y",
                           "x == -2",
                           "select(x < y, x, -y)",
                           "atan2(x, y)",
                           "min(x, max(y, z))",
                           "pi * x",
                           "-pi * x / y",
                           "1e300 * (1e300 * x)",
                           "exp(-x^2 / (2 * y^2))"}) {
    EXPECT_EQ(to_text(parse(graph, text)), text);
  }
}

TEST_F(Print, CommutativeOperandsStandWhereTheyNeedNoParentheses) {
  EXPECT_EQ(to_text(x * (y * z)), "y * z * x");
  EXPECT_EQ(to_text(x + (y - z)), "y - z + x");
  EXPECT_EQ(to_text(x * (y / z)), "y / z * x");
}

TEST_F(Print, NumbersAreShortestThatReadBack) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},
      {1, "1"},
      {-2, "-2"},
      {0.1, "0.1"},
      {1.0 / 3, "0.3333333333333333"},
      {1e-3, "0.001"},
      {1e-5, "1e-5"},
      {2.5e-7, "2.5e-7"},
      {12345, "12345"},
      {1e22, "1e22"},
      {2.1e11, "2.1e11"},
      {-1e-300, "-1e-300"},
      {5e-324, "5e-324"},
      {9.80665, "9.80665"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e308"},
      {123456789012, "123456789012"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(to_text(value), text);
}

TEST_F(Print, NodesThatFoldingLeftAlone) {
  const Expr one = graph.constant(1), huge = graph.constant(1e308), nothing = graph.constant(0);
  EXPECT_EQ(to_text(one / 0), "1 / 0");
  EXPECT_EQ(to_text(log(nothing)), "log(0)");
  EXPECT_EQ(to_text(huge + huge), "1e308 + 1e308");
  EXPECT_EQ(to_text(graph.constant(-1e308) - huge), "-1e308 - 1e308");
  EXPECT_EQ(to_text(huge * huge), "1e308^2");
}

TEST_F(Print, TablesShowTheirDerivatives) {
  const double points[] = {0, 1, 2}, values[] = {0, 3, 1};
  const Table road = graph.add_table("road", TableData::spline(points, values));
  EXPECT_EQ(to_text(road.derivative(x + 1, 2)), "road''(x + 1)");
  EXPECT_EQ(to_latex(road.derivative(x, 1)), "\\mathrm{road}'\\left(x\\right)");
}

TEST_F(Print, StreamsWriteText) {
  std::ostringstream stream;
  stream << x + 1 << " and " << Expr(2);
  EXPECT_EQ(stream.str(), "x + 1 and 2");
}

TEST_F(Print, LatexNames) {
  EXPECT_EQ(latex("theta"), "\\theta");
  EXPECT_EQ(latex("θ"), "\\theta");
  EXPECT_EQ(latex("ω'"), "\\dot{\\omega}");
  EXPECT_EQ(latex("Omega"), "\\Omega");
  EXPECT_EQ(latex("q_1''"), "\\ddot{q}_{1}");
  EXPECT_EQ(latex("q12"), "q_{12}");
  EXPECT_EQ(latex("phi_cm[3]"), "\\phi_{\\mathrm{cm},3}");
  EXPECT_EQ(latex("x'''"), "x^{(3)}");
  EXPECT_EQ(latex("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex("crane.q[2]'"), "\\dot{\\mathrm{crane.q}}_{2}");
  EXPECT_EQ(latex("_x"), "\\mathrm{\\_x}");
  EXPECT_EQ(latex("ο"), "ο") << "LaTeX has no \\omicron";
}

TEST_F(Print, LatexNumbers) {
  EXPECT_EQ(latex("1e-5"), "10^{-5}");
  EXPECT_EQ(latex("-2.5e30*x"), "-2.5 \\cdot 10^{30}\\,x");
  EXPECT_EQ(latex("(1e-5)^x"), "{\\left(10^{-5}\\right)}^{x}");
  EXPECT_EQ(latex("2*3^x"), "2 \\cdot {3}^{x}");
  EXPECT_EQ(latex("pi*x"), "\\pi\\,x");
}

TEST_F(Print, LatexFormulas) {
  EXPECT_EQ(latex("(x + 1)/(2*y)"), "\\frac{x + 1}{2\\,y}");
  EXPECT_EQ(latex("(x/y)^3"), "{\\left(\\frac{x}{y}\\right)}^{3}");
  EXPECT_EQ(latex("x*(y + z)^2"), "x\\,{\\left(y + z\\right)}^{2}");
  EXPECT_EQ(latex("x*y*(x/z)"), "x\\,y\\,\\frac{x}{z}");
  EXPECT_EQ(latex("sqrt(1 - x^2)"), "\\sqrt{1 - {x}^{2}}");
  EXPECT_EQ(latex("x^(-2*y)"), "{x}^{-2\\,y}");
  EXPECT_EQ(latex("x < y"), "x < y");
  EXPECT_EQ(latex("z*(x <= y)"), "z\\,\\left[x \\le y\\right]");
  EXPECT_EQ(latex("select(x < y, 1, -x)"),
            "\\begin{cases} 1 & \\text{if } x < y \\\\ -x & \\text{otherwise} \\end{cases}");
}

TEST_F(Print, ExponentiallyLongTextIsRefused) {
  Expr e = x;
  for (int i = 0; i < 100; ++i) e = sin(e) * cos(e) + y;
  EXPECT_THROW(to_latex(e, 1000), Error);
  EXPECT_EQ(testing::error_of([&] { to_text(e, 1 << 20); }),
            "error[expr.text-too-long]: an expression is longer than 1048576 bytes as text.\n"
            "  A listing, which names common parts, is shorter.");
  const NamedExpr named[] = {{"e", e}};
  EXPECT_LT(to_listing(named).size(), 5000u);
}

TEST_F(Print, ListingNamesCommonParts) {
  const Expr s = sin(x) + y, shared = s * s;
  const NamedExpr named[] = {{"f", shared + 1}, {"g", cos(shared) / s}, {"h", -shared}};
  EXPECT_EQ(to_listing(named),
            "c1 = y + sin(x)\n"
            "c2 = c1^2\n"
            "f = c2 + 1\n"
            "g = cos(c2) / c1\n"
            "h = -c2\n");
  EXPECT_EQ(to_listing(named, {.notation = Notation::Latex, .prefix = "a"}),
            "\\begin{aligned}\n"
            "a_{1} &= y + \\sin\\left(x\\right) \\\\\n"
            "a_{2} &= {a_{1}}^{2} \\\\\n"
            "f &= a_{2} + 1 \\\\\n"
            "g &= \\frac{\\cos\\left(a_{2}\\right)}{a_{1}} \\\\\n"
            "h &= -a_{2}\n"
            "\\end{aligned}\n");
}

TEST_F(Print, ListingLeavesTrivialPartsAndTakenNames) {
  graph.symbol("c1");
  const Expr product = x * y;
  const NamedExpr named[] = {
      {"c2", -x + sin(-x * 2) + cos(product)}, {"g", exp(-product)}, {"five", 5}};
  EXPECT_EQ(to_listing(named),
            "c3 = x * y\n"
            "c2 = cos(c3) - (x + sin(2 * x))\n"
            "g = exp(-c3)\n"
            "five = 5\n");
}

TEST_F(Print, ListingOfSameExpressionTwice) {
  const NamedExpr named[] = {{"f", sin(x)}, {"g", sin(x)}};
  EXPECT_EQ(to_listing(named), "c1 = sin(x)\nf = c1\ng = c1\n");
  EXPECT_EQ(to_listing({}), "");
}

}  // namespace
}  // namespace koppel
