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
  // The rate of the steering jumps at t = 1. Baumgarte's feedback takes 10 ms to follow, and the
  // watch would end the run there.
  options.health.is_watched = false;
  return options;
}

struct Hitch {
  double gap = 0;                           // the largest
  double force[3] = {}, variation[3] = {};  // of each component: the largest, Σ |change|
};

Hitch run(const Model& model, const SimulateOptions& options, const std::string& force_name) {
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  const auto& t = s.trajectory;
  Hitch out;
  for (std::size_t i = 0; i < t.num_rows(); ++i) {
    out.gap = std::max(out.gap, std::hypot(t["gap_x"][i], t["gap_y"][i], t["gap_z"][i]));
  }
  // From the second half of the straight run on: what the start leaves has died away.
  for (int axis = 0; axis < 3; ++axis) {
    const auto force = t[force_name + "xyz"[axis]];
    for (std::size_t i = t.num_rows() / 6; i + 1 < force.size(); ++i) {
      out.force[axis] = std::max(out.force[axis], std::abs(force[i]));
      out.variation[axis] += std::abs(force[i + 1] - force[i]);
    }
  }
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
  const Hitch held = run(rigid, baumgarte, "hook.force.");
  const Hitch projected = run(rigid, options_for(rigid, "index2"), "hook.force.");
  const Hitch ggl = run(rigid, options_for(rigid, "ggl"), "hook.force.");
  const Hitch spring = run(elastic, options_for(elastic, "index1"), "pull_");
  EXPECT_GT(held.gap, 1e-12);  // it is no joint coordinate
  EXPECT_LT(held.gap, 1e-5);
  EXPECT_LT(projected.gap, 1e-8);
  EXPECT_LT(ggl.gap, 1e-8);
  EXPECT_GT(spring.gap, 1e-3);
  EXPECT_GT(spring.gap, 100 * held.gap);
  // The same forces, but they swing less; most along the road, where the car pushes and pulls.
  for (const Hitch& constraint : {held, projected, ggl}) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(constraint.force[axis] / spring.force[axis], 1, 0.2) << axis;
      EXPECT_LT(constraint.variation[axis], spring.variation[axis]) << axis;
    }
    EXPECT_LT(constraint.variation[0], 0.85 * spring.variation[0]);
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
