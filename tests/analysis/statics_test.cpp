// Static equilibrium, linearisation and driven motion against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/driven_motion.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/analysis/motion/statics.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

TEST(Statics, HangingMassStretchesItsSpring) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x", 0.1);
  model.kinetic = 0.5 * 2 * vx * vx;
  model.potential = 0.5 * 100 * x * x - 2 * 9.81 * x;
  const Evaluator evaluator(derive(model));
  const Equilibrium e = find_equilibrium(evaluator, start_of(evaluator.equations));
  ASSERT_TRUE(e.is_found) << e.text;
  EXPECT_TRUE(near(e.state.q[0], 0.1962, {.relative = 1e-10, .because = "Newton's last step"}));
}

TEST(Statics, PendulumWithSpringRestsWhereTorquesBalance) {
  // A torsional spring k φ against m g l sin φ: with m g l = 2 k there is a stable place at
  // φ = 2 sin φ beside the unstable one at 0 (the pendulum stands up).
  for (const bool constrained : {false, true}) {
    Model model;
    if (constrained) {
      const auto [x, vx] = add_coordinate(model, "x", 0.05);
      const auto [y, vy] = add_coordinate(model, "y", std::sqrt(1 - 0.0025));
      model.kinetic = 0.5 * (vx * vx + vy * vy);
      const Expr phi = atan2(x, y);
      model.potential = 0.5 * phi * phi + 2 * y;
      model.constraints.push_back({"bar", x * x + y * y - 1, {}});
    } else {
      const auto [phi, w] = add_coordinate(model, "phi", 0.05);
      model.kinetic = 0.5 * w * w;
      model.potential = 0.5 * phi * phi + 2 * cos(phi);
    }
    const Evaluator evaluator(derive(model));
    const Equilibrium e = find_equilibrium(evaluator, start_of(evaluator.equations));
    ASSERT_TRUE(e.is_found) << e.text;
    const double phi = constrained ? std::atan2(e.state.q[0], e.state.q[1]) : e.state.q[0];
    // The root of φ = 2 sin φ.
    EXPECT_TRUE(near(phi, 1.8954942670339809, {.relative = 1e-9, .because = "tolerance 1e-11"}));
  }
}

TEST(Statics, SaysThatNothingHoldsAFallingMass) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x");
  model.kinetic = 0.5 * vx * vx;
  model.potential = 9.81 * x;
  const Evaluator evaluator(derive(model));
  const Equilibrium e =
      find_equilibrium(evaluator, start_of(evaluator.equations), {.max_iterations = 30});
  EXPECT_FALSE(e.is_found);
  EXPECT_EQ(e.text,
            "no equilibrium found near the start: forces of 9.81 stay unbalanced after 30 steps.");
}

// Two equal point masses on massless bars of 1 m: ω² = (2 ± √2) g.
TEST(Modes, OfTheDoublePendulumHaveTheirClosedForm) {
  Model model;
  const auto [x1, vx1] = add_coordinate(model, "x1", 0);
  const auto [y1, vy1] = add_coordinate(model, "y1", -1);
  const auto [x2, vx2] = add_coordinate(model, "x2", 0);
  const auto [y2, vy2] = add_coordinate(model, "y2", -2);
  model.kinetic = 0.5 * (vx1 * vx1 + vy1 * vy1 + vx2 * vx2 + vy2 * vy2);
  model.potential = 9.81 * (y1 + y2);
  model.constraints.push_back({"upper", x1 * x1 + y1 * y1 - 1, {}});
  model.constraints.push_back({"lower", (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) - 1, {}});
  const Evaluator evaluator(derive(model));
  const LinearSystem system = linearize(evaluator, start_of(evaluator.equations));
  EXPECT_EQ(system.states, (std::vector<std::string>{"x1", "x2", "x1'", "x2'"}));
  const std::vector<Mode> modes = find_modes(system);
  ASSERT_EQ(modes.size(), 2u);
  const Tolerance tolerance{.relative = 1e-12, .because = "a matrix of four rows"};
  for (const int i : {0, 1}) {
    const double omega = std::sqrt((2 + (i == 0 ? -1 : 1) * std::numbers::sqrt2) * 9.81);
    const Mode& mode = modes[static_cast<std::size_t>(i)];
    EXPECT_TRUE(near(mode.frequency, omega / (2 * std::numbers::pi), tolerance));
    EXPECT_LT(std::abs(mode.damping_ratio), 1e-12);
    // The angles are in the ratio 1 : ±√2, so that x1 : x2 = 1 : 1 ± √2.
    const double ratio = (mode.shape[2] / mode.shape[0]).real();
    EXPECT_TRUE(near(ratio, 1 + (i == 0 ? 1 : -1) * std::numbers::sqrt2, tolerance));
  }
}

