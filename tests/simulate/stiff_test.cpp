// The partition of the Jacobian: by names, by the model, and by what stability needs.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/fixed_cost/stiff_parts.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/budget.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

// Two masses in a row: a soft spring to the ground, and between them a stiff one with a damper.
// Without derivatives of the stiff spring a step of 10 ms is far from stable (h² k/m = 20), and the
// soft one does not matter.
std::string chain(const std::string& mark) {
  return R"(
name: chain
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {point_mass: 1, position: [1, 0]}
  b: {point_mass: 1, position: [2, 0]}
  ground: {points: {far: [-50, 0]}}
joints:
  rail_a: {type: point-on-line, between: [ground, a], axis: [1, 0]}
  rail_b: {type: point-on-line, between: [ground, b], axis: [1, 0]}
forces:
  soft: {type: spring, between: [ground.far, a], stiffness: 0.01, damping: 0.1, free_length: 51}
  hard[1]: {type: spring, between: [a, b], stiffness: 1e5, free_length: 1.01)" +
         mark + R"(}
  hard[2]: {type: damper, between: [a, b], damping: 500)" +
         mark + R"(}
outputs: {x: b.x}
)";
}

Model model_of(const std::string& mark = "") { return read_model_text(chain(mark), "chain.yaml"); }

SimulateOptions options_for(const Model& model, const std::string& integrator, double step) {
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};  // unstable choices are what is compared
  options.coordinates = "absolute";
  options.formulation = "index1";
  options.integrator = integrator;
  options.step = step;
  options.end = 5;
  return options;
}

std::string stiff_of(const std::string& integrator) {
  return integrator.substr(integrator.find("stiff=") + 6);
}

double end_of(const Model& model, const std::string& integrator, double step = 1e-2) {
  const Simulation s = simulate(model, options_for(model, integrator, step));
  return s.status == Outcome::Status::Done ? std::abs(s.trajectory["x"].back()) : INFINITY;
}

TEST(Partition, StiffForcesHaveToBeInItAndOthersNot) {
  const Model model = model_of();
  for (const char* jacobian : {"J2", "exact"}) {
    const std::string with = std::string("linear-implicit:") + jacobian + ":stiff=";
    EXPECT_NEAR(end_of(model, with + "hard"), 2, 0.2) << jacobian;
    EXPECT_NEAR(end_of(model, with + "all"), 2, 0.2) << jacobian;
    EXPECT_GT(end_of(model, with + "soft"), 1e3) << jacobian;
    EXPECT_GT(end_of(model, with + "none"), 1e3) << jacobian;
  }
  EXPECT_NEAR(end_of(model, "rosenbrock:stiff=hard"), 2, 0.2);
  EXPECT_GT(end_of(model, "rosenbrock:stiff=soft"), 1e3);
}

TEST(Partition, TheModelMaySayIt) {
  const Model marked = model_of(", stiff: true"), plain = model_of();
  EXPECT_TRUE(marked.forces[1].is_stiff);
  const auto x = [](const Model& model, const std::string& integrator) {
    return simulate(model, options_for(model, integrator, 1e-2)).trajectory["x"].back();
  };
  EXPECT_EQ(x(marked, "linear-implicit:J2"), x(plain, "linear-implicit:J2:stiff=hard"));
  EXPECT_NE(x(marked, "linear-implicit:J2"), x(plain, "linear-implicit:J2"));
  EXPECT_EQ(x(marked, "linear-implicit:J2:stiff=all"), x(plain, "linear-implicit:J2"));
}

