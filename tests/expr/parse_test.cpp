#include <koppel/expr/text/parse.hpp>

#include <ctime>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/graph.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

class Parse : public ::testing::Test {
 protected:
  // The whole text of the error, or nothing when the text parses.
  std::string error_of(std::string_view text) {
    return testing::error_of([&] { parse(graph, text, scope); });
  }

  Graph graph;
  Scope scope;
  Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("z");
};

TEST_F(Parse, NumbersAsOneWritesThem) {
  for (const auto& [text, value] : {std::pair{"1", 1.0},
                                    {".5", 0.5},
                                    {"2.", 2.0},
                                    {"2e-3", 2e-3},
                                    {"1.5E+2", 150.0},
                                    {"5e-324", 5e-324},
                                    {"0.1", 0.1},
                                    {"pi", std::numbers::pi},
                                    {"00012", 12.0}}) {
    EXPECT_TRUE(parse(graph, text).is_constant(value)) << text;
  }
}

TEST_F(Parse, PowersBindTighterThanSignsAndFromRightToLeft) {
  EXPECT_EQ(parse(graph, "-x^2"), -(x * x));
  EXPECT_EQ(parse(graph, "-2^2"), Expr(-4));
  EXPECT_EQ(parse(graph, "x^y^z"), pow(x, pow(y, z)));
  EXPECT_EQ(parse(graph, "x^-2"), pow(x, -2));
  EXPECT_EQ(parse(graph, "x^-y^z"), pow(x, -pow(y, z)));
  EXPECT_EQ(parse(graph, "x^-y*z"), pow(x, -y) * z);
  EXPECT_EQ(parse(graph, "2*x^3"), 2 * pow(x, 3));
}

TEST_F(Parse, SumsAndProductsGoFromLeftToRight) {
  EXPECT_EQ(parse(graph, "x - y - z"), (x - y) - z);
  EXPECT_EQ(parse(graph, "x / y * z"), (x / y) * z);
  EXPECT_EQ(parse(graph, "x / y / z"), (x / y) / z);
  EXPECT_EQ(parse(graph, "x / -y * z"), (x / -y) * z);
  EXPECT_EQ(parse(graph, "x + y * z"), x + (y * z));
  EXPECT_EQ(parse(graph, "(x + y) * z"), (x + y) * z);
  EXPECT_EQ(parse(graph, "-x - -y + +z"), (-x - -y) + z);
}

TEST_F(Parse, ComparisonsAreLoosest) {
  EXPECT_EQ(parse(graph, "x + 1 < y * z"), x + 1 < y * z);
  EXPECT_EQ(parse(graph, "x <= y"), x <= y);
  EXPECT_EQ(parse(graph, "x > y"), y < x);
  EXPECT_EQ(parse(graph, "x >= y"), y <= x);
  EXPECT_EQ(parse(graph, "x == y"), equal(x, y));
  EXPECT_EQ(parse(graph, "x != y"), 1 - equal(x, y));
  EXPECT_EQ(parse(graph, "select(x < 0, -x, x)"), select(x < 0, -x, x));
}

TEST_F(Parse, NamesHaveDotsIndicesAndQuotes) {
  const Expr q = graph.symbol("crane.q[2]''"), angle = graph.symbol("θ_1'");
  EXPECT_EQ(parse(graph, "2*crane.q[2]''+θ_1'"), 2 * q + angle);
  EXPECT_EQ(parse(graph, "x\n\t+\r\n y"), x + y);
}

TEST_F(Parse, TablesAreCalledLikeFunctions) {
  const double points[] = {0, 1, 2}, values[] = {0, 3, 1};
  const Table road = graph.add_table("road", TableData::spline(points, values));
  EXPECT_EQ(parse(graph, "road(x + 1)"), road(x + 1));
  EXPECT_EQ(parse(graph, "road''(x)"), road.derivative(x, 2));
  EXPECT_EQ(parse(graph, "road''''(x)"), Expr(0));
  EXPECT_TRUE(parse(graph, "road(1)").is_constant(3));
  EXPECT_EQ(error_of("road(x, y)"),
            "1:1: error[expr.argument-count]: road takes 1 argument, found 2.\n"
            "  road(x, y)\n"
            "  ^");
  EXPECT_EQ(error_of("2*road"),
            "1:3: error[expr.syntax]: 'road' is a table; its argument in parentheses is missing.\n"
            "  2*road\n"
            "    ^");
}

TEST_F(Parse, ScopeGivesNamesTheirMeaning) {
  scope.names = {{"mass", 2.5}, {"l", x + y}, {"z", 7}};
  EXPECT_EQ(parse(graph, "mass*l", scope), 2.5 * (x + y));
  EXPECT_EQ(parse(graph, "z", scope), Expr(7)) << "a name of the scope hides the symbol";
}

