// Exported C: it compiles without a word, does what the library does to the last bit, and takes the
// same number of instructions in every step.
#include <koppel/export/c.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/report.hpp>

#include "tests/error_of.hpp"
#include "tests/files.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::built_in;
using testing::has_program;
using testing::run_in;
using testing::same_bits;
using testing::TemporaryFolder;
using testing::text_of;
namespace fs = std::filesystem;

SimulateOptions options_for(const Model& model, const std::string& integrator, double step) {
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};  // bits are compared, whatever they say
  options.integrator = integrator;
  options.step = step;
  return options;
}

void write_all(const fs::path& folder, const StepModel& model, bool is_float = false) {
  const CFiles files = write_c(model, is_float);
  write_text(folder / (model.name + ".h"), files.header);
  write_text(folder / (model.name + ".c"), files.source);
  write_text(folder / c_example_file(model.name), files.example);
}

std::vector<std::vector<double>> rows_of(const fs::path& csv) {
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(file, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) {
      rows.back().push_back(std::strtod(field.c_str(), nullptr));
    }
  }
  return rows;
}

constexpr const char* kFlags = " -std=c99 -O2 -Wall -Wextra -Werror -pedantic -ffp-contract=off ";

// Of code in single precision: nothing in it is computed in double precision.
std::string flags_of_float(const std::string& compiler) {
  return std::string(kFlags) + "-Wdouble-promotion -Wfloat-conversion " +
         (compiler == "gcc" ? "-Wunsuffixed-float-constants " : "");
}

class ExportedC : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, ExportedC,
                         ::testing::Values("car_axle", "circular_track", "slider_crank", "andrews",
                                           "overhead_crane", "heavy_top", "driven_sphere"),
                         [](const auto& suite) { return std::string(suite.param); });

// Words of C, names that become equal, and those of the state itself.
TEST(ExportedCText, NamesOfAnyKindCompile) {
  const Model model = read_model_text(
      "name: names\nparameters: {int: 2, while: 3}\ncoordinates: {double: 1, count: 2}\n"
      "kinetic: double'^2/2 + count'^2/2\npotential: int*double^2 + while*count^2\n"
      "outputs: {return: double, \"a b\": count, \"a-b\": double', t: count, 1st: count'}\n",
      "names.yaml");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "linear-implicit", 1e-3)));
  EXPECT_EQ(run_in(folder.path(), std::string("cc") + kFlags + "-o example example.c names.c -lm"),
            0)
      << text_of(folder.path() / "err");
  EXPECT_EQ(run_in(folder.path(), "./example 10 10"), 0);
  const std::vector<double> first = rows_of(folder.path() / "out").front();
  EXPECT_EQ(first, (std::vector<double>{0, 1, 2, 0, 2, 0}));
}

// Nothing that a user writes in a title ends a comment, or begins another.
TEST(ExportedCText, TitlesThatEndCommentsDoNoHarm) {
  const Model model = read_model_text(
      "name: bad\ndescription: \"a */ int broken; /* b *\\n/ c **/ /*/ d ?\?/\"\ncoordinates: {x: "
      "1}\n"
      "kinetic: x'^2/2\npotential: x^2/2\noutputs: {x: x}\n",
      "bad.yaml");
  const TemporaryFolder folder;
  const StepModel step = make_step_model(model, options_for(model, "linear-implicit", 1e-3));
  ASSERT_NE(step.title.find("*/"), std::string::npos);
  write_all(folder.path(), step);
  EXPECT_EQ(run_in(folder.path(), std::string("cc") + kFlags + "-o example example.c bad.c -lm"), 0)
      << text_of(folder.path() / "err");
  EXPECT_EQ(text_of(folder.path() / "bad.h").find("*/ int"), std::string::npos);
}

