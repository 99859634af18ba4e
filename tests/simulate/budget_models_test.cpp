// What a budget says comes true: over all models, what it calls stable holds to the end of the run,
// and constraints stay within the bound of drift.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/budget.hpp>

namespace koppel {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Promises : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Promises, ::testing::ValuesIn(names_of_models()),
                         [](const auto& suite) { return suite.param; });

// The method that the budget is of, by its name in `stable`.
bool calls_stable(const Budget& budget) {
  const std::string name = budget.integrator.substr(0, budget.integrator.find(':'));
  for (const StableStep& stable : budget.stable) {
    const bool is_it =
        stable.method == name ||
        (name == "linear-implicit" && budget.integrator.find(stable.method) != std::string::npos) ||
        (budget.integrator == "linear-implicit" && stable.method == "exact");
    if (is_it) {
      return !stable.is_refuted && (!stable.largest_step || *stable.largest_step >= budget.step);
    }
  }
  ADD_FAILURE() << budget.integrator << " is not among the methods";
  return false;
}

TEST_P(Promises, OfStabilityAndDriftAreKept) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + GetParam() + ".yaml");
  for (const char* integrator : {"", "rattle", "rosenbrock", "linear-implicit",
                                 "linear-implicit:J1", "linear-implicit:J2"}) {
    SimulateOptions options = options_of(model);
    options.integrator = integrator;
    options.formulation = "";
    options.step = 1e-3;
    Budget budget;
    try {
      budget = make_budget(model, options);
    } catch (const Error&) {
      continue;  // a mechanism that has no such step; other tests say why
    }
    options.coordinates = budget.coordinates;
    options.formulation = budget.formulation;
    options.integrator = budget.integrator;
    const Simulation s = simulate(model, options);
    const std::string what = GetParam() + ", " + budget.integrator;
    if (calls_stable(budget)) {
      EXPECT_NE(s.summary.status, "failed") << what << ": " << s.text;
      EXPECT_LT(s.summary.max_position_violation, 1e-2) << what;
    }
    EXPECT_EQ(s.summary.status == "done", budget.trial.holds()) << what << ": " << s.text;
    EXPECT_DOUBLE_EQ(s.summary.max_position_violation, budget.trial.position_violation) << what;
    if (budget.drift && budget.drift->holds(budget.step)) {
      const double round_off = 1e-9;  // of positions of up to 1e6 times their last digit
      EXPECT_LE(s.summary.max_position_violation, budget.drift->limit(budget.step) + round_off)
          << what;
    }
  }
}

}  // namespace
}  // namespace koppel
