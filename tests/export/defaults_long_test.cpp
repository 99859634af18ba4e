// What an export promises is what it does: every model at the default step and to its own end, as
// C, as an FMU for Co-Simulation, and for Model Exchange under CVODE, against an accurate run.
// Models that cannot be exported say so.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/export/cvode_importer.hpp"

namespace koppel {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr double kStep = 1e-3;

using Row = std::vector<double>;  // outputs

// The largest deviation of an output, relative to the largest value of outputs of its unit.
class Comparison {
 public:
  Comparison(const Model& model, const StepModel& step, const std::vector<double>& times)
      : step_(step) {
    SimulateOptions options = options_of(model);
    options.coordinates = "";
    options.formulation = {};
    options.integrator = {};
    options.step.reset();
    options.tolerance = 1e-11;
    options.end = times.back();
    options.sampling.times = times;
    const Simulation s = simulate(model, options);
    for (const CVariable& output : step.outputs) {
      const std::span<const double> values = s.trajectory[output.label];
      accurate_.emplace_back(values.begin(), values.end());
      for (const double x : accurate_.back()) {
        double& size = size_[output.unit];
        size = std::max({size, std::abs(x), 1e-6});
      }
    }
  }

  double error_of(std::size_t sample, const Row& row) const {
    double error = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (sample >= accurate_[j].size()) continue;
      error = std::max(error,
                       std::abs(row[j] - accurate_[j][sample]) / size_.at(step_.outputs[j].unit));
    }
    return error;
  }

 private:
  const StepModel& step_;
  std::vector<std::vector<double>> accurate_;  // of outputs
  std::map<std::string, double> size_;         // by unit
};

std::vector<double> times_of(double end, int every) {
  std::vector<double> times;
  const auto steps = static_cast<int>(end / kStep * (1 + 1e-12));
  for (int k = 0; k <= steps; k += every) times.push_back(k * kStep);
  return times;
}

int every_of(double end) { return std::max(1, static_cast<int>(end / kStep / 100)); }

double error_of_c(const Model& model, const StepModel& step) {
  const TemporaryFolder folder;
  const CFiles files = write_c(step, false);
  write_text(folder.path() / (step.name + ".h"), files.header);
  write_text(folder.path() / (step.name + ".c"), files.source);
  write_text(folder.path() / "example.c", files.example);
  const int every = every_of(model.run.end);
  const std::vector<double> times = times_of(model.run.end, every);
  const std::string command = "cd '" + folder.path().string() +
                              "' && cc -O1 -ffp-contract=off *.c " +
                              "-lm -o example && ./example " +
                              std::to_string((times.size() - 1) * static_cast<std::size_t>(every)) +
                              " " + std::to_string(every) + " > out";
  EXPECT_EQ(std::system(command.c_str()), 0) << model.name;
  const Comparison comparison(model, step, times);
  std::ifstream file(folder.path() / "out");
  std::string line;
  std::getline(file, line);
  double error = 0;
  for (std::size_t k = 0; std::getline(file, line); ++k) {
    std::istringstream fields(line);
    Row row;
    for (std::string field; std::getline(fields, field, ',');) {
      row.push_back(std::strtod(field.c_str(), nullptr));
    }
    row.erase(row.begin());
    error = std::max(error, comparison.error_of(k, row));
  }
  return error;
}

Row outputs_of(const Fmu2& fmu, const StepModel& step) {
  Row row;
  for (const CVariable& output : step.outputs) row.push_back(fmu.get(output.label));
  return row;
}

double error_of_co_simulation(const Model& model, const StepModel& step, const fs::path& path) {
  const int every = every_of(model.run.end);
  const std::vector<double> times = times_of(model.run.end, every);
  const Comparison comparison(model, step, times);
  Fmu2 fmu(path, kCoSimulation);
  EXPECT_EQ(fmu.start(), kOk);
  double error = 0;
  for (std::size_t k = 1; k < times.size(); ++k) {
    EXPECT_EQ(fmu.step(times[k - 1], times[k] - times[k - 1]), kOk)
        << model.name << " at " << times[k - 1] << ": "
        << (fmu.messages.empty() ? "" : fmu.messages.back());
    error = std::max(error, comparison.error_of(k, outputs_of(fmu, step)));
  }
  return error;
}