// gcc followed a loop over the conditions of the start where there are none.
TEST(ExportedCText, CompilesWithoutAWarningWhereTheStartHasNoConditions) {
  const Model model = read_model_text(
      "name: open\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {mass: 1, inertia: 0.1, points: {end: [1, 0]}}\n"
      "  b: {mass: 1, inertia: 0.1, position: [1, 0]}\njoints:\n"
      "  hip: {type: revolute, between: [ground, a]}\n"
      "  knee: {type: revolute, between: [a.end, b]}\n",
      "open.yaml");
  SimulateOptions options = options_for(model, "rattle", 1e-3);
  options.coordinates = "joint";
  const StepModel step = make_step_model(model, options);
  for (const char* const compiler : {"gcc", "clang"}) {
    const TemporaryFolder folder;
    write_all(folder.path(), step);
    EXPECT_EQ(run_in(folder.path(), compiler + std::string(kFlags) + "-c *.c"), 0)
        << compiler << ": " << text_of(folder.path() / "err");
  }
}

TEST_P(ExportedC, CompilesWithoutAWarning) {
  const Model model = built_in(GetParam());
  const StepModel step = make_step_model(model, options_for(model, "linear-implicit", 1e-3));
  for (const bool is_float : {false, true}) {
    const TemporaryFolder folder;
    write_all(folder.path(), step, is_float);
    for (const std::string compiler : {"gcc", "clang"}) {
      if (!has_program(compiler)) continue;
      const std::string flags = is_float ? flags_of_float(compiler) : kFlags;
      EXPECT_EQ(run_in(folder.path(), compiler + flags + "-o example *.c -lm"), 0)
          << text_of(folder.path() / "err").substr(0, 2000);
      EXPECT_EQ(run_in(folder.path(), "./example 10"), 0) << text_of(folder.path() / "err");
      EXPECT_EQ(rows_of(folder.path() / "out").size(), 11u);
    }
  }
}

// Every function and a table, in the step and in the outputs: in single precision too.
TEST(ExportedC, EveryFunctionIsSpelledInItsPrecision) {
  const Model model = read_model_text(
      "name: all\nparameters: {a: 0.3, p: 2.5}\ncoordinates: {x: 0.5}\n"
      "tables: {road: {x: [0, 0.4, 1], y: [0, 0.1, 0.3]}}\nkinetic: x'^2/2\n"
      "generalized_forces:\n"
      "  x: >-\n"
      "    sqrt(x+2) + exp(-x) + log(x+2) + sin(x) + cos(x) + tan(x) + asin(x/9) + acos(x/9) + "
      "atan(x)\n"
      "    + sinh(x) + cosh(x) + tanh(x) + abs(x) + sign(x) + (x+2)^p + atan2(x, 2) + min(x, a)\n"
      "    + max(x, a) + select(x < a, x, a) + select(x <= a, 1, x) + road(x) + road(a)\n"
      "outputs: {x: x, f: \"tan(x) + road(x) + sin(a) + select(x < 1, x, 2)\"}\n",
      "all.yaml");
  const StepModel step = make_step_model(model, options_for(model, "rattle", 1e-3));
  std::vector<std::vector<double>> last;
  for (const bool is_float : {false, true}) {
    const TemporaryFolder folder;
    write_all(folder.path(), step, is_float);
    for (const std::string compiler : {"gcc", "clang"}) {
      if (!has_program(compiler)) continue;
      const std::string flags = is_float ? flags_of_float(compiler) : kFlags;
      ASSERT_EQ(run_in(folder.path(), compiler + flags + "-o example *.c -lm"), 0)
          << text_of(folder.path() / "err").substr(0, 2000);
      ASSERT_EQ(run_in(folder.path(), "./example 100"), 0);
      last.push_back(rows_of(folder.path() / "out").back());
    }
  }
  for (const std::vector<double>& row : last) {
    ASSERT_EQ(row.size(), 3u);
    // Some twenty roundings of 2⁻²⁴ in each of 100 steps.
    EXPECT_NEAR(row[1], last[0][1], 2000 * std::ldexp(1, -24));
    EXPECT_NEAR(row[2], last[0][2], 2000 * std::ldexp(1, -24));
  }
}

