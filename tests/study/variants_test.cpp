// Studies as values: sweeps, derivatives, optima and fits of models in memory and of files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/optimize.hpp>
#include <koppel/study/sensitivity.hpp>
#include <koppel/study/sweep.hpp>
#include <koppel/study/sweep_table.hpp>
#include <koppel/study/variants.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

namespace fs = std::filesystem;
using testing::error_of;

// m x'' = -k x, x(0) = a: x = a cos(√(k/m) t).
constexpr const char* kOscillator = R"(
dimension: 2
parameters: {k: 4, m: 1, a: 0.5, twice: 2 * k}
bodies: {block: {mass: m, inertia: 1}}
coordinates: {x: {start: a}}
kinetic: m * x'^2 / 2
potential: k * x^2 / 2
outputs: {x: x, stiff: twice}
run: {end: 1, tolerance: 1e-11}
)";

Model oscillator(std::vector<ParameterOrigin>* origins = nullptr) {
  std::vector<ParameterOrigin> found;
  Model out = read_model_text(kOscillator, "oscillator.yaml", {}, found);
  if (origins != nullptr) *origins = std::move(found);
  return out;
}

// One for each test: they run side by side.
fs::path oscillator_file() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path path = fs::path(::testing::TempDir()) / ("oscillator-" + test + ".yaml");
  std::ofstream(path) << kOscillator;
  return path;
}

SweepOptions over_stiffness() {
  return {.design = {.ranges = {parse_range("k=1:9:5"), parse_range("a=0.5,-1")}},
          .of = {parse_criterion("x"), parse_criterion("x:max")}};
}

TEST(Variants, OfAFileHaveTheirClosedForm) {
  const SweepResult found = sweep(oscillator_file(), over_stiffness());
  ASSERT_EQ(found.size(), 10U);
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.parameters, (std::vector<std::string>{"k", "a"}));
  EXPECT_EQ(found.criteria, (std::vector<std::string>{"x:final", "x:max"}));
  const std::vector<double> k = found["k"], a = found["a"], x = found["x:final"];
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found.rows[i].status, SweepRow::Status::Done) << found.rows[i].reason;
    EXPECT_NEAR(x[i], a[i] * std::cos(std::sqrt(k[i])), 1e-9) << i;
  }
}

TEST(Variants, DoNotDependOnTheNumberOfThreadsAndAreTheRowsOfTheTable) {
  SweepOptions options = over_stiffness();
  options.jobs = 1;
  const std::string alone = to_csv(sweep(oscillator_file(), options));
  options.jobs = 3;
  EXPECT_EQ(to_csv(sweep(oscillator_file(), options)), alone);

  Sweep parts{[](const Settings& settings) {
                return read_model_text(kOscillator, "oscillator.yaml", {settings});
              },
              [](const Model& model) { return options_of(model); }, Samples(options.design),
              options.of};
  prepare(parts);
  std::string table = table_head(parts);
  for (std::size_t i = 0; i < parts.samples.size(); ++i) {
    table += table_line(parts, i, *run_variant(parts, i)) + '\n';
  }
  EXPECT_EQ(alone, table);
}

TEST(Variants, OfAModelInMemoryFollowWhatItsParametersAreDefinedBy) {
  std::vector<ParameterOrigin> origins;
  const Model model = oscillator(&origins);
  const SweepResult found = sweep(model, origins, {.design = {.ranges = {parse_range("k=1,4,9")}}});
  EXPECT_EQ(found["stiff:final"], (std::vector<double>{2, 8, 18}));
  EXPECT_NEAR(found["x:final"][2], 0.5 * std::cos(3), 1e-9);
}

TEST(Variants, OfABuiltModelAreMadeFromValues) {
  const MakeVariant make = [](std::span<const double> values) {
    return read_model_text(kOscillator, "m.yaml", {{{"m", std::to_string(values[0])}}});
  };
  const SweepResult found = sweep(make, {.design = {.ranges = {parse_range("m=1,4")}},
                                         .of = {parse_criterion("x")},
                                         .run = SimulateOptions{.end = 2, .tolerance = 1e-11},
                                         .jobs = 2});
  EXPECT_EQ(found.parameters, std::vector<std::string>{"m"});
  EXPECT_NEAR(found["x:final"][0], 0.5 * std::cos(4), 1e-9);
  EXPECT_NEAR(found["x:final"][1], 0.5 * std::cos(2), 1e-9);
}

