// Points and vectors of the user's own: they are the coordinates, and the mechanics is that of
// bodies and joints.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/same_accelerations.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using testing::near;

std::vector<std::string> names(const std::vector<Expr>& symbols) {
  std::vector<std::string> out;
  for (const Expr& e : symbols) out.emplace_back(e.name());
  return out;
}

// The accelerations of a model's first outputs, which are positions, at its own start.
std::vector<double> output_accelerations(Model model, const std::string& set, std::size_t count) {
  model.outputs.resize(count);
  const Evaluator evaluator(derive(model, set));
  const Assembly start = assemble(evaluator);
  EXPECT_TRUE(start) << start.text;
  return testing::output_accelerations(evaluator, start.state,
                                       solve_accelerations(evaluator, start.state).v_rate);
}

void expect_equal(const std::vector<double>& found, const std::vector<double>& expected,
                  double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(near(found[i], expected[i],
                     {.relative = relative,
                      .scale = testing::largest(expected),
                      .because = "assembly to 1e-12"}))
        << i;
  }
}

// [Derakhshan 2022, section 5.2]: three coordinates, two constraints.
constexpr const char* kSliderCrank = R"(
dimension: 2
parameters: {a: 0.4, b: 1, m: 1, g: 9.81, phi0: pi/4}
gravity: [0, -g]
points:
  O: {is: [0, 0]}
  A: [a*cos(phi0), a*sin(phi0)]
  B: {start: [a*cos(phi0) + sqrt(b^2 - (a*sin(phi0))^2), 0], moves: x}
bodies:
  crank: {frame: [O, A], mass: m, com: [a/2, 0], inertia: m*a^2/12}
  rod: {frame: [A, B], mass: m, com: [b/2, 0], inertia: m*b^2/12}
initial: {A.x: {value: a*cos(phi0), fixed: true}, "B.x'": {value: -4, fixed: true}}
outputs: {Ax: A.x, Ay: A.y, Bx: B.x}
)";

TEST(Points, AreTheCoordinatesAsTheUserSaid) {
  const Equations e = derive(read_model_text(kSliderCrank, "m.yaml"));
  EXPECT_EQ(e.coordinates, "natural");
  EXPECT_EQ(names(e.q), (std::vector<std::string>{"A.x", "A.y", "B.x"}));
  ASSERT_EQ(e.rows.size(), 2U);
  EXPECT_EQ(e.rows[0].name, "crank.rigid11");
  EXPECT_EQ(e.rows[1].name, "rod.rigid11");
  for (const Expr& entry : e.M->values) EXPECT_FALSE(depends_on(entry, e.q));
}

TEST(Points, SliderCrankMovesAsThatOfBodiesAndJoints) {
  const Model points = read_model_text(kSliderCrank, "m.yaml");
  const Model bodies = read_model(KOPPEL_MODELS "slider_crank.yaml");
  expect_equal(output_accelerations(points, "natural", 3),
               output_accelerations(bodies, "absolute", 3), 1e-11);
}

// An arm on a hinge, a second one on a hinge across, with masses off all planes of symmetry.
constexpr const char* kArms = R"(
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, com: [0.4, 0.1, 0.2], inertia: [0.1, 0.2, 0.25, 0.02, 0.01, -0.03]}
  b:
    mass: 1
    com: [0.1, 0.3, -0.1]
    inertia: [0.2, 0.1, 0.25, 0.03, 0.02, 0.01]
    points: {P: [0, 1, 0]}
    position: [1, 0, 0]
joints:
  p: {type: revolute, between: [ground, a], axis: [0, 1, 0]}
  s: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}
initial: {"p.angle'": {value: 2, fixed: true}, "s.angle'": {value: -3, fixed: true}}
outputs: {x: b.x, y: b.y, z: b.z, Px: b.P.x, Py: b.P.y, Pz: b.P.z}
)";

