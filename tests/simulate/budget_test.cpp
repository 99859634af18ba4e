#include <koppel/simulate/budget.hpp>

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"
#include "tests/files.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::built_in;
using testing::near;

SimulateOptions options_for(const Model& model, const std::string& integrator, double step) {
  SimulateOptions options = options_of(model);
  options.integrator = integrator;
  options.step = step;
  return options;
}

// q″ = −a q − b q′ with a = 400, b = 4.
Model oscillator() {
  return read_model_text(R"(
name: oscillator
coordinates: {q: {start: 1}}
kinetic: q'^2/2
generalized_forces: {q: -400*q - 4*q'}
outputs: {q: q}
)",
                         "oscillator.yaml");
}

TEST(Budget, KnowsTheLargestStableStepOfEveryMethod) {
  const Model model = oscillator();
  const Budget budget = make_budget(model, options_for(model, "linear-implicit:J3", 1e-3));
  const double root = std::sqrt(16 + 1600.0);
  const std::pair<const char*, std::optional<double>> expected[] = {
      {"explicit-euler", 4 / 400.0},
      {"J1", (4 + root) / 400},
      {"J2", std::nullopt},
      {"J3", (root - 4) / 400},
      {"exact", std::nullopt},
      {"rosenbrock", std::nullopt},
      {"rattle", 2 / std::sqrt(400 - 4.0)}};
  ASSERT_EQ(budget.stable.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(budget.stable[i].method, expected[i].first);
    EXPECT_EQ(budget.stable[i].largest_step.has_value(), expected[i].second.has_value());
    if (!expected[i].second) continue;
    EXPECT_TRUE(near(*budget.stable[i].largest_step, *expected[i].second,
                     {.relative = 1e-9, .because = "eigenvalues of a 2 x 2 matrix"}));
  }
  for (const StableStep& stable : budget.stable) EXPECT_FALSE(stable.is_refuted);
}

// What the budget says is what simulations do, a little below and above the limit.
TEST(Budget, StableStepsAreStableAndLongerOnesAreNot) {
  const Model model = oscillator();
  const Budget budget = make_budget(model, options_for(model, "linear-implicit", 1e-3));
  for (const StableStep& stable : budget.stable) {
    if (!stable.largest_step) continue;
    const std::string integrator = stable.method == "explicit-euler" || stable.method == "rattle"
                                       ? stable.method
                                       : "linear-implicit:" + stable.method;
    const auto at_end = [&](double factor) {
      SimulateOptions options = options_for(model, integrator, factor * *stable.largest_step);
      options.end = 4000 * *options.step;
      options.health.is_watched = false;
      return std::abs(simulate(model, options).trajectory["q"].back());
    };
    EXPECT_LT(at_end(0.8), 1e-3) << stable.method;
    EXPECT_GT(at_end(1.2), 1e3) << stable.method;
  }
}

TEST(Budget, WarnsOfStepsThatAreTooLong) {
  const Model model = oscillator();
  const Budget explicit_one = make_budget(model, options_for(model, "explicit-euler", 0.02));
  ASSERT_EQ(explicit_one.warnings.size(), 2u);
  EXPECT_EQ(explicit_one.warnings[0],
            "explicit-euler is unstable from a step of 0.01 s on (linearised at the start).");
  EXPECT_EQ(explicit_one.warnings[1].substr(0, 28), "the trial run failed at t = ");
  const Budget budget = make_budget(model, options_for(model, "linear-implicit:J3", 0.2));
  ASSERT_EQ(budget.warnings.size(), 2u);
  EXPECT_EQ(budget.warnings[0],
            "J3 is unstable from a step of 0.0905 s on (linearised at the start).");
  EXPECT_EQ(budget.warnings[1].substr(0, 28), "the trial run failed at t = ");
}

