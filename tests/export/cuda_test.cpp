// Exported CUDA, compiled for the host: bit by bit the exported C, with many variants at once; also
// with the arithmetic of a card. Where there is nvcc, it compiles. (KOPPEL_LONG: the vehicle with
// its trailer, whose step has 60,000 operations, alone.)
#include <koppel/export/cuda.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/export/c.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/report.hpp>

#include "tests/files.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::has_program;
using testing::run_in;
using testing::same_bits;
using testing::TemporaryFolder;
using testing::text_of;
namespace fs = std::filesystem;

StepModel step_model(const std::string& name, double step, const char* integrator = "rattle",
                     double tolerance = 1e-9) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};  // bits are compared, whatever they say
  options.integrator = integrator;
  options.tolerance = tolerance;
  options.step = step;
  options.end = 10 * step;
  return make_step_model(model, options, "model");
}

void write_cuda_files(const fs::path& folder, const StepModel& model, bool is_float = false) {
  const CudaFiles files = write_cuda(model, is_float);
  write_text(folder / "model.h", files.header);
  write_text(folder / "model.cu", files.source);
  write_text(folder / "example.c", files.example);
}

constexpr const char* kC = "cc -std=c99 -O0 -ffp-contract=off -o c main.c model.c -lm";
constexpr const char* kHost =
    "c++ -std=c++17 -O0 -Wall -Wextra -Werror -pedantic -ffp-contract=off -o host ";

constexpr int kVariants = 5;

// What both programs do: speeds and one parameter differ between variants; all of the state, as it
// is in memory.
constexpr const char* kFactor = "1 + (model_real)i / (10 * (model_real)N)";

std::string c_program(const StepModel& m, const std::string& varied, int steps, bool is_float) {
  std::string scale, print;
  for (const CVariable& f : m.v) scale += fmt::format("    state.{} *= {};\n", f.name, kFactor);
  for (const CVariable& f : m.state()) print += fmt::format("    print(state.{});\n", f.name);
  if (m.tolerance) print += "    print(state.inner_step);\n";
  return fmt::format(
      R"(#include <stdio.h>
#include "model.h"
#define N {0}
typedef {1} model_real;
static void print(model_real x) {{ printf("%a\n", (double)x); }}
int main(void) {{
  int i, k;
  for (i = 0; i < N; ++i) {{
    model_state state;
    model_parameters parameters;
    model_prepared prepared;
    model_inputs inputs = {{0}};
    model_init(&state, &parameters, &prepared);
{2}    parameters.{3} *= {4};
    model_prepare(&parameters, &prepared);
    for (k = 0; k < {5}; ++k) {{
      if (model_step(&state, &inputs, &prepared) != 0) return 1;
    }}
{6}  }}
  return 0;
}}
)",
      kVariants, is_float ? "float" : "double", scale, varied, kFactor, steps, print);
}

std::string cuda_program(const StepModel& m, const std::string& varied, int steps) {
  double standard = 0;
  for (const CVariable& f : m.parameters) {
    if (f.name == varied) standard = f.start;
  }
  return fmt::format(
      R"(#include <stdio.h>
#include "model.h"
#define N {0}
static model_batch* batch;
static model_real values[N], all[N][MODEL_NUM_STATES + MODEL_NUM_OUTPUTS];
static int failed;
static void check(int failure) {{ failed |= failure; }}
int main(void) {{
  int i, k;
  check(model_create(&batch, N));
  for (k = MODEL_FIRST_VELOCITY; k < MODEL_FIRST_VELOCITY + MODEL_NUM_VELOCITIES; ++k) {{
    check(model_get_state(batch, k, values));
    for (i = 0; i < N; ++i) values[i] *= {1};
    check(model_set_state(batch, k, values, N));
  }}
  for (i = 0; i < N; ++i) {{
    values[i] = (model_real){2:.17g};
    values[i] *= {1};
  }}
  check(model_set_parameter(batch, MODEL_PARAMETER_{3}, values, N));
  check(model_run(batch, {4}, 0, 0));
  for (k = 0; k < MODEL_NUM_STATES + MODEL_NUM_OUTPUTS; ++k) {{
    check(k < MODEL_NUM_STATES
              ? model_get_state(batch, k, values)
              : model_get_output(batch, k - MODEL_NUM_STATES, MODEL_FINAL, values));
    for (i = 0; i < N; ++i) all[i][k] = values[i];
  }}
  for (i = 0; i < N; ++i) {{
    for (k = 0; k < MODEL_NUM_STATES; ++k) printf("%a\n", (double)all[i][k]);
  }}
  for (i = 0; i < N; ++i) {{
    for (k = 0; k < MODEL_NUM_OUTPUTS; ++k) {{
      fprintf(stderr, "%a\n", (double)all[i][MODEL_NUM_STATES + k]);
    }}
  }}
  model_destroy(batch);
  return failed;
}}
)",
      kVariants, kFactor, standard, varied, steps);
}

