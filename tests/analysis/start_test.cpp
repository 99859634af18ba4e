// One start in all coordinates: the nearest to where the bodies are expected.
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/near.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using testing::near;
using Values = std::map<std::string, double>;

struct Start {
  Assembly assembly;
  Values outputs;
};

Start start_in(const Model& model, const std::string& set) {
  const Evaluator evaluator(derive(model, set));
  Start start{assemble(evaluator, place_bodies(model, evaluator.equations)), {}};
  if (!start.assembly) return start;
  for (const NamedExpr& y : evaluator.equations->outputs) {
    start.outputs[y.name] =
        VectorFunction(evaluator.equations, std::vector{y.value})(start.assembly.state)[0];
  }
  return start;
}

// The outputs at the start, the same in all coordinates.
Values common_start(const Model& model) {
  Values first;
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(model.name + " " + set);
    const Start start = start_in(model, set);
    EXPECT_TRUE(start.assembly) << start.assembly.text;
    if (first.empty()) first = start.outputs;
    for (const auto& [name, value] : start.outputs) {
      EXPECT_TRUE(near(value, first[name],
                       {.relative = 1e-10, .scale = 1, .because = "steps end at round-off"}))
          << name;
    }
  }
  return first;
}

Model rough_slider_crank(const std::string& more = "") {
  return read_model_text(R"(
name: rough slider crank
dimension: 2
bodies:
  crank: {mass: 1, shape: {rod: {to: [0.2, 0]}}, points: {A: [0.2, 0]}, angle: 30 deg}
  rod: {mass: 2, shape: {rod: {to: [0.5, 0]}}, points: {B: [0.5, 0]}, position: [0.17, 0.1],
        angle: -10 deg}
  slider: {mass: 0.5, inertia: 0.001, position: [0.66, 0.01]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  slide: {type: prismatic, between: [ground, slider], axis: [1, 0]}
  B: {type: revolute, between: [rod.B, slider]}
outputs: {crank: O.angle, x: slide.position, "x'": "slide.position'", "crank'": "O.angle'"}
)" + more,
                         "slider_crank.yaml");
}

// The smallest value of a function between two bounds, by golden section.
double minimize(const std::function<double(double)>& f, double a, double b) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < 100; ++i) {
    const double c = b - ratio * (b - a), d = a + ratio * (b - a);
    (f(c) < f(d) ? b : a) = f(c) < f(d) ? d : c;
  }
  return 0.5 * (a + b);
}

// The mean square distance of the masses as a function of the one freedom, written out here.
TEST(OneStart, IsTheNearestInTheMeanOfAllMasses) {
  const double l1 = 0.2, l2 = 0.5, deg = std::acos(-1) / 180;
  const double j1 = 1 * l1 * l1 / 12, j2 = 2 * l2 * l2 / 12;
  const auto distance = [&](double phi) {
    const auto square = [](double x, double y) { return x * x + y * y; };
    const double theta = -std::asin(l1 * std::sin(phi) / l2);
    const double ax = l1 * std::cos(phi), ay = l1 * std::sin(phi);
    const double ax0 = l1 * std::cos(30 * deg), ay0 = l1 * std::sin(30 * deg);
    const auto direction = [&](double a, double b) {
      return square(std::cos(a) - std::cos(b), std::sin(a) - std::sin(b));
    };
    const double dx = ax + l2 / 2 * std::cos(theta) - ax0 - l2 / 2 * std::cos(-10 * deg);
    const double dy = ay + l2 / 2 * std::sin(theta) - ay0 - l2 / 2 * std::sin(-10 * deg);
    const double x = ax + l2 * std::cos(theta);
    const double m = 1e-6 * 2, j = 1e-6 * j2;  // what every body has added
    return (1 + m) * square(ax - ax0, ay - ay0) / 4 + (j1 + j) * direction(phi, 30 * deg) +
           (2 + m) * square(dx, dy) + (j2 + j) * direction(theta, -10 * deg) +
           (0.5 + m) * (x - 0.66) * (x - 0.66);
  };
  const double phi = minimize(distance, 0.2, 0.8);
  const Values start = common_start(rough_slider_crank());
  EXPECT_TRUE(near(start.at("crank"), phi,
                   {.relative = 1e-6, .scale = 1, .because = "a minimum is flat to round-off"}));
  EXPECT_GT(std::abs(phi - 30 * deg), 1e-3);  // rough indeed
}

