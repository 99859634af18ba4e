// Machine code and compiled C compute what the tape computes, to the last bit.
#include <koppel/expr/code/native.hpp>

#include <chrono>
#include <fstream>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/code_pages.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/emit_c_series.hpp>
#include <koppel/expr/series/series_program.hpp>
#include <koppel/expr/text/print.hpp>

#include <tests/expr/random_expr.hpp>
#include <tests/near.hpp>
#include <tests/temporary_folder.hpp>

namespace koppel {
namespace {

using koppel::testing::random_expr;
using koppel::testing::same_bits;
using koppel::testing::ScopedEnvironment;
using koppel::testing::TemporaryCache;
using koppel::testing::uniform;
using Setting = koppel::testing::RandomSetting;

Function interpreted(std::span<const Expr> inputs, std::span<const Expr> f) {
  const ScopedEnvironment policy("KOPPEL_NATIVE", "off");
  return Function(inputs, f);
}

// The values that branches, signs and roundings turn on.
double edge(std::mt19937_64& engine) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0,    -0.0,    1,     -1,       kInfinity, -kInfinity,
                           5e-324, -1e-310, 1e308, -1.7e308, 1.6e6,     std::nan("")};
  return values[engine() % std::size(values)];
}

// Compares machine code, compiled C and the tape at random points and at edges; returns how many
// outputs of the tape were not finite at the random points.
int expect_parity(std::span<const Expr> inputs, std::span<const Expr> f, std::mt19937_64& engine) {
  const Function tape = interpreted(inputs, f), machine(inputs, f),
                 native(inputs, f, {.native = Native::Cc});
  EXPECT_FALSE(tape.is_machine_code());
  EXPECT_TRUE(machine.is_machine_code());
  EXPECT_TRUE(native.is_native()) << native.why_not_native();
  int not_finite = 0;
  for (int n = 0; n < 60; ++n) {
    const bool at_edge = n >= 20;
    std::vector<double> in;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(at_edge ? edge(engine) : n == 0 ? 0 : n == 1 ? 1 : uniform(engine, -3, 3));
    }
    const std::vector<double> a = tape(in), b = native(in), c = machine(in);
    for (std::size_t j = 0; j < a.size(); ++j) {
      EXPECT_TRUE(same_bits(a[j], b[j])) << a[j] << " and " << b[j] << " of " << f[j];
      EXPECT_TRUE(same_bits(a[j], c[j])) << a[j] << " and " << c[j] << " of " << f[j];
      if (!at_edge && !std::isfinite(a[j])) ++not_finite;
    }
  }
  return not_finite;
}

TEST(Native, AgreesWithTheTapeBitForBitOnRandomSmoothFunctions) {
  const TemporaryCache cache;
  std::mt19937_64 engine(201);
  for (int batch = 0; batch < 2; ++batch) {
    Setting setting;
    const std::vector<Expr> f = setting.random_outputs(engine, 150, 20, true);
    EXPECT_EQ(expect_parity(setting.x, f, engine), 0);
  }
}

TEST(Native, AgreesWithTheTapeBitForBitOnAllOperationsAndOutsideTheirDomains) {
  const TemporaryCache cache;
  std::mt19937_64 engine(202);
  for (int batch = 0; batch < 2; ++batch) {
    Setting setting;
    const std::vector<Expr> f = setting.random_outputs(engine, 200, 12, false);
    EXPECT_GT(expect_parity(setting.x, f, engine), 0);
  }
}

TEST(Native, AgreesWithTheTapeOnGradients) {
  const TemporaryCache cache;
  std::mt19937_64 engine(203);
  Setting setting;
  std::vector<Expr> f;
  for (const Expr& e : setting.random_outputs(engine, 40, 25, true)) {
    for (const Expr& g : gradient(e, setting.x)) f.push_back(g);
  }
  expect_parity(setting.x, f, engine);
}

TEST(Native, EveryOperationOccursInTheParityTests) {
  std::mt19937_64 engine(202);
  Setting setting;
  std::array<bool, kNumOps> seen{};
  const Function function(setting.x, setting.random_outputs(engine, 200, 12, false));
  for (const Instruction& i : function.program().code) seen[static_cast<std::size_t>(i.op)] = true;
  for (const Operation& entry : operations::kTable) {
    EXPECT_TRUE(entry.arity == 0 || seen[static_cast<std::size_t>(entry.op)]) << entry.name;
  }
}

