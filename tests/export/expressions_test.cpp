// Random expressions of all operations, at random points and at edges (signed zeros, infinities,
// NaN, denormals, huge angles): the interpreter, x86-64 code for one, four and eight points, C, and
// the code for a card compiled for the host give the same bits. (WebAssembly: expr/wasm_test.cpp.)
// (KOPPEL_LONG: C and code for a card of all of them, which take a compiler long.)
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/base/whole_file.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/tape.hpp>
#include <koppel/expr/graph/graph.hpp>

#include "tests/expr/random_expr.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::random_expr;
using testing::same_bits;
using testing::TemporaryFolder;

constexpr int kBundles = 100, kOfBundle = 100;  // 10,000 expressions
constexpr std::size_t kPoints = 16, kInputs = 3;
const double kAt[] = {-2, -1, 0, 1, 2}, kOf[] = {0.5, -1, 1, 0.25, 1.5};

using Rows = std::vector<double>;  // number by number, of each all points

// Sines of fixed cost in every other bundle; in the others those of libm.
Program bundle(int number) {
  std::mt19937_64 engine(7000 + static_cast<unsigned>(number));
  Graph graph;
  const std::array<Expr, 3> x = graph.symbols("x", "y", "z");
  const Table tables[] = {graph.add_table("held", TableData::held(kAt, kOf)),
                          graph.add_table("linear", TableData::linear(kAt, kOf)),
                          graph.add_table("spline", TableData::spline(kAt, kOf))};
  std::vector<Expr> f;
  for (int n = 0; n < kOfBundle; ++n) {
    f.push_back(
        random_expr(engine, x, {.size = 2 + n % 20, .smooth_only = n % 4 == 0, .tables = tables}));
  }
  return lower(x, f, number % 2 == 0);
}

Rows points(int number) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double edges[] = {0.0,    -0.0,    1,     -1,       kInfinity, -kInfinity,  5e-324,
                          1e-310, -1e-310, 1e308, -1.7e308, 1.6e6,     -1.6e6,      1e22,
                          -3e9,   1.7e300, 0.5,   -2,       3.14159,   std::nan("")};
  std::mt19937_64 engine(9000 + static_cast<unsigned>(number));
  Rows out(kInputs * kPoints);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double uniform = static_cast<double>(engine() >> 11) * 0x1p-53;
    out[i] = i % kPoints < 6 ? 6 * uniform - 3 : edges[engine() % std::size(edges)];
  }
  return out;
}

Rows by_tape(const Program& program, const Rows& in) {
  const Tape tape(program);
  std::vector<double> slots(tape.num_slots());
  std::copy(program.constants.begin(), program.constants.end(), slots.begin() + kInputs);
  Rows out(program.outputs.size() * kPoints);
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (std::size_t i = 0; i < kInputs; ++i) slots[i] = in[i * kPoints + p];
    tape.run(slots.data(), program.tables.data());
    for (std::size_t j = 0; j < program.outputs.size(); ++j) {
      out[j * kPoints + p] = slots[tape.outputs()[j]];
    }
  }
  return out;
}

// Nothing where the processor has no such lanes.
Rows by_code(const Program& program, const Rows& in, std::size_t lanes) {
  const auto code = MachineCode::generate(program, static_cast<int>(lanes));
  if (code == nullptr) return {};
  const std::size_t num_out = program.outputs.size();
  std::vector<double> work(code->work_size()), x(kInputs * lanes), y(num_out * lanes);
  Rows out(num_out * kPoints);
  for (std::size_t first = 0; first < kPoints; first += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t i = 0; i < kInputs; ++i) x[i * lanes + l] = in[i * kPoints + first + l];
    }
    code->run(x.data(), y.data(), work.data());
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t j = 0; j < num_out; ++j) out[j * kPoints + first + l] = y[j * lanes + l];
    }
  }
  return out;
}

