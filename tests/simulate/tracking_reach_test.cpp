// Dead points: what is pulled along a direction in which it cannot go any farther.
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/formulation/fixed_cost/reach.hpp>
#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/mechanism.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::kEps;
using testing::near;

Simulation run(const std::string& text, const std::string& coordinates = "", double step = 1e-3) {
  const Model model = read_model_text(text, "dead_point.yaml");
  SimulateOptions options = options_of(model);
  options.step = step;
  if (!coordinates.empty()) options.coordinates = coordinates;
  options.sampling.every_step = true;
  options.health = {.is_watched = false};
  return simulate(model, options);
}

std::size_t row_at(double t, double step = 1e-3) {
  return static_cast<std::size_t>(std::lround(t / step));
}

// The largest change of x between two times.
double range(std::span<const double> x, double from, double to) {
  double low = x[row_at(from)], high = low;
  for (std::size_t i = row_at(from); i <= row_at(to); ++i) {
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  return high - low;
}

// A slider crank, 0.4 and 0.6 m, that is at 1 m when it is stretched. The slider is pulled to 3 m
// by one output, or as a point, and let back after 2.5 s.
std::string slider_crank(const std::string& law, double gravity = 0) {
  const double height = 0.4 * std::sin(1.0), far = std::sqrt(0.36 - height * height);
  const double crank = 0.4 * std::cos(1.0), end = crank + far;
  return fmt::format(
      "dimension: 2\ngravity: [0, -{}]\nbodies:\n"
      "  crank: {{mass: 1, inertia: 0.02, position: [{}, {}], angle: 1, points: {{a: [-0.2, 0], b: "
      "[0.2, 0]}}}}\n"
      "  rod: {{mass: 1, inertia: 0.04, position: [{}, {}], angle: {}, points: {{a: [-0.3, 0], b: "
      "[0.3, 0]}}}}\n"
      "  slider: {{mass: 2, inertia: 0.01, position: [{}, 0]}}\n"
      "joints:\n  hinge: {{type: revolute, between: [ground, crank.a]}}\n"
      "  pin: {{type: revolute, between: [crank.b, rod.a]}}\n"
      "  end: {{type: revolute, between: [rod.b, slider]}}\n"
      "  guide: {{type: prismatic, between: [ground, slider], axis: [1, 0]}}\n"
      "tracking:\n  hold: {{{}, force: 100}}\n"
      "outputs: {{s: slider.x, a: hinge.angle, F: hold.force{}}}\nrun: {{end: 5}}\n",
      gravity, crank / 2, height / 2, crank + far / 2, height / 2, -std::atan2(height, far), end,
      law, law.starts_with("point") ? "_x" : "");
}

TEST(DeadPoint, ASliderCrankIsStretchedAndLeftAlone) {
  const std::string target = "\"select(t < 2.5, 3, 0.7)\"";
  for (const std::string& law :
       {"output: slider.x, follows: " + target, "point: slider, follows: [" + target + ", 0]"}) {
    for (const char* coordinates : {"natural", "joint", "absolute"}) {
      const Simulation s = run(slider_crank(law), coordinates);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      const auto x = s.trajectory["s"], angle = s.trajectory["a"], force = s.trajectory["F"];
      EXPECT_NEAR(x[row_at(2.4)], 1, 1e-4) << law << coordinates;
      EXPECT_LT(range(angle, 1.5, 2.4), 1e-4) << law << coordinates;  // it does not swing
      for (std::size_t i = row_at(1.5); i < row_at(2.4); ++i) {
        ASSERT_LT(std::abs(force[i]), 1) << law << coordinates << i;  // of 100 N
      }
      EXPECT_NEAR(x.back(), 0.7, 1e-3) << law << coordinates;  // and it comes back
      EXPECT_LT(s.summary.max_position_violation, 1e-8);
    }
  }
}

// Gravity bends the crank down: it is stretched as far as the force can hold, less a reserve.
TEST(DeadPoint, AgainstGravityTheForceHolds) {
  const Simulation s = run(slider_crank("output: slider.x, follows: 3", 9.81));
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_LT(range(s.trajectory["a"], 3, 4.9), 1e-4);
  EXPECT_GT(s.trajectory["s"].back(), 0.97);
  EXPECT_LT(std::abs(s.trajectory["F"].back()), 80);
}

// Two rods of 0.5 m that are pulled to a place that is 1.55 m away, at different forces.
std::string arm(double force, double gravity) {
  return fmt::format(
      "dimension: 2\ngravity: [0, -{}]\nbodies:\n"
      "  upper: {{mass: 1, inertia: 0.0208, position: [0.25, 0], points: {{a: [-0.25, 0], b: "
      "[0.25, 0]}}}}\n"
      "  lower: {{mass: 1, inertia: 0.0208, position: [0.5, -0.25], angle: -90 deg, points: {{a: "
      "[-0.25, 0], b: [0.25, 0]}}}}\n"
      "joints:\n  shoulder: {{type: revolute, between: [ground, upper.a]}}\n"
      "  elbow: {{type: revolute, between: [upper.b, lower.a]}}\n"
      "tracking:\n  hold: {{point: lower.b, follows: [\"select(t < 2.5, 1.5, 0.5)\", \"select(t < "
      "2.5, 0.4, 0.5)\"], force: {}}}\n"
      "outputs: {{x: lower.b.x, y: lower.b.y, elbow: elbow.angle, shoulder: shoulder.angle, "
      "F: \"sqrt(hold.force_x^2 + hold.force_y^2)\"}}\nrun: {{end: 5}}\n",
      gravity, force);
}

TEST(DeadPoint, AnArmIsStretchedTowardsATargetBeyondItsReach) {
  for (const double force : {20.0, 60.0, 200.0, 1000.0}) {
    for (const char* coordinates : {"natural", "joint"}) {
      const Simulation s = run(arm(force, 0), coordinates);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      const std::size_t then = row_at(2.4);
      const double x = s.trajectory["x"][then], y = s.trajectory["y"][then];
      EXPECT_NEAR(std::hypot(x, y), 1, 2e-4) << force << coordinates;
      // As near to the target as it can be; the direction may be off by a third of the elbow's
      // angle, which the margin leaves at 0.01 rad.
      EXPECT_NEAR(std::hypot(1.5 - x, 0.4 - y), std::hypot(1.5, 0.4) - 1, 1e-4) << force;
      EXPECT_NEAR(std::atan2(y, x), std::atan2(0.4, 1.5), 4e-3) << force << coordinates;
      EXPECT_LT(range(s.trajectory["elbow"], 2, 2.4), 1e-3) << force << coordinates;
      EXPECT_LT(s.trajectory["F"][then], 0.05 * force) << coordinates;
      EXPECT_NEAR(s.trajectory["x"].back(), 0.5, 1e-3) << force << coordinates;
      EXPECT_NEAR(s.trajectory["y"].back(), 0.5, 1e-3) << force << coordinates;
    }
  }
}

TEST(DeadPoint, AnArmThatIsHeavyDoesNotSwing) {
  for (const double force : {40.0, 200.0}) {
    const Simulation s = run(arm(force, 9.81));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_LT(range(s.trajectory["elbow"], 2, 2.4), 1e-3) << force;
    EXPECT_LT(range(s.trajectory["shoulder"], 2, 2.4), 1e-3) << force;
    EXPECT_GT(std::hypot(s.trajectory["x"][row_at(2.4)], s.trajectory["y"][row_at(2.4)]), 0.97);
    EXPECT_LT(s.trajectory["F"][row_at(2.4)], 0.8 * force);
    EXPECT_NEAR(s.trajectory["x"].back(), 0.5, 1e-3) << force;
  }
}

// An arm of six axes in space, by its flange: to a place 4 m away, and back to where it can be. The
// wrist is light and short, and three of six freedoms are left to themselves, without friction.
TEST(DeadPoint, ARobotIsStretchedAndComesBack) {
  for (const char* gravity : {"0", "9.81"}) {
    SCOPED_TRACE(gravity);
    Mechanism m(read_model(std::string(KOPPEL_MODELS) + "robot.yaml", {.set = {{"g", gravity}}}));
    const BodyHandle flange = m.body("arm.flange");
    const QuantityHandle at[] = {flange.x(), flange.y(), flange.z()};
    TrackingElement law{.point = flange, .force = Expr(3000)};
    const double far[] = {4, 1, 1}, back[] = {0.6, 0.4, 0.8};
    for (std::size_t i = 0; i < 3; ++i) {
      law.follows.values.push_back(select(m.time() < 3, Expr(far[i]), Expr(back[i])));
      m.output(std::string("at_") + "xyz"[i], at[i]);
    }
    m.add("hold", law);
    SimulateOptions options = options_of(m.model());
    options.integrator = "linear-implicit";
    options.formulation = {};
    options.coordinates.clear();
    options.step = 1e-3;
    options.end = 6;
    options.sampling.every_step = true;
    options.health = {.is_watched = false};
    const Simulation s = simulate(m.model(), options);
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    // It comes with some 200 J, of which next to nothing is left; without a law for dead points 40
    // J go round without end, and the flange by half a metre.
    EXPECT_LT(s.trajectory["kinetic_energy"][row_at(2.9)], 2);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto x = s.trajectory[std::string("at_") + "xyz"[i]];
      EXPECT_LT(range(x, 2, 2.9), 0.06) << i;  // m
      EXPECT_NEAR(x.back(), back[i], 1e-3) << i;
    }
  }
}

