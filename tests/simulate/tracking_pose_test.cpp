// Orientations that follow a signal, and several trackings together.
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/formulation/fixed_cost/force_limits.hpp>
#include <koppel/model/grip.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

Simulation run(const Model& model, double step = 1e-3, const std::string& coordinates = "") {
  SimulateOptions options = options_of(model);
  options.step = step;
  if (!coordinates.empty()) options.coordinates = coordinates;
  options.sampling.every_step = true;
  options.health = {.is_watched = false};
  return simulate(model, options);
}

double largest(std::span<const double> x, std::size_t from = 0) {
  double size = 0;
  for (std::size_t i = from; i < x.size(); ++i) size = std::max(size, std::abs(x[i]));
  return size;
}

// A body that is free to turn and to fall.
Model turned(const std::string& law, double end = 2) {
  return read_model_text(
      fmt::format("gravity: [0, 0, -9.81]\nbodies:\n  box: {{mass: 2, inertia: [0.3, 0.4, 0.5], "
                  "points: {{p: [1, 2, 3]}}}}\n"
                  "tracking:\n  turn: {{orientation: box, {}}}\noutputs: {{rx: box.rx, ry: box.ry, "
                  "rz: box.rz, wx: box.wx, wy: box.wy, wz: box.wz, Tx: turn.torque_x, Ty: "
                  "turn.torque_y, Tz: turn.torque_z, px: box.p.x - box.x, py: box.p.y - box.y, pz: "
                  "box.p.z - box.z}}\nrun: {{end: {}}}\n",
                  law, end),
      "turned.yaml");
}

// R_z(0.4) R_y(-0.9) R_x(1.1) by all forms: the quaternion is the product of those about the axes,
// its rotation vector 2 atan2(|r_v|, r_0) r_v/|r_v|. Numbers from another program.
TEST(Orientation, FormsOfTheSignalMeanTheSame) {
  const double w = 0.707183622497, x = 0.534940811400, y = -0.269922938957, z = 0.375328202239;
  const double length = std::sqrt(x * x + y * y + z * z), angle = 2 * std::atan2(length, w);
  const double a = angle * x / length, b = angle * y / length, c = angle * z / length;
  for (const std::string& law :
       {fmt::format("follows: [{}, {}, {}]", a, b, c),
        std::string("follows: [1.1, -0.9, 0.4], form: roll-pitch-yaw"),
        fmt::format("follows: [{}, {}, {}, {}]", w, x, y, z),
        fmt::format("follows: [{}, {}, {}, {}]", -3 * w, -3 * x, -3 * y, -3 * z)}) {
    const Simulation s = run(turned(law, 1));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_NEAR(s.trajectory["rx"].back(), a, 1e-7) << law;
    EXPECT_NEAR(s.trajectory["ry"].back(), b, 1e-7) << law;
    EXPECT_NEAR(s.trajectory["rz"].back(), c, 1e-7) << law;
  }
}

// A jump by 170 degrees at the limit of the torque, in every coordinate set.
TEST(Orientation, JumpsAreMetWithoutOvershootAtTheLimit) {
  const double angle = 170.0 / 180 * std::numbers::pi, n = 1 / std::sqrt(3.0);
  const std::string law = fmt::format(
      "follows: [\"select(t < 0.2, 0, {0})\", \"select(t < 0.2, 0, {0})\", "
      "\"select(t < 0.2, 0, -{0})\"], force: 30",
      angle * n);
  for (const char* coordinates : {"absolute", "joint", "natural", "directors", "cardan"}) {
    const Simulation s = run(turned(law, 3), 1e-3, coordinates);
    ASSERT_EQ(s.status, Outcome::Status::Done) << coordinates << s.text;
    const auto x = s.trajectory["rx"], y = s.trajectory["ry"], z = s.trajectory["rz"];
    const auto tx = s.trajectory["Tx"], ty = s.trajectory["Ty"], tz = s.trajectory["Tz"];
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(std::sqrt(tx[i] * tx[i] + ty[i] * ty[i] + tz[i] * tz[i]), 30 * (1 + 1e-12));
      ASSERT_LT((x[i] + y[i] - z[i]) * n, 1.02 * angle) << coordinates;
    }
    EXPECT_NEAR(x.back(), angle * n, 1e-4) << coordinates;
    EXPECT_NEAR(y.back(), angle * n, 1e-4) << coordinates;
    EXPECT_NEAR(z.back(), -angle * n, 1e-4) << coordinates;
  }
}

