#include <koppel/simulate/choose.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

Choice choice_for(const Model& model, const Wanted& wanted = {}, double end = 10) {
  const Equations e = derive(model, choose_coordinates(model, wanted));
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const Findings found = find_out(model, evaluator, start, analyze_rank(evaluator, start), end);
  return choose(found, e.coordinates, wanted);
}

Model cart(const std::string& forces) {
  return read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  cart: {mass: 2, inertia: 0.1}
  rod:  {mass: 1, shape: {rod: {from: [0, 0], to: [0, -1]}}, points: {tip: [0, -1]}}
joints:
  rail:  {type: prismatic, between: [ground, cart], axis: [1, 0]}
  hinge: {type: revolute, between: [cart, rod]}
forces:
)" + forces,
                         "cart.yaml");
}

const char* const kSpring =
    "  spring: {type: effort, on: rail.position, effort: -50*rail.position}\n";

TEST(Choose, ATreeIsSimulatedWithoutConstraints) {
  const Choice choice = choice_for(cart(kSpring));
  EXPECT_EQ(choice.coordinates, "joint");
  EXPECT_EQ(choice.formulation, "minimal");
  EXPECT_EQ(choice.integrator, "taylor");
  EXPECT_EQ(choice.reason, "no constraints, smooth and not stiff");
}

TEST(Choose, CornersInTheStateHaveNoSeries) {
  const Choice choice = choice_for(
      cart("  stop: {type: effort, on: rail.position, effort: \"-max(rail.position, 0)\"}\n"));
  EXPECT_EQ(choice.integrator, "dop853");
  EXPECT_EQ(choice.reason, "no constraints, and 'max' of the state is not smooth");
}

TEST(Choose, CornersInTimeDoNotMatter) {
  EXPECT_EQ(
      choice_for(cart("  push: {type: effort, on: rail.position, effort: \"max(1 - t, 0)\"}\n"))
          .integrator,
      "taylor");
}

TEST(Choose, FastDecayIsStiff) {
  const Choice choice = choice_for(
      cart("  brake: {type: effort, on: rail.position, effort: \"-1e5*rail.position'\"}\n"));
  EXPECT_EQ(choice.integrator, "radau5");
  EXPECT_EQ(choice.formulation, "minimal");
  EXPECT_EQ(choice.reason.substr(0, 40), "no constraints, and stiff: some motion d");
}

TEST(Choose, TreesInSpaceTakeRates) {
  const std::string arm = R"(
bodies:
  arm: {mass: 1, shape: {rod: {to: [1, 0, 0], radius: 0.1}}, points: {tip: [1, 0, 0]}}
  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], com: [0, 0, -1], points: {c: [0, 0, -1]}}
joints:
  hinge: {type: revolute, between: [ground, arm], axis: [0, 0, 1]}
  ball: {type: spherical, between: [arm.tip, bob]}
)";
  const Choice tree = choice_for(read_model_text(arm, "arm.yaml"));
  EXPECT_EQ(tree.coordinates, "joint");
  EXPECT_EQ(tree.formulation, "minimal");
  EXPECT_EQ(tree.integrator, "dop853");
  EXPECT_EQ(tree.reason, "no constraints, and a tree in space");
  const Model held = read_model_text(arm + "constraints: {level: bob.c.z + 1}\n", "arm.yaml");
  EXPECT_EQ(choice_for(held).formulation, "index1");
  EXPECT_EQ(choice_for(held).integrator, "dop853");
  // Series are cheaper in natural coordinates.
  EXPECT_EQ(choice_for(held, {{"", "", "taylor"}, false}).coordinates, "natural");
}

TEST(Choose, LargeTreesInThePlaneTakeRates) {
  const auto chain = [](int n) {
    std::string text =
        "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  b0: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {end: [1, 0]}}\n";
    std::string joints = "joints:\n  j0: {type: revolute, between: [ground, b0]}\n";
    for (int i = 1; i < n; ++i) {
      text += fmt::format(
          "  b{}: {{mass: 1, position: [{}, 0], shape: {{rod: {{to: [1, 0]}}}}, points: {{end: [1, "
          "0]}}}}\n",
          i, i);
      joints += fmt::format("  j{}: {{type: revolute, between: [b{}.end, b{}]}}\n", i, i - 1, i);
    }
    return choice_for(read_model_text(text + joints, "chain.yaml"));
  };
  EXPECT_EQ(chain(60).integrator, "taylor");
  EXPECT_EQ(chain(60).coordinates, "natural");
  const Choice large = chain(61);
  EXPECT_EQ(large.coordinates, "joint");
  EXPECT_EQ(large.formulation, "minimal");
  EXPECT_EQ(large.integrator, "dop853");
  EXPECT_EQ(large.reason, "no constraints, and a tree of 61 bodies");
}

TEST(Choose, ConstraintsThatCountTurnsSuitJointCoordinates) {
  const auto better = [](const char* length) {
    const Model model = read_model_text(fmt::format(R"(
dimension: 2
bodies:
  drum: {{mass: 3, inertia: 0.02, com: [0, 0]}}
  load: {{point_mass: 10, position: [0, -5]}}
joints: {{axle: {{type: revolute, between: [ground, drum]}}}}
constraints: {{cable: load.x^2 + load.y^2 - ({})^2}}
outputs: {{turns: drum.angle}}
)",
                                                    length),
                                        "drum.yaml");
    const Equations e = derive(model, "natural");
    const Evaluator evaluator(e);
    const State start = assemble(evaluator).state;
    const Findings found = find_out(model, evaluator, start, analyze_rank(evaluator, start), 10);
    return better_coordinates(model, "natural", {}, found);
  };
  EXPECT_EQ(better("5 + 0.1*drum.angle"), "joint");
  EXPECT_EQ(better("5"), std::nullopt);
}

TEST(Choose, AStiffLoopRunsByRadauOnIndexOne) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}, angle: 60 deg}
  coupler: {mass: 2, shape: {rod: {to: [2, 0]}}, points: {C: [2, 0]}, position: [0.5, 0.87]}
  rocker: {mass: 1.5, shape: {rod: {to: [1.5, 0]}}, points: {C: [1.5, 0]}, position: [2.2, 0], angle: 80 deg}
  pin: {mass: 0.1, shape: {rod: {to: [0.1, 0]}}}
joints:
  a: {type: revolute, between: [ground, crank]}
  b: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [2.2, 0]}
  e: {type: revolute, between: [coupler.C, pin]}
forces:
  stiff: {type: effort, on: e.angle, effort: "-1e4*e.angle - 100*e.angle'"}
)",
                                      "loop.yaml");
  const Choice choice = choice_for(model);
  EXPECT_EQ(choice.formulation, "index1");
  EXPECT_EQ(choice.integrator, "radau5");
}

TEST(Choose, WhatIsAskedForIsKept) {
  const Choice choice = choice_for(cart(kSpring), {{"absolute", "", "radau5"}, false});
  EXPECT_EQ(choice.coordinates, "absolute");
  EXPECT_EQ(choice.formulation, "ggl");
  EXPECT_EQ(choice.integrator, "radau5");
  EXPECT_EQ(choice_for(cart(kSpring), {{"absolute", "index1", ""}, false}).integrator, "dop853");
  EXPECT_EQ(choice_for(cart(kSpring), {{"joint", "minimal", "rk4"}, false}).reason, "");
}

}  // namespace
}  // namespace koppel
