// Bodies whose inertia is that of a disc, a rod or a point: some directions have no mass in natural
// coordinates and directors, some rotations none anywhere. Against equations of motion written and
// integrated here.
#include <array>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;
using State6 = std::array<double, 6>;

// The classical Runge-Kutta method with steps so small that its error is round-off.
State6 integrate_here(const std::function<State6(const State6&)>& f, State6 y, double end) {
  constexpr int kSteps = 4000;
  const double h = end / kSteps;
  const auto plus = [](const State6& a, double s, const State6& b) {
    State6 c;
    for (std::size_t i = 0; i < 6; ++i) c[i] = a[i] + s * b[i];
    return c;
  };
  for (int k = 0; k < kSteps; ++k) {
    const State6 k1 = f(y), k2 = f(plus(y, h / 2, k1)), k3 = f(plus(y, h / 2, k2)),
                 k4 = f(plus(y, h, k3));
    for (std::size_t i = 0; i < 6; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

struct TriedMethod {
  const char* integrator;
  double step;      // 0: its own
  double accuracy;  // measured: 1e-10 of taylor, 1e-9 of the others at 1e-11; order 4 at 1 ms
};
constexpr TriedMethod kMethods[] = {{"taylor", 0, 1e-9},   {"radau5", 0, 1e-7}, {"dop853", 0, 1e-8},
                                    {"cvode", 0, 1e-6},    {"ida", 0, 1e-5},    {"rk4", 1e-3, 1e-8},
                                    {"taylor", 0.05, 1e-7}};

// The outputs at the end, in all coordinates and by all methods, and at the end of each step the
// invariant if there is one.
void expect_end(const Model& model, const std::vector<std::pair<std::string, double>>& expected) {
  for (const std::string& set : coordinate_sets(model)) {
    for (const TriedMethod& method : kMethods) {
      SCOPED_TRACE(model.name + " " + set + " " + method.integrator);
      SimulateOptions options = options_of(model);
      options.coordinates = set;
      options.integrator = method.integrator;
      options.tolerance = 1e-11;
      if (method.step > 0) options.step = method.step;
      options.sampling.every_step = true;
      const Simulation s = simulate(model, options);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      for (const auto& [name, value] : expected) {
        EXPECT_TRUE(near(s.trajectory[name].back(), value,
                         {.relative = method.accuracy, .scale = 1, .because = "the method's"}))
            << name;
      }
      EXPECT_LT(s.summary.max_velocity_violation, 1e-6);
      // The energy belongs to the velocities of every row.
      const auto energy = s.trajectory["energy"];
      for (std::size_t i = 0; i < energy.size(); ++i) {
        EXPECT_TRUE(near(energy[i], energy[0],
                         {.relative = 10 * method.accuracy, .scale = 1, .because = "the method's"}))
            << "at t = " << s.trajectory.time()[i];
      }
    }
  }
}

TEST(Degenerate, AFlatBodyTurnsByEulersEquations) {
  const Model model = read_model_text(R"(
name: flat
bodies: {b: {mass: 1, inertia: [1, 2, 3]}}
initial: {b.wx: 1, b.wy: 2, b.wz: 3}
outputs: {wx: b.wx, wy: b.wy, wz: b.wz}
run: {end: 2}
)",
                                      "flat.yaml");
  const State6 end = integrate_here(
      [](const State6& w) {
        return State6{(2. - 3.) / 1 * w[1] * w[2], (3. - 1.) / 2 * w[2] * w[0],
                      (1. - 2.) / 3 * w[0] * w[1]};
      },
      {1, 2, 3}, 2);
  expect_end(model, {{"wx", end[0]}, {"wy", end[1]}, {"wz", end[2]}});
}

// A rod on a pivot that does not let it spin: with J = m l²/3 about the pivot,
//   J d̈ = −J |ḋ|² d + (m l/2) (g − (g·d) d).
TEST(Degenerate, ARodIsASphericalPendulum) {
  const Model model = read_model_text(R"(
name: rod
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 2, com: [0, 0, 0.5], inertia: [2/12, 2/12, 0], points: {tip: [0, 0, 1]},
        rotation: {axis: [1, 0, 0], angle: 2.2}}
joints:
  pivot: {type: universal, between: [ground, rod], axes: [[1, 0, 0], [0, 1, 0]]}
initial: {"rod.tip.x'": 0.7, "rod.tip.y'": 0.3}
outputs: {x: rod.tip.x, y: rod.tip.y, z: rod.tip.z, "x'": "rod.tip.x'", "y'": "rod.tip.y'"}
run: {end: 1}
)",
                                      "rod.yaml");
  const double y = -std::sin(2.2), z = std::cos(2.2), vz = -y * 0.3 / z;
  const State6 end = integrate_here(
      [](const State6& s) {
        const double g = -9.81, factor = 1.5;  // (m l/2)/(m l²/3)
        const double speed = s[3] * s[3] + s[4] * s[4] + s[5] * s[5], along = g * s[2];
        State6 rate{s[3], s[4], s[5]};
        for (std::size_t i = 0; i < 3; ++i) {
          rate[3 + i] = -speed * s[i] + factor * ((i == 2 ? g : 0) - along * s[i]);
        }
        return rate;
      },
      {0, y, z, 0.7, 0.3, vz}, 1);
  expect_end(model, {{"x", end[0]}, {"y", end[1]}, {"z", end[2]}, {"x'", end[3]}, {"y'", end[4]}});
}