// Backwards by 166 degrees, and not forwards by 194.
TEST(Orientation, TheShortestWayIsTaken) {
  for (const char* axis : {"x", "y", "z"}) {
    std::string law = "follows: [0, 0, 0], force: 30";
    law[10 + 3 * static_cast<std::size_t>(axis[0] - 'x')] = '-';
    law.insert(11 + 3 * static_cast<std::size_t>(axis[0] - 'x'), "2.9");
    const Simulation s = run(turned(law, 2));
    EXPECT_NEAR(s.trajectory[std::string("r") + axis].back(), -2.9, 1e-3) << law;
    for (const double w : s.trajectory[std::string("w") + axis]) ASSERT_LT(w, 0.2) << law;
  }
}

// Half a turn has no shortest way; one is taken. A vector p then becomes 2 n (n·p) − p.
TEST(Orientation, HalfATurnIsGone) {
  const std::pair<const char*, Vec3<double>> kTurns[] = {{"[0, 1, 0, 0]", {1, -2, -3}},
                                                         {"[0, 0, 1, 0]", {-1, 2, -3}},
                                                         {"[0, 0, 0, 1]", {-1, -2, 3}},
                                                         {"[0, 0.6, 0, 0.8]", {2.6, -2, 1.8}}};
  for (const auto& [target, p] : kTurns) {
    const Simulation s = run(turned(fmt::format("follows: {}, force: 30", target), 2));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_NEAR(s.trajectory["px"].back(), p.x, 1e-3) << target;
    EXPECT_NEAR(s.trajectory["py"].back(), p.y, 1e-3) << target;
    EXPECT_NEAR(s.trajectory["pz"].back(), p.z, 1e-3) << target;
  }
}

// Turning on and on: a rotation vector far beyond a turn is followed with its rate, to what a step
// of 1 ms leaves.
TEST(Orientation, ManyTurnsAreFollowedWithoutLag) {
  for (const char* law : {"follows: [0, 0, 4*t]", "follows: [cos(2*t), 0, 0, sin(2*t)]",
                          "follows: [0, 0, 4*t], form: roll-pitch-yaw"}) {
    const Simulation s = run(turned(law, 4));
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    const auto wz = s.trajectory["wz"];
    for (std::size_t i = 200; i < wz.size(); ++i) ASSERT_NEAR(wz[i], 4, 1e-4) << law << ' ' << i;
  }
}

TEST(Orientation, InThePlaneIsAnAngle) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {rod: {mass: 1, inertia: 0.2}}\ntracking:\n  turn: {orientation: rod, "
      "follows: \"select(t < 0.1, 0, 9)\", force: 40}\noutputs: {a: rod.angle, T: turn.torque}\n"
      "run: {end: 2}\n",
      "plane.yaml");
  const Simulation s = run(model);
  EXPECT_NEAR(s.trajectory["a"].back(), 9, 1e-6);  // turns are counted
  EXPECT_LT(largest(s.trajectory["a"]), 9.05);
  EXPECT_LE(largest(s.trajectory["T"]), 40 * (1 + 1e-12));
}

// A pose: the point and the orientation of one body, both with limits.
TEST(Orientation, PosesAreHeld) {
  const Model model = read_model_text(
      "gravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 2, inertia: [0.3, 0.4, 0.5], points: {p: "
      "[0.3, 0.1, 0]}}\ntracking:\n  place: {point: box.p, follows: [\"select(t < 0.1, 0.3, 1)\", "
      "0.2, 0.1], force: 100}\n  turn: {orientation: box, follows: [0, 0, \"select(t < 0.1, 0, "
      "1.5)\"], force: 50}\noutputs: {x: box.p.x, y: box.p.y, z: box.p.z, rz: box.rz}\nrun: {end: "
      "3}\n",
      "pose.yaml");
  const Simulation s = run(model);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_NEAR(s.trajectory["x"].back(), 1, 1e-5);
  EXPECT_NEAR(s.trajectory["y"].back(), 0.2, 1e-5);
  EXPECT_NEAR(s.trajectory["z"].back(), 0.1, 1e-5);
  EXPECT_NEAR(s.trajectory["rz"].back(), 1.5, 1e-5);
}

