// Functions of koppel/runtime in the place of libm's: accurate, with the special values of C99's
// Annex F, and the same on the tape, in generated and in compiled code. (In WebAssembly:
// wasm_test.cpp; on a card: export/expressions_test.cpp.)
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>

#include <tests/near.hpp>

namespace koppel {
namespace {

using koppel::testing::same_bits;
using Long = long double;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Op kFunctions[] = {Op::Exp,  Op::Log,  Op::Tan,  Op::Asin, Op::Acos, Op::Atan,
                             Op::Sinh, Op::Cosh, Op::Tanh, Op::Pow,  Op::Atan2};

// With 11 digits more.
Long exact(Op op, double a, double b) {
  const Long x = a, y = b;
  switch (op) {
    case Op::Exp: return std::exp(x);
    case Op::Log: return std::log(x);
    case Op::Tan: return std::tan(x);
    case Op::Asin: return std::asin(x);
    case Op::Acos: return std::acos(x);
    case Op::Atan: return std::atan(x);
    case Op::Sinh: return std::sinh(x);
    case Op::Cosh: return std::cosh(x);
    case Op::Tanh: return std::tanh(x);
    case Op::Pow: return std::pow(x, y);
    default: return std::atan2(x, y);
  }
}

double uniform(std::mt19937_64& random, double from, double to) {
  return from + (to - from) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

// In units of the last place, denormal numbers included; 0 where both overflow.
double error_of(double found, Long expected) {
  const double nearest = static_cast<double>(expected);
  if (std::isinf(nearest)) return std::isinf(found) && found * nearest > 0 ? 0 : kInfinity;
  const double size = std::abs(nearest);
  const double unit = std::nextafter(size, kInfinity) - size;
  return static_cast<double>(std::abs(static_cast<Long>(found) - expected) / unit);
}

struct Range {
  Op op;
  double from, to;  // of the first operand
  double second_from = 0, second_to = 0;
};

class Functions : public ::testing::TestWithParam<Range> {};
INSTANTIATE_TEST_SUITE_P(
    Ranges, Functions,
    ::testing::Values(
        Range{Op::Exp, -1, 1}, Range{Op::Exp, -709, 709.7}, Range{Op::Exp, -745.5, -708},
        Range{Op::Log, 0.5, 2}, Range{Op::Log, 0.999, 1.001}, Range{Op::Log, 0, 1e5},
        Range{Op::Tan, -1.6, 1.6}, Range{Op::Tan, -1e3, 1e3}, Range{Op::Tan, 1.5e6, 1.7e6},
        Range{Op::Tan, -1e22, 1e22}, Range{Op::Asin, -1, 1}, Range{Op::Asin, 0.999, 1},
        Range{Op::Acos, -1, 1}, Range{Op::Acos, 0.999, 1}, Range{Op::Acos, -1e-3, 1e-3},
        Range{Op::Atan, -1, 1}, Range{Op::Atan, -5, 5}, Range{Op::Atan, -1e3, 1e3},
        Range{Op::Sinh, -1, 1}, Range{Op::Sinh, -5, 5}, Range{Op::Sinh, -710.4, 710.4},
        Range{Op::Cosh, -1, 1}, Range{Op::Cosh, -5, 5}, Range{Op::Cosh, -710.4, 710.4},
        Range{Op::Tanh, -1, 1}, Range{Op::Tanh, -5, 5}, Range{Op::Tanh, -30, 30},
        Range{Op::Pow, 0, 2, -5, 5}, Range{Op::Pow, 0.99, 1.01, -7e4, 7e4},
        Range{Op::Pow, 0.7, 1.45, -2000, 2000}, Range{Op::Pow, 0, 100, -150, 150},
        Range{Op::Pow, 0, 1e4, 0.5, 0.5}, Range{Op::Pow, 0, 1e4, 1.5, 1.5},
        Range{Op::Atan2, -1, 1, -1, 1}, Range{Op::Atan2, -1e-3, 1e-3, -1, 1},
        Range{Op::Atan2, -1e200, 1e200, -1, 1}, Range{Op::Atan2, -1, 1, -1e-3, 1e-3}));

// The bound is that of the headers; what was measured stands in docs/data/performance.json.
TEST_P(Functions, AreWithinOneUnitOfTheLastPlace) {
  const Range& range = GetParam();
  NumberFunction* const f = own_function(range.op);
  std::mt19937_64 random(21);
  double worst = 0, at = 0, second = 0;
  for (int k = 0; k < 60000; ++k) {
    const double a = uniform(random, range.from, range.to),
                 b = uniform(random, range.second_from, range.second_to);
    const double error = error_of(f(a, b, 0), exact(range.op, a, b));
    if (!(error <= worst)) worst = error, at = a, second = b;
  }
  EXPECT_LT(worst, 1) << operation(range.op).name << " at " << at << ", " << second;
  RecordProperty("worst", std::to_string(worst));
}

// Numbers of all sizes, denormal ones included.
TEST(FunctionsOfAllSizes, AreWithinOneUnitOfTheLastPlace) {
  std::mt19937_64 random(22);
  for (const Op op : kFunctions) {
    NumberFunction* const f = own_function(op);
    double worst = 0, at = 0, second = 0;
    for (int k = 0; k < 60000; ++k) {
      const auto any = [&] {
        const int exponent = static_cast<int>(random() % 2098) - 1074;
        const double size = std::ldexp(uniform(random, 1, 2), exponent);
        return random() % 2 == 0 ? size : -size;
      };
      const double a = op == Op::Log || op == Op::Pow ? std::abs(any()) : any();
      const double b = op == Op::Pow ? uniform(random, -1.5, 1.5) : any();
      const Long expected = exact(op, a, b);
      const double found = f(a, b, 0);
      const double error =
          std::isnan(expected) ? (std::isnan(found) ? 0 : kInfinity) : error_of(found, expected);
      if (!(error <= worst)) worst = error, at = a, second = b;
    }
    EXPECT_LT(worst, 1) << operation(op).name << " at " << at << ", " << second;
  }
}

// Where libm's value is exact or has no digits to differ in: zeros with their signs, ones,
// infinities, NaN.
TEST(FunctionsAtEdges, AreThoseOfTheLibrary) {
  const double edges[] = {0.0,
                          -0.0,
                          1,
                          -1,
                          kInfinity,
                          -kInfinity,
                          std::nan(""),
                          2,
                          -2,
                          0.5,
                          -0.5,
                          3,
                          -3,
                          1e300,
                          -1e300,
                          1e-300,
                          710,
                          -746,
                          5e-324,
                          -5e-324,
                          1e16,
                          -1e16,
                          9007199254740991.0,
                          -9007199254740991.0,
                          9007199254740992.0,
                          4503599627370497.5,
                          1.5,
                          -1.5};
  for (const Op op : kFunctions) {
    for (const double a : edges) {
      for (const double b : edges) {
        const double expected = operation(op).value(a, b, 0), found = own_function(op)(a, b, 0);
        const bool is_special =
            expected == 0 || std::abs(expected) == 1 || !std::isfinite(expected);
        if (is_special) {
          EXPECT_TRUE(same_bits(found, expected)) << operation(op).name << " of " << a << ", " << b
                                                  << ": " << found << ", not " << expected;
        } else {
          EXPECT_LT(error_of(found, exact(op, a, b)), 1)
              << operation(op).name << " of " << a << ", " << b;
        }
      }
    }
  }
}

TEST(FunctionsAtEdges, PowersThatAreExactAre) {
  for (double x = 1; x < 100; ++x) {
    for (int n = 0; n < 8; ++n) {
      double product = 1;
      for (int i = 0; i < n; ++i) product *= x;
      if (product > 9007199254740992.0) continue;
      EXPECT_EQ(own_function(Op::Pow)(x, n, 0), product);
      EXPECT_EQ(own_function(Op::Pow)(-x, n, 0), n % 2 == 0 ? product : -product);
    }
    EXPECT_EQ(own_function(Op::Pow)(x * x, 0.5, 0), x);
  }
}

TEST(FunctionsInPrograms, AreTheSameInAllCode) {
  Graph graph;
  const auto [x, y] = graph.symbols("x", "y");
  const std::vector<Expr> in = {x, y},
                          out = {exp(x),  log(x),  tan(x),  asin(x),   acos(x),    atan(x),
                                 sinh(x), cosh(x), tanh(x), pow(x, y), atan2(x, y)};
  const Function tape(in, out, {.native = Native::Off, .fixed_cost = true}),
      generated(in, out, {.native = Native::Jit, .fixed_cost = true}),
      compiled(in, out, {.native = Native::Cc, .fixed_cost = true});
  ASSERT_TRUE(compiled.is_native()) << compiled.why_not_native();
  std::mt19937_64 random(23);
  for (int k = 0; k < 2000; ++k) {
    const std::vector<double> at = {uniform(random, -3, 3), uniform(random, -3, 3)};
    const std::vector<double> a = tape(at), b = generated(at), c = compiled(at);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(same_bits(a[i], own_function(kFunctions[i])(at[0], at[1], 0)));
      EXPECT_TRUE(same_bits(a[i], b[i]));
      EXPECT_TRUE(same_bits(a[i], c[i]));
    }
  }
}

// One call for both has the bits of two, whatever the angle.
TEST(LibraryTurn, HasTheBitsOfSineAndCosine) {
  std::mt19937_64 random(24);
  std::vector<double> angles = {0.0, -0.0, 5e-324, kInfinity, -kInfinity, std::nan("")};
  for (int k = 0; k < 200000; ++k) {
    angles.push_back(uniform(random, -10, 10));
    angles.push_back(std::ldexp(uniform(random, -1, 1), static_cast<int>(random() % 2098) - 1074));
  }
  std::size_t different = 0;
  for (const double x : angles) {
    const volatile double hidden = x;  // or the compiler makes one call of these two as well
    const double sine = std::sin(hidden), cosine = std::cos(hidden);
    double both[2];
    library_turn(x, both, both + 1);
    different += !same_bits(both[0], sine) || !same_bits(both[1], cosine);
  }
  EXPECT_EQ(different, 0u);
}

}  // namespace
}  // namespace koppel