TEST(OneStart, InitialValuesHoldAndCarryWhatHangsOnThem) {
  const Model model = read_model_text(R"(
name: arm
dimension: 2
bodies:
  upper: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {E: [1, 0]}}
  lower: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {E: [1, 0]}, position: [1, 0], angle: 20 deg}
joints:
  shoulder: {type: revolute, between: [ground, upper]}
  elbow: {type: revolute, between: [upper.E, lower]}
initial: {shoulder.angle: 400 deg, "shoulder.angle'": 3}
outputs: {shoulder: shoulder.angle, elbow: elbow.angle, "shoulder'": "shoulder.angle'",
          "elbow'": "elbow.angle'"}
)",
                                      "arm.yaml");
  const Values start = common_start(model);
  const double deg = std::acos(-1) / 180;
  const testing::Tolerance exact{.relative = 1e-12, .scale = 1, .because = "round-off"};
  EXPECT_TRUE(near(start.at("shoulder"), 400 * deg, exact));
  EXPECT_TRUE(near(start.at("elbow"), 20 * deg, exact));
  EXPECT_TRUE(near(start.at("shoulder'"), 3, exact));
  EXPECT_TRUE(near(start.at("elbow'"), 0, exact));
}

// With loops, freedoms to spare, bodies without mass and rates that do not say all.
TEST(OneStart, OfLoopsInThePlaneAndInSpace) {
  common_start(rough_slider_crank(R"(initial: {"O.angle'": 2})"));
  common_start(read_model_text(R"(
name: five-bar
dimension: 2
bodies:
  a: {mass: 1, shape: {rod: {to: [1, 0]}}, angle: 110 deg}
  b: {mass: 1, shape: {rod: {to: [1.5, 0]}}, angle: 20 deg, position: [-0.3, 0.9]}
  c: {mass: 0, inertia: 0, shape: {rod: {to: [1.5, 0]}}, angle: 150 deg, position: [2.5, 0.9]}
  d: {mass: 3, shape: {rod: {to: [1, 0]}}, angle: 60 deg, position: [2, 0]}
joints:
  A: {type: revolute, between: [ground, a]}
  B: {type: revolute, between: [{a: [1, 0]}, b]}
  C: {type: revolute, between: [{b: [1.5, 0]}, {c: [1.5, 0]}]}
  D: {type: revolute, between: [{d: [1, 0]}, c]}
  E: {type: revolute, between: [{ground: [2, 0]}, d]}
initial: {A.angle: 1.8, "B.angle'": 0.7}
outputs: {A: A.angle, E: E.angle, b: b.angle, c: c.angle, "A'": "A.angle'", "E'": "E.angle'"}
)",
                               "five_bar.yaml"));
  common_start(read_model_text(R"(
name: spatial
bodies:
  crank: {mass: 1, inertia: [0.01, 0.02, 0.025], com: [0.2, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.5}}
  rod: {mass: 2, inertia: [0.005, 0.2, 0.2], com: [0.5, 0, 0], position: [0.33, 0.2, 0],
        rotation: {axis: [0.1, 0.3, -0.2], angle: 0.4}}
  slider: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.2, 0.1, -0.1]}
joints:
  O: {type: revolute, between: [ground, crank], axis: [0, 0.1, 1]}
  A: {type: spherical, between: [{crank: [0.4, 0, 0]}, rod]}
  B: {type: universal, between: [slider, {rod: [1, 0, 0]}], axes: [[0, 1, 0], [0, 0, 1]]}
  slide: {type: cylindrical, between: [{ground: [0, 0.1, -0.1]}, slider], axis: [1, 0, 0]}
initial: {"slide.position'": -0.4}
outputs: {crank: O.angle, x: slide.position, "crank'": "O.angle'", wx: rod.wx, wy: rod.wy, w: slider.wx}
)",
                               "spatial.yaml"));
}

std::string refusal(const Model& model, const std::string& set) {
  const Start start = start_in(model, set);
  EXPECT_FALSE(start.assembly);
  return start.assembly.text;
}