TEST(Orientation, MistakesAreTold) {
  const auto mistake = [](const std::string& law) -> std::string {
    return testing::message_of([&] { turned(law); });
  };
  EXPECT_EQ(mistake("follows: [1, 2]"),
            "follows of tracking 'turn' must have 3 components; found 2.");
  EXPECT_EQ(mistake("follows: [1, 2, 3], form: quaternion"),
            "follows of tracking 'turn' must have 4 components; found 3.");
  EXPECT_EQ(mistake("point: box, follows: [1, 2, 3]"),
            "tracking 'turn' needs follows, and one of point, orientation and output.");
}

// A hand that holds a body turns it, and two hands on one rod lift it level.
TEST(Grip, HoldsPosesWithTwoHands) {
  const Model rod = read_model_text(
      "gravity: [0, 0, -9.81]\nbodies: {rod: {mass: 3, inertia: [0.01, 0.3, 0.3]}}\n"
      "outputs: {x: rod.x, y: rod.y, z: rod.z, rx: rod.rx, ry: rod.ry, rz: rod.rz}\nrun: {end: "
      "1.5}\n",
      "rod.yaml");
  const auto set = [](Model& model, const std::string& name, double value) {
    for (Parameter& p : model.parameters) {
      if (p.symbol.name() == name) p.value = value;
    }
  };
  Model turned = with_grip(rod, {.hands = 1, .turns = true});
  set(turned, "grip.body", 0);
  set(turned, "grip.turns", 1);
  const Simulation held = run(turned);  // inputs are zero: at the origin, not turned
  ASSERT_EQ(held.status, Outcome::Status::Done) << held.text;
  for (const char* name : {"x", "y", "z", "rx", "ry", "rz"}) {
    EXPECT_LT(largest(held.trajectory[name]), 1e-4) << name;
  }
  // Both hands are at the origin with points that are a metre apart: the middle is there, and
  // neither pulls without end.
  Model two = with_grip(rod, {.hands = 2});
  set(two, "grip.body", 0);
  set(two, "grip.x", 0.5);
  set(two, "grip2.body", 0);
  set(two, "grip2.x", -0.5);
  const Simulation torn = run(two);
  ASSERT_EQ(torn.status, Outcome::Status::Done) << torn.text;
  EXPECT_NEAR(torn.trajectory["x"].back(), 0, 1e-3);
  EXPECT_NEAR(torn.trajectory["z"].back(), 0, 1e-3);
  EXPECT_LT(largest(torn["grip.force_1"]), 10);
}

// min ½ (μ − μ*)ᵀ E (μ − μ*) with |μ_i| ≤ F_i by trying all combinations of limits.
std::vector<double> solve_box(const std::vector<std::vector<double>>& E,
                              const std::vector<double>& wanted, const std::vector<double>& F) {
  const std::size_t n = wanted.size();
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < n; ++i) combinations *= 3;
  std::vector<double> best(n);
  double least = INFINITY;
  for (std::size_t code = 0; code < combinations; ++code) {
    std::vector<double> mu(n);
    std::vector<bool> is_free(n);
    std::size_t rest = code;
    for (std::size_t i = 0; i < n; ++i, rest /= 3) {
      is_free[i] = rest % 3 == 0;
      mu[i] = rest % 3 == 1 ? F[i] : -F[i];
      if (is_free[i]) mu[i] = wanted[i];
    }
    for (int sweep = 0; sweep < 2000; ++sweep) {  // Gauss-Seidel for the free ones
      for (std::size_t i = 0; i < n; ++i) {
        if (!is_free[i]) continue;
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += E[i][j] * (mu[j] - wanted[j]);
        mu[i] -= sum / E[i][i];
      }
    }
    double value = 0;
    bool holds = true;
    for (std::size_t i = 0; i < n; ++i) {
      holds &= std::abs(mu[i]) <= F[i] * (1 + 1e-9);
      for (std::size_t j = 0; j < n; ++j) {
        value += 0.5 * (mu[i] - wanted[i]) * E[i][j] * (mu[j] - wanted[j]);
      }
    }
    if (holds && value < least) {
      least = value;
      best = mu;
    }
  }
  return best;
}