TEST(Budget, CountsTheOperationsOfAStep) {
  const Model model = built_in("car_axle");
  const Budget one = make_budget(model, options_for(model, "explicit-euler", 1e-3));
  const Budget two = make_budget(model, options_for(model, "linear-implicit:J2", 1e-3));
  EXPECT_EQ(one.num_unknowns, 6);
  EXPECT_EQ(one.operations.roots, 4);      // two springs, and the road at both ends
  EXPECT_EQ(one.operations.functions, 3);  // its sine at both ends, its cosine at the new time
  EXPECT_GT(two.operations.products, one.operations.products);
  EXPECT_GT(two.measured_seconds, 0);
  EXPECT_DOUBLE_EQ(two.load, two.measured_seconds / 1e-3);
  EXPECT_LT(two.pivot_error, 1e-10);
}

TEST(Budget, AsJson) {
  const Model model = built_in("car_axle");
  const auto json = nlohmann::json::parse(
      to_json(make_budget(model, options_for(model, "linear-implicit:J1", 1e-3))));
  EXPECT_EQ(json["model"], "car axle");
  EXPECT_EQ(json["unknowns"], 6);
  EXPECT_TRUE(json["stable"]["J2"].is_null());
  EXPECT_NEAR(json["stable"]["J1"].get<double>(), 2 / std::sqrt(1 / 5e-4), 1e-3);
  EXPECT_TRUE(json["drift"]["holds"].get<bool>());
}

// The energy of J2 grows on curves, until the run fails: what the linearised forces say is
// not passed on as a verdict.
TEST(Budget, SeesInATrialRunThatEnergyGrows) {
  const Model model = built_in("slider_crank");
  SimulateOptions options = options_for(model, "linear-implicit:J2", 1e-3);
  options.coordinates = "natural";
  const Budget budget = make_budget(model, options);
  EXPECT_NE(to_text(budget).find("J2 (not with this step, see below)"), std::string::npos);
  ASSERT_EQ(budget.warnings.size(), 1u);
  EXPECT_EQ(budget.warnings[0].substr(0, 28), "the trial run failed at t = ") << budget.warnings[0];
  EXPECT_NE(budget.warnings[0].find("energy"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(budget))["unstable"], "J2");
}

// Feedback with ε = 2.5 multiplies errors of constraints by 1 − ε = −1.5, whatever the forces do.
TEST(Budget, SeesFeedbackThatIsUnstableInTheStepItself) {
  const Model model = built_in("car_axle");
  SimulateOptions options = options_for(model, "linear-implicit:J2", 1e-3);
  options.formulation = "baumgarte2";
  options.projection = Projection::None;
  options.baumgarte = 2.5;
  options.end = 0.5;
  const Budget budget = make_budget(model, options);
  EXPECT_NEAR(budget.growth, 1.5, 1e-2);
  EXPECT_NE(to_text(budget).find("J2 (not with this step, see below)"), std::string::npos);
  ASSERT_FALSE(budget.warnings.empty());
  EXPECT_EQ(budget.warnings[0], "a step multiplies an error at the start by 1.5: unstable.");
  options.integrator = "linear-implicit";  // implicit feedback
  for (const double epsilon : {0.2, 0.8, 2.5}) {
    options.baumgarte = epsilon;
    const Budget implicit = make_budget(model, options);
    EXPECT_LT(implicit.growth, 1.001) << epsilon;
    EXPECT_LT(implicit.trial.position_violation, 1e-4) << epsilon;
  }
}

TEST(Budget, ChoosesRattleUnlessTheStepIsTooLongForIt) {
  const Model model = oscillator();
  EXPECT_EQ(make_budget(model, options_for(model, "", 1e-3)).integrator, "rattle");
  const Model stiff = built_in("flyball_governor");
  EXPECT_EQ(make_budget(stiff, options_for(stiff, "", 1e-3)).integrator, "rosenbrock");
}

TEST(Budget, NeedsAStepOfFixedCost) {
  const Model model = built_in("car_axle");
  const auto error_of = [&](const SimulateOptions& options) -> std::string {
    return testing::error_of([&] { make_budget(model, options); });
  };
  EXPECT_EQ(error_of(options_of(model)),
            "error[budget.needs-step]: a budget needs a step, and none is given.\n"
            "  Give one, such as `step = 1e-3`.");
  EXPECT_EQ(error_of(options_for(model, "radau5", 1e-3)),
            "error[budget.wrong-integrator]: integrator 'radau5' has no fixed-cost steps.\n"
            "  Those that have: explicit-euler, linear-implicit, rosenbrock, rattle.");
}

