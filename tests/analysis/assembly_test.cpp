#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/assembly/loop.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

void wish(Model& model, const std::string& name, double value, bool fixed) {
  for (Initial& initial : model.initial) {
    if (initial.symbol == model.graph->symbol(name)) {
      initial.value = value;
      initial.fixed = fixed;
      return;
    }
  }
  model.initial.push_back({model.graph->symbol(name), value, fixed, {}});
}

double value_of(const Evaluator& evaluator, const State& state, const std::string& output) {
  for (const NamedExpr& y : evaluator.equations->outputs) {
    if (y.name == output)
      return VectorFunction(evaluator.equations, std::vector{y.value})(state)[0];
  }
  ADD_FAILURE() << output;
  return 0;
}

TEST(Assembly, TakesTheNearestPointOfTheCircle) {
  const Evaluator evaluator(derive(make_point_pendulum(1.2, -0.9)));
  const Assembly a = assemble(evaluator);
  ASSERT_TRUE(a) << a.text;
  EXPECT_FALSE(a.wishes_met);
  const Tolerance tolerance{.relative = 1e-9, .because = "the nearest point is found to 1e-12"};
  EXPECT_TRUE(near(a.state.q[0], 0.8, tolerance));
  EXPECT_TRUE(near(a.state.q[1], -0.6, tolerance));
}

TEST(Assembly, NearestIsMeantInTheMetricOfMasses) {
  // A heavy and a light mass shall be 1 apart; from distance 2 the light one moves.
  Model model;
  const auto [x, vx] = add_coordinate(model, "x", 0);
  const auto [y, vy] = add_coordinate(model, "y", 2);
  model.kinetic = 0.5 * (9 * vx * vx + vy * vy);
  model.constraints.push_back({"rod", y - x - 1, {}});
  const Evaluator evaluator(derive(model));
  const Assembly a = assemble(evaluator);
  ASSERT_TRUE(a) << a.text;
  const Tolerance tolerance{.relative = 1e-6, .because = "the metric is made definite by 1e-8"};
  EXPECT_TRUE(near(a.state.q[0], 0.1, tolerance));
  EXPECT_TRUE(near(a.state.q[1], 1.1, tolerance));
}

TEST(Assembly, KeepsFixedValuesExactly) {
  Model model = make_point_pendulum(0.6, -0.5);
  wish(model, "x", 0.6, true);
  wish(model, "x'", 2, true);
  const Evaluator evaluator(derive(model));
  const Assembly a = assemble(evaluator);
  ASSERT_TRUE(a) << a.text;
  const Tolerance tolerance{.relative = 1e-13, .because = "round-off of a Newton step"};
  EXPECT_TRUE(near(a.state.q[0], 0.6, tolerance));
  EXPECT_TRUE(near(a.state.q[1], -0.8, tolerance));
  EXPECT_TRUE(near(a.state.v[0], 2, tolerance));
  EXPECT_TRUE(near(a.state.v[1], 1.5, tolerance));
}

TEST(Assembly, ReachesBothBranchesByTheGuess) {
  // A planar four-bar in the angles of its bars; the elbow is above or below.
  for (const double elbow : {1.0, -1.0}) {
    Model model;
    const auto [a, va] = add_coordinate(model, "a", 1.2);
    const auto [b, vb] = add_coordinate(model, "b", elbow * 0.5);
    const auto [c, vc] = add_coordinate(model, "c", elbow * 1.5);
    model.kinetic = 0.5 * (va * va + vb * vb + vc * vc);
    model.constraints.push_back({"x", cos(a) + 2.2 * cos(b) - 1.8 * cos(c) - 2.5, {}});
    model.constraints.push_back({"y", sin(a) + 2.2 * sin(b) - 1.8 * sin(c), {}});
    wish(model, "a", 1.2, true);
    const Evaluator evaluator(derive(model));
    const Assembly found = assemble(evaluator);
    ASSERT_TRUE(found) << found.text;
    EXPECT_GT(elbow * std::sin(found.state.q[2] - found.state.q[1]), 0.1);
    EXPECT_LT(found.position_residual, 1e-13);
  }
}