TEST(Native, LongFunctionsAreSplit) {
  const TemporaryCache cache;
  std::mt19937_64 engine(204);
  Graph graph;
  const auto x = graph.symbols("x", "y");
  // Values from early on are used at the end, so that they must survive from part to part.
  std::vector<Expr> early;
  Expr f = x[0];
  for (int i = 0; i < 1500; ++i) {
    f = sin(f) + x[1];
    early.push_back(f);
  }
  for (int i = 0; i < 1500; ++i) f = cos(f) * early[static_cast<std::size_t>(1499 - i)];
  const Expr outputs[] = {f, early[3], x[0], 2, early[1200]};
  const Function function(x, outputs);
  ASSERT_GT(function.num_instructions(), 5000u);
  const CCode code = emit_c(function.program(), "f");
  EXPECT_NE(code.source.find("static void f_12("), std::string::npos);
  EXPECT_LE(code.work_size, 1500u);
  expect_parity(x, outputs, engine);
}

// More values are alive at once than there are registers, and calls come between.
TEST(Native, MachineCodeKeepsValuesThatDoNotFitIntoRegisters) {
  const TemporaryCache cache;
  std::mt19937_64 engine(206);
  Graph graph;
  const auto x = graph.symbols("x", "y");
  std::vector<Expr> alive = {x[0], x[1]};
  for (int i = 0; i < 3000; ++i) {
    const Expr a = alive[engine() % alive.size()], b = alive[engine() % alive.size()];
    switch (engine() % 7) {
      case 0: alive.push_back(a * b * 0.4); break;
      case 1: alive.push_back(select(a < b, a - b, b * b * 0.3)); break;
      case 2: alive.push_back(sin(a) - abs(b)); break;
      case 3: alive.push_back(min(a, b) / (2 + b * b)); break;
      case 4: alive.push_back(sqrt(1 + a * a) - max(-a, b)); break;
      default: alive.push_back(0.5 * (a - b)); break;
    }
    if (alive.size() > 60) alive.erase(alive.begin() + static_cast<long>(engine() % 30));
  }
  alive.push_back(alive[7]);  // an output twice
  expect_parity(x, alive, engine);
}

TEST(Native, MachineCodeIsGeneratedInTimeLinearInTheOperations) {
  Graph graph;
  const auto x = graph.symbols("x", "y");
  const auto seconds = [&](int operations) {
    std::vector<Expr> f = {x[0], x[1]};
    for (int i = 0; i < operations; ++i) {
      f.push_back(f[f.size() - 1] * (i + 1) - f[f.size() - 2]);
    }
    const Program program = lower(x, std::span(f).last(3));
    double best = 1e9;
    for (int n = 0; n < 5; ++n) {
      const auto before = std::chrono::steady_clock::now();
      const auto code = MachineCode::generate(program);
      const auto after = std::chrono::steady_clock::now();
      EXPECT_NE(code, nullptr);
      best = std::min(best, std::chrono::duration<double>(after - before).count());
    }
    return best / static_cast<double>(program.code.size());
  };
  EXPECT_LT(seconds(200'000), 4 * seconds(20'000));  // caches end in between; quadratic would be 10
}

#ifdef __linux__
// Mappings that are executable and of no file.
int num_code_pages() {
  int count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    count += line.find("r-xp 00000000 00:00 0") != line.npos && line.back() != ']';
    EXPECT_EQ(line.find("rwx"), line.npos) << line;
  }
  return count;
}

TEST(Native, FunctionsThatDifferInNumbersOnlyRunTheSameCode) {
  Graph graph;
  const auto x = graph.symbols("x", "y");
  const auto value = [&](double number) {
    const Expr f = sin(x[0] * number) + x[1] / (number + 3);
    const Program program = lower(x, std::span(&f, 1));
    const auto code = MachineCode::generate(program);
    EXPECT_NE(code, nullptr);
    std::vector<double> work(code->work_size());
    double out = 0;
    code->run(std::array{0.5, 2.0}.data(), &out, work.data());
    return out;
  };
  value(1.5);
  const int before = num_code_pages();
  for (const double number : {2.5, 7.25, -0.125}) {
    EXPECT_EQ(value(number), std::sin(0.5 * number) + 2 / (number + 3));
  }
  EXPECT_EQ(num_code_pages(), before);
}
#endif

TEST(Native, CodeOfTheSameBytesIsAtOnePlaceHoweverMuchComesBetween) {
  const auto piece = [](unsigned number) {  // mov eax, number; ret
    std::array<std::byte, 6> code{std::byte{0xB8}};
    for (unsigned i = 0; i < 4; ++i) code[i + 1] = static_cast<std::byte>(number >> (8 * i));
    code[5] = std::byte{0xC3};
    return code;
  };
  const auto first = CodePages::with(piece(0)), again = CodePages::with(piece(0));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first, again);
  std::vector<std::shared_ptr<const CodePages>> others;
  for (unsigned i = 1; i < 1000; ++i) others.push_back(CodePages::with(piece(i)));
  for (unsigned i = 1; i < 1000; ++i) {  // also of those that are no longer kept for others
    const auto code = piece(i);
    EXPECT_TRUE(std::equal(code.begin(), code.end(), others[i - 1]->begin()));
  }
  EXPECT_NE(CodePages::with(piece(0)), others.back());
}