TEST_P(ExportedC, GivesTheBitsOfTheLibrary) {
  const Model model = built_in(GetParam());
  for (const char* integrator :
       {"linear-implicit:J1", "explicit-euler:velocities-first", "rattle"}) {
    SimulateOptions options = options_for(model, integrator, 1e-4);
    options.end = 0.02;
    options.sampling.every_step = true;
    const Simulation simulation = simulate(model, options);
    ASSERT_EQ(simulation.status, Outcome::Status::Done);

    const TemporaryFolder folder;
    const StepModel step = make_step_model(model, options);
    write_all(folder.path(), step);
    ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0);
    ASSERT_EQ(run_in(folder.path(), "./example 200"), 0);
    const auto rows = rows_of(folder.path() / "out");
    ASSERT_EQ(rows.size(), 201u);
    ASSERT_EQ(simulation.trajectory.num_rows(), 201u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < step.outputs.size(); ++j) {
        ASSERT_TRUE(same_bits(rows[i][j + 1], simulation.trajectory[step.outputs[j].label][i]))
            << step.outputs[j].label << " in step " << i << ", " << integrator;
      }
    }
  }
}

// A parameter that is changed counts from NAME_prepare on, exactly as if it had been the model's.
TEST(ExportedC, ParametersCountOncePrepared) {
  const auto with_stiffness = [](const char* k) {
    return read_model(std::string(KOPPEL_MODELS) + "car_axle.yaml", {.set = {{"k", k}}});
  };
  const Model soft = with_stiffness("5e-4"), hard = with_stiffness("8e-4");
  const TemporaryFolder folder;
  for (const auto& [model, name] : {std::pair{&soft, "soft"}, std::pair{&hard, "hard"}}) {
    const CFiles files =
        write_c(make_step_model(*model, options_for(*model, "rattle", 1e-3), name));
    write_text(folder.path() / (std::string(name) + ".h"), files.header);
    write_text(folder.path() / (std::string(name) + ".c"), files.source);
    const std::size_t step = files.source.find("int " + std::string(name) + "_step(");
    EXPECT_EQ(files.source.find("parameters", step), std::string::npos);
  }
  write_text(folder.path() / "main.c", R"(#include "hard.h"
#include "soft.h"
int main(void) {
  soft_state a; soft_parameters pa; soft_prepared ra; soft_inputs ia = {0};
  hard_state b; hard_parameters pb; hard_prepared rb; hard_inputs ib = {0};
  int k;
  soft_init(&a, &pa, &ra);
  hard_init(&b, &pb, &rb);
  if (a.yl != b.yl || pa.k == pb.k) return 1;
  for (k = 0; k < 100; ++k) {
    if (soft_step(&a, &ia, &ra) != 0 || hard_step(&b, &ib, &rb) != 0) return 2;
  }
  if (a.yl == b.yl) return 3;
  soft_init(&a, &pa, &ra);
  hard_init(&b, &pb, &rb);
  pa.k = pb.k;
  soft_prepare(&pa, &ra);
  for (k = 0; k < 100; ++k) {
    if (soft_step(&a, &ia, &ra) != 0 || hard_step(&b, &ib, &rb) != 0) return 4;
    if (a.yl != b.yl || a.d_xr != b.d_xr) return 5;
  }
  return 0;
}
)");
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o main *.c -lm"), 0)
      << text_of(folder.path() / "err");
  EXPECT_EQ(run_in(folder.path(), "./main"), 0);
}