TEST(Modes, DampedOscillatorHasItsDampingRatioInEveryCoordinates) {
  // A rod on a hinge with a spring and a damper, no gravity: J φ″ + d φ′ + k φ = 0.
  Model model;
  const int rod = add_rod(model, "rod", {0, 0, 0}, {1, 0, 0}, 3, 0);
  const int hinge = add_joint(model, "hinge", Revolute::law(), kGround, rod, {0, 0, 0});
  add_torsion(model, hinge, 16, 0.8);
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Evaluator evaluator(derive(model, set));
    const Assembly start = assemble(evaluator);
    ASSERT_TRUE(start) << start.text;
    const std::vector<Mode> modes = find_modes(linearize(evaluator, start.state));
    ASSERT_EQ(modes.size(), 1u);
    const Tolerance tolerance{.relative = 1e-10, .because = "eigenvalues of well-scaled matrices"};
    EXPECT_TRUE(near(modes[0].frequency, 4 / (2 * std::numbers::pi), tolerance));  // J = 1
    EXPECT_TRUE(near(modes[0].damping_ratio, 0.1, tolerance));
  }
}

// A pendulum on a slider that a drive lets fall with 2 g. At rest time stands still, so that the
// pendulum swings as on a wall: ω² = m g s/J.
TEST(Modes, AtRestDoNotDependOnHowADriveAccelerates) {
  const Model model = read_model_text(
      "dimension: 2\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  slider: {mass: 1, inertia: 1}\n"
      "  bob: {mass: 1, inertia: 0.02, com: [0, -0.5]}\n"
      "joints:\n"
      "  rail: {type: prismatic, between: [ground, slider], axis: [0, 1], drive: -9.81*t^2}\n"
      "  pin: {type: revolute, between: [slider, bob]}\n",
      "drop.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Evaluator evaluator(derive(model, set));
    const Assembly start = assemble(evaluator);
    ASSERT_TRUE(start) << start.text;
    const Equilibrium rest = find_equilibrium(evaluator, start.state);
    ASSERT_TRUE(rest.is_found) << rest.text;
    const std::vector<Mode> modes = find_modes(linearize_at_rest(evaluator, rest));
    ASSERT_EQ(modes.size(), 1u);
    const double omega = std::sqrt(9.81 * 0.5 / 0.27);
    EXPECT_TRUE(near(modes[0].eigenvalue.imag(), omega,
                     {.relative = 1e-10, .because = "eigenvalues of well-scaled matrices"}));
    EXPECT_LT(std::abs(modes[0].eigenvalue.real()), 1e-9);
  }
}

TEST(Linearize, OfAForcedOscillatorGivesItsFourMatrices) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x");
  model.kinetic = 0.5 * 2 * vx * vx;
  model.potential = 0.5 * 8 * x * x;
  model.dissipation = 0.5 * 0.4 * vx * vx;
  const Expr F = model.add_input("F");
  add_generalised_force(model, "drive", x, F);
  model.outputs.push_back({"mix", 3 * x + 5 * vx + 7 * F, {}});
  const Evaluator evaluator(derive(model));
  const LinearSystem s = linearize(evaluator, start_of(evaluator.equations));
  EXPECT_EQ(s.A.values, (std::vector<double>{0, -4, 1, -0.2}));
  EXPECT_EQ(s.B.values, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(s.C.values, (std::vector<double>{3, 5}));
  EXPECT_EQ(s.D.values, (std::vector<double>{7}));
}