// The same by the point A and the axis u that the arms share, and a vector w on b. The axes of b
// are w, u and w × u, so that its y and z are z and −y of the above.
std::string arms_by_points(const std::string& frame) {
  return R"(
gravity: [0, 0, -9.81]
points: {O: {is: [0, 0, 0]}, A: [1, 0, 0], B: [1, 1, 0]}
vectors: {v: {is: [0, 1, 0]}, u: [0, 0, 1], w: [1, 0, 0]}
bodies:
  a: {frame: [O, A, v, u], mass: 2, com: [0.4, 0.1, 0.2], inertia: [0.1, 0.2, 0.25, 0.02, 0.01, -0.03]}
  b:
    frame: )" +
         frame + R"(
    mass: 1
    com: [0.1, -0.1, -0.3]
    inertia: [0.2, 0.25, 0.1, 0.02, -0.03, -0.01]
    points: {P: [0, 0, -1]}
initial: {"A.z'": {value: -2, fixed: true}, "w.y'": {value: -3, fixed: true}}
outputs: {x: A.x, y: A.y, z: A.z, Px: b.P.x, Py: b.P.y, Pz: b.P.z}
)";
}

TEST(Points, InSpaceMoveAsBodiesAndJoints) {
  const std::vector<double> expected =
      output_accelerations(read_model_text(kArms, "m.yaml"), "joint", 6);
  // The fourth element makes the mass matrix constant. B is a coordinate only where a frame needs
  // it.
  for (const char* frame : {"[A, w, u]", "[A, w, u, B]"}) {
    SCOPED_TRACE(frame);
    std::string text = arms_by_points(frame);
    if (std::string(frame) == "[A, w, u]") text.erase(text.find(", B: [1, 1, 0]"), 14);
    const Model model = read_model_text(text, "m.yaml");
    expect_equal(output_accelerations(model, "natural", 6), expected, 1e-9);
    const Equations e = derive(model);
    const bool is_constant = std::none_of(e.M->values.begin(), e.M->values.end(),
                                          [&](Expr entry) { return depends_on(entry, e.q); });
    EXPECT_EQ(is_constant, std::string(frame) == "[A, w, u, B]");
  }
}

// Without a difference between its arms the governor of bodies and joints moves as the symmetric
// one.
TEST(Points, SymmetricGovernorMovesAsTheFullOne) {
  const Model points = read_model(KOPPEL_MODELS "flyball_governor_symmetric.yaml");
  const Equations e = derive(points);
  EXPECT_EQ(names(e.q), (std::vector<std::string>{"A.x", "A.y", "B.x", "B.y", "B.z", "E.z"}));
  EXPECT_EQ(e.g.size(), 3U);
  const Model bodies = read_model(KOPPEL_MODELS "flyball_governor.yaml");
  expect_equal(output_accelerations(points, "natural", 1), output_accelerations(bodies, "joint", 1),
               1e-9);
}

TEST(Points, CarryPointMassesAndSprings) {
  const Model model = read_model_text(R"(
points: {O: {is: [0, 0, 1]}, A: [1, 0, 1]}
bodies: {ball: {point_mass: 2, frame: [A]}}
forces: {s: {type: spring, between: [O, A], stiffness: 10, free_length: 0.5}}
)",
                                      "m.yaml");
  const Evaluator evaluator(derive(model));
  const std::vector<double> a =
      solve_accelerations(evaluator, start_of(evaluator.equations)).v_rate;
  expect_equal(a, {-2.5, 0, 0}, 1e-14);
}

TEST(Points, HaveNoOtherCoordinates) {
  EXPECT_EQ(testing::error_of([&] { derive(read_model_text(kSliderCrank, "m.yaml"), "joint"); }),
            "error[equations.unknown-coordinates]: 'm' has no equations in 'joint' "
            "coordinates.\n  Its coordinates are the points and vectors of its frames: natural "
            "ones. For others, give its bodies a position and join them.");
}

}  // namespace
}  // namespace koppel
