// The hitch of a car with a trailer as a constraint, and as a stiff spring and damper
// [Burgermeister, Arnold & Esterl 2006, section 4.3, figures 10 and 11].
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/budget.hpp>

namespace koppel {
namespace {

constexpr double kStep = 1e-3;

Model vehicle(bool is_elastic) {
  ReadOptions read;
  read.set.emplace_back("elastic", is_elastic ? "1" : "0");
  return read_model(std::string(KOPPEL_MODELS) + "vehicle_trailer.yaml", read);
}

SimulateOptions options_for(const Model& model, const std::string& formulation,
                            const std::string& integrator = "linear-implicit:J1") {
  SimulateOptions options = options_of(model);
  options.coordinates = "joint";
  options.formulation = formulation;
  options.integrator = integrator;
  options.projection = formulation == "index2" ? Projection::Once : Projection::None;
  options.step = kStep;
  options.end = 3;  // the first half of the change of lane and its return
  options.sampling.every_step = true;
  options.reactions = ReactionAxes::World;
  return options;
}

struct Hitch {
  double gap = 0;        // the largest
  double force = 0;      // the largest force along y
  double roughness = 0;  // the root mean square of second differences of the force along y
};

Hitch run(const Model& model, const SimulateOptions& options, const char* force_name) {
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  const auto& t = s.trajectory;
  Hitch out;
  for (std::size_t i = 0; i < t.num_rows(); ++i) {
    out.gap = std::max(out.gap, std::hypot(t["gap_x"][i], t["gap_y"][i], t["gap_z"][i]));
  }
  const auto force = t[force_name];
  // From the second half of the straight run on: what the start leaves has died away.
  const std::size_t first = t.num_rows() / 6;
  double sum = 0;
  for (std::size_t i = first; i + 2 < force.size(); ++i) {
    out.force = std::max(out.force, std::abs(force[i]));
    sum += std::pow(force[i + 2] - 2 * force[i + 1] + force[i], 2);
  }
  out.roughness = std::sqrt(sum / static_cast<double>(force.size() - first));
  return out;
}

TEST(Hitch, IsAConstraintInJointCoordinatesToo) {
  const Model model = vehicle(false);
  const Prepared prepared = prepare(model, options_for(model, "ggl"));
  EXPECT_EQ(prepared.problem.num_lambda, 5);  // three of the hook, two of the steering
  EXPECT_EQ(prepared.problem.num_v, 26);      // 12 of the bodies, 12 of the wheels, the steering
}

TEST(Hitch, AsAConstraintStaysClosedAndAsASpringDoesNot) {
  const Model rigid = vehicle(false), elastic = vehicle(true);
  SimulateOptions baumgarte = options_for(rigid, "baumgarte");
  baumgarte.baumgarte = 100 * kStep;  // α = 100, β = α² = 1e4
  const Hitch held = run(rigid, baumgarte, "hook.force.y");
  const Hitch projected = run(rigid, options_for(rigid, "index2"), "hook.force.y");
  const Hitch ggl = run(rigid, options_for(rigid, "ggl"), "hook.force.y");
  const Hitch spring = run(elastic, options_for(elastic, "index1"), "pull_y");
  EXPECT_GT(held.gap, 1e-12);  // it is no joint coordinate
  EXPECT_LT(held.gap, 1e-5);
  EXPECT_LT(projected.gap, 1e-8);
  EXPECT_LT(ggl.gap, 1e-8);
  EXPECT_GT(spring.gap, 1e-3);
  EXPECT_GT(spring.gap, 100 * held.gap);
  for (const auto& [name, value] : {std::pair{"gap_baumgarte", held.gap},
                                    {"gap_projected", projected.gap},
                                    {"gap_spring", spring.gap},
                                    {"roughness_constraint", ggl.roughness},
                                    {"roughness_spring", spring.roughness}}) {
    RecordProperty(name, std::to_string(1e9 * value) + "e-9");
  }
  // The same force but for what the spring adds, and smoother.
  for (const Hitch& constraint : {held, projected, ggl}) {
    EXPECT_NEAR(constraint.force / spring.force, 1, 0.2);
    EXPECT_LT(constraint.roughness, spring.roughness);
  }
}

// At 1 ms nothing is stiff, at 10 ms the tyres are.
TEST(Hitch, AnAutomaticPartitionIsStableAndSaves) {
  const Model model = vehicle(false);
  SimulateOptions coarse = options_for(model, "ggl", "linear-implicit:J2:stiff=auto");
  coarse.step = 1e-2;
  coarse.end = 6;
  EXPECT_EQ(prepare(model, coarse).choice.integrator, "linear-implicit:J2:stiff=tyre");
  SimulateOptions options = options_for(model, "ggl", "linear-implicit:J1:stiff=auto");
  const Budget budget = make_budget(model, options);
  EXPECT_LT(budget.operations.total(), 0.8 * static_cast<double>(budget.operations_of_all));
  options.integrator = "linear-implicit:J1:stiff=" + budget.stiff;
  options.end = 6;
  const Simulation some = simulate(model, options);
  options.integrator = "linear-implicit:J1:stiff=all";
  const Simulation all = simulate(model, options);
  ASSERT_EQ(some.status, Outcome::Status::Done);
  // Two methods of order 1: they differ by some of their error.
  EXPECT_NEAR(some.trajectory["y"].back(), all.trajectory["y"].back(), 0.02);
}

}  // namespace
}  // namespace koppel
