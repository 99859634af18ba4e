// One step, every machine: the interpreter, x86-64 code in one, four and eight lanes, exported C,
// exported CUDA compiled for the host (also with the arithmetic of a card) and WebAssembly in Node
// take the same steps bit by bit, and fail in the same ones. (KOPPEL_LONG: of all built-in models
// that can be exported.)
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/runtime/dop853.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/cuda.hpp>
#include <koppel/export/wasm.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch.hpp>

#include "tests/files.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::run_in;
using testing::same_bits;
using testing::ScopedEnvironment;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

constexpr std::size_t kVariants = 9;  // more than lanes
constexpr int kSteps = 12;

// States of all variants, one variant after the other; not numbers where a step failed. Accurate
// steps: each variant's reason and its steps before that follow.
using States = std::vector<double>;

std::size_t num_columns(const StepModel& model) {
  return model.state_size() + (model.tolerance ? 2 : 0);
}

// How the speed of variant i differs from that of the first.
double factor(std::size_t i) { return 1 + static_cast<double>(i) / 64; }

struct Case {
  Model model;
  std::vector<ParameterOrigin> origins;
  BatchOptions options;
};

// And the step that was taken.
States by_batch(const Case& c, const char* native, const char* lanes,
                std::optional<StepModel>* made = nullptr) {
  const ScopedEnvironment policy("KOPPEL_NATIVE", native), most("KOPPEL_LANES", lanes);
  Batch batch(c.model, c.origins, kVariants, c.options);
  const StepModel& model = batch.step_model();
  if (made != nullptr) *made = model;
  std::vector<double> row(kVariants);
  for (std::size_t i = 0; i < model.v.size(); ++i) {
    batch.get_state(model.q.size() + i, row);
    for (std::size_t k = 0; k < kVariants; ++k) row[k] *= factor(k);
    batch.set_state(model.q.size() + i, row);
  }
  batch.advance({}, kSteps);
  const std::size_t columns = num_columns(model);
  States out(kVariants * columns);
  for (std::size_t i = 0; i < model.state_size(); ++i) {
    batch.get_state(i, row);
    for (std::size_t k = 0; k < kVariants; ++k) out[k * columns + i] = row[k];
  }
  for (std::size_t k = 0; model.tolerance && k < kVariants; ++k) {
    const auto [reason, count] = batch.failure(k);
    out[(k + 1) * columns - 2] = reason;
    out[(k + 1) * columns - 1] = reason != 0 ? static_cast<double>(count) : kSteps;
  }
  return out;
}

States numbers_in(const fs::path& path) {
  std::ifstream file(path);
  States out;
  for (std::string line; std::getline(file, line);) {
    out.push_back(std::strtod(line.c_str(), nullptr));
  }
  return out;
}

std::string complaint(const fs::path& folder) {
  return testing::text_of(folder / "err").substr(0, 1000);
}

// A step that fails leaves no numbers, as in a batch.
States by_c(const StepModel& model) {
  const TemporaryFolder folder;
  const CFiles files = write_c(model);
  write_text(folder.path() / "model.h", files.header);
  write_text(folder.path() / "model.c", files.source);
  std::string scale, print;
  for (const CVariable& f : model.v) scale += fmt::format("    s.{} *= 1 + i / 64.0;\n", f.name);
  for (const CVariable& f : model.state()) {
    print += fmt::format("    printf(\"%a\\n\", failed ? 0.0 / 0.0 : s.{});\n", f.name);
  }
  if (model.tolerance) print += "    printf(\"%d\\n%d\\n\", failed, (int)s.count);\n";
  std::string inputs;
  for (const CVariable& f : model.inputs) {
    inputs += fmt::format("    u.{} = {:.17g};\n", f.name, f.start);
  }
  write_text(folder.path() / "main.c",
             fmt::format("#include <stdio.h>\n#include \"model.h\"\nint main(void) {{\n"
                         "  int i, k, failed;\n  for (i = 0; i < {}; ++i) {{\n"
                         "    model_state s;\n    model_parameters p;\n    model_prepared r;\n"
                         "    model_inputs u = {{0}};\n    model_init(&s, &p, &r);\n{}{}"
                         "    failed = 0;\n    for (k = 0; k < {} && !failed; ++k) failed = "
                         "model_step(&s, &u, &r);\n{}  }}\n  return 0;\n}}\n",
                         kVariants, inputs, scale, kSteps, print));
  EXPECT_EQ(run_in(folder.path(), "cc -std=c99 -O0 -ffp-contract=off -o c main.c model.c -lm"), 0)
      << complaint(folder.path());
  EXPECT_EQ(run_in(folder.path(), "./c"), 0);
  return numbers_in(folder.path() / "out");
}