// The ball between rod and rocker is expected 1.4 m apart. In natural coordinates it is one point,
// and with it at the place of one body the other is its own mirror image.
TEST(OneStart, OfALoopWhoseBodiesAreExpectedFarApart) {
  const Values start = common_start(read_model_text(R"(
name: spatial four-bar
bodies:
  ground: {points: {D: [1.2, 0.5, 0.1]}}
  crank: {mass: 1, inertia: [0.02, 0.03, 0.02], com: [0.15, 0.03, 0], points: {A: [0.3, 0, 0]}}
  rod: {mass: 0.5, inertia: [0.05, 0.002, 0.05], com: [0, 0.5, 0], points: {B: [0, 1, 0]},
        position: [0.3, 0, 0]}
  rocker: {mass: 1.5, inertia: [0.1, 0.1, 0.03], com: [0.3, 0, 0], points: {B: [0.4, 0, 0.3]},
           position: [1.2, 0.5, 0.1]}
joints:
  a: {type: revolute, between: [ground, crank], axis: [0, 0, 1]}
  b: {type: universal, between: [crank.A, rod], axes: [[0, 0, 1], [1, 0, 0]]}
  c: {type: spherical, between: [rod.B, rocker.B]}
  d: {type: revolute, between: [ground.D, rocker], axis: [0, 1, 0.2]}
outputs: {x: rod.B.x, y: rod.B.y, z: rod.B.z, a: a.angle, d: d.angle}
)",
                                                    "four_bar.yaml"));
  EXPECT_FALSE(start.empty());
}

TEST(OneStart, InitialValuesThatCannotBeMetAreNamed) {
  // With the crank at 0 the slider is at 0.7.
  const Model model = rough_slider_crank("initial: {O.angle: 0, slide.position: 0.65}");
  const Model rates =
      rough_slider_crank(R"(initial: {O.angle: 90 deg, "O.angle'": 1, "slide.position'": 1})");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    EXPECT_EQ(refusal(model, set),
              "the initial value of 'slide.position' cannot be met: with the constraints and the "
              "initial values before it, it stays off by 0.05. Correct it, or mark it as a wish: "
              "{value: …, wish: true}.");
    // With the crank upright the slider moves as fast as its end: −0.2 m/s.
    EXPECT_EQ(refusal(rates, set),
              "the initial value of 'slide.position'' cannot be met: with the constraints and the "
              "initial values before it, it stays off by 1.2. Correct it, or mark it as a wish: "
              "{value: …, wish: true}.");
  }
}

TEST(OneStart, WishesMayBeMissed) {
  const Model model =
      rough_slider_crank("initial: {O.angle: 0, slide.position: {value: 0.65, wish: true}}");
  EXPECT_TRUE(near(common_start(model).at("x"), 0.7, {.relative = 1e-12, .because = "round-off"}));
  const Start start = start_in(model, "natural");
  ASSERT_EQ(start.assembly.missed.size(), 1u);
  EXPECT_EQ(start.assembly.missed[0].name, "slide.position");
  EXPECT_TRUE(
      near(start.assembly.missed[0].size, 0.05, {.relative = 1e-9, .because = "0.7 − 0.65"}));
}

TEST(OneStart, TheLargestMoveIsNamed) {
  EXPECT_EQ(start_in(rough_slider_crank("initial: {O.angle: 30 deg}"), "joint").assembly.move,
            start_in(rough_slider_crank("initial: {O.angle: 30 deg}"), "natural").assembly.move);
  // The crank is kept; the rod turns from −10° to −asin(0.1/0.5) = −11.537°.
  EXPECT_EQ(start_in(rough_slider_crank("initial: {O.angle: 30 deg}"), "joint").assembly.move,
            "body 'rod' turned by 0.0268 rad");
}

TEST(OneStart, ARodBetweenPivotsTooFarApartIsRefusedInAllCoordinates) {
  const Model model = read_model_text(R"(
name: too far
dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints:
  a: {type: revolute, between: [ground, rod]}
  b: {type: revolute, between: [{ground: [1.5, 0]}, {rod: [1, 0]}]}
)",
                                      "far.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    if (set != "natural") {
      EXPECT_NE(refusal(model, set).find("cannot close: "), std::string::npos)
          << refusal(model, set);
      continue;
    }
    try {  // both ends are fixed, there are no coordinates: 1.5² − 1² m²
      derive(model, set);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "error[equations.contradiction]: 'rod.rigid11' cannot be satisfied by any "
                   "motion: it is off by 1.25.\n  Check the points and axes of 'rod'.");
    }
  }
}

TEST(OneStart, EquationsOfTimeAloneAreRefused) {
  const Model model = read_model_text(R"(
name: time
bodies:
  ground: {points: {D: [1, 0, 0]}}
  b: {mass: 1, inertia: [1, 1, 1]}
constraints: {clock: ground.D.x - 1 + sin(t)}
)",
                                      "time.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    EXPECT_EQ(testing::error_of([&] { derive(model, set); }),
              "error[equations.contradiction]: 'clock' cannot be satisfied by any motion: it "
              "is off by 0.361615 at t = 0.37 s.\n  Check the points and axes of 'clock'.");
  }
}