TEST(Variants, ThatFailAreRowsThatSayWhy) {
  const SweepResult found = sweep(oscillator_file(), {.design = {.ranges = {parse_range("m=1,-1")}},
                                                      .of = {parse_criterion("x")}});
  EXPECT_EQ(found.count(SweepRow::Status::Done), 1U);
  EXPECT_EQ(found.rows[1].status, SweepRow::Status::Failed);
  EXPECT_EQ(found.rows[1].id, "model.bad-mass");
  EXPECT_TRUE(std::isnan(found["x:final"][1]));
}

TEST(Variants, StopWhereTheProgressSaysSo) {
  SweepOptions options = over_stiffness();
  options.jobs = 1;
  options.progress = [](std::size_t num_done, std::size_t num_variants) {
    EXPECT_EQ(num_variants, 10U);
    return num_done < 3;
  };
  const SweepResult found = sweep(oscillator_file(), options);
  EXPECT_FALSE(found.is_complete);
  EXPECT_EQ(found.count(SweepRow::Status::Done), 3U);
  EXPECT_EQ(found.rows[3].reason, "stopped before this variant.");
}

TEST(Variants, AreRefusedWhereTheQuestionMakesNoSense) {
  const fs::path file = oscillator_file();
  EXPECT_EQ(error_of([&] { sweep(file, {}); }),
            "error[study.bad-design]: no parameter is varied.\n  Say which: name=low:high:n.");
  SweepOptions options = over_stiffness();
  options.jobs = 0;
  EXPECT_EQ(error_of([&] { sweep(file, options); }),
            "error[study.bad-option]: the number of threads must be between 1 and 4096 (got 0).");
  options.jobs = 1;
  const SweepResult found = sweep(file, options);
  EXPECT_EQ(error_of([&] { found["x:mux"]; }),
            "error[results.unknown-column]: there is no column 'x:mux'.\n  columns: k, a, x:final, "
            "x:max. "
            "Did you mean 'x:max'?");
}

// ∂x(t)/∂k = −a t/(2√(km)) sin(√(k/m) t), and ∂x/∂x(0) = cos(√(k/m) t).
TEST(Sensitivities, OfAModelInMemoryHaveTheirClosedForm) {
  const Model model = oscillator();
  SensitivityOptions options{.run = options_for_derivatives(model),
                             .of = {parse_criterion("x")},
                             .over = {"k", "start.x"}};
  const Sensitivity s = sensitivity(model, options);
  EXPECT_NEAR(s.values[0], 0.5 * std::cos(2), 1e-9);
  EXPECT_NEAR(s.derivatives(0, 0), -0.5 / 4 * std::sin(2), 1e-8);
  EXPECT_NEAR(s.derivatives(0, 1), std::cos(2), 1e-8);
  options.over.clear();
  EXPECT_EQ(error_of([&] { sensitivity(model, options); }),
            "error[study.bad-option]: no parameters are given to differentiate by.\n  Name "
            "parameters, or initial values as start.NAME.");
  options.of.clear();
  EXPECT_EQ(error_of([&] { sensitivity(model, options); }),
            "error[study.bad-option]: nothing is asked for.\n  Give a criterion, such as "
            "rod.angle:max.");
}

// x(1) = a cos √k is least for √k = π.
TEST(Optima, OfAModelInMemoryHaveTheirClosedForm) {
  const Model model = oscillator();
  const Optimum found = optimize(model, {.run = options_for_derivatives(model),
                                         .minimize = {parse_criterion("x")},
                                         .over = {parse_range("k=4:16")}});
  EXPECT_EQ(found.end, Optimum::End::Converged);
  EXPECT_NEAR(found.best.at[0], M_PI * M_PI, 1e-4);
  EXPECT_NEAR(found.best.value, -0.5, 1e-9);
}

TEST(Fits, OfAModelInMemoryFindTheParametersOfItsOwnData) {
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i;
    data.append(std::vector<double>{t, 0.4 * std::cos(std::sqrt(5.0) * t)});
  }
  const Model model = oscillator();
  FitOptions options{.run = options_for_derivatives(model),
                     .over = {parse_fitted("k"), parse_fitted("start.x")}};
  const Fit found = fit(model, data, options);
  ASSERT_EQ(found.end, Fit::End::Converged) << found.text;
  EXPECT_NEAR(found.values[0], 5, 1e-6);
  EXPECT_NEAR(found.values[1], 0.4, 1e-7);
  options.max_iterations = 0;
  EXPECT_EQ(error_of([&] { fit(model, data, options); }),
            "error[study.bad-option]: a fit needs at least one iteration.");
}

}  // namespace
}  // namespace koppel