TEST_F(Parse, SymbolsAreMadeOnRequestOnly) {
  EXPECT_NE(error_of("w'"), "");
  EXPECT_EQ(graph.find_symbol("w'"), nullptr);
  scope.make_symbols = true;
  EXPECT_EQ(parse(graph, "w' + x", scope), graph.symbol("w'") + x);
}

TEST_F(Parse, ResultIsANodeOfTheGraph) {
  for (const char* text : {"1", "x - x", "1 + 1", "0*x", "sqrt(-1)", "log(0)", "sqrt(x-x-1)"}) {
    EXPECT_EQ(parse(graph, text).graph(), &graph) << text;
  }
}

TEST_F(Parse, UnknownNamesAreReportedTogetherWithSuggestions) {
  graph.symbol("theta");
  EXPECT_EQ(error_of("tehta + 1\n + sni(x) - tehta"),
            "1:1: error[expr.unknown-name]: unknown name 'tehta'.\n"
            "  tehta + 1\n"
            "  ^\n"
            "  Did you mean 'theta'?\n"
            "2:4: error[expr.unknown-name]: unknown function 'sni'.\n"
            "   + sni(x) - tehta\n"
            "     ^\n"
            "  Did you mean 'sin'?");
  EXPECT_EQ(error_of("x + velocity"),
            "1:5: error[expr.unknown-name]: unknown name 'velocity'.\n"
            "  x + velocity\n"
            "      ^\n"
            "  Known are x, y, z, theta, pi.");
}

TEST_F(Parse, SignsOfPrintedMathematicsAreExplained) {
  scope.make_symbols = true;
  EXPECT_EQ(error_of("θ·x"),
            "1:1: error[expr.unknown-name]: unknown name 'θ·x'.\n"
            "  θ·x\n"
            "  ^\n"
            "  '·' is taken for a letter; write *.");
}

TEST_F(Parse, ProductsAreNeverImplied) {
  EXPECT_EQ(error_of("2x"),
            "1:2: error[expr.syntax]: an operator is missing between '2' and 'x'.\n"
            "  2x\n"
            "   ^\n"
            "  Products are written with '*'.");
  EXPECT_EQ(error_of("x (y)"),
            "1:1: error[expr.unknown-name]: 'x' is not a function.\n"
            "  x (y)\n"
            "  ^\n"
            "  Products are written with '*'.");
  for (const char* text : {"x y", "(x)(y)", "(x) y", "2 (x)", "x 2", "1.2.3", "2pi"}) {
    EXPECT_NE(error_of(text).find("an operator is missing"), std::string::npos) << text;
  }
  EXPECT_NE(error_of("a > 1 and b > 0").find("write (a > 1)*(b > 0) for and"), std::string::npos);
}

TEST_F(Parse, ParenthesesMustMatch) {
  EXPECT_EQ(error_of("(x + sin((y + 1)"),
            "1:9: error[expr.syntax]: this '(' is never closed.\n"
            "  (x + sin((y + 1)\n"
            "          ^");
  EXPECT_EQ(error_of("x + y) + 1"),
            "1:6: error[expr.syntax]: this ')' closes nothing.\n"
            "  x + y) + 1\n"
            "       ^");
  EXPECT_EQ(error_of("(x, y)"),
            "1:3: error[expr.syntax]: this ',' is not between the arguments of a function.\n"
            "  (x, y)\n"
            "    ^\n"
            "  Decimals are written with a point.");
}

TEST_F(Parse, OperandsMustBeThere) {
  EXPECT_EQ(error_of("  "),
            "1:1: error[expr.syntax]: the expression is empty.\n"
            "    \n"
            "  ^");
  EXPECT_EQ(error_of("x +"),
            "1:4: error[expr.syntax]: expected a number, a name or '(', but the text ends.\n"
            "  x +\n"
            "     ^");
  EXPECT_EQ(error_of("x + * y"),
            "1:5: error[expr.syntax]: expected a number, a name or '(', but found '*'.\n"
            "  x + * y\n"
            "      ^");
  for (const char* text : {"()", "-", "min(,x)", "min(x,)", "x^", ",", ")", "*x", "sin(-)"}) {
    EXPECT_NE(error_of(text).find("expected a number"), std::string::npos) << text;
  }
}