// φ̈ = F(φ, φ̇) of a crank a and a rod b, thin and of mass m each, with a slider of no mass
// (closed_form_test.cpp has the derivation).
double crank_acceleration(double phi, double rate) {
  const double a = 0.4, b = 1, m = 1, g = 9.81;
  const double p = -std::asin(a / b * std::sin(phi));
  const double s = -a * std::cos(phi) / (b * std::cos(p));
  const double s_slope = (a * std::sin(phi) + b * std::sin(p) * s * s) / (b * std::cos(p));
  const double mu = m * a * a / 3 + m * (a * a + a * b * std::cos(phi - p) * s + b * b / 3 * s * s);
  const double mu_slope = m * (-a * b * std::sin(phi - p) * (1 - s) * s +
                               a * b * std::cos(phi - p) * s_slope + 2 * b * b / 3 * s * s_slope);
  const double V_slope = m * g * 1.5 * a * std::cos(phi) + m * g * b / 2 * std::cos(p) * s;
  return -(0.5 * mu_slope * rate * rate + V_slope) / mu;
}

// About a motion that is neither slow nor near an equilibrium: A = [0 1; ∂F/∂φ ∂F/∂φ̇] in the
// crank's angle, by central differences of F extrapolated to order 4. δ of the slider's place and
// velocity follows from x = a cos φ + b cos ψ.
TEST(Linearize, OfAMovingLoopIsTheDerivativeOfItsReducedEquation) {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [0.4, 0]}}, points: {A: [0.4, 0]}, angle: pi/4}
  rod: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {B: [1, 0]},
        position: [0.4*cos(pi/4), 0.4*sin(pi/4)], angle: -asin(0.4*sin(pi/4))}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: point-on-line, between: [ground, rod.B], axis: [1, 0]}
initial: {O.angle: {value: 1.1, fixed: true}, "O.angle'": {value: -4, fixed: true}}
outputs: {x: rod.B.x, "x'": "rod.B.x'"}
)",
                                      "crank.yaml");
  const double phi = 1.1, rate = -4, h = 1e-3;
  const auto slope = [&](const auto& f, double at) {
    return (8 * (f(at + h) - f(at - h)) - (f(at + 2 * h) - f(at - 2 * h))) / (12 * h);
  };
  const auto place = [](double p) {
    return 0.4 * std::cos(p) + std::sqrt(1 - 0.16 * std::sin(p) * std::sin(p));
  };
  const auto place_slope = [&](double p) { return slope(place, p); };
  const double by_angle = slope([&](double p) { return crank_acceleration(p, rate); }, phi);
  const double by_rate = slope([&](double r) { return crank_acceleration(phi, r); }, rate);
  for (const auto& [set, angle] :
       {std::pair{"joint", "O.angle"}, std::pair{"absolute", "crank.angle"}}) {
    SCOPED_TRACE(set);
    const Evaluator evaluator(derive(model, set));
    const Equations& e = evaluator.equations;
    const Assembly start = assemble(evaluator);
    ASSERT_TRUE(start) << start.text;
    const auto place_of = [](const std::vector<Expr>& all, const std::string& name) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].name() == name) return static_cast<int>(i);
      }
      return -1;
    };
    const Independent z{{place_of(e.q, angle)}, {place_of(e.v, std::string(angle) + "'")}};
    ASSERT_GE(z.q[0], 0);
    ASSERT_GE(z.v[0], 0);
    const LinearSystem s = Linearizer(evaluator).at(start.state, z);
    const Tolerance tolerance{.relative = 1e-8, .scale = 10, .because = "h⁴ of differences"};
    EXPECT_TRUE(near(s.A(0, 0), 0, tolerance));
    EXPECT_TRUE(near(s.A(0, 1), 1, tolerance));
    EXPECT_TRUE(near(s.A(1, 0), by_angle, tolerance));
    EXPECT_TRUE(near(s.A(1, 1), by_rate, tolerance));
    EXPECT_TRUE(near(s.C(0, 0), place_slope(phi), tolerance));
    EXPECT_TRUE(near(s.C(0, 1), 0, tolerance));
    EXPECT_TRUE(near(s.C(1, 0), rate * slope(place_slope, phi),
                     {.relative = 1e-6, .scale = 1, .because = "differences of differences"}));
    EXPECT_TRUE(near(s.C(1, 1), place_slope(phi), tolerance));
  }
}