// T of reach.hpp for a point that moves on a circle of radius 1, by its height: with the angle φ
// and mass m, e = cos²φ/m and T = −2 sin φ cos²φ/m². Once by its angle, once by x and y and the
// length as a constraint.
TEST(Reach, TheChangeOfMobilityIsExact) {
  const double mass = 2, phi = 0.7, c = std::cos(phi), sine = std::sin(phi);
  const char* const kModels[] = {
      "coordinates: {a: 0}\nkinetic: a'^2\noutputs: {s: sin(a)}\n",
      "coordinates: {x: 1, y: 0}\nkinetic: x'^2 + y'^2\nconstraints: {rod: (x^2 + y^2 - 1)/2}\n"
      "outputs: {s: y}\n"};
  for (const char* text : kModels) {
    const Equations e = derive(read_model_text(text, "circle.yaml"), "lagrange");
    const bool has_angle = e.q.size() == 1;
    const std::vector<Expr> s = {e.outputs.front().value};
    const SparseExpr B_transposed = jacobian(s, e.q);
    SparseExpr B{{static_cast<int>(e.num_v()), 1, {0}, {}}, {}};
    for (int i = 0; i < static_cast<int>(e.num_v()); ++i) {
      B.pattern.row.push_back(i);
      B.values.push_back(B_transposed.at(0, i));
    }
    B.pattern.column_start.push_back(static_cast<int>(e.num_v()));
    const MobilityChange change(e, B, constraint_matrix(e), e.q, e.t);
    // Along the circle w = cos φ (−sin φ, cos φ)/m; the reaction is what is left of (0, 1) − m w.
    std::vector<Expr> w, l;
    std::vector<double> at;
    if (has_angle) {
      w = {Expr(c / mass)};
      at = {phi};
    } else {
      w = {Expr(-c * sine / mass), Expr(c * c / mass)};
      l = {Expr(sine)};
      at = {c, sine};
    }
    const ReachPull pull{{Expr(1)}, w, l};
    const std::vector<Expr> T = {change(pull, pull, pull)};
    EXPECT_TRUE(near(Function(e.q, T)(at)[0], -2 * sine * c * c / (mass * mass),
                     {.relative = 50 * kEps, .because = "rounding"}));
  }
}