TEST_F(Parse, ArgumentsAreCounted) {
  EXPECT_EQ(error_of("1 + atan2(x)"),
            "1:5: error[expr.argument-count]: atan2 takes 2 arguments, found 1.\n"
            "  1 + atan2(x)\n"
            "      ^");
  EXPECT_EQ(error_of("sin() + select(x, y)"),
            "1:1: error[expr.argument-count]: sin takes 1 argument, found 0.\n"
            "  sin() + select(x, y)\n"
            "  ^\n"
            "1:9: error[expr.argument-count]: select takes 3 arguments, found 2.\n"
            "  sin() + select(x, y)\n"
            "          ^");
  EXPECT_EQ(error_of("sin + 1"),
            "1:1: error[expr.syntax]: 'sin' is a function; its argument in parentheses is "
            "missing.\n"
            "  sin + 1\n"
            "  ^");
}

TEST_F(Parse, ComparisonsDoNotChain) {
  EXPECT_EQ(error_of("x < y < z"),
            "1:7: error[expr.syntax]: comparisons cannot be chained.\n"
            "  x < y < z\n"
            "        ^\n"
            "  Write select(a < b, b < c, 0) for 'a < b and b < c'.");
}

TEST_F(Parse, DivisionByTheNumberZeroIsRefused) {
  EXPECT_EQ(error_of("1 + x/(y - y)"),
            "1:7: error[expr.division-by-zero]: the divisor is zero.\n"
            "  1 + x/(y - y)\n"
            "        ^");
  EXPECT_EQ(error_of("x / 0"),
            "1:5: error[expr.division-by-zero]: the divisor is zero.\n"
            "  x / 0\n"
            "      ^");
  EXPECT_EQ(error_of("pow(0, -2)"),
            "1:5: error[expr.division-by-zero]: zero has no negative powers.\n"
            "  pow(0, -2)\n"
            "      ^");
}

TEST_F(Parse, NumbersMustBeInRange) {
  EXPECT_EQ(error_of("x + 1e999"),
            "1:5: error[expr.number-range]: the number '1e999' is out of range.\n"
            "  x + 1e999\n"
            "      ^\n"
            "  Numbers reach from 4.9e-324 to 1.8e308.");
  EXPECT_NE(error_of("1e-999"), "");
}

TEST_F(Parse, ForeignOperatorsAreExplained) {
  EXPECT_EQ(error_of("x ** 2"),
            "1:3: error[expr.syntax]: '**' has no meaning here.\n"
            "  x ** 2\n"
            "    ^\n"
            "  Write ^ for powers.");
  EXPECT_EQ(error_of("x = 2"),
            "1:3: error[expr.syntax]: '=' has no meaning here.\n"
            "  x = 2\n"
            "    ^\n"
            "  Write == to compare.");
  EXPECT_EQ(error_of("x[i]"),
            "1:2: error[expr.syntax]: '[' has no meaning here.\n"
            "  x[i]\n"
            "   ^\n"
            "  An index is a whole number after a name, as in q[3].");
}

TEST_F(Parse, TextMustBeUtf8WithoutControlCharacters) {
  EXPECT_EQ(error_of("x + \xFFy"),
            "1:5: error[expr.encoding]: byte 0xFF is not UTF-8.\n"
            "  x + \uFFFD\n"
            "      ^");
  EXPECT_EQ(error_of(std::string_view("θ\0", 3)),
            "1:2: error[expr.encoding]: byte 0x00 is a control character.\n"
            "  θ\uFFFD\n"
            "   ^");
  for (const char* text : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_NE(error_of(text).find("is not UTF-8"), std::string::npos);
  }
}

TEST_F(Parse, MistakesBeyondTwentyEndIt) {
  std::string text = "a_0";
  for (int i = 1; i < 100; ++i) text += " + a_" + std::to_string(i);
  try {
    parse(graph, text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().size(), 21u);
    EXPECT_EQ(error.diagnostics().back().message, "there are too many mistakes to go on.");
  }
}

TEST_F(Parse, SumOfTenMegabytesTakesLinearTime) {
  std::string text = "x";
  for (int i = 1; text.size() < 10'000'000; ++i) {
    text += " + " + std::to_string(i) + ".5*sin(x*y)^" + std::to_string(i % 7);
  }
  const std::clock_t start = std::clock();  // of the processor: the machine may be busy
  const Expr e = parse(graph, text);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(e.is(Op::Add));
  EXPECT_LT(seconds, 20) << "about 0.5 s when optimised; quadratic time would be hours";
}

TEST_F(Parse, TenMegabytesOfParenthesesAreJustAnError) {
  EXPECT_NE(error_of(std::string(10'000'000, '(')).find("the text ends"), std::string::npos);
  EXPECT_NE(error_of(std::string(10'000'000, ')')).find("found ')'"), std::string::npos);
}

}  // namespace
}  // namespace koppel