// None where the importer was told that it cannot go on.
std::optional<double> error_of_model_exchange(const Model& model, const StepModel& step,
                                              const fs::path& path, Imported& imported) {
  const std::vector<double> times = {0, model.run.end};
  const Comparison comparison(model, step, times);
  Fmu2 fmu(path, kModelExchange);
  EXPECT_EQ(fmu.start(), kOk);
  ImportOptions options;
  options.tolerance = 1e-9;
  options.end = model.run.end;
  options.max_steps = 200'000;
  try {
    imported = CvodeImporter(fmu, options).run();
  } catch (const std::runtime_error&) {
    return {};
  }
  return comparison.error_of(1, outputs_of(fmu, step));
}

class Defaults : public ::testing::TestWithParam<std::string> {
 protected:
  Model model_ = read_model(std::string(KOPPEL_MODELS) + GetParam() + ".yaml");
  SimulateOptions options_ = [this] {
    SimulateOptions options = options_of(model_);
    options.integrator = {};
    options.formulation = {};
    options.step = kStep;
    return options;
  }();

  // None where the export was refused, for one of the reasons that are a model's.
  std::optional<StepModel> make(StepKind kind) {
    try {
      return make_step_model(model_, options_, "", kind);
    } catch (const Error& error) {
      const std::string text = error.what();
      std::printf("%s: %s\n", GetParam().c_str(), text.substr(0, text.find('\n')).c_str());
      bool is_known = false;
      for (const char* code : {"export.does-not-hold", "export.has-events", "simulate.massless",
                               "simulate.singular-start", "simulate.jump"}) {
        is_known = is_known || text.find(code) != std::string::npos;
      }
      EXPECT_TRUE(is_known) << text;
      return {};
    }
  }
};

std::vector<std::string> names_of_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, Defaults, ::testing::ValuesIn(names_of_models()),
                         [](const auto& suite) { return suite.param; });

// C has the library's bits, and the trial's samples are twice as dense.
TEST_P(Defaults, CIsAsAccurateAsWasSaid) {
  const std::optional<StepModel> step = make(StepKind::FixedCost);
  if (!step || step->outputs.empty() || !step->choice.trial.error) return;
  const double error = error_of_c(model_, *step);
  std::printf("| %s | %s, %s | %.1e | %.1e |\n", GetParam().c_str(),
              step->choice.trial.coordinates.c_str(), step->choice.trial.integrator.text().c_str(),
              *step->choice.trial.error, error);
  EXPECT_LE(error, 1.5 * *step->choice.trial.error + 1e-9);
}

// Steps of communication end the steps inside, which makes other errors of the same size.
TEST_P(Defaults, FmusAreAsAccurateAsWasSaid) {
  const std::optional<StepModel> step = make(StepKind::Accurate);
  if (!step || step->outputs.empty() || !step->choice.trial.error) return;
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "model.fmu";
  write_fmu(path, *step, model_.run.end);
  const double error = error_of_co_simulation(model_, *step, path);
  EXPECT_LE(error, 10 * *step->choice.trial.error + 1e-7);
  Imported imported;
  const std::optional<double> exchanged = error_of_model_exchange(model_, *step, path, imported);
  std::printf("| %s | %s, %s | %.1e | %.1e | %s | %ld | %ld |\n", GetParam().c_str(),
              step->choice.trial.coordinates.c_str(), step->choice.trial.integrator.text().c_str(),
              *step->choice.trial.error, error,
              exchanged ? (std::ostringstream() << *exchanged).str().c_str() : "told",
              imported.evaluations, imported.events);
  EXPECT_LE(exchanged.value_or(0), 1e-3);
}

}  // namespace
}  // namespace koppel
