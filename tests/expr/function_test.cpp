#include <koppel/expr/code/function.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include <koppel/runtime/trig.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/code/lane_function.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>

#include <tests/expr/plain_evaluation.hpp>
#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using koppel::testing::evaluate_plainly;
using koppel::testing::kEps;
using koppel::testing::near;
using koppel::testing::random_expr;
using koppel::testing::same_bits;
using koppel::testing::uniform;

struct Setting : testing::RandomSetting {
  std::vector<Expr> random_outputs(std::mt19937_64& engine, int count, bool smooth = false) {
    std::vector<Expr> f;
    for (int n = 0; n < count; ++n) {
      f.push_back(
          random_expr(engine, x, {.size = 2 + n % 40, .smooth_only = smooth, .tables = tables}));
    }
    return f;
  }
};

TEST(Function, ReturnsTheValuesOfItsOutputs) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  const Function f({x, y}, {sqrt(x * x + y * y), atan2(y, x), x, 7});
  EXPECT_EQ(f.num_inputs(), 2u);
  EXPECT_EQ(f.num_outputs(), 4u);
  EXPECT_FALSE(f.is_native());
  EXPECT_EQ(f.why_not_native(), "");
  EXPECT_EQ(f({3, 4}), (std::vector<double>{5, std::atan2(4, 3), 3, 7}));
}

TEST(Function, NeedsNoGraphOnceMade) {
  const auto make = [] {
    Graph graph;
    const Expr x = graph.symbol("x");
    const Table table = graph.add_table("t", TableData::linear(Setting::kAt, Setting::kOf));
    return Function({x}, {table(x) + x});
  };
  const Function f = make();
  EXPECT_EQ(f({0.5}), (std::vector<double>{0.625 + 0.5}));
}

TEST(Function, MayHaveNoInputsOrNoOutputs) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(Function({}, {2, graph.constant(3)})({}), (std::vector<double>{2, 3}));
  EXPECT_TRUE(Function({x}, {})({1}).empty());
  EXPECT_TRUE(Function({}, {})({}).empty());
}

TEST(Function, TapeAgreesBitForBitWithPlainEvaluationOnRandomExpressions) {
  std::mt19937_64 engine(101);
  Setting setting;
  const std::vector<Expr> f = setting.random_outputs(engine, 3000);
  const Function function(setting.x, f);
  for (const auto& in : {std::array{0.3, -1.2, 2.5}, std::array{-0.9, 0.0, 1e3}}) {
    const std::vector<double> out = function(in);
    for (std::size_t j = 0; j < f.size(); ++j) {
      const double expected = evaluate_plainly(f[j], setting.x, in);
      ASSERT_TRUE(same_bits(out[j], expected)) << j << ": " << out[j] << " and " << expected;
    }
  }
}

TEST(Function, IntegerPowersAreProductsOfFewFactors) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(Function({x}, {pow(x, 5)}).num_instructions(), 3u);
  EXPECT_EQ(Function({x}, {pow(x, 64)}).num_instructions(), 6u);
  EXPECT_EQ(Function({x}, {pow(x, 8), pow(x, 4), x * x}).num_instructions(), 3u);
  EXPECT_EQ(Function({x}, {pow(x, 65)}).num_instructions(), 1u);
  for (const int n : {-64, -7, -3, 3, 7, 31, 63, 64, 65}) {
    for (const double at : {-1.7, -0.4, 0.9, 1.3}) {
      EXPECT_TRUE(
          near(Function({x}, {pow(x, n)})({at})[0], std::pow(at, n),
               {.relative = 64 * kEps, .because = "at most 63 factors of half an ulp each"}))
          << at << "^" << n;
    }
  }
}

int num_quotients(const Function& function) {
  int count = 0;
  for (const Instruction& i : function.program().code) count += i.op == Op::Div ? 1 : 0;
  return count;
}