// And so the way that is left is the one to the top, near it: 1 − sin φ.
TEST(Reach, IsTheWayToTheDeadPoint) {
  const auto way = [](double phi, double free, double force) {
    Graph graph;
    const double c = std::cos(phi);
    const Reach r = find_reach(graph.constant(c * c), graph.constant(-2 * std::sin(phi) * c * c),
                               graph.constant(free), graph.constant(1), graph.constant(force));
    const std::vector<double> values = Function({}, {r.way, r.side})({});
    EXPECT_EQ(values[1], 1);
    return values[0];
  };
  for (const double x : {0.2, 0.1, 0.05}) {
    const double left = 1 - std::cos(x);
    // (2) is exact to first order in the way, and 5e-5 of margin.
    EXPECT_NEAR(way(std::numbers::pi / 2 - x, 0, 100), left - 5e-5, 1.1 * left * left);
  }
  EXPECT_GT(way(1e-8, 0, 100), 1e6);  // no dead point is near
  // A weight of which the force of 100 N can hold three quarters at x = 0.1, and no more beyond.
  const double x = 0.1, e = std::sin(x) * std::sin(x);
  EXPECT_LT(way(std::numbers::pi / 2 - x, -75 * e * 1.0001, 100), 1e-8);
  EXPECT_GT(way(std::numbers::pi / 2 - x, -74 * e, 100), 1e-5);
}

TEST(Eigenbasis, DiagonalisesRandomMatrices) {
  std::mt19937_64 engine(3);
  const auto random = [&] { return 2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1; };
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial % 4);
    const std::size_t rank = 1 + static_cast<std::size_t>(trial / 4 % 4);
    std::vector<std::vector<double>> A(n, std::vector<double>(n));
    for (std::size_t k = 0; k < rank; ++k) {
      std::vector<double> column;
      for (std::size_t i = 0; i < n; ++i) column.push_back(random());
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[i][j] += column[i] * column[j];
      }
    }
    Graph graph;
    std::vector<std::vector<Expr>> matrix(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix[i].push_back(graph.constant(A[i][j]));
    }
    const Eigenbasis basis = make_eigenbasis(matrix);
    std::vector<Expr> all = basis.values;
    for (const auto& vector : basis.vectors) all.insert(all.end(), vector.begin(), vector.end());
    const std::vector<double> values = Function(std::vector<Expr>{}, all)({});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0, product = i == j ? -1 : 0;
        for (std::size_t k = 0; k < n; ++k) {
          sum += values[k] * values[n + n * k + i] * values[n + n * k + j];
          product += values[n + n * i + k] * values[n + n * j + k];
        }
        worst = std::max({worst, std::abs(sum - A[i][j]), std::abs(product)});
      }
    }
  }
  EXPECT_LT(worst, 100 * kEps);  // matrices of size 4 with five sweeps of rounding
}

}  // namespace
}  // namespace koppel