// A rod between a crank about z and a rocker about x whose centre of mass is on its axis. Seen from
// the guess, with the rocker in the plane of the crank, both ways to assemble it are equally near,
// and in joint coordinates the gap of the rod has no gradient. Natural coordinates and directors
// can close it with the rocker's mirror image.
Model symmetric_four_bar(const Vec3<double>& D, double crank, double rocker, double rod) {
  return read_model_text(fmt::format(R"(
name: symmetric four-bar
bodies:
  ground: {{points: {{D: [{0}, {1}, {2}]}}}}
  crank: {{mass: 1, inertia: [0.01, 0.01, 0.02], points: {{A: [{3}, 0, 0]}}}}
  rocker: {{mass: 1, inertia: [0.02, 0.02, 0.02], position: [{0}, {1}, {2}],
           points: {{B: [0, {4}, 0], Y: [0, 1, 0], Z: [0, 0, 1]}}}}
joints:
  O: {{type: revolute, between: [ground, crank], axis: [0, 0, 1]}}
  D: {{type: revolute, between: [ground.D, rocker], axis: [1, 0, 0]}}
  rod: {{type: distance, between: [crank.A, rocker.B], length: {5}}}
initial: {{O.angle: 100 deg}}
outputs: {{angle: D.angle, By: rocker.B.y - rocker.y, Bz: rocker.B.z - rocker.z,
          Yy: rocker.Y.y - rocker.y, Yz: rocker.Y.z - rocker.z,
          Zy: rocker.Z.y - rocker.y, Zz: rocker.Z.z - rocker.z}}
)",
                                     D.x, D.y, D.z, crank, rocker, rod),
                         "symmetric.yaml");
}

TEST(OneStart, EquallyNearWaysToAssembleGiveOneStart) {
  struct Case {
    Vec3<double> D;
    double crank, rocker, rod;
  };
  const double phi = 100 * std::acos(-1) / 180;
  for (const Case& c : {Case{{0.8, 0.3, 0}, 0.8, 0.3, 1.1}, Case{{1, 0, 0}, 0.5, 0.6, 1.3},
                        Case{{0, 1, 0}, 0.3, 1, 0.9}, Case{{0.5, -0.5, 0}, 0.3, 0.6, 1.3},
                        Case{{0.5, -0.5, 0}, 0.3, 0.6, 1.5}, Case{{0, 1, 0}, 0.8, 0.6, 0.6}}) {
    const Values start = common_start(symmetric_four_bar(c.D, c.crank, c.rocker, c.rod));
    const double angle = start.at("angle");
    const double x = c.D.x - c.crank * std::cos(phi),
                 y = c.D.y + c.rocker * std::cos(angle) - c.crank * std::sin(phi),
                 z = c.rocker * std::sin(angle);
    const testing::Tolerance exact{.relative = 1e-10, .because = "positions are closed to 1e-13"};
    EXPECT_TRUE(near(std::sqrt(x * x + y * y + z * z), c.rod, exact));
    EXPECT_TRUE(near(start.at("By"), c.rocker * std::cos(angle), exact));
    EXPECT_TRUE(near(start.at("Bz"), z, exact));
    // Y, Z of a body that turns about x, and not of its mirror image.
    const double volume = start.at("Yy") * start.at("Zz") - start.at("Yz") * start.at("Zy");
    EXPECT_TRUE(near(volume, 1, exact));
    EXPECT_LT(std::abs(angle), std::acos(-1)) << "no more turns than the guess has";
  }
}

// The point of an ellipse that is nearest to one far outside: by bisection for
// Lagrange's multiplier in 50 digits.
TEST(Start, IsTheNearestAlsoFromFarAway) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {p: {point_mass: 1, position: [5, 4]}}\n"
      "constraints: {ellipse: (p.x/2)^2 + p.y^2 - 1}\noutputs: {x: p.x, y: p.y}\n",
      "ellipse.yaml");
  Values start = common_start(model);
  EXPECT_NEAR(start["x"], 1.7574565931395681, 1e-10);
  EXPECT_NEAR(start["y"], 0.4773223028599917, 1e-10);
  // The line to the guess is normal to the ellipse.
  EXPECT_NEAR((5 - start["x"]) * start["y"], (4 - start["y"]) * start["x"] / 4, 1e-10);
}