TEST(ShareReciprocals, LeavesOneDivisionForManyQuotientsWithOneDivisor) {
  Graph graph;
  const auto [x, y, z] = graph.symbols("x", "y", "z");
  const Expr d = x + y * y;
  // Three and more, a reciprocal itself and its negative, inside of others; two are left alone.
  const std::vector<Expr> f = {x / d, sin(y / d), 1 / d,   -1 / d, (x / d - z) / y,
                               z / y, x * y,      Expr(3), z};
  const std::vector<Expr> shared = share_reciprocals(f);
  const std::vector<Expr> inputs = {x, y, z};
  const Function before(inputs, f), after(inputs, shared);
  EXPECT_EQ(num_quotients(before), 6);
  EXPECT_EQ(num_quotients(after), 3);
  const std::vector<double> a = before({0.3, -1.7, 2.9}), b = after({0.3, -1.7, 2.9});
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_TRUE(near(a[i], b[i], {.relative = 4 * kEps, .because = "one rounding more"})) << i;
  }
  for (const std::size_t same : {5u, 6u, 7u, 8u}) EXPECT_EQ(f[same], shared[same]);
}

TEST(ShareReciprocals, ChangesRandomExpressionsByRoundingOnly) {
  std::mt19937_64 engine(11);
  int changed = 0;
  for (int k = 0; k < 2000; ++k) {
    Setting setting;
    std::vector<Expr> f;
    // Quotients by what occurs anyway, so that there is something to share.
    const Expr d = random_expr(engine, setting.x, {.size = 10, .smooth_only = true});
    for (int i = 0; i < 4; ++i) {
      f.push_back(random_expr(engine, setting.x, {.size = 10, .smooth_only = true}) / d);
    }
    const std::vector<Expr> shared = share_reciprocals(f);
    changed += shared != f ? 1 : 0;
    const double in[] = {uniform(engine, -3, 3), uniform(engine, -3, 3), uniform(engine, -3, 3)};
    const std::vector<double> a = Function(setting.x, f)(in), b = Function(setting.x, shared)(in);
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (!std::isfinite(a[i])) continue;
      EXPECT_TRUE(near(a[i], b[i], {.relative = 1e-9, .scale = 1e-9, .because = "cancellation"}));
    }
  }
  EXPECT_GT(changed, 1000);
}

TEST(Function, SlotsAreReused) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  Expr sum = 0, chain = x;
  for (int i = 1; i <= 1000; ++i) {
    sum += sin(chain * y) * cos(x);
    chain = sin(chain);
  }
  const Function f({x, y}, {sum});
  EXPECT_GE(f.num_instructions(), 4000u - 10);
  EXPECT_LE(f.num_slots(), f.program().num_leaves() + 5);
}

TEST(Function, SharedPartsAreComputedOnce) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr s = sin(x);
  EXPECT_EQ(Function({x}, {s, s + 1, exp(s)}).num_instructions(), 3u);
}

TEST(Function, BatchAgreesBitForBitWithOnePointAtATime) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kEdges[] = {
      0.0,    -0.0, 1e-310,    -5e-324,    1e308,
      -1e308, 1e22, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  for (const char* lanes : {"off", "1", "4", "8"}) {
    const std::string policy = lanes == std::string("off") ? "off" : "auto";
    const koppel::testing::ScopedEnvironment scoped("KOPPEL_NATIVE", policy.c_str()),
        width("KOPPEL_LANES", policy == "off" ? "1" : lanes);
    std::mt19937_64 engine(102);
    Setting setting;
    const Function f(setting.x, setting.random_outputs(engine, 300));
    ASSERT_EQ(f.is_machine_code(), policy == "auto");
    Workspace one = f.make_workspace(), many = f.make_batch_workspace();
    for (const std::size_t count : {0, 1, 2, 63, 64, 65, 129, 500}) {
      std::vector<double> in(3 * count), out(f.num_outputs() * count);
      for (double& value : in) {
        value = engine() % 4 > 0 ? uniform(engine, -3, 3) : kEdges[engine() % std::size(kEdges)];
      }
      f.evaluate_batch(in, out, count, many);
      std::vector<double> expected(f.num_outputs());
      for (std::size_t p = 0; p < count; ++p) {
        const double point[] = {in[p], in[count + p], in[2 * count + p]};
        f.evaluate(point, expected, one);
        for (std::size_t j = 0; j < expected.size(); ++j) {
          ASSERT_TRUE(same_bits(out[j * count + p], expected[j]))
              << "output " << j << " at point " << p << " of " << count << ", " << lanes;
        }
      }
    }
  }
}

