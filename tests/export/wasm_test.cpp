// Exported WebAssembly, run by Node: it does what the interpreter does to the last bit.
#include <koppel/export/wasm.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/export/c.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/near.hpp"
#include "tests/run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::run_program;
using testing::same_bits;
using testing::TemporaryFolder;

SimulateOptions options_for(const Model& model, const std::string& integrator, double step) {
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};  // bits are compared, whatever they say
  options.integrator = integrator;
  options.step = step;
  options.end = 10 * step;
  return options;
}

void write_all(const TemporaryFolder& folder, const StepModel& model) {
  const WasmFiles files = write_wasm(model);
  write_text(folder.path() / (model.name + ".wasm"), files.module);
  write_text(folder.path() / (model.name + ".js"), files.wrapper);
  write_text(folder.path() / (model.name + ".d.ts"), files.types);
  write_text(folder.path() / "package.json", "{\"type\": \"module\"}\n");
}

int run_node(const std::string& arguments) {
  return std::system(("'" KOPPEL_NODE "' " + arguments).c_str());
}

// t, state and outputs at the start and after each step, interpreted.
std::vector<double> interpreted(const StepModel& m, int num_steps) {
  const Equations& e = m.prepared.equations;
  std::vector<Expr> outputs;
  for (const NamedExpr& output : e.outputs) outputs.push_back(output.value);
  const Program observe = lower(symbols_of_state(e), outputs, true);
  std::vector<double> rows, state;
  for (const CVariable& v : m.state()) state.push_back(v.start);
  const auto append = [](std::vector<double>& to, const std::vector<double>& more,
                         std::size_t count) {
    to.insert(to.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<double> rest;  // inputs, parameters
  for (const auto* part : {&m.inputs, &m.parameters}) {
    for (const CVariable& v : *part) rest.push_back(v.start);
  }
  for (int k = 0; k <= num_steps; ++k) {
    const double t = m.start_time + k * m.step;
    std::vector<double> in = {t};
    append(in, state, state.size() - m.multipliers.size());
    append(in, rest, rest.size());
    rows.push_back(t);
    append(rows, state, state.size());
    append(rows, run_program(observe, in), m.outputs.size());
    in = {t, m.step};
    append(in, state, state.size());
    append(in, rest, rest.size());
    state = run_program(m.advance, in);
  }
  return rows;
}

class ExportedWasm : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Models, ExportedWasm,
    ::testing::Values(std::pair{"slider_crank", "rattle"}, std::pair{"rotary_crane", "rattle"},
                      std::pair{"car_axle", "linear-implicit:J1"}, std::pair{"bricard", "rattle"},
                      std::pair{"heavy_top", "explicit-euler"}, std::pair{"robot", "rosenbrock"},
                      std::pair{"vehicle_trailer", "rattle"}),
    [](const auto& suite) { return std::string(suite.param.first); });

void expect_bits_of_the_interpreter(const StepModel& step) {
  const TemporaryFolder folder;
  write_all(folder, step);
  const int num_steps = 40;
  const std::string at = folder.path().string();
  ASSERT_EQ(run_node("'" KOPPEL_EXPORT_TESTS "/run_wasm.mjs' '" + at + "' model " +
                     std::to_string(num_steps) + " '" + at + "/out'"),
            0);
  const std::vector<double> expected = interpreted(step, num_steps);
  std::vector<double> found(expected.size());
  std::ifstream file(at + "/out", std::ios::binary);
  const auto size = static_cast<std::streamsize>(8 * found.size());
  file.read(reinterpret_cast<char*>(found.data()), size);
  ASSERT_EQ(file.gcount(), size);
  const std::size_t columns = expected.size() / (num_steps + 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(same_bits(found[i], expected[i]))
        << "column " << i % columns << " after step " << i / columns << ": " << found[i]
        << " instead of " << expected[i];
  }
}

TEST_P(ExportedWasm, GivesTheBitsOfTheInterpreter) {
  const auto& [name, integrator] = GetParam();
  const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
  expect_bits_of_the_interpreter(
      make_step_model(model, options_for(model, integrator, 1e-3), "model"));
}

// The first column is time, as in the C; the state comes before the outputs.
std::vector<std::vector<double>> rows_of(const std::string& csv) {
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

// As many inner steps as it takes, some of them rejected. The models have no angles: sines would be
// libm's in the C.
TEST(AccurateWasm, GivesTheBitsOfTheC) {
  for (const auto& [name, length] : {std::pair{"slider_crank", 0.1}, std::pair{"five_link", 0.02},
                                     std::pair{"heavy_top", 0.05}}) {
    const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
    SimulateOptions options = options_for(model, "dop853", length);
    options.tolerance = 1e-9;
    options.coordinates = "natural";
    const StepModel step = make_step_model(model, options, "model");
    const TemporaryFolder folder;
    write_all(folder, step);
    const CFiles files = write_c(step);
    const std::string at = folder.path().string();
    write_text(at + "/model.h", files.header);
    write_text(at + "/model.c", files.source);
    write_text(at + "/example.c", files.example);
    ASSERT_EQ(std::system(("cd '" + at + "' && cc -std=c99 -O1 -ffp-contract=off -o example " +
                           "example.c model.c -lm && ./example 40 > csv")
                              .c_str()),
              0);
    ASSERT_EQ(
        run_node("'" KOPPEL_EXPORT_TESTS "/run_wasm.mjs' '" + at + "' model 40 '" + at + "/out'"),
        0);
    const auto expected = rows_of(at + "/csv");
    ASSERT_EQ(expected.size(), 41u);
    const std::size_t columns = 1 + step.state_size() + step.outputs.size();
    std::vector<double> found(41 * columns);
    std::ifstream file(at + "/out", std::ios::binary);
    file.read(reinterpret_cast<char*>(found.data()),
              static_cast<std::streamsize>(8 * found.size()));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_TRUE(same_bits(found[k * columns], expected[k][0])) << name;
      for (std::size_t j = 0; j < step.outputs.size(); ++j) {
        ASSERT_TRUE(same_bits(found[k * columns + 1 + step.state_size() + j], expected[k][j + 1]))
            << name << ", " << step.outputs[j].label << " after step " << k;
      }
    }
  }
}

// With angles: within the tolerance, and a step that fails leaves the state.
TEST(AccurateWasm, ReachesTheReference) {
  const TemporaryFolder folder;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml");
  SimulateOptions options = options_for(model, "dop853", 0.1);
  options.tolerance = 1e-10;
  options.coordinates = "joint";
  const StepModel step = make_step_model(model, options, "model");
  write_all(folder, step);
  EXPECT_EQ(run_node("'" KOPPEL_EXPORT_TESTS "/reach_wasm.mjs' '" + folder.path().string() + "'"),
            0);
}

TEST(ExportedWasmModule, OfSmallModelsIsBelow6Kilobytes) {
  for (const char* name : {"slider_crank", "rotary_crane", "car_axle", "pendulum"}) {
    const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
    const StepModel step = make_step_model(model, options_for(model, "rattle", 1e-3));
    EXPECT_LT(write_wasm(step).module.size(), 6000u) << name;
  }
}

TEST(ExportedWasmWrapper, DoesWhatItSays) {
  const TemporaryFolder folder;
  for (const auto& [name, k] : {std::pair{"axle", "5e-4"}, std::pair{"hard", "8e-4"}}) {
    const Model model =
        read_model(std::string(KOPPEL_MODELS) + "car_axle.yaml", {.set = {{"k", k}}});
    write_all(folder, make_step_model(model, options_for(model, "rattle", 1e-3), name));
  }
  const std::string text =
      "name: driven\nparameters: {half: 4, stiffness: 2*half}\ninputs: [u]\n"
      "coordinates: {x: 1}\nkinetic: x'^2/2\npotential: stiffness*x^2/2\n"
      "generalized_forces: {x: u}\n"
      "outputs: {twice: 2*x, pull: u, spring: stiffness*x}\n";
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(text, "driven.yaml", {}, origins);
  write_all(folder, make_step_model(model, options_for(model, "rattle", 1e-3), "",
                                    StepKind::FixedCost, origins));
  EXPECT_EQ(run_node("'" KOPPEL_EXPORT_TESTS "/use_wasm.mjs' '" + folder.path().string() + "'"), 0);
}

// Functions of libm: the module has its own, with the bits of the interpreter's, and imports none.
TEST(ExportedWasmModule, HasTheFunctionsThatItNeeds) {
  const Model model = read_model_text(
      "name: test\ncoordinates: {x: 1, y: 0.5}\nkinetic: (x'^2 + y'^2)/2\n"
      "potential: exp(x) + cosh(y) + (x^2 + y^2 + 1)^0.75\n"
      "generalized_forces: {x: \"-tanh(x') - atan2(x, 2)\", y: \"-log(2 + y'^2)*sinh(y) + "
      "tan(y/9)\"}\n"
      "outputs: {x: x, angle: asin(x/9) + acos(y/9) + atan(x)}\n",
      "test.yaml");
  expect_bits_of_the_interpreter(
      make_step_model(model, options_for(model, "rattle", 1e-3), "model"));
}

}  // namespace
}  // namespace koppel
