// The bound of decay against closed forms, and against the eigenvalues of a mechanism.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/decay_bound.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

struct Found {
  double bound = NAN, fastest = 0;  // of all modes
};

Found find(const Model& model, const std::string& set) {
  const Evaluator evaluator(derive(model, set));
  const Assembly start = assemble(evaluator);
  EXPECT_TRUE(start) << start.text;
  Found out{decay_bound(evaluator, start.state).value_or(NAN), 0};
  for (const Mode& mode : find_modes(linearize(evaluator, start.state))) {
    out.fastest = std::max(out.fastest, -mode.eigenvalue.real());
  }
  return out;
}

// B has rank 2 or 1 here: the norm of its 16th power is at most a few times that of its largest
// eigenvalue, and the 16th root of 5 is 1.11.
constexpr double kOver = 1.11;

TEST(DecayBound, IsTheDecayOfAHingeInAllCoordinates) {
  // Small, so that directors are fast beside points: without the constraints, the bound would be
  // thousands of times larger.
  const Model model = read_model_text(R"(
dimension: 2
bodies:
  flap: {mass: 0.3, inertia: 2e-5, com: [0.01, 0], points: {tip: [0.02, 0]}}
joints: {hinge: {type: revolute, between: [ground, flap]}}
forces: {friction: {type: effort, on: hinge.angle, effort: -4e-3*hinge.angle'}}
)",
                                      "flap.yaml");
  const double decay = 4e-3 / (2e-5 + 0.3 * 1e-4);
  for (const char* set : {"joint", "natural", "absolute"}) {
    const double bound = find(model, set).bound;
    EXPECT_GE(bound, decay * (1 - 1e-9)) << set;
    EXPECT_LE(bound, decay * kOver) << set;
  }
}

TEST(DecayBound, IsTheFasterOneOfTwoMassesWithDampers) {
  const Model model = read_model_text(R"(
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [1, 0]}
  b: {mass: 0.2, inertia: 1, position: [2, 0]}
joints:
  first: {type: prismatic, between: [ground, a], axis: [1, 0]}
  second: {type: prismatic, between: [a, b], axis: [1, 0]}
forces:
  slow: {type: effort, on: first.position, effort: -3*first.position'}
  fast: {type: effort, on: second.position, effort: -50*second.position'}
)",
                                      "masses.yaml");
  // Velocities of the masses: [(3 + 50)/1, −50/1; −50/0.2, 50/0.2].
  const double trace = 53 + 250, determinant = 53 * 250 - 50 * 250;
  const double decay = 0.5 * (trace + std::sqrt(trace * trace - 4 * determinant));
  for (const char* set : {"joint", "natural", "absolute"}) {
    const double bound = find(model, set).bound;
    EXPECT_GE(bound, decay * (1 - 1e-9)) << set;
    EXPECT_LE(bound, decay * kOver) << set;
  }
}

// Who asks whether a motion is stiff has a margin of 10 (stiffness.cpp). The five links start out
// of equilibrium, where constraint forces push like springs that do not hold: a mode decays with
// 33/s there, and grows with as much.
TEST(DecayBound, IsOfTheSizeOfTheFastestModeOfSuspensions) {
  for (const char* name : {"mcpherson", "five_link", "mcpherson_planar"}) {
    const Model model = read_model(std::string(KOPPEL_MODELS) + name + ".yaml");
    const Found found = find(model, "natural");
    EXPECT_GE(found.bound, found.fastest / 3) << name;
    EXPECT_LE(found.bound, found.fastest * 3) << name;
  }
}

TEST(DecayBound, OfRepeatedConstraintsIsThatOfTheOthers) {
  const Model model = read_model_text(R"(
dimension: 2
bodies:
  door: {mass: 2, inertia: 0.5, points: {top: [0, 1]}}
joints:
  low: {type: revolute, between: [ground, door]}
  again: {type: revolute, between: [ground, door]}
forces: {closer: {type: effort, on: low.angle, effort: -7*low.angle'}}
)",
                                      "door.yaml");
  const double bound = find(model, "absolute").bound;
  EXPECT_GE(bound, 7 / 0.5 * (1 - 1e-6));  // constraints are met to 1e-9 of rows of length 1
  EXPECT_LE(bound, 7 / 0.5 * kOver);
}

TEST(DecayBound, WithoutDampingIsZero) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
)",
                                      "rod.yaml");
  EXPECT_EQ(find(model, "absolute").bound, 0);
}

// As of friction that is quadratic in the rate, at rest.
TEST(DecayBound, WhereDampingVanishesIsZero) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
forces: {drag: {type: effort, on: hinge.angle, effort: -0.3*hinge.angle'*abs(hinge.angle')}}
)",
                                      "drag.yaml");
  for (const char* set : {"absolute", "natural", "joint"}) EXPECT_EQ(find(model, set).bound, 0);
}

}  // namespace
}  // namespace koppel