// Instructions of every call of NAME_step, by callgrind.
std::set<long> instructions(const std::string& model_name, const SimulateOptions& options) {
  const Model model = built_in(model_name);
  const StepModel step = make_step_model(model, options, "model");
  const TemporaryFolder folder;
  write_all(folder.path(), step);
  EXPECT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -static -o example *.c -lm"), 0)
      << text_of(folder.path() / "err");
  EXPECT_EQ(run_in(folder.path(),
                   "valgrind --tool=callgrind --collect-atstart=no --toggle-collect=model_step "
                   "--dump-after=model_step --callgrind-out-file=counts ./example 100 0"),
            0)
      << text_of(folder.path() / "err");
  std::set<long> counts;
  int num_steps = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (!entry.path().filename().string().starts_with("counts.")) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("summary: ")) continue;
      const long count = std::atol(line.c_str() + 9);
      if (count == 0) continue;  // after the last step
      counts.insert(count);
      ++num_steps;
    }
  }
  EXPECT_EQ(num_steps, 100);
  return counts;
}

TEST(ExportedC, EveryStepExecutesTheSameNumberOfInstructions) {
  if (!has_program("valgrind")) GTEST_SKIP() << "valgrind is not installed";
  for (const char* name : {"circular_track", "slider_crank", "four_bar", "andrews"}) {
    const Model model = built_in(name);
    for (const auto& [integrator, formulation] :
         {std::pair{"linear-implicit", "ggl"}, std::pair{"rosenbrock", "index1"},
          std::pair{"rattle", "ggl"}, std::pair{"linear-implicit:J2", "index1"},
          std::pair{"linear-implicit:J3:new-positions", "baumgarte2"},
          std::pair{"explicit-euler", "baumgarte2"}}) {
      SimulateOptions options = options_for(model, integrator, 1e-4);
      options.formulation = formulation;
      const std::set<long> counts = instructions(name, options);
      EXPECT_EQ(counts.size(), 1u) << name << ' ' << integrator << ' ' << formulation << ": from "
                                   << *counts.begin() << " to " << *counts.rbegin();
    }
  }
}

TEST(ExportedC, AStepThatFailsSaysSoAndLeavesTheState) {
  const Model model = built_in("car_axle");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "linear-implicit", 1e-3)));
  write_text(folder.path() / "example.c", R"(#include <math.h>
#include "car_axle.h"
int main(void) {
  car_axle_state state, before;
  car_axle_parameters parameters;
  car_axle_prepared prepared;
  car_axle_inputs inputs = {0};
  car_axle_init(&state, &parameters, &prepared);
  parameters.k = 0.0 / 0.0;
  car_axle_prepare(&parameters, &prepared);
  before = state;
  if (car_axle_step(&state, &inputs, &prepared) != 1) return 1;
  if (state.t != before.t || state.xl != before.xl || state.d_yr != before.d_yr) return 2;
  parameters.k = 5e-4;
  car_axle_prepare(&parameters, &prepared);
  if (car_axle_step(&state, &inputs, &prepared) != 0) return 3;
  return state.t == CAR_AXLE_STEP && state.count == 1 ? 0 : 4;
}
)");
  ASSERT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -o example *.c -lm"), 0);
  EXPECT_EQ(run_in(folder.path(), "./example"), 0);
}

// 2³² steps of a millisecond are 49.7 days: on a machine of 32 bits too, counting goes on, and the
// time is start + count h to 3 units of its last place.
TEST(ExportedC, TheCountOfStepsDoesNotWrap) {
  const Model model = built_in("car_axle");
  for (const bool is_float : {false, true}) {
    const TemporaryFolder folder;
    write_all(folder.path(), make_step_model(model, options_for(model, "linear-implicit", 1e-3)),
              is_float);
    write_text(folder.path() / "example.c", R"(#include <math.h>
#include "car_axle.h"
int main(void) {
  const uint64_t counts[] = {0, 16777216, 4294967294, 4294967295, 4294967296, 1099511627776};
  const double unit = sizeof(((car_axle_state*)0)->t) == 4 ? ldexp(1, -24) : ldexp(1, -53);
  int k;
  for (k = 0; k < 6; ++k) {
    car_axle_state state;
    car_axle_parameters parameters;
  car_axle_prepared prepared;
    car_axle_inputs inputs = {0};
    double t;
    car_axle_init(&state, &parameters, &prepared);
    state.count = counts[k];
    if (car_axle_step(&state, &inputs, &prepared) != 0) return 1;
    if (state.count != counts[k] + 1) return 2;
    t = (double)state.count * 1e-3;
    if (fabs((double)state.t - t) > 2 * 3 * unit * t) return 3;
  }
  return 0;
}
)");
    ASSERT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -o example *.c -lm"), 0);
    EXPECT_EQ(run_in(folder.path(), "./example"), 0) << is_float;
    EXPECT_NE(text_of(folder.path() / "car_axle.h").find("uint64_t count;"), std::string::npos);
  }
}