std::vector<double> numbers_of(const std::string& text) {
  std::istringstream lines(text);
  std::vector<double> out;
  for (std::string line; std::getline(lines, line);) {
    out.push_back(std::strtod(line.c_str(), nullptr));
  }
  return out;
}

// How many of them are not the same; sizes differ: all.
std::size_t num_different(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

struct Case {
  const char* model;
  const char* varied;
  double step = 1e-3;
  int steps = 200;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class ExportedCuda : public ::testing::TestWithParam<Case> {
 protected:
  // The states of all variants after the steps, by the exported C.
  std::vector<double> by_c(const StepModel& model, bool is_float) {
    const TemporaryFolder folder;
    const CFiles files = write_c(model, is_float);
    write_text(folder.path() / "model.h", files.header);
    write_text(folder.path() / "model.c", files.source);
    write_text(folder.path() / "main.c",
               c_program(model, GetParam().varied, GetParam().steps, is_float));
    EXPECT_EQ(run_in(folder.path(), kC), 0) << text_of(folder.path() / "err").substr(0, 2000);
    EXPECT_EQ(run_in(folder.path(), "./c"), 0);
    return numbers_of(text_of(folder.path() / "out"));
  }

  struct Found {
    std::vector<double> states, outputs;
  };
  Found by_cuda(const StepModel& model, bool is_float, const std::string& flags = "") {
    const TemporaryFolder folder;
    write_cuda_files(folder.path(), model, is_float);
    write_text(folder.path() / "main.c", cuda_program(model, GetParam().varied, GetParam().steps));
    EXPECT_EQ(run_in(folder.path(), kHost + flags + " -x c++ main.c model.cu"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
    EXPECT_EQ(run_in(folder.path(), "./host"), 0);
    return {numbers_of(text_of(folder.path() / "out")), numbers_of(text_of(folder.path() / "err"))};
  }

  void expect_bits_of_c(const StepModel& model);
};
#ifdef KOPPEL_LONG
const auto kCases = ::testing::Values(Case{"vehicle_trailer", "g", 1e-3, 10});
#else
const auto kCases = ::testing::Values(Case{"slider_crank", "g"}, Case{"bricard", "g"},
                                      Case{"rotary_crane", "g"}, Case{"andrews", "mom", 1e-5});
#endif
INSTANTIATE_TEST_SUITE_P(Models, ExportedCuda, kCases,
                         [](const auto& suite) { return std::string(suite.param.model); });

void ExportedCuda::expect_bits_of_c(const StepModel& model) {
  const std::vector<double> expected = by_c(model, false);
  const std::size_t num_states = model.state_size() + (model.tolerance ? 1 : 0);
  ASSERT_EQ(expected.size(), kVariants * num_states);
  const Found found = by_cuda(model, false);
  EXPECT_EQ(num_different(found.states, expected), 0u);
  // With the instructions of a card: products inside of sums, quotients from reciprocals.
  const Found like_a_card = by_cuda(model, false, "-DKOPPEL_LIKE_A_CARD");
  EXPECT_EQ(num_different(like_a_card.states, expected), 0u);
  EXPECT_EQ(num_different(like_a_card.outputs, found.outputs), 0u);
  // No variant is another.
  const auto size = static_cast<std::ptrdiff_t>(num_states);
  for (auto next = expected.begin() + size; next != expected.end(); next += size) {
    EXPECT_FALSE(std::equal(next, next + size, next - size));
  }
}

TEST_P(ExportedCuda, HasTheBitsOfTheExportedCInEveryVariant) {
  expect_bits_of_c(step_model(GetParam().model, GetParam().step));
}
TEST_P(ExportedCuda, HasTheBitsOfTheExportedCWithRungeKutta) {
  expect_bits_of_c(step_model(GetParam().model, GetParam().step, "rk4"));
}
// Each step takes several inside, and some are rejected.
TEST_P(ExportedCuda, HasTheBitsOfTheExportedCWithAccurateSteps) {
  expect_bits_of_c(step_model(GetParam().model, 50 * GetParam().step, "dop853"));
}

// Outputs are what the library computes of the state, with the sines of fixed cost.
TEST_P(ExportedCuda, HasTheOutputsOfTheLibrary) {
  const StepModel model = step_model(GetParam().model, GetParam().step);
  const Equations& e = model.prepared.equations;
  std::vector<Expr> outputs;
  for (const NamedExpr& output : e.outputs) outputs.push_back(output.value);
  const Function function(symbols_of_state(e), outputs, {.fixed_cost = true});
  const Found found = by_cuda(model, false);
  ASSERT_EQ(found.outputs.size(), kVariants * outputs.size());
  State state = model.prepared.state;
  state.t += GetParam().steps * model.step;
  for (int i = 0; i < kVariants; ++i) {
    auto next = found.states.begin() + i * static_cast<std::ptrdiff_t>(model.state_size());
    for (auto* part : {&state.q, &state.v, &state.x}) {
      for (double& value : *part) value = *next++;
    }
    for (std::size_t k = 0; k < model.parameters.size(); ++k) {
      if (model.parameters[k].name != GetParam().varied) continue;
      state.p[k] = model.parameters[k].start * (1 + i / (10.0 * kVariants));
    }
    const std::vector<double> expected = function(values_of(state));
    const auto first = found.outputs.begin() + i * static_cast<std::ptrdiff_t>(outputs.size());
    EXPECT_EQ(num_different({first, first + static_cast<std::ptrdiff_t>(outputs.size())}, expected),
              0u)
        << "variant " << i;
  }
}

#ifndef KOPPEL_LONG

TEST(ExportedCudaFloat, HasTheBitsOfTheExportedCInSinglePrecision) {
  for (const auto& [c, integrator] :
       {std::pair{Case{"slider_crank", "g"}, "rattle"},
        std::pair{Case{"rotary_crane", "g"}, "rattle"}, std::pair{Case{"slider_crank", "g"}, "rk4"},
        std::pair{Case{"rotary_crane", "g", 0.02, 50}, "dop853"}}) {
    const StepModel model = step_model(c.model, c.step, integrator, 1e-4);
    const TemporaryFolder folder;
    const CFiles files = write_c(model, true);
    write_text(folder.path() / "model.h", files.header);
    write_text(folder.path() / "model.c", files.source);
    write_text(folder.path() / "main.c", c_program(model, c.varied, c.steps, true));
    ASSERT_EQ(run_in(folder.path(), kC), 0) << text_of(folder.path() / "err").substr(0, 2000);
    ASSERT_EQ(run_in(folder.path(), "./c"), 0);
    const std::vector<double> expected = numbers_of(text_of(folder.path() / "out"));
    write_cuda_files(folder.path(), model, true);
    write_text(folder.path() / "main.c", cuda_program(model, c.varied, c.steps));
    for (const char* flags : {"", "-DKOPPEL_LIKE_A_CARD"}) {
      ASSERT_EQ(run_in(folder.path(), std::string(kHost) + flags + " -x c++ main.c model.cu"), 0)
          << text_of(folder.path() / "err").substr(0, 2000);
      ASSERT_EQ(run_in(folder.path(), "./host"), 0);
      EXPECT_EQ(num_different(numbers_of(text_of(folder.path() / "out")), expected), 0u) << c.model;
    }
  }
}

// Records and reductions of one run are those of a run that stops after every step; what is set
// once for all is what is set for each; a variant that fails stops alone; wrong arguments are
// refused.
TEST(ExportedCudaInterface, RecordsReducesAndRefuses) {
  const TemporaryFolder folder;
  write_cuda_files(folder.path(), step_model("slider_crank", 1e-3));
  write_text(folder.path() / "main.c", R"(#include <math.h>
#include <stdio.h>
#include <string.h>
#include "model.h"
#define N 3
#define STEPS 21
#define CHECK(x) do { if (!(x)) { printf("line %d: %s\n", __LINE__, #x); return 1; } } while (0)
static const int kChosen[2] = {MODEL_OUTPUT_d_Bx, MODEL_OUTPUT_Ay};
int main(void) {
  model_batch *all, *single;
  model_real m[N] = {1, 1, 1}, values[N], other[N], low[2][N], high[2][N], sum[2][N];
  uint64_t counts[N];
  int failures[N], i, j, k;
  CHECK(model_create(&all, N) == 0 && model_create(&single, N) == 0);
  CHECK(model_set_parameter(all, MODEL_PARAMETER_m, m, 1) == 0);
  CHECK(model_set_parameter(single, MODEL_PARAMETER_m, m, N) == 0);
  for (i = 0; i < N; ++i) values[i] = 9 + i;
  CHECK(model_set_parameter(all, MODEL_PARAMETER_g, values, N) == 0);
  CHECK(model_set_parameter(single, MODEL_PARAMETER_g, values, N) == 0);
  CHECK(model_choose_outputs(all, kChosen, 2) == 0);
  CHECK(model_run(all, STEPS, 4, 3) == 0);
  CHECK(model_num_records(all) == STEPS / 4);
  for (k = 1; k <= STEPS; ++k) {
    CHECK(model_run(single, 1, 0, 0) == 0);
    for (j = 0; j < 2; ++j) {
      CHECK(model_get_output(single, kChosen[j], MODEL_FINAL, values) == 0);
      if (k % 4 == 0) {
        CHECK(model_get_record(all, (uint64_t)(k / 4 - 1), kChosen[j], other) == 0);
        CHECK(memcmp(values, other, sizeof values) == 0);
      }
      for (i = 0; i < N && k % 3 == 0; ++i) {
        low[j][i] = k == 3 || values[i] < low[j][i] ? values[i] : low[j][i];
        high[j][i] = k == 3 || values[i] > high[j][i] ? values[i] : high[j][i];
        sum[j][i] = k == 3 ? values[i] : sum[j][i] + values[i];
      }
    }
  }
  for (j = 0; j < 2; ++j) {
    for (i = 0; i < N; ++i) sum[j][i] /= 7;
    CHECK(model_get_output(all, kChosen[j], MODEL_MINIMUM, other) == 0);
    CHECK(memcmp(low[j], other, sizeof other) == 0);
    CHECK(model_get_output(all, kChosen[j], MODEL_MAXIMUM, other) == 0);
    CHECK(memcmp(high[j], other, sizeof other) == 0);
    CHECK(model_get_output(all, kChosen[j], MODEL_MEAN, other) == 0);
    CHECK(memcmp(sum[j], other, sizeof other) == 0);
    CHECK(low[j][0] < high[j][0] && low[j][0] != low[j][1]);
  }
  for (k = 0; k < MODEL_NUM_STATES; ++k) {
    CHECK(model_get_state(all, k, values) == 0 && model_get_state(single, k, other) == 0);
    CHECK(memcmp(values, other, sizeof values) == 0);
  }

  CHECK(model_restart(all) == 0);
  m[1] = NAN;
  CHECK(model_set_parameter(all, MODEL_PARAMETER_m, m, N) == 0);
  CHECK(model_run(all, 10, 5, 5) == 0);
  CHECK(model_get_failures(all, failures) == 0);
  CHECK(failures[0] == 0 && failures[1] == 1 && failures[2] == 0);
  CHECK(model_get_counts(all, counts) == 0);
  CHECK(counts[0] == 10 && counts[1] == 0 && counts[2] == 10);
  CHECK(model_get_record(all, 1, MODEL_OUTPUT_Ay, values) == 0);
  CHECK(isfinite(values[0]) && isnan(values[1]) && isfinite(values[2]));
  CHECK(model_get_output(all, MODEL_OUTPUT_Ay, MODEL_MEAN, values) == 0);
  CHECK(isfinite(values[0]) && isnan(values[1]) && isfinite(values[2]));
  CHECK(model_get_output(all, MODEL_OUTPUT_Ay, MODEL_FINAL, values) == 0);
  CHECK(values[1] == 0.282842712474619);

  CHECK(model_set_parameter(all, MODEL_PARAMETER_m, m, 2) == 2);
  CHECK(model_set_parameter(all, MODEL_NUM_PARAMETERS, m, 1) == 2);
  CHECK(model_set_input(all, 0, m, 1) == 2);
  CHECK(model_set_state(all, -1, m, 1) == 2);
  CHECK(model_get_output(all, 0, 4, values) == 2);
  CHECK(model_get_output(all, MODEL_OUTPUT_Ax, MODEL_MEAN, values) == 3);
  CHECK(model_get_record(all, 2, MODEL_OUTPUT_Ay, values) == 3);
  CHECK(model_get_record(single, 0, MODEL_OUTPUT_Ay, values) == 3);
  CHECK(model_create(&single, 0) == 2 && single == NULL);
  CHECK(strcmp(model_message(3), "nothing of this kind was recorded or reduced in the last run") == 0);
  model_destroy(all);
  return 0;
}
)");
  ASSERT_EQ(run_in(folder.path(), std::string(kHost) + "-x c++ main.c model.cu"), 0)
      << text_of(folder.path() / "err");
  EXPECT_EQ(run_in(folder.path(), "./host"), 0) << text_of(folder.path() / "out");
}

TEST(ExportedCudaExample, PrintsWhatTheExampleInCPrints) {
  const TemporaryFolder folder;
  const StepModel model = step_model("slider_crank", 1e-3);  // outputs without sines
  write_cuda_files(folder.path(), model);
  ASSERT_EQ(run_in(folder.path(), std::string(kHost) + "-x c++ example.c model.cu"), 0)
      << text_of(folder.path() / "err");
  ASSERT_EQ(run_in(folder.path(), "./host 3 20 2"), 0);
  const std::string found = text_of(folder.path() / "out");
  EXPECT_EQ(text_of(folder.path() / "err"), "3 variants, 20 steps; stopped before the end: 0\n");
  const CFiles files = write_c(model);
  write_text(folder.path() / "model.h", files.header);
  write_text(folder.path() / "model.c", files.source);
  write_text(folder.path() / "main.c", files.example);
  ASSERT_EQ(run_in(folder.path(), kC), 0);
  ASSERT_EQ(run_in(folder.path(), "./c 20 2"), 0);
  std::string expected = text_of(folder.path() / "out");
  const std::size_t start = expected.find('\n') + 1;  // the start itself is not recorded
  expected.erase(start, expected.find('\n', start) + 1 - start);
  EXPECT_EQ(found, expected);
}

// Quotients closest to halfway between two numbers: a 2^54 = (2 k + 1) b + s with a small odd s, in
// which a/b lies s/b 2^-54 beside the middle. And those of any kind, far out ones included.
TEST(ExportedCudaArithmetic, QuotientsAreRoundedCorrectly) {
  const TemporaryFolder folder;
  write_cuda_files(folder.path(), step_model("slider_crank", 1e-3));
  write_text(folder.path() / "main.cpp", R"(#define KOPPEL_LIKE_A_CARD
#include "model.cu"
#include <stdio.h>
static uint64_t state = 88172645463325252ull;
static uint64_t next() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static long num_wrong;
static void check(double a, double b) {
  const double found = koppel_quotient(a, b), expected = a / b;
  num_wrong += memcmp(&found, &expected, sizeof found) != 0 && !(found != found && expected != expected);
}
static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
int main() {
  const uint64_t top = (uint64_t)1 << 52, mask = ((uint64_t)1 << 54) - 1;
  const double special[] = {0.0, -0.0, 1.0, -1.0, 3.0, 5e-324, 1e-320, 2.2250738585072014e-308, 1e-160,
                            1e160, 1.7976931348623157e308, INFINITY, -INFINITY, NAN};
  long num_hard = 0;
  for (long n = 0; n < 3000000; ++n) {
    const uint64_t b = (n % 2 ? top | next() >> 12 : 2 * top - 1 - 2 * (next() % 1000000)) | 1;
    const int64_t s = (int64_t)(2 * (next() & 3) + 1) * (n % 4 < 2 ? 1 : -1);
    uint64_t inverse = b;
    for (int i = 0; i < 6; ++i) inverse *= 2 - b * inverse; /* modulo 2^64 */
    const uint64_t odd = ((uint64_t)s * inverse) & mask;
    if (odd <= mask / 2) continue;
    __extension__ typedef __int128 wide;
    const uint64_t a = (uint64_t)(((wide)odd * b - s) >> 54);
    if (a < top || a >= 2 * top) continue;
    ++num_hard;
    check((double)a, (double)b);
    check((double)a * 0x1p300, -(double)b);
  }
  for (long n = 0; n < 1000000; ++n) check(of_bits(next()), of_bits(next()));
  for (double a : special) {
    for (double b : special) check(a, b);
  }
  printf("%d %ld\n", num_hard > 1000000, num_wrong);
  return 0;
}
)");
  ASSERT_EQ(
      run_in(folder.path(), "c++ -std=c++17 -O2 -march=native -ffp-contract=off main.cpp -o main"),
      0)
      << text_of(folder.path() / "err");
  ASSERT_EQ(run_in(folder.path(), "./main"), 0);
  EXPECT_EQ(text_of(folder.path() / "out"), "1 0\n");
}

TEST(ExportedCudaCompiler, IsAcceptedWhereThereIsOne) {
  if (!has_program("nvcc")) GTEST_SKIP() << "nvcc is not installed";
  for (const bool is_float : {false, true}) {
    const TemporaryFolder folder;
    write_cuda_files(folder.path(), step_model("rotary_crane", 1e-3), is_float);
    EXPECT_EQ(
        run_in(folder.path(),
               "nvcc -O3 -arch=sm_90 -fmad=false -Werror all-warnings -c -o model.o model.cu"),
        0)
        << text_of(folder.path() / "err").substr(0, 2000);
  }
}

// Words of C++, tables, and every function, in the step and in the outputs.
TEST(ExportedCudaText, NamesAndFunctionsOfAnyKindCompile) {
  const Model model = read_model_text(
      "name: all\nparameters: {new: 0.3, p: 2.5}\ncoordinates: {class: 0.5}\n"
      "tables: {road: {x: [0, 0.4, 1], y: [0, 0.1, 0.3]}}\nkinetic: class'^2/2\n"
      "generalized_forces:\n"
      "  class: >-\n"
      "    sqrt(class+2) + exp(-class) + log(class+2) + sin(class) + tan(class) + asin(class/9)\n"
      "    + sinh(class) + abs(class) + sign(class) + (class+2)^p + atan2(class, 2) + min(class, "
      "new)\n"
      "    + max(class, new) + select(class <= new, 1, class) + road(class) + road(new)\n"
      "outputs: {this: class, f: \"tan(class) + road(class) + sin(new) + select(class < 1, 3, "
      "2)\"}\n",
      "all.yaml");
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};
  options.integrator = "rattle";
  options.step = 1e-3;
  const StepModel step = make_step_model(model, options, "model");
  for (const bool is_float : {false, true}) {
    const TemporaryFolder folder;
    write_cuda_files(folder.path(), step, is_float);
    EXPECT_EQ(run_in(folder.path(), std::string(kHost) + "-x c++ example.c model.cu"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
    EXPECT_EQ(run_in(folder.path(), "./host 2 10"), 0);
    if (!has_program("nvcc")) continue;
    EXPECT_EQ(
        run_in(folder.path(), "nvcc -O1 -arch=sm_90 -Werror all-warnings -c -o model.o model.cu"),
        0)
        << text_of(folder.path() / "err").substr(0, 2000);
  }
}

#endif

}  // namespace
}  // namespace koppel