void expect_bits_of_runtime(std::span<const Expr> x, std::span<const Expr> out, const char* width) {
  constexpr double kFar[] = {0.0,
                             -0.0,
                             5e-324,
                             1.6e6,
                             -1.6e6,
                             1599999.9,
                             1e22,
                             1e300,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  const CompileOptions options{.fixed_cost = true};
  const koppel::testing::ScopedEnvironment most("KOPPEL_LANES", width);
  const Function code(x, out, options);
  ASSERT_TRUE(code.is_machine_code());
  const koppel::testing::ScopedEnvironment policy("KOPPEL_NATIVE", "off");
  const Function tape(x, out, options);
  std::mt19937_64 engine(104);
  constexpr std::size_t kCount = 402;
  std::vector<double> in(x.size() * kCount), lanes(out.size() * kCount), point(x.size());
  for (double& value : in) {
    value = engine() % 12 > 0 ? uniform(engine, -20, 20) : kFar[engine() % std::size(kFar)];
  }
  Workspace work = code.make_batch_workspace();
  code.evaluate_batch(in, lanes, kCount, work);
  for (std::size_t p = 0; p < kCount; ++p) {
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = in[i * kCount + p];
    const std::vector<double> a = tape(point), b = code(point);
    ASSERT_TRUE(same_bits(a[0], koppel_sin(point[0]))) << point[0];
    for (std::size_t j = 0; j < a.size(); ++j) {
      ASSERT_TRUE(same_bits(a[j], b[j])) << "output " << j << " at point " << p;
      ASSERT_TRUE(same_bits(a[j], lanes[j * kCount + p])) << "output " << j << " at point " << p;
    }
  }
}

// Sines and cosines, alone and in pairs, among values that are kept in registers across them.
TEST(Function, SinesOfFixedCostHaveTheBitsOfTheRuntimeInEveryCode) {
  Graph graph;
  std::vector<Expr> x, out;
  for (int i = 0; i < 9; ++i) x.push_back(graph.symbol("x" + std::to_string(i)));
  Expr sum = 0, late = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Expr angle = x[i] + sum;
    late = angle * (late + x[(i + 1) % 9] * x[(i + 2) % 9]);
    out.push_back(i % 3 == 0 ? sin(angle) : cos(angle));
    if (i % 3 == 2) out.push_back(sin(angle));
    sum += out.back() * x[(i + 4) % 9] + x[0];
  }
  for (const Expr& e : x) late += sin(e * x[3]) * cos(e + x[5]);
  out.insert(out.end(), {sum, late});
  for (const char* width : {"1", "4", "8"}) expect_bits_of_runtime(x, out, width);
}

// What is evaluated side by side has equally many lanes, though there be code for one of them only.
TEST(LaneFunction, HasTheLanesOfAnotherAndItsBitsWithCodeOrWithout) {
  Graph graph;
  const auto x = graph.symbols("x", "y");
  const Expr f[] = {sin(x[0]) * x[1] + 1, x[0] / (x[1] + 3), Expr(2), x[0]};
  const Program program = lower(x, f, true);
  for (const std::size_t lanes : {1u, 4u, 8u, 64u}) {
    for (const Native native : {Native::Auto, Native::Off}) {
      const LaneFunction g(program, native, lanes);
      ASSERT_EQ(g.lanes(), lanes);
      std::vector<double> in(2 * lanes), out(4 * lanes), work = g.make_work();
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.1 * static_cast<double>(i) - 1;
      for (int n = 0; n < 2; ++n) g.evaluate(in.data(), out.data(), work.data());
      const Function one(x, f, {.native = Native::Off, .fixed_cost = true});
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::vector<double> expected = one({in[lane], in[lanes + lane]});
        for (std::size_t j = 0; j < 4; ++j) {
          EXPECT_TRUE(same_bits(out[j * lanes + lane], expected[j])) << lanes << ' ' << lane;
        }
      }
    }
  }
}