// tests/reference/slider_crank.csv at t = 1, by both compilers.
TEST(AccurateC, ReachesTheReferenceWithoutAWarning) {
  const Model model = built_in("slider_crank");
  for (const double tolerance : {1e-6, 1e-10}) {
    SimulateOptions options = options_for(model, "dop853", 0.1);
    options.tolerance = tolerance;
    const TemporaryFolder folder;
    write_all(folder.path(), make_step_model(model, options));
    for (const char* compiler : {"gcc", "clang"}) {
      if (!has_program(compiler)) continue;
      ASSERT_EQ(run_in(folder.path(), compiler + std::string(kFlags) + "-o example *.c -lm"), 0)
          << text_of(folder.path() / "err").substr(0, 2000);
      ASSERT_EQ(run_in(folder.path(), "./example 10"), 0);
      const std::vector<double> last = rows_of(folder.path() / "out").back();
      // The error of a step grows by about a hundred in passing the dead centres.
      EXPECT_NEAR(last[0], 1, 1e-15);
      EXPECT_NEAR(last[3], 1.103347978931893210, 300 * tolerance) << tolerance;
      EXPECT_NEAR(last[2], 3.615993342030306876e-01, 300 * tolerance) << tolerance;
      EXPECT_NEAR(std::hypot(last[3] - last[1], last[2]), 1, 1e-13) << tolerance;
    }
  }
}

// exp, powers and tanh of the step have helpers of their own, beside those of the step's control.
TEST(AccurateC, UsesEveryFunctionOfTheRuntime) {
  const Model model = read_model_text(
      "name: spring\ncoordinates: {x: {start: 1, rate: 0.5}}\nkinetic: x'^2/2\n"
      "potential: (1 + x^2)^0.7 + exp(-x)/10\ngeneralized_forces: {x: -tanh(x'/0.1)/20}\n"
      "outputs: {x: x}\n",
      "spring.yaml");
  const TemporaryFolder folder;
  SimulateOptions options = options_for(model, "dop853", 0.1);
  options.tolerance = 1e-10;
  write_all(folder.path(), make_step_model(model, options));
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  ASSERT_EQ(run_in(folder.path(), "./example 20"), 0);
  const Simulation s = simulate(model, {.end = 2, .tolerance = 1e-12});
  EXPECT_NEAR(rows_of(folder.path() / "out").back().at(1), s["x"].back(), 1e-8);
}

// The file of the example is not that of a model which is called so; and names of koppel/runtime
// are not those of a model.
TEST(ExportedC, ModelsOfAnyNameCompile) {
  for (const std::string name : {"example", "Example", "koppel", "model", "start"}) {
    const Model model =
        read_model_text("name: " + name +
                            "\nparameters: {k: 1}\ncoordinates: {x: {start: 1}}\nkinetic: x'^2/2\n"
                            "potential: k*x^2/2\noutputs: {x: x}\n",
                        "any.yaml");
    const TemporaryFolder folder;
    const StepModel step = make_step_model(model, options_for(model, "rattle", 1e-2));
    write_all(folder.path(), step);
    write_text(folder.path() / (step.name + "_start.c"), write_c(step).start);
    EXPECT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o run *.c -lm"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
    EXPECT_EQ(run_in(folder.path(), "./run 1"), 0) << name;
  }
}