// A slider crank, larger or smaller: its angles at the start do not depend on its size.
TEST(Start, DoesNotDependOnTheSizeOfTheMechanism) {
  const auto of_size = [](double L) {
    return read_model_text(fmt::format(R"(
dimension: 2
parameters: {{L: {}}}
bodies:
  crank: {{mass: 1, inertia: L^2/12, com: [L/2, 0], points: {{A: [L, 0]}}, angle: 50 deg}}
  rod: {{mass: 1, inertia: L^2/3, com: [L, 0], points: {{B: [2*L, 0]}}, angle: -10 deg}}
joints:
  o: {{type: revolute, between: [ground, crank]}}
  a: {{type: revolute, between: [crank.A, rod]}}
  b: {{type: point-on-line, between: [ground, rod.B], axis: [1, 0]}}
outputs: {{angle: o.angle}}
)",
                                       L),
                           "crank.yaml");
  };
  const double angle = common_start(of_size(1))["angle"];
  for (const double L : {1e-7, 1e-6, 1e-4, 1e4, 1e7}) {
    EXPECT_NEAR(common_start(of_size(L))["angle"], angle, 1e-9) << L;
  }
}

// The same four-bar in natural coordinates, where rows of velocities have lengths squared and rates
// of angles have them below.
TEST(Start, VelocitiesDoNotDependOnTheSizeEither) {
  double rocker = 0;
  for (const double L : {1.0, 1e-6, 1e-4, 1e4}) {
    const Model model = read_model_text(fmt::format(R"(
dimension: 2
parameters: {{L: {0}, m: {0}^3}}
bodies:
  ground: {{points: {{D: [1.1*L, 0.1*L]}}}}
  crank: {{mass: m, shape: {{rod: {{to: [0.3*L, 0]}}}}, points: {{A: [0.3*L, 0]}}, angle: 50 deg}}
  coupler: {{mass: 2*m, shape: {{rod: {{to: [0.9*L, 0]}}}}, points: {{B: [0.9*L, 0]}}, angle: 20 deg}}
  rocker: {{mass: 1.5*m, shape: {{rod: {{to: [0.6*L, 0]}}}}, points: {{B: [0.6*L, 0]}}, angle: 100 deg}}
joints:
  o: {{type: revolute, between: [ground, crank]}}
  a: {{type: revolute, between: [crank.A, coupler]}}
  d: {{type: revolute, between: [ground.D, rocker]}}
  b: {{type: revolute, between: [coupler.B, rocker.B]}}
initial: {{"o.angle'": 4}}
outputs: {{crank: "o.angle'", rocker: "d.angle'"}}
)",
                                                    L),
                                        "bar.yaml");
    Values start = common_start(model);
    EXPECT_NEAR(start["crank"], 4, 1e-9) << L;
    if (L == 1) rocker = start["rocker"];
    EXPECT_NEAR(start["rocker"], rocker, 1e-8) << L;
  }
}

// In natural coordinates the joint holds by itself, wherever the point of `b` is.
TEST(Start, PointMassesAreMovedToTheirJointsAsOthersAre) {
  const Model model = read_model_text(R"(
dimension: 2
bodies:
  b: {mass: 1.3, inertia: 0.1, com: [0.2, 0.1], position: [0.1, 0.2], points: {P: [0.1, 0.3]}}
  p: {point_mass: 0.8, position: [0.5, 0.3]}
joints: {j: {type: revolute, between: [b.P, p]}}
outputs: {x: p.x, y: p.y, angle: b.angle}
)",
                                      "joined.yaml");
  const Values start = common_start(model);
  EXPECT_GT(start.at("x"), 0.25);  // between b.P at 0.2 and p at 0.5
  EXPECT_LT(start.at("x"), 0.45);
}

// In joint coordinates such a body has none.
TEST(Start, ValuesForABodyThatCannotMoveAreRefusedInAllCoordinates) {
  for (const auto& [what, value, off] :
       {std::tuple{"a.x'", 1.0, "1"}, {"a.x", 3.0, "1"}, {"a.angle'", -2.0, "2"}}) {
    const Model model = read_model_text(fmt::format(R"(
dimension: 2
bodies: {{a: {{mass: 1, inertia: 1, position: [2, 0]}}}}
joints: {{weld: {{type: fixed, between: [ground, a], at: [0, 0]}}}}
initial: {{"{}": {}}}
)",
                                                    what, value),
                                        "welded.yaml");
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(set);
      const Start start = start_in(model, set);
      EXPECT_FALSE(start.assembly);
      EXPECT_EQ(start.assembly.text.substr(0, start.assembly.text.find(". Correct")),
                fmt::format("the initial value of '{}' cannot be met: with the constraints and the "
                            "initial values before it, it stays off by {}",
                            what, off));
    }
  }
}

}  // namespace
}  // namespace koppel
