// Every force of model files on a free body that moves and turns, against Newton and Euler in plain
// numbers: m c̈ = F, J ω̇ = τ − ω × J ω in body axes.
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using Vector = Vec3<double>;

// The body b has its point P at (0.3, 0.1, 0.2) and its centre of mass at (0.1, 0.05, -0.2);
// another body c, without forces of its own, is there to act against.
struct Body {
  double mass = 3;
  Vector inertia{0.7, 1.1, 0.9}, com{0.1, 0.05, -0.2};
  Vector centre{0.4, -0.3, 0.6}, velocity{1.1, 0.5, -0.7}, spin{0.8, -1.2, 2.1};  // spin: body axes
  Mat3<double> R = rotation(normalized(Vector{1, 2, -0.5}), 0.9);

  Vector at(const Vector& local) const { return centre + R * (local - com); }
  Vector rate_at(const Vector& local) const {
    return velocity + cross(R * spin, R * (local - com));
  }
};

class Forces : public ::testing::Test {
 protected:
  // Adds to what the force does to b: world axes, the torque about the centre.
  void push(const Vector& force, const Vector& at) {
    force_ += force;
    torque_ += cross(at - b_.centre, force);
  }

  void expect(const std::string& force) {
    const Model model = read_model_text(
        "bodies:\n  b: {mass: 3, inertia: [0.7, 1.1, 0.9], com: [0.1, 0.05, -0.2], "
        "points: {P: [0.3, 0.1, 0.2]}}\n  c: {mass: 1, inertia: [1, 1, 1]}\nforces:\n  f: " +
            force + "\n",
        "forces.yaml");
    const Evaluator evaluator(derive(model, "absolute"));
    State state = start_of(evaluator.equations);
    const Vector axis = normalized(Vector{1, 2, -0.5});
    const double c = std::cos(0.45), s = std::sin(0.45);
    const std::array<double, 13> q = {b_.centre.x, b_.centre.y, b_.centre.z, c,
                                      s * axis.x,  s * axis.y,  s * axis.z};
    std::copy_n(q.begin(), 7, state.q.begin());
    const std::array<double, 6> v = {b_.velocity.x, b_.velocity.y, b_.velocity.z,
                                     b_.spin.x,     b_.spin.y,     b_.spin.z};
    std::copy(v.begin(), v.end(), state.v.begin());
    state.v[9] = 0.3;  // c turns about its x
    state.v[11] = -0.4;
    const std::vector<double> found = solve_accelerations(evaluator, state).v_rate;
    const Vector J_spin = {b_.inertia.x * b_.spin.x, b_.inertia.y * b_.spin.y,
                           b_.inertia.z * b_.spin.z};
    const Vector t = transpose(b_.R) * torque_ - cross(b_.spin, J_spin);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found[i], force_[i] / b_.mass, 1e-12) << force << ' ' << i;
      EXPECT_NEAR(found[3 + i], t[i] / b_.inertia[i], 1e-11) << force << ' ' << i;
    }
  }

  Body b_;
  Vector P_{0.3, 0.1, 0.2};
  Vector force_, torque_;
};

TEST_F(Forces, AtAPointInWorldAxes) {
  push({1, -2, 3}, b_.at(P_));
  expect("{type: force, on: b.P, force: [1, -2, 3]}");
}

TEST_F(Forces, AtAPointInBodyAxes) {
  push(b_.R * Vector{1, -2, 3}, b_.at(P_));
  expect("{type: force, on: b.P, force: [1, -2, 3], frame: body}");
}

TEST_F(Forces, TorqueInWorldAxes) {
  torque_ = {1, -2, 3};
  expect("{type: torque, on: b, torque: [1, -2, 3]}");
}

TEST_F(Forces, TorqueInBodyAxes) {
  torque_ = b_.R * Vector{1, -2, 3};
  expect("{type: torque, on: b, torque: [1, -2, 3], frame: body}");
}

// Of the angular velocity against c, along the axes of b.
TEST_F(Forces, TorqueAgainstAnotherBodyOfTheirRelativeMotion) {
  const Vector relative = b_.spin - transpose(b_.R) * Vector{0.3, 0, -0.4};
  torque_ = b_.R * Vector{0, -0.5 * relative.y, 0};
  expect("{type: bushing, between: [c, b], damping: [0, 0, 0, 0, 0.5, 0]}");
}