TEST(Degenerate, AMassWithoutInertiaIsAPendulum) {
  const Model model = read_model_text(R"(
name: point
gravity: [0, 0, -9.81]
bodies:
  bob: {mass: 3, com: [0, 0, -0.8], inertia: [0, 0, 0]}
joints:
  pivot: {type: revolute, between: [ground, bob], axis: [1, 0, 0]}
initial: {pivot.angle: 1, "pivot.angle'": 2}
outputs: {angle: pivot.angle, rate: "pivot.angle'"}
run: {end: 1}
)",
                                      "point.yaml");
  const State6 end = integrate_here(
      [](const State6& s) {
        return State6{s[1], -9.81 / 0.8 * std::sin(s[0])};
      },
      {1, 2}, 1);
  expect_end(model, {{"angle", end[0]}, {"rate", end[1]}});
}

// Rods without mass, of lengths 1, 3 and 2.5, between pivots 3 apart; the first is at the angle φ.
// With d from its end to the other pivot, at the distance r = |d|, the last is at the angle
//   arg(−d) − arccos((r² + 2.5² − 3²)/(2·2.5 r)),                                           (1)
// by the cosine rule, on the side where it was assembled.
double rocker_at(double phi) {
  const double x = 3 - std::cos(phi), y = -std::sin(phi), r = std::hypot(x, y);
  return std::atan2(-y, -x) - std::acos((r * r + 2.5 * 2.5 - 9) / (5 * r));
}

std::string four_bar_text(const std::string& crank, const std::string& drive) {
  return "dimension: 2\nbodies:\n  c: {" + crank + R"(, points: {e: [1, 0]}, angle: 1}
  k: {mass: 0, inertia: 0, points: {e: [3, 0]}, position: [0.54, 0.84], angle: 0.3}
  r: {mass: 0, inertia: 0, points: {e: [2.5, 0]}, position: [3, 0], angle: 1.4}
joints:
  a: {type: revolute, between: [ground, c])" +
         drive + R"(}
  b: {type: revolute, between: [c.e, k]}
  d: {type: revolute, between: [k.e, r.e]}
  o: {type: revolute, between: [{ground: [3, 0]}, r]}
initial: {"a.angle'": 1, a.angle: 1}
outputs: {rocker: r.angle}
run: {end: 5}
)";
}

// In all coordinates, at all rows. Nothing has energy, and nothing is doubtful for lack of it.
void expect_rocker(const std::string& text) {
  const Model model = read_model_text(text, "four_bar.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    for (const char* integrator : {"taylor", "radau5", "dop853"}) {
      SCOPED_TRACE(set + " " + integrator);
      SimulateOptions options = options_of(model);
      options.coordinates = set;
      options.integrator = integrator;
      const Simulation s = simulate(model, options);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      EXPECT_EQ(s.summary.health.state, Health::State::Good);
      double worst = 0;
      for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
        const double turned = s.trajectory["rocker"][i] - rocker_at(1 + s.trajectory.time()[i]);
        worst = std::max(worst, std::abs(std::remainder(turned, 2 * M_PI)));
      }
      EXPECT_LT(worst, 1e-6);  // 100 tolerances: errors of 5 s add up
    }
  }
}

TEST(Degenerate, ADrivenLinkageWithoutMassFollowsItsBranch) {
  expect_rocker(four_bar_text("mass: 0, inertia: 0", ", drive: 1 + t"));
  expect_rocker(four_bar_text("mass: 1, inertia: 0", ", drive: 1 + t"));
}

// The rods take nothing of the wheel's energy: it turns evenly.
TEST(Degenerate, ALinkageWithoutMassFollowsAFlywheelOnItsBranch) {
  expect_rocker(four_bar_text("mass: 10, inertia: 5", ""));
}

std::string refusal(const std::string& text, const std::string& set) {
  const Model model = read_model_text(text, "model.yaml");
  SimulateOptions options = options_of(model);
  options.coordinates = set;
  return testing::error_of([&] { simulate(model, options); });
}