TEST(ForceLimits, SolveTheBoxConstrainedProblem) {
  std::mt19937_64 engine(7);
  const auto random = [&] { return 2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1; };
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial % 2);
    std::vector<std::vector<double>> A(n, std::vector<double>(n + 1)), E(n, std::vector<double>(n));
    for (auto& row : A) {
      for (double& a : row) a = random();
    }
    std::vector<double> wanted, F;
    for (std::size_t i = 0; i < n; ++i) {
      wanted.push_back(3 * random());
      F.push_back(1 + random() * 0.9);
      for (std::size_t j = 0; j < n; ++j) {
        E[i][j] = i == j ? 0.05 : 0;
        for (std::size_t k = 0; k <= n; ++k) E[i][j] += A[i][k] * A[j][k];
      }
    }
    Graph graph;
    std::vector<std::vector<Expr>> columns(n);
    std::vector<Expr> some;
    std::vector<LimitedForce> forces;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) columns[i].push_back(graph.constant(E[j][i]));
      some.push_back(graph.constant(wanted[i]));
      forces.push_back({i, 1, graph.constant(F[i]), graph.constant(E[i][i])});
    }
    const std::vector<double> found = Function({}, limit_forces(columns, some, forces))({});
    const std::vector<double> exact = solve_box(E, wanted, F);
    double value = 0, least = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LE(std::abs(found[i]), F[i] * (1 + 1e-12));
      for (std::size_t j = 0; j < n; ++j) {
        value += (found[i] - wanted[i]) * E[i][j] * (found[j] - wanted[j]);
        least += (exact[i] - wanted[i]) * E[i][j] * (exact[j] - wanted[j]);
        size += wanted[i] * E[i][j] * wanted[j];
      }
    }
    worst = std::max(worst, (value - least) / size);
  }
  // What three sweeps leave, of the whole, in the worst of 300 problems.
  EXPECT_LT(worst, 0.02);
}

// Two hands on one body: what one lacks at its limit the other makes up for.
TEST(ForceLimits, OthersMakeUpForALimit) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {slider: {mass: 2, inertia: 1}}\njoints: {guide: {type: prismatic, "
      "between: [ground, slider], axis: [1, 0]}}\nforces: {wind: {type: effort, on: "
      "guide.position, effort: -30}}\ntracking:\n  weak: {output: slider.x, follows: 0, force: 5}\n"
      "  strong: {output: slider.x, follows: 0, force: 100}\noutputs: {x: slider.x, weak: "
      "weak.force, strong: strong.force}\nrun: {end: 1}\n",
      "two.yaml");
  const Simulation s = run(model);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_LT(largest(s.trajectory["x"]), 1e-6);
  EXPECT_NEAR(s.trajectory["weak"].back(), 5, 1e-9);
  EXPECT_NEAR(s.trajectory["strong"].back(), 25, 1e-3);
}

// What can be let go does nothing while it is.
TEST(ForceLimits, WhatIsLetGoDoesNotCount) {
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2\ntracking:\n  one: {output: x, follows: 1, force: 20}\n"
      "  other: {output: x, follows: -1, force: 20, active: 0}\noutputs: {x: x, f: other.force}\n"
      "run: {end: 2}\n",
      "let_go.yaml");
  const Simulation s = run(model);
  EXPECT_NEAR(s.trajectory["x"].back(), 1, 1e-6);
  EXPECT_EQ(largest(s.trajectory["f"]), 0);
}

// Targets that contradict each other are missed least in the norm of the effective masses: those of
// two points of one slider are the same, and it stays in the middle.
TEST(ForceLimits, ContradictionsAreSharedByMass) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {slider: {mass: 2, inertia: 1}}\njoints: {guide: {type: prismatic, "
      "between: [ground, slider], axis: [1, 0]}}\ntracking:\n  one: {output: slider.x, follows: 0, "
      "force: 50}\n  other: {output: slider.x, follows: 1, force: 50}\noutputs: {x: "
      "slider.x}\nrun: "
      "{end: 2}\n",
      "contradiction.yaml");
  const Simulation s = run(model);
  EXPECT_NEAR(s.trajectory["x"].back(), 0.5, 1e-3);
  EXPECT_LT(std::abs(s["slider.x'"].back()), 1e-3);
}

}  // namespace
}  // namespace koppel