// A literal of C99 has at most 4095 characters.
TEST(ExportedC, HasAnyNumberOfOutputs) {
  std::string outputs;
  for (int i = 0; i < 1000; ++i)
    outputs += "  output_" + std::to_string(i) + ": " + std::to_string(i) + "*x\n";
  const Model model = read_model_text(
      "name: many\ncoordinates: {x: {start: 1}}\nkinetic: x'^2/2\noutputs:\n" + outputs,
      "many.yaml");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "rattle", 1e-2)));
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o run *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  EXPECT_EQ(run_in(folder.path(), "./run 1 1"), 0);
  const std::vector<double> row = rows_of(folder.path() / "out").front();
  ASSERT_EQ(row.size(), 1001u);
  EXPECT_EQ(row.back(), 999);
}

// As limits are that mean none.
TEST(ExportedC, NumbersBeyondSinglePrecisionAreInfinite) {
  const Model model = read_model_text(
      "name: far\nparameters: {most: 1e300}\ninputs: [F]\ncoordinates: {x: {start: 1}}\n"
      "kinetic: x'^2/2\ngeneralized_forces: {x: \"min(F, most) + max(-1e200, -x)\"}\n"
      "outputs: {x: x}\n",
      "far.yaml");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "rattle", 1e-2)), true);
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o run *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  EXPECT_EQ(run_in(folder.path(), "./run 100 100"), 0);
  EXPECT_NEAR(rows_of(folder.path() / "out").back()[1], std::cos(1.0), 1e-4);
}

// Names of the model that are macros of C, of its headers or of a compiler.
TEST(ExportedC, NamesThatAreMacrosAreLeftToC) {
  const Model model = read_model_text(
      "name: macros\nparameters: {NAN: 2, INFINITY: 3, EOF: 1, M_PI: 4, "
      "INT64_MAX: 1, KOPPEL_REAL: 1, MACROS_STEP: 1, START_Q: 1, linux: 1, "
      "unix: 1, stdin: 1, HUGE_VAL: 2}\ncoordinates: {x: {start: 1}}\nkinetic: NAN*x'^2/2\n"
      "potential: (INFINITY + EOF + M_PI + INT64_MAX + linux + unix + stdin + "
      "HUGE_VAL)*x^2/2\n"
      "outputs: {x: x}\n",
      "macros.yaml");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "rattle", 1e-2)));
  for (const char* standard : {"c99", "gnu11"}) {
    EXPECT_EQ(run_in(folder.path(), std::string("cc -std=") + standard + " -o example *.c -lm"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
  }
  EXPECT_EQ(run_in(folder.path(), "./example 1"), 0);
}

// A pendulum and the same a million times smaller, gravity included: errors are measured by its
// size.
TEST(AccurateC, SmallMechanismsAreAsAccurateAsLargeOnes) {
  const auto place = [](const std::string& size) {
    const Model model = read_model_text("name: small\nparameters: {s: " + size + R"(}
dimension: 2
gravity: [0, -9.81*s]
bodies: {rod: {mass: 1, inertia: s^2/12, com: [s/2, 0], points: {E: [s, 0]}}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
outputs: {x: rod.E.x/s}
)",
                                        "small.yaml");
    SimulateOptions options = options_for(model, "dop853", 0.1);
    options.coordinates = "natural";
    options.tolerance = 1e-8;
    const TemporaryFolder folder;
    write_all(folder.path(), make_step_model(model, options));
    EXPECT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
    EXPECT_EQ(run_in(folder.path(), "./example 20"), 0);
    return rows_of(folder.path() / "out").back().at(1);
  };
  EXPECT_NEAR(place("1e-6"), place("1"), 1e-4);  // a hundred times the tolerance, grown over 2 s
}

// In single precision, whose rounding is 6e-8: to what a tolerance of 1e-5 allows.
TEST(AccurateC, ReachesTheReferenceInSinglePrecision) {
  const Model model = built_in("slider_crank");
  SimulateOptions options = options_for(model, "dop853", 0.1);
  options.tolerance = 1e-5;
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options), true);
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  ASSERT_EQ(run_in(folder.path(), "./example 10"), 0);
  const std::vector<double> last = rows_of(folder.path() / "out").back();
  EXPECT_NEAR(last[3], 1.103347978931893210, 300e-5);
  EXPECT_NEAR(last[2], 3.615993342030306876e-01, 300e-5);
}