// A point does not turn, so that a screw holds it: in natural coordinates nothing is left that
// moves, and the equation of the screw repeats that.
TEST(Degenerate, AScrewHoldsAPoint) {
  const auto screw = [](const std::string& more) {
    return "bodies: {p: {point_mass: 1}}\njoints: {j: {type: screw, between: [ground, p], "
           "axis: [0, 0, 1], pitch: 1" +
           more + "}}\noutputs: {z: p.z}\nrun: {end: 1}\n";
  };
  const Model model = read_model_text(screw(""), "screw.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    for (const char* integrator : {"taylor", "radau5", "dop853"}) {
      SCOPED_TRACE(set + " " + integrator);
      SimulateOptions options = options_of(model);
      options.coordinates = set;
      options.integrator = integrator;
      const Simulation s = simulate(model, options);
      EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
      EXPECT_EQ(s.trajectory["z"].back(), 0);
    }
  }
  EXPECT_EQ(testing::id_of([&] { read_model_text(screw(", drive: t"), "screw.yaml"); }),
            "model.point-mass-turned");
}

// Without velocities, in joint coordinates, and with constraints on them.
TEST(Degenerate, ABodyThatCannotMoveIsNotMovedByAConstraint) {
  const std::string model =
      "bodies: {p: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: fixed, between: "
      "[ground, p]}}\nconstraints: {push: p.x - t}\nrun: {end: 1}\n";
  for (const char* set : {"joint", "absolute", "natural"}) {
    const std::string text = refusal(model, set);
    EXPECT_TRUE(text.starts_with("error[equations.contradiction]: 'push' cannot be satisfied") ||
                text.starts_with("error[assembly.impossible]: no velocities satisfy all"))
        << set << text;
  }
}

TEST(Degenerate, MotionsThatNothingDeterminesAreRefusedByName) {
  const auto message = [](const std::string& what) {
    return "error[simulate.massless]: the mass matrix is singular along an unconstrained "
           "direction: nothing determines the acceleration of " +
           what + ".\n  Give what moves there a mass or an inertia, or constrain it.";
  };
  const std::string rod = R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  b: {mass: 1, shape: {rod: {to: [1, 0]}}}
  rod: {mass: 0, inertia: 0, shape: {rod: {to: [1, 0]}}, position: [1, 0]}
joints:
  p: {type: revolute, between: [ground, b]}
  q: {type: revolute, between: [{b: [1, 0]}, rod]}
run: {end: 1}
)";
  EXPECT_EQ(refusal(rod, "joint"), message("'q.angle'"));
  EXPECT_EQ(refusal(rod, "absolute"), message("'rod.angle'"));
  EXPECT_EQ(refusal(rod, "natural").substr(0, 60), message("").substr(0, 60));
  // A mass that a massless rod does not move: it turns at the rod's own pivot.
  EXPECT_EQ(refusal(R"(
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 0, inertia: [0, 0, 0]}
  disc: {mass: 1, inertia: [1, 1, 2]}
joints:
  p: {type: revolute, between: [ground, rod], axis: [1, 0, 0]}
  q: {type: revolute, between: [rod, disc], axis: [1, 0, 0]}
run: {end: 1}
)",
                    "joint"),
            message("'p.angle'"));
}

// Axes say nothing of where a point mass is: it slides along them.
TEST(Degenerate, PointMassesSlideOnRailsInAllCoordinates) {
  const Model model = read_model_text(R"(
bodies: {b: {point_mass: 1, position: [1, 0, 0]}, c: {point_mass: 2, position: [1, 1, 0]}, d: {point_mass: 1}}
joints:
  rail: {type: prismatic, between: [ground, b], axis: [1, 0, 0]}
  second: {type: prismatic, between: [b, c], axis: [0, 1, 0]}
  rod: {type: cylindrical, between: [ground, d], axis: [0, 0, 1]}
forces:
  f: {type: effort, on: rail.position, effort: -100*rail.position}
  g: {type: effort, on: second.position, effort: -50*second.position}
  h: {type: effort, on: rod.position, effort: 2}
outputs: {x: b.x, y: c.y, z: d.z}
)",
                                      "rails.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SimulateOptions options;
    options.coordinates = set;
    options.end = 2;
    options.tolerance = 1e-11;
    const Simulation s = simulate(model, options);
    EXPECT_EQ(s.status, Outcome::Status::Done) << set << s.text;
    EXPECT_NEAR(s.trajectory["x"].back(), std::cos(std::sqrt(100.0 / 3) * 2), 1e-8) << set;
    EXPECT_NEAR(s.trajectory["y"].back(), std::cos(5.0 * 2), 1e-8) << set;
    EXPECT_NEAR(s.trajectory["z"].back(), 0.5 * 2 * 2 * 2, 1e-8) << set;
  }
}

}  // namespace
}  // namespace koppel