States by_cuda(const StepModel& model, const std::string& flags) {
  const TemporaryFolder folder;
  const CudaFiles files = write_cuda(model);
  write_text(folder.path() / "model.h", files.header);
  write_text(folder.path() / "model.cu", files.source);
  write_text(folder.path() / "main.c",
             fmt::format(R"(#include <stdio.h>
#include "model.h"
#define N {0}
static double values[N], all[N][MODEL_NUM_STATES + 1];
static int failures[N];
static uint64_t counts[N];
int main(void) {{
  model_batch* batch;
  int i, k, bad = model_create(&batch, N);
  for (k = MODEL_FIRST_VELOCITY; k < MODEL_FIRST_VELOCITY + MODEL_NUM_VELOCITIES; ++k) {{
    bad |= model_get_state(batch, k, values);
    for (i = 0; i < N; ++i) values[i] *= 1 + i / 64.0;
    bad |= model_set_state(batch, k, values, N);
  }}
  bad |= model_run(batch, {1}, 0, 0);
  bad |= model_get_failures(batch, failures);
  bad |= model_get_counts(batch, counts);
  for (k = 0; k < {2}; ++k) {{
    bad |= model_get_state(batch, k, values);
    for (i = 0; i < N; ++i) all[i][k] = failures[i] ? 0.0 / 0.0 : values[i];
  }}
  for (i = 0; i < N; ++i) {{
    for (k = 0; k < {2}; ++k) printf("%a\n", all[i][k]);
    if ({3}) printf("%d\n%d\n", failures[i], (int)counts[i]);
  }}
  model_destroy(batch);
  return bad;
}}
)",
                         kVariants, kSteps, model.state_size(), model.tolerance ? 1 : 0));
  EXPECT_EQ(run_in(folder.path(), "c++ -std=c++17 -O0 -ffp-contract=off -o host " + flags +
                                      " -x c++ main.c model.cu"),
            0)
      << complaint(folder.path());
  EXPECT_EQ(run_in(folder.path(), "./host"), 0);
  return numbers_in(folder.path() / "out");
}

States by_wasm(const StepModel& model) {
  const WasmFiles files = write_wasm(model);
  const TemporaryFolder folder;
  write_text(folder.path() / "model.wasm", files.module);
  write_text(folder.path() / "model.js", files.wrapper);
  write_text(folder.path() / "package.json", "{\"type\": \"module\"}\n");
  write_text(folder.path() / "main.js",
             fmt::format(R"(import {{ readFileSync }} from "node:fs";
import {{ create, variables }} from "./model.js";
const module = new WebAssembly.Module(readFileSync("model.wasm")), names = variables.state.map((of) => of.name);
for (let i = 0; i < {0}; ++i) {{
  const model = await create(module);
  for (const name of names.slice({1}, {2})) model.state[name] *= 1 + i / 64;
  const has_failed = model.steps({3}) < {3};
  for (const name of names) console.log(has_failed ? NaN : model.state[name]);
  if ({4}) console.log(`${{model.failure}}\n${{model.count}}`);
}}
)",
                         kVariants, model.q.size(), model.q.size() + model.v.size(), kSteps,
                         model.tolerance ? "true" : "false"));
  EXPECT_EQ(run_in(folder.path(), fmt::format("'{}' main.js", KOPPEL_NODE)), 0)
      << complaint(folder.path());
  return numbers_in(folder.path() / "out");
}