// Order 4: the error of half the step is a sixteenth, and less where the next term still counts:
// the crank passes dead centres.
TEST(RungeKuttaC, ReachesTheReferenceWithOrderFour) {
  const Model model = built_in("slider_crank");
  double before = 0;
  for (const double step : {1e-2, 5e-3, 2.5e-3}) {
    const TemporaryFolder folder;
    write_all(folder.path(), make_step_model(model, options_for(model, "rk4", step)));
    ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0)
        << text_of(folder.path() / "err").substr(0, 2000);
    ASSERT_EQ(run_in(folder.path(), "./example " + std::to_string(std::lround(1 / step))), 0);
    const std::vector<double> last = rows_of(folder.path() / "out").back();
    const double error = std::abs(last[3] - 1.103347978931893210);
    EXPECT_NEAR(std::hypot(last[3] - last[1], last[2]), 1, 1e-13) << step;
    EXPECT_TRUE(before == 0 || before / error > 14) << step << ": " << before / error;
    before = error;
  }
  EXPECT_LT(before, 1e-5);
}

// A state that was filled by hand: its step to try is zero, or none at all.
TEST(AccurateC, AStepToTryThatIsNoneIsTheWholeStep) {
  const Model model = built_in("slider_crank");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "dop853", 1e-2)));
  write_text(folder.path() / "example.c", R"(#include <math.h>
#include "slider_crank.h"
int main(void) {
  const double wrong[] = {0, -1, NAN, INFINITY};
  int i;
  for (i = 0; i < 4; ++i) {
    slider_crank_state state;
    slider_crank_parameters parameters;
    slider_crank_prepared prepared;
    slider_crank_inputs inputs = {0};
    slider_crank_init(&state, &parameters, &prepared);
    state.inner_step = wrong[i];
    if (slider_crank_step(&state, &inputs, &prepared) != 0 || state.t != 1e-2) return 1 + i;
  }
  return 0;
}
)");
  ASSERT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -o example *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  EXPECT_EQ(run_in(folder.path(), "timeout 20 ./example"), 0);
}

// Where friction by sign(v) sticks, a step would take inner ones without end.
TEST(AccurateC, AStepInWhichFrictionSticksEndsWithItsReason) {
  const Model model = read_model_text(
      "name: sled\nparameters: {F: 5}\ncoordinates: {x: {start: 0, rate: 1}}\nkinetic: x'^2/2\n"
      "potential: x^2/2\ngeneralized_forces: {x: -F*sign(x')}\noutputs: {x: x}\n",
      "sled.yaml");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "dop853", 0.1)));
  write_text(folder.path() / "example.c", R"(#include <string.h>
#include "sled.h"
int main(void) {
  sled_state state, before;
  sled_parameters parameters;
  sled_prepared prepared;
  sled_inputs inputs = {0};
  sled_init(&state, &parameters, &prepared);
  if (sled_step(&state, &inputs, &prepared) != 0) return 1;
  before = state;
  if (sled_step(&state, &inputs, &prepared) != 4) return 2;
  if (memcmp(&state, &before, sizeof state) != 0) return 3;
  parameters.F = 0;
  sled_prepare(&parameters, &prepared);
  return sled_step(&state, &inputs, &prepared) == 0 && state.count == 2 ? 0 : 4;
}
)");
  ASSERT_EQ(run_in(folder.path(), "cc" + std::string(kFlags) + "-o example *.c -lm"), 0)
      << text_of(folder.path() / "err").substr(0, 2000);
  EXPECT_EQ(run_in(folder.path(), "timeout 20 ./example"), 0);
}