TEST_F(Forces, SpringDamperAndTensionAlongALine) {
  const Vector from{1, 2, 3}, d = b_.at(P_) - from;
  const double length = norm(d), rate = dot(d, b_.rate_at(P_)) / length;
  const double tension = 7 * (length - 0.4) + 0.8 * rate + 2.5;
  push((-tension / length) * d, b_.at(P_));
  expect(
      "{type: spring, between: [{ground: [1, 2, 3]}, b.P], stiffness: 7, free_length: 0.4, "
      "damping: 0.8, tension: 2.5}");
}

// ½ k (l − l₀)², and none for what is given as a tension.
TEST(SpringEnergy, IsThatOfALinearSpring) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 1, position: [3, 4]}}\n"
      "forces: {s: {type: spring, between: [ground, b], stiffness: 7, free_length: 1.5, tension: "
      "2}}\n",
      "spring.yaml");
  const Equations e = derive(model, "absolute");
  EXPECT_NEAR(VectorFunction(e, std::vector<Expr>{e.potential})(start_of(e))[0], 3.5 * 3.5 * 3.5,
              1e-12);
}

// J φ̈ = −k (φ − φ₀) − d φ̇ + e − T tanh(φ̇/v), J = 2.
TEST(ForcesInJoints, TorsionAndFrictionActOnTheAngle) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 2}}\n"
      "joints: {j: {type: revolute, between: [ground, b]}}\n"
      "forces:\n"
      "  t: {type: torsion, joint: j, stiffness: 7, rest: 0.4, damping: 0.8, effort: 2.5}\n"
      "  f: {type: friction, joint: j, torque: 1.5, velocity: 0.2}\n",
      "torsion.yaml");
  const Evaluator evaluator(derive(model, "joint"));
  State state = start_of(evaluator.equations);
  state.q = {0.9};
  state.v = {0.3};
  const double expected = -7 * 0.5 - 0.8 * 0.3 + 2.5 - 1.5 * std::tanh(0.3 / 0.2);
  EXPECT_NEAR(solve_accelerations(evaluator, state).v_rate[0], expected / 2, 1e-12);
  const Equations& e = evaluator.equations;
  EXPECT_NEAR(VectorFunction(e, std::vector<Expr>{e.potential})(state)[0], 3.5 * 0.25, 1e-12);
}

// m s̈ = −F tanh(ṡ/v) along a slide, with the same law.
TEST(ForcesInJoints, FrictionActsAlongASlide) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {b: {mass: 4, inertia: 2}}\n"
      "joints: {j: {type: prismatic, between: [ground, b], axis: [1, 0]}}\n"
      "forces: {f: {type: friction, joint: j, force: 6, velocity: 0.1}}\n",
      "slide.yaml");
  const Evaluator evaluator(derive(model, "joint"));
  State state = start_of(evaluator.equations);
  state.v = {-0.05};
  EXPECT_NEAR(solve_accelerations(evaluator, state).v_rate[0], 1.5 * std::tanh(0.5), 1e-12);
}

// A joint that turns and slides: a torque about its angle, J φ̈ = −T tanh(φ̇/v), and a force along
// its position, m s̈ = −F tanh(ṡ/v); each alone, or both.
TEST(ForcesInJoints, FrictionActsByItsTorqueAndItsForce) {
  struct Case {
    const char* keys;
    double torque, force;
  };
  for (const Case& c :
       {Case{"force: 6", 0, 6}, {"torque: 1.5", 1.5, 0}, {"torque: 1.5, force: 6", 1.5, 6}}) {
    const Model model = read_model_text(
        "bodies: {b: {mass: 4, inertia: [1, 1, 2]}}\n"
        "joints: {j: {type: cylindrical, between: [ground, b], axis: [0, 0, 1]}}\n"
        "forces: {f: {type: friction, joint: j, velocity: 0.1, " +
            std::string(c.keys) + "}}\n",
        "sleeve.yaml");
    const Evaluator evaluator(derive(model, "joint"));
    State state = start_of(evaluator.equations);
    state.v = {0.2, -0.05};
    const auto rate = solve_accelerations(evaluator, state).v_rate;
    EXPECT_NEAR(rate[0], -c.torque / 2 * std::tanh(2.0), 1e-12) << c.keys;
    EXPECT_NEAR(rate[1], c.force / 4 * std::tanh(0.5), 1e-12) << c.keys;
  }
}

}  // namespace
}  // namespace koppel