std::size_t num_different(const States& a, const States& b) {
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < common; ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

Case case_of(const Model& model, const std::vector<ParameterOrigin>& origins,
             const char* integrator, double step) {
  Case out{model, origins, {.run = options_of(model)}};
  SimulateOptions& options = out.options.run;
  options.health = {.is_watched = false};  // bits are compared, whatever they say
  options.integrator = integrator;
  options.formulation = {};
  options.step = step;
  options.end = 2 * step;
  return out;
}

// What all of them give.
States expect_parity(const Case& given) {
  std::optional<StepModel> made;
  const States expected = by_batch(given, "off", "1", &made);
  made->name = "model";
  const StepModel& model = *made;
  for (const char* lanes : {"1", "4", "8"}) {
    EXPECT_EQ(num_different(by_batch(given, "jit", lanes), expected), 0u) << lanes << " lanes";
  }
  const std::pair<const char*, States> others[] = {
      {"C", by_c(model)},
      {"CUDA", by_cuda(model, "")},
      {"CUDA like a card", by_cuda(model, "-DKOPPEL_LIKE_A_CARD")},
      {"WebAssembly", by_wasm(model)}};
  for (const auto& [machine, found] : others) {
    EXPECT_EQ(found.size(), expected.size()) << machine;
    EXPECT_EQ(num_different(found, expected), 0u) << machine;
  }
  return expected;
}

struct Seen {
  int models = 0, finite = 0;
};

void expect_parity(const std::string& name, const char* integrator, double step, Seen& seen) {
  SCOPED_TRACE(name + ", " + integrator);
  try {
    std::vector<ParameterOrigin> origins;
    const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml", {}, origins);
    const States found = expect_parity(case_of(model, origins, integrator, step));
    ++seen.models;
    if (std::isfinite(found[0])) ++seen.finite;
  } catch (const Error& error) {
    fmt::print("{}, {}: {}\n", name, integrator, error.diagnostics().front().id);
  }
}

#ifndef KOPPEL_LONG

TEST(Parity, EveryMachineTakesTheSameSteps) {
  Seen seen;
  for (const char* integrator : {"rattle", "rk4", "dop853"}) {
    const bool is_accurate = integrator == std::string("dop853");
    for (const char* model : {"slider_crank", "rotary_crane", "heavy_top"}) {
      expect_parity(model, integrator, is_accurate ? 0.05 : 1e-3, seen);
    }
    expect_parity("andrews", integrator, is_accurate ? 1e-3 : 1e-5, seen);
  }
  EXPECT_EQ(seen.models, 12);
  EXPECT_EQ(seen.finite, 12);
}

// A sled on a dry floor before a spring that is too weak to push it back: it comes to rest after
// v/F or a little less, the faster the later, and sticks. Variants that are still under way at the
// end have no reason.
TEST(Parity, EveryMachineFailsInTheStepInWhichFrictionSticks) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(R"(
name: sled
parameters: {F: 2.8, k: 0.5}
coordinates: {x: {start: 0, rate: 1}}
kinetic: x'^2/2
potential: k*x^2/2
generalized_forces: {x: -F*sign(x')}
outputs: {x: x}
)",
                                      "sled.yaml", {}, origins);
  const States found = expect_parity(case_of(model, origins, "dop853", 0.03));
  ASSERT_EQ(found.size(), kVariants * 4);
  int num_stuck = 0;
  for (std::size_t i = 0; i < kVariants; ++i) {
    // x = F/k (cos(ω t) − 1) + v/ω sin(ω t) with ω² = k up to rest: tan(ω t) = v ω/F.
    const double w = std::sqrt(0.5), rest = std::atan(factor(i) * w / 2.8) / w;
    const bool sticks = rest < kSteps * 0.03;
    num_stuck += sticks ? 1 : 0;
    EXPECT_EQ(found[4 * i + 2], sticks ? KOPPEL_TOO_MANY_TRIES : 0) << i;
    EXPECT_EQ(found[4 * i + 3], sticks ? std::floor(rest / 0.03) : kSteps) << i;
    EXPECT_EQ(std::isnan(found[4 * i]), sticks) << i;
  }
  EXPECT_EQ(num_stuck, 2);
}

#else

TEST(Parity, EveryMachineTakesTheSameStepsOfEveryModel) {
  Seen seen;
  for (const auto& entry : fs::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* integrator : {"linear-implicit", "rk4", "dop853"}) {
      expect_parity(entry.path().stem().string(), integrator, 1e-4, seen);
    }
  }
  fmt::print("{} steps compared, {} finite\n", seen.models, seen.finite);
  EXPECT_GT(seen.models, 100);  // of some 40 models
  EXPECT_GT(seen.finite, 95);
}

#endif

}  // namespace
}  // namespace koppel