TEST(Native, MayHaveNoInputsOrNoOutputs) {
  const TemporaryCache cache;
  Graph graph;
  const Expr x = graph.symbol("x");
  const Function constant({}, {2, graph.constant(-3), graph.constant(1) / 0},
                          {.native = Native::Cc});
  ASSERT_TRUE(constant.is_native()) << constant.why_not_native();
  EXPECT_EQ(constant({}), (std::vector<double>{2, -3, std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(Function({x}, {}, {.native = Native::Cc})({1}).empty());
}

// Everything: operations, tables, powers, constants of all kinds.
std::vector<Expr> everything(Setting& setting) {
  std::mt19937_64 engine(205);
  std::vector<Expr> f = setting.random_outputs(engine, 60, 8, false);
  for (const Expr& e : setting.random_outputs(engine, 10, 20, true)) f.push_back(e);
  f.insert(f.end(), {setting.x[0], 1, -2.5, 1e-300, 5e-324, -1e300, 1.0 / 3});
  return f;
}

std::string emit_series(const SeriesProgram& series, std::string_view name, std::size_t stride) {
  return emit_c_series(series, lay_out(series, stride), name);
}

TEST(EmitC, DependsOnTheProgramOnly) {
  Setting first, second;
  for (int i = 0; i < 100; ++i) second.graph.symbol("unused" + std::to_string(i)) * 3;
  const Function f(first.x, everything(first)), g(second.x, everything(second));
  EXPECT_EQ(emit_c(f.program(), "f").source, emit_c(g.program(), "f").source);
  const auto series = [](Setting& setting) {
    const std::span<const Expr> x = setting.x;
    return emit_series(lower_series(x.first(2), x.last(1), everything(setting)), "s", 11);
  };
  EXPECT_EQ(series(first), series(second));
}

TEST(EmitC, NumbersReadBackExactly) {
  EXPECT_EQ(c_number(1), "1.0");
  EXPECT_EQ(c_number(-2), "(-2.0)");
  EXPECT_EQ(c_number(0.1), "0.1");
  EXPECT_EQ(c_number(1e300), "1e+300");
  EXPECT_EQ(c_number(1e300, true), "INFINITY");  // the nearest number of single precision
  EXPECT_EQ(c_number(-1e39, true), "(-INFINITY)");
  EXPECT_EQ(c_number(1e-310, true), "0.0f");
  std::mt19937_64 engine(206);
  for (int n = 0; n < 1000; ++n) {
    const double number = std::bit_cast<double>(engine());
    if (!std::isfinite(number)) continue;
    std::string text = c_number(number);
    if (text.front() == '(') text = text.substr(1, text.size() - 2);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), number);
  }
}

// What a compiler says to a source; empty when nothing.
std::string complaints(const std::string& compiler, const std::string& source) {
  const koppel::testing::TemporaryFolder folder;
  const std::string code = (folder.path() / "code.c").string();
  const std::string log = (folder.path() / "log").string();
  std::ofstream(code) << source;
  const std::string command = compiler + " -std=c99 -Wall -Wextra -Werror -pedantic -O1 -c -o " +
                              code + ".o " + code + " > " + log + " 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream file(log);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return status == 0 ? text : "status " + std::to_string(status) + ": " + text.substr(0, 2000);
}

TEST(EmitC, IsCleanC99UnderAllWarnings) {
  Setting setting;
  const Expr x = setting.x[0];
  const std::vector<Expr> f = everything(setting);
  const std::span<const Expr> symbols = setting.x;
  std::string source = emit_c_prelude();
  source += emit_c(Function(symbols, f).program(), "f").source;
  source += emit_c(Function({}, {1}).program(), "g").source;
  source += emit_c(Function({x}, {}).program(), "h").source;
  source += emit_series(lower_series(symbols.first(2), symbols.last(1), f), "s", 21);
  source += emit_series(lower_series({&x, 1}, {}, {&x, 1}), "identity", 3);
  const Expr one = 1;
  source += emit_series(lower_series({}, {}, {&one, 1}), "constant", 3);
  const Expr fixed = sin(x);
  source += emit_series(lower_series({}, {&x, 1}, {&fixed, 1}), "fixed", 3);
  // Who includes it declares it.
  source.insert(source.find('\n') + 1,
                "void f(const double*, double*, double*);\n"
                "void s(int, double*);\n");
  int compilers = 0;
  for (const std::string compiler : {"gcc", "clang"}) {
    if (std::system(("command -v " + compiler + " > /dev/null 2>&1").c_str()) != 0) continue;
    ++compilers;
    const std::string text = complaints(compiler, source);
    EXPECT_TRUE(text.empty()) << compiler << ": " << text;
  }
  if (compilers == 0) GTEST_SKIP() << "there is no compiler";
}

}  // namespace
}  // namespace koppel