// The track starts at rest: what matters is the speed that it comes to.
TEST(Budget, WarnsWhereOneNewtonStepMayNotHoldTheConstraints) {
  const Model model = built_in("circular_track");
  SimulateOptions options = options_for(model, "linear-implicit:J2:positions-first", 1e-2);
  options.formulation = "index1";
  const Budget fine = make_budget(model, options);
  for (const std::string& warning : fine.warnings) {
    EXPECT_EQ(warning.find("Newton"), std::string::npos) << warning;
  }
  EXPECT_TRUE(fine.drift->holds(1e-2));
  EXPECT_GT(fine.drift->C0, 0);
  options.step = 2;  // h v/R = 2
  const Budget coarse = make_budget(model, options);
  ASSERT_FALSE(coarse.warnings.empty());
  EXPECT_EQ(coarse.warnings.back(),
            "one Newton step may not hold the constraints: h C1 < 1 and (1 - h C1)^2 > 4 h^3 C0 C2 "
            "do not both hold. Take a smaller step.");
}

constexpr double kLong = 5;  // seconds

struct Drift {
  double largest = 0, predicted = 0;
  ProjectionConstants constants, of_long_step;
};

// The constants and the violation along a run.
Drift drift_of(const std::string& name, const std::string& formulation, double h, double end) {
  const Model model = built_in(name);
  SimulateOptions options = options_for(model, "linear-implicit:J2:positions-first", h);
  options.formulation = formulation;
  const Prepared prepared = prepare(model, options);
  const FixedCostOptions euler = Integrator("linear-implicit:J2").fixed_cost(Projection::Full);
  const ProjectionBound bound(prepared.descriptor, euler);
  auto work = prepared.problem.projector->make_workspace();
  Drift out;
  std::vector<double> y(prepared.start.y.size());
  integrate(prepared.problem, "linear-implicit:J2:positions-first", prepared.start, end,
            {.step = h}, [&](const Step& step) {
              step.evaluate(step.t0, y);
              out.constants.include(bound.at(step.t0, step.t1 - step.t0, y));
              step.evaluate(step.t1, y);
              const auto violation = prepared.problem.projector->violation(
                  step.t1, prepared.problem.q(std::span<const double>(y)),
                  prepared.problem.v(std::span<const double>(y)), work);
              out.largest = std::max(out.largest, violation.position);
              return true;
            });
  out.predicted = out.constants.limit(h);
  out.of_long_step = bound.at(end, kLong, y);
  return out;
}

TEST(ProjectionBound, HoldsAlongARun) {
  for (const double h : {1e-3, 5e-3, 1e-2}) {
    for (const char* formulation : {"index1", "ggl"}) {
      const Drift axle = drift_of("car_axle", formulation, h, 3);
      EXPECT_TRUE(axle.constants.holds(h));
      EXPECT_LE(axle.largest, axle.predicted) << h;
      EXPECT_GT(axle.largest, 0.01 * axle.predicted) << h;  // it says something
    }
  }
  const Drift track = drift_of("circular_track", "index1", 1e-2, 20);
  // The bound is sharp here: rounding of q, of its squares and of their sum, of the size 50 to 100.
  EXPECT_LE(track.largest, track.predicted + 10 * 50 * testing::kEps);
  EXPECT_GT(track.largest, 0.1 * track.predicted);
}

TEST(ProjectionBound, IsOfOrderThree) {
  const double coarse = drift_of("car_axle", "ggl", 2e-3, 1).predicted,
               fine = drift_of("car_axle", "ggl", 1e-3, 1).predicted;
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.1);
}

TEST(ProjectionBound, FailsForStepsThatAreTooLong) {
  const Drift track = drift_of("circular_track", "index1", 1e-2, 20);
  EXPECT_TRUE(track.constants.holds(1e-2));
  // h v/R = 5: the tangent leads far away from the circle.
  EXPECT_FALSE(track.of_long_step.holds(kLong));
  EXPECT_EQ(track.of_long_step.limit(kLong), INFINITY);
}

}  // namespace
}  // namespace koppel