TEST(Function, TakesAsManyLanesAsTheProcessorHasAndTheEnvironmentAllows) {
  Graph graph;
  const auto x = graph.symbols("x", "y");
  const Expr f[] = {x[0] * x[1] + 1, x[0] - x[1]};  // too short for code at one point
  for (const char* lanes : {"1", "4", "8"}) {
    const koppel::testing::ScopedEnvironment width("KOPPEL_LANES", lanes);
    const Function function(x, f);
    const auto most = static_cast<std::size_t>(MachineCode::most_lanes());
    EXPECT_LE(most, std::stoul(lanes));
#ifdef __x86_64__
    const std::size_t has = __builtin_cpu_supports("avx512dq") ? 8
                            : __builtin_cpu_supports("avx2")   ? 4
                                                               : 1;
    EXPECT_EQ(most, std::min<std::size_t>(has, std::stoul(lanes)));
#endif
    EXPECT_EQ(LaneFunction(function.program()).lanes(), most);
    std::vector<double> in = {1, 2, 3, 4, 5, 6}, out(6);
    Workspace work = function.make_batch_workspace();
    function.evaluate_batch(in, out, 3, work);
    EXPECT_EQ(out, (std::vector<double>{5, 11, 19, -3, -3, -3}));
  }
  const koppel::testing::ScopedEnvironment width("KOPPEL_LANES", "3");
  EXPECT_EQ(testing::message_of([&] { Function(x, f).make_batch_workspace(); }),
            "KOPPEL_LANES is '3'; it can be 1, 4 or 8.");
}

TEST(Function, ThreadsMayShareOneFunction) {
  std::mt19937_64 engine(103);
  Setting setting;
  const Function f(setting.x, setting.random_outputs(engine, 50));
  std::vector<std::vector<double>> points, expected;
  for (int p = 0; p < 200; ++p) {
    points.push_back({uniform(engine, -2, 2), uniform(engine, -2, 2), uniform(engine, -2, 2)});
    expected.push_back(f(points.back()));
  }
  constexpr int kThreads = 4;
  std::array<int, kThreads> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Workspace work = f.make_workspace();
      std::vector<double> out(f.num_outputs());
      for (std::size_t n = 0; n < 5 * points.size(); ++n) {
        const std::size_t p = (n + 37 * t) % points.size();
        f.evaluate(points[p], out, work);
        for (std::size_t j = 0; j < out.size(); ++j) {
          if (!same_bits(out[j], expected[p][j])) ++wrong[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, kThreads>{}));
}

TEST(Function, AMillionOperationsDeepIsNoProblem) {
  Graph graph;
  const Expr x = graph.symbol("x");
  Expr f = x;
  double expected = 0.5;
  for (int i = 0; i < 500000; ++i) {
    f = sin(f) + x;
    expected = 0.5 + std::sin(expected);
  }
  EXPECT_EQ(Function({x}, {f})({0.5})[0], expected);
}

// The text of the Error that making a function throws.
std::string error_of(std::initializer_list<Expr> inputs, std::initializer_list<Expr> outputs) {
  return testing::error_of([&] { const Function f(inputs, outputs); }, "no error");
}

TEST(Function, UnboundSymbolsAreNamedTogether) {
  Graph graph;
  auto [x, m, k] = graph.symbols("x", "m", "k");
  EXPECT_EQ(error_of({x}, {k * x / m, sin(m)}),
            "error[expr.unbound-symbol]: a function depends on symbols that are not among its "
            "inputs: m, k.\n"
            "  Add them to the inputs, or substitute values for them.");
}

TEST(Function, InputsMustBeDistinctSymbols) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_EQ(error_of({x, y, x, x}, {x}),
            "error[expr.bad-input]: 'x' is an input of a function twice.");
  EXPECT_EQ(error_of({x + y}, {1}),
            "error[expr.bad-input]: an input of a function is not a symbol.");
}