TEST(Partition, AutomaticallyWhatStabilityNeedsIsInIt) {
  const Model model = model_of();
  const SimulateOptions options = options_for(model, "linear-implicit:J2:stiff=auto", 1e-2);
  const Prepared prepared = prepare(model, options);
  EXPECT_EQ(prepared.choice.integrator, "linear-implicit:J2:stiff=hard[1]/q");
  // The damper decays with 1000/s, but with the spring in the matrix a step divides by 1 + h² 2e5.
  EXPECT_EQ(prepared.messages.back(),
            "at a step of 0.01 s the forces treated implicitly are hard[1]/q; explicitly, "
            "soft,hard[1]/v,hard[2],potential (by stability at 9 points).");
  EXPECT_NEAR(end_of(model, "linear-implicit:J2:stiff=auto"), 2, 0.2);
  // At a hundredth of the step nothing is stiff.
  EXPECT_EQ(
      prepare(model, options_for(model, "linear-implicit:J2:stiff=auto", 1e-5)).choice.integrator,
      "linear-implicit:J2:stiff=none");
}

TEST(Partition, BudgetsSayWhatItSaves) {
  const Model model = model_of();
  const Budget all = make_budget(model, options_for(model, "linear-implicit:J2", 1e-2));
  const Budget some = make_budget(model, options_for(model, "linear-implicit:J2:stiff=auto", 1e-2));
  EXPECT_EQ(all.stiff, "");
  EXPECT_EQ(some.stiff, "hard[1]/q");
  EXPECT_EQ(some.operations_of_all, all.operations.total());
  EXPECT_LT(some.operations.total(), all.operations.total());
  EXPECT_NE(to_text(some).find("  partition    hard[1]/q; with derivatives of all forces "),
            std::string::npos);
}

// Positions first, a step without derivatives is explicit Euler, which is unstable; positions that
// move with the new velocities make it symplectic, which is stable up to h² a = 4.
TEST(Partition, CarAxleIsStableWithWhatIsFound) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "car_axle.yaml");
  for (const auto& [jacobian, expected] :
       {std::pair{"J2", "potential/q"}, std::pair{"exact", "none"}}) {
    SimulateOptions options = options_of(model);
    options.health = {.is_watched = false};  // unstable choices are what is compared
    options.integrator = std::string("linear-implicit:") + jacobian + ":stiff=auto";
    options.step = 1e-3;
    const Budget budget = make_budget(model, options);
    EXPECT_EQ(budget.stiff, expected);
    EXPECT_LE(budget.operations.total(), budget.operations_of_all);
    options.end = 10;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(stiff_of(s.summary.integrator), expected);
    double largest = 0;
    for (const double energy : s.trajectory["kinetic_energy"]) largest = std::max(largest, energy);
    EXPECT_LT(largest, 2e-3) << jacobian;  // that of the motion itself is 9.6e-4
  }
}

TEST(Partition, TextsAreReadAndWritten) {
  const std::vector<Equations::ForcePart> parts = {{"tyre[1]", {}}, {"tyre[2]", {}}, {"soft", {}}};
  for (const char* text : {"all", "none", "tyre", "tyre/v", "tyre[1]/q,tyre[2],soft/v", "soft"}) {
    EXPECT_EQ(write_stiff(parts, read_stiff(parts, text)), text);
  }
  EXPECT_EQ(write_stiff(parts, read_stiff(parts, "soft,tyre[2]/q,tyre[2]/v,tyre[1]")), "all");
}

TEST(Partition, UnknownNamesAreRefused) {
  const Model model = model_of();
  const auto error_of = [&](const char* stiff) -> std::string {
    return testing::error_of([&] {
      simulate(model, options_for(model, std::string("linear-implicit:stiff=") + stiff, 1e-2));
    });
  };
  EXPECT_EQ(
      error_of("herd"),
      "error[integrate.unknown-force]: 'herd' is not the name of a force that could be stiff.\n"
      "  parts: soft, hard, potential. Did you mean 'hard'?");
  EXPECT_EQ(error_of("hard/x"),
            "error[integrate.unknown-force]: 'hard/x' is not the name of a force that could be "
            "stiff.\n  parts: soft, hard, potential. Did you mean 'hard'?");
}

}  // namespace
}  // namespace koppel