TEST(DrivenMotion, OfACrankGivesTheSlidersClosedForm) {
  Model model;
  const auto [a, va] = add_coordinate(model, "a");
  const auto [b, vb] = add_coordinate(model, "b");
  const auto [s, vs] = add_coordinate(model, "s", 3);
  model.kinetic = 0.5 * (va * va + vb * vb + vs * vs);
  model.constraints.push_back({"x", cos(a) + 2 * cos(b) - s, {}});
  model.constraints.push_back({"y", sin(a) + 2 * sin(b), {}});
  model.constraints.push_back({"motor", a - 4 * model.time, {}});
  const Evaluator evaluator(derive(model));
  const Assembly start = assemble(evaluator);
  ASSERT_TRUE(start) << start.text;
  const DrivenMotion motion =
      solve_driven_motion(evaluator, start.state, {.end = 3, .num_samples = 31});
  ASSERT_TRUE(motion.is_complete) << motion.text;
  ASSERT_EQ(motion.states.size(), 31u);
  for (std::size_t i = 0; i < 31; ++i) {
    const double phi = 4 * motion.states[i].t, root = std::sqrt(4 - std::pow(std::sin(phi), 2));
    const double sc = std::sin(phi) * std::cos(phi);
    const double position = std::cos(phi) + root;
    const double velocity = 4 * (-std::sin(phi) - sc / root);
    const double acceleration =
        16 * (-std::cos(phi) - std::cos(2 * phi) / root - sc * sc / (root * root * root));
    const Tolerance tolerance{.relative = 1e-12, .scale = 16, .because = "q to round-off"};
    EXPECT_TRUE(near(motion.states[i].q[2], position, tolerance));
    EXPECT_TRUE(near(motion.states[i].v[2], velocity, tolerance));
    EXPECT_TRUE(near(motion.v_rates[i][2], acceleration, tolerance));
  }
}

TEST(DrivenMotion, SaysWhereAMechanismJams) {
  // The slider of a crank of 1 and a rod of 1.5 cannot leave 2.5.
  Model model;
  const auto [a, va] = add_coordinate(model, "a", 1);
  const auto [b, vb] = add_coordinate(model, "b", -0.5);
  model.kinetic = 0.5 * (va * va + vb * vb);
  model.constraints.push_back({"y", sin(a) + 1.5 * sin(b), {}});
  model.constraints.push_back({"pull", cos(a) + 1.5 * cos(b) - 2 - model.time, {}});
  const Evaluator evaluator(derive(model));
  const Assembly start = assemble(evaluator);
  ASSERT_TRUE(start) << start.text;
  const DrivenMotion motion = solve_driven_motion(evaluator, start.state, {.end = 1});
  EXPECT_FALSE(motion.is_complete);
  EXPECT_EQ(motion.text.substr(0, 30), "the mechanism jams at t = 0.5:");
}

TEST(DrivenMotion, AsksForAMechanismWithoutFreedom) {
  const Evaluator evaluator(derive(make_point_pendulum()));
  EXPECT_EQ(solve_driven_motion(evaluator, start_of(evaluator.equations)).text,
            "1 of the mechanism's motions are not driven: kinematics alone does not determine it.");
}

}  // namespace
}  // namespace koppel
