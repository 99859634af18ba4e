// FMUs in a real importer: Model Exchange under CVODE, both of its methods, step by step and from
// one time of communication to the next.
#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/export/cvode_importer.hpp"

namespace koppel {
namespace {

using namespace testing;

struct Case {
  const char* model;
  double end;
};

// Closed loops in natural coordinates, which have the most constraints to hold, and constraints
// that move.
constexpr Case kCases[] = {
    {"slider_crank", 10}, {"bricard", 10}, {"five_link", 5}, {"heavy_top", 2}, {"car_axle", 3}};

class Written {
 public:
  explicit Written(const std::string& name)
      : model(read_model(std::string(KOPPEL_MODELS) + name + ".yaml")) {
    SimulateOptions options = options_of(model);
    options.coordinates = coordinate_sets(model)[0];
    options.integrator = "rattle";
    options.step = 1e-3;
    step_model = make_step_model(model, options);
    write_fmu(path(), step_model, model.run.end);
  }
  std::filesystem::path path() const { return folder_.path() / "model.fmu"; }

  Model model;
  StepModel step_model;

 private:
  TemporaryFolder folder_;
};

// The largest deviation of an output at the end from a run of ours at 1e-12, over the output's
// size.
double error_of(const Fmu2& fmu, const Written& w, double end) {
  SimulateOptions options = options_of(w.model);
  options.integrator = "";
  options.end = end;
  options.tolerance = 1e-12;
  const Simulation s = simulate(w.model, options);
  double error = 0;
  for (const CVariable& output : w.step_model.outputs) {
    const auto& values = s.trajectory[output.label];
    double size = 1e-3;
    for (const double x : values) size = std::max(size, std::abs(x));
    error = std::max(error, std::abs(fmu.get(output.label) - values.back()) / size);
  }
  return error;
}

struct Outcome {
  Imported imported;
  double error = 0;
};

Outcome import(const Written& w, const ImportOptions& options) {
  Fmu2 fmu(w.path(), kModelExchange);
  EXPECT_EQ(fmu.call("fmi2SetupExperiment", 1, options.tolerance, 0.0, 0, 0.0), kOk);
  EXPECT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
  EXPECT_EQ(fmu.call("fmi2ExitInitializationMode"), kOk);
  Outcome out;
  out.imported = CvodeImporter(fmu, options).run();
  out.error = error_of(fmu, w, options.end);
  return out;
}

TEST(Importer, ConstraintsAreHeldAtNoCost) {
  for (const Case& c : kCases) {
    const Written w(c.model);
    for (const int method : {CV_ADAMS, CV_BDF}) {
      for (const bool one_step : {true, false}) {
        ImportOptions options;
        options.method = method;
        options.one_step = one_step;
        options.end = c.end;
        options.ends_steps = false;
        const Outcome ignored = import(w, options);
        options.ends_steps = true;
        const Outcome heeded = import(w, options);
        std::printf(
            "%-28s %-5s %-8s evaluations %6ld, ignoring events %6ld; events %ld; error %.1e, "
            "%.1e\n",
            c.model, method == CV_ADAMS ? "Adams" : "BDF", one_step ? "one-step" : "normal",
            heeded.imported.evaluations, ignored.imported.evaluations, heeded.imported.events,
            heeded.error, ignored.error);
        EXPECT_LE(static_cast<double>(heeded.imported.evaluations),
                  1.2 * static_cast<double>(ignored.imported.evaluations))
            << c.model;
        EXPECT_EQ(heeded.imported.events, 0) << c.model;
        // Where the violation is most of the error, holding the constraints takes it away.
        EXPECT_LE(heeded.error, 3 * ignored.error) << c.model;
      }
    }
  }
}

}  // namespace
}  // namespace koppel