std::size_t num_different(const Rows& a, const Rows& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

TEST(Expressions, MachineCodeInAllLanesHasTheBitsOfTheInterpreter) {
  std::size_t num_finite = 0, num_all = 0;
  for (int n = 0; n < kBundles; ++n) {
    const Program program = bundle(n);
    const Rows in = points(n), expected = by_tape(program, in);
    for (const std::size_t lanes : {1, 4, 8}) {
      const Rows found = by_code(program, in, lanes);
      if (found.empty()) continue;
      ASSERT_EQ(num_different(found, expected), 0u) << n << ", " << lanes;
    }
    for (const double x : expected) num_finite += std::isfinite(x) ? 1 : 0;
    num_all += expected.size();
  }
  EXPECT_EQ(num_all, 10'000 * kPoints);
  EXPECT_GT(num_finite, num_all / 3);
  EXPECT_LT(num_finite, num_all);
}

// As a program that prints all numbers in hexadecimal.
Rows by_compiler(const std::string& prelude, const CCode& code, std::size_t num_outputs,
                 const Rows& in, const std::string& command) {
  const TemporaryFolder folder;
  std::string numbers;
  for (const double x : in) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    numbers += fmt::format("0x{:x}ull, ", bits);
  }
  write_text(folder.path() / "main.c",
             prelude + code.source +
                 fmt::format("#include <stdio.h>\n#include <string.h>\n"
                             "static const unsigned long long bits[] = {{{0}0}};\n"
                             "static double out[{1}], work[{2}];\n"
                             "int main(void) {{\n  int p, i, j;\n  for (p = 0; p < {3}; ++p) {{\n"
                             "    double in[{4}];\n    for (i = 0; i < {4}; ++i) memcpy(in + i, "
                             "bits + i * {3} + p, 8);\n    f(in, out, work);\n"
                             "    for (j = 0; j < {1}; ++j) printf(\"%a\\n\", out[j]);\n  }}\n"
                             "  return 0;\n}}\n",
                             numbers, num_outputs, code.work_size + 1, kPoints, kInputs));
  const std::string all =
      "cd '" + folder.path().string() + "' && " + command + " 2>err && ./a >out";
  EXPECT_EQ(std::system(all.c_str()), 0);
  std::ifstream file(folder.path() / "out");
  Rows out(num_outputs * kPoints);
  std::string line;
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (std::size_t j = 0; j < num_outputs && std::getline(file, line); ++j) {
      out[j * kPoints + p] = std::strtod(line.c_str(), nullptr);
    }
  }
  return out;
}

TEST(Expressions, CAndCodeForACardHaveTheBitsOfTheInterpreter) {
#ifdef KOPPEL_LONG
  std::vector<int> compiled(kBundles);
  std::iota(compiled.begin(), compiled.end(), 0);
#else
  const std::vector<int> compiled = {0, 1, 8, 74};  // 8, 74: sums of scaled numbers that overflow
#endif
  for (const int n : compiled) {
    const Program program = bundle(n);
    const Rows in = points(n), expected = by_tape(program, in);
    const std::size_t num_outputs = program.outputs.size();
    EXPECT_EQ(num_different(
                  by_compiler(emit_c_prelude(), emit_c(program, "f", {.is_static = true}),
                              num_outputs, in, "cc -std=c99 -O1 -ffp-contract=off -o a main.c -lm"),
                  expected),
              0u)
        << "C " << n;
    const CCode card = emit_c(program, "f", {.is_static = true, .is_for_card = true});
    CKernels kernels;
    kernels.add(program);
    const std::string prelude =
        "#define KOPPEL_REAL double\n" + std::string(kCardText) + kernels.text(false, true);
    for (const char* like : {"", "-DKOPPEL_LIKE_A_CARD "}) {
      EXPECT_EQ(num_different(by_compiler(prelude, card, num_outputs, in,
                                          std::string("c++ -std=c++17 -O1 -ffp-contract=off ") +
                                              like + "-o a -x c++ main.c -lm"),
                              expected),
                0u)
          << "card " << n << ' ' << like;
    }
  }
}

}  // namespace
}  // namespace koppel