TEST(Assembly, ClosesLoopsWithRepeatedEquationsFromARoughGuess) {
  for (const auto& make : {make_four_bar, make_bricard}) {
    Model model = make();
    const int angle = model.angle_of(0);
    model.outputs.push_back({"angle", model.quantities[static_cast<std::size_t>(angle)].value, {}});
    model.initial.push_back(
        {model.quantities[static_cast<std::size_t>(angle)].value, 0.4, true, {}});
    model.initial.push_back(
        {model.quantities[static_cast<std::size_t>(angle)].rate, 2.0, true, {}});
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(model.name + " " + set);
      const Evaluator evaluator(derive(model, set));
      const Assembly a = assemble(evaluator);
      if (model.name == "bricard" && set == "cardan") {  // rods along z have cos β = 0
        EXPECT_NE(a.text.find("a singularity of the 'cardan' coordinates"), std::string::npos);
        continue;
      }
      ASSERT_TRUE(a) << a.text;
      EXPECT_LT(a.position_residual, 1e-10);
      EXPECT_LT(a.velocity_residual, 1e-10);
      EXPECT_TRUE(near(value_of(evaluator, a.state, "angle"), 0.4,
                       {.relative = 1e-9, .because = "fixed to the tolerance"}));
    }
  }
}

TEST(Assembly, NamesTheJointThatCannotClose) {
  // Rods of 1, 0.5 and 0.5 between pivots 3 apart.
  Model model;
  model.is_planar = true;
  const int a = add_rod(model, "first", {0, 0, 0}, {1, 0.1, 0}, 1, 0.1);
  const int b = add_rod(model, "second", {1, 0.1, 0}, {1.5, 0, 0}, 1, 0.1);
  add_joint(model, "left", Revolute::law(), kGround, a, {0, 0, 0});
  add_joint(model, "middle", Revolute::law(), a, b, {1, 0.1, 0});
  Joint right;
  right.name = "right";
  right.law = Revolute::law();
  right.a = {kGround, {3, 0, 0}};
  right.b = {b, {std::sqrt(0.26), 0, 0}};
  model.add_joint(right);
  const Evaluator evaluator(derive(model, "joint"));
  const Assembly found = assemble(evaluator);
  EXPECT_FALSE(found);
  ASSERT_FALSE(found.gaps.empty());
  // Both rods hang on the ground in the tree; the middle closes the loop.
  EXPECT_EQ(found.gaps[0].owner, "middle");
  // Stretched, the rods reach √1.01 + √0.26 = 1.515 of 3.
  EXPECT_EQ(found.text, "'middle' cannot close: its points stay 1.49 m apart.");
  EXPECT_EQ(explain_open_loop(model, "middle"),
            "loop 'middle' cannot close: the rods reach 1.51 m, the pivots are 3 m apart.");
  // What `run` says too; in natural coordinates, where bodies are what stays open, as well.
  EXPECT_EQ(explain_failed_start(model, found), explain_open_loop(model, "middle"));
  const Assembly natural = assemble(Evaluator(derive(model, "natural")));
  EXPECT_FALSE(natural);
  EXPECT_EQ(explain_failed_start(model, natural),
            "loop 'right' cannot close: the rods reach 1.51 m, the pivots are 3 m apart.");
  EXPECT_EQ(explain_open_loop(make_four_bar(), "c"), "");
  EXPECT_EQ(explain_open_loop(make_double_pendulum(), "knee"), "");
}

TEST(Assembly, NamesConstraintsThatContradictEachOther) {
  Model model = make_point_pendulum();
  model.constraints.push_back({"longer bar", model.constraints[0].residual - 0.21, {}});
  const Evaluator evaluator(derive(model));
  const Assembly a = assemble(evaluator);
  EXPECT_FALSE(a);
  EXPECT_EQ(a.gaps.size(), 2u);
  EXPECT_NE(a.text.find("cannot close"), std::string::npos) << a.text;
  EXPECT_NE(a.text.find("contradicts"), std::string::npos) << a.text;
}

TEST(Assembly, RefusesDrivesThatContradictEachOther) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x");
  model.kinetic = 0.5 * vx * vx;
  model.constraints.push_back({"slow", x - model.time, {}});
  model.constraints.push_back({"fast", x - 2 * model.time, {}});
  const Evaluator evaluator(derive(model));
  const Assembly a = assemble(evaluator);
  EXPECT_TRUE(a.positions_found);
  EXPECT_FALSE(a.velocities_found);
  EXPECT_NE(a.text.find("no velocities satisfy all constraints"), std::string::npos) << a.text;
}

TEST(Assembly, MovingConstraintsGiveTheirVelocity) {
  const Evaluator evaluator(derive(make_car_axle()));
  const Assembly a = assemble(evaluator);
  ASSERT_TRUE(a) << a.text;
  // The start of the IVP test set is consistent: nothing moves.
  EXPECT_TRUE(a.wishes_met);
  EXPECT_EQ(a.state.v, (std::vector<double>{-0.5, 0, -0.5, 0}));
}

}  // namespace
}  // namespace koppel