TEST(AccurateC, AStepThatFailsSaysSoAndLeavesTheState) {
  const Model model = built_in("slider_crank");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "dop853", 1e-2)));
  write_text(folder.path() / "example.c", R"(#include <string.h>
#include "slider_crank.h"
int main(void) {
  slider_crank_state state, before;
  slider_crank_parameters parameters;
  slider_crank_prepared prepared;
  slider_crank_inputs inputs = {0};
  slider_crank_init(&state, &parameters, &prepared);
  if (slider_crank_step(&state, &inputs, &prepared) != 0) return 1;
  before = state;
  parameters.m = 0.0 / 0.0;
  slider_crank_prepare(&parameters, &prepared);
  if (slider_crank_step(&state, &inputs, &prepared) == 0) return 2;
  if (memcmp(&state, &before, sizeof state) != 0) return 3;
  parameters.m = 1;
  slider_crank_prepare(&parameters, &prepared);
  if (slider_crank_step(&state, &inputs, &prepared) != 0) return 4;
  return state.t == 2 * SLIDER_CRANK_STEP && state.count == 2 ? 0 : 5;
}
)");
  ASSERT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -o example *.c -lm"), 0);
  EXPECT_EQ(run_in(folder.path(), "./example"), 0);
}

TEST(ExportedC, HasNeitherGlobalsNorAllocation) {
  const Model model = built_in("slider_crank");
  const TemporaryFolder folder;
  write_all(folder.path(), make_step_model(model, options_for(model, "", 1e-3)));
  ASSERT_EQ(run_in(folder.path(), "cc -std=c99 -O2 -c slider_crank.c && nm slider_crank.o"), 0);
  std::istringstream symbols(text_of(folder.path() / "out"));
  std::set<std::string> functions;
  for (std::string line; std::getline(symbols, line);) {
    const char kind = line[17];
    EXPECT_TRUE(kind == 'T' || kind == 't' || kind == 'U' || kind == 'r') << line;
    if (kind == 'T') functions.insert(line.substr(19));
    if (kind == 'U') {
      EXPECT_NE(line.substr(19), "malloc");
    }
  }
  EXPECT_EQ(functions, (std::set<std::string>{"slider_crank_init", "slider_crank_step",
                                              "slider_crank_observe", "slider_crank_prepare"}));
}

TEST(CIdentifier, IsMadeOfAnyLabel) {
  EXPECT_EQ(c_identifier("xl"), "xl");
  EXPECT_EQ(c_identifier("crank.angle'"), "d_crank_angle");
  EXPECT_EQ(c_identifier("axle[3].angle''"), "d_d_axle_3_angle");
  EXPECT_EQ(c_identifier("car axle"), "car_axle");
  EXPECT_EQ(c_identifier("2nd"), "_2nd");
  EXPECT_EQ(c_identifier("θ"), "xcexb8");
}

std::string error_of(const Model& model, const SimulateOptions& options) {
  return testing::error_of([&] { make_step_model(model, options); });
}

TEST(ExportedC, WhatCannotBeExportedIsRefused) {
  const Model model = built_in("car_axle");
  EXPECT_EQ(error_of(model, options_of(model)),
            "error[export.needs-step]: exported code needs a step, and none is given.\n"
            "  Give one, such as `step = 1e-3`.");
  EXPECT_EQ(error_of(model, options_for(model, "radau5", 1e-3)),
            "error[export.wrong-integrator]: integrator 'radau5' cannot be exported.\n"
            "  With fixed-cost steps: explicit-euler, linear-implicit, rosenbrock, rattle, rk4. "
            "Accurate: dop853.");
}

}  // namespace
}  // namespace koppel