TEST(Function, AllMistakesAreReportedAtOnce) {
  Graph graph;
  auto [x, y] = graph.symbols("x", "y");
  EXPECT_EQ(error_of({x, x, Expr(2)}, {y}),
            "error[expr.bad-input]: 'x' is an input of a function twice.\n"
            "error[expr.bad-input]: an input of a function is not a symbol.\n"
            "error[expr.unbound-symbol]: a function depends on symbols that are not among its "
            "inputs: y.\n"
            "  Add them to the inputs, or substitute values for them.");
}

TEST(Function, ExpressionsOfTwoGraphsCannotBeOutputsOfOneFunction) {
  Graph first, second;
  const Expr x = first.symbol("x"), y = second.symbol("y");
  EXPECT_THROW(Function({x, y}, {x, y}), Error);
}

std::string diagnosis(Expr input, Expr f, double at) {
  return Function({input}, {f}).diagnose({&at, 1}).value_or("all is well");
}

TEST(Diagnose, NamesTheOperationThatLeftItsDomain) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(diagnosis(x, sin(1 / (x - 1)) + 2, 1),
            "'1 / (x - 1)' leaves its domain: the divisor must not be zero; operands: 1 and 0.");
  EXPECT_EQ(diagnosis(x, sqrt(x - 2), 1),
            "'sqrt(x - 2)' leaves its domain: the operand must not be negative; operands: -1.");
  EXPECT_EQ(diagnosis(x, log(x), 0),
            "'log(x)' leaves its domain: the operand must be positive; operands: 0.");
  EXPECT_EQ(diagnosis(x, asin(x), 2),
            "'asin(x)' leaves its domain: the operand must lie in [-1, 1]; operands: 2.");
  EXPECT_EQ(diagnosis(x, acos(2 * x), 0.75),
            "'acos(2 * x)' leaves its domain: the operand must lie in [-1, 1]; operands: 1.5.");
  EXPECT_EQ(diagnosis(x, pow(x, 1.5), -4),
            "'x^1.5' leaves its domain: a negative base needs an integer exponent, and a zero base "
            "one that is not negative; operands: -4 and 1.5.");
}

TEST(Diagnose, NamesTheOperationThatOverflows) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(diagnosis(x, exp(x), 1000), "'exp(x)' overflows: its value is inf.");
  EXPECT_EQ(diagnosis(x, x - exp(x) * exp(x), 500), "'exp(x)^2' overflows: its value is inf.");
  EXPECT_EQ(diagnosis(x, -sinh(x), 1000), "'sinh(x)' overflows: its value is inf.");
}

TEST(Diagnose, NamesAnInputThatIsNotANumber) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(diagnosis(x, 1 + x, std::numeric_limits<double>::quiet_NaN()), "input 'x' is nan.");
  EXPECT_EQ(diagnosis(x, 1 + x, -std::numeric_limits<double>::infinity()), "input 'x' is -inf.");
}

TEST(Diagnose, SaysNothingWhereAllValuesAreFinite) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(diagnosis(x, sqrt(x) / (x - 1), 4), "all is well");
}

TEST(Diagnose, ShortensWhatLiesDeep) {
  Graph graph;
  const Expr x = graph.symbol("x");
  Expr f = x;
  for (int i = 0; i < 20; ++i) f = sin(f) + x;
  EXPECT_EQ(diagnosis(x, log(f - 1000), 1),
            "'log(x + sin(x + …) - 1000)' leaves its domain: the operand must be positive; "
            "operands: -998.065436788999.");
}

TEST(Diagnose, AgreesWithEvaluationOnRandomExpressions) {
  std::mt19937_64 engine(104);
  Setting setting;
  int bad = 0;
  for (const Expr& f : setting.random_outputs(engine, 2000)) {
    const Function function(setting.x, {&f, 1});
    const double in[] = {uniform(engine, -3, 3), uniform(engine, -3, 3), uniform(engine, -3, 3)};
    if (std::isfinite(function(in)[0])) continue;
    ++bad;
    const auto text = function.diagnose(in);
    ASSERT_TRUE(text.has_value());
    EXPECT_NE(text->find(text->find("overflows") != std::string::npos ? "value is" : "operands: "),
              std::string::npos)
        << *text;
  }
  EXPECT_GT(bad, 100);
}

}  // namespace
}  // namespace koppel
