// The contract of every joint: its equations leave the freedom it promises, and their rates are
// exact.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/elements/list.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using testing::near;

struct Promise {
  std::string name;
  std::shared_ptr<const JointLaw> law;
  int freedom;
};

void PrintTo(const Promise& promise, std::ostream* stream) { *stream << promise.name; }

// Two free bodies in general position with the joint between them.
Model make_pair(std::shared_ptr<const JointLaw> law) {
  Model model;
  model.name = "pair";
  model.gravity = {0.3, -0.2, -9.81};
  for (int i = 0; i < 2; ++i) {
    Body body;
    body.name = i == 0 ? "first" : "second";
    body.mass = 2 + i;
    body.com = {0.1, -0.2, 0.05 * i};
    body.inertia = Mat3e::identity();
    body.inertia(0, 0) = 1.3;
    body.inertia(2, 2) = 0.8 + 0.1 * i;
    body.position = {0.5 * i, 0.1, 0.2};
    model.add_body(body);
  }
  Joint joint;
  joint.name = "joint";
  joint.law = law;
  joint.a = make_marker(1, {0.4, 0.2, -0.1}, {1, 2, -0.5});
  joint.b = make_marker(2, {-0.1, 0.2, -0.1}, {1, 2, -0.5});
  if (law->type() == "universal") {  // z of a perpendicular to x of b as placed
    joint.b.axes = {{joint.a.axes.column[0], joint.a.axes.column[1], joint.a.axes.column[2]}};
  }
  model.add_joint(joint);
  return model;
}

class JointContract : public ::testing::TestWithParam<Promise> {};

TEST_P(JointContract, RankLeavesTheStatedFreedomInEveryCoordinateSet) {
  const Model model = make_pair(GetParam().law);
  std::mt19937 random(21);
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    const State state = testing::random_state(e, random, 0.1);
    EXPECT_EQ(analyze_rank(Evaluator(e), state).degrees_of_freedom, 6 + GetParam().freedom);
  }
}

// Along q(h) = q + h q̇ + h²/2 q̈, which has the rates of the motion: ġ and g̈ by central differences
// of g with steps h and 2h, extrapolated to an error of order h⁴.
TEST_P(JointContract, FirstAndSecondRatesOfTheEquationsAreExact) {
  const Model model = make_pair(GetParam().law);
  std::mt19937 random(22);
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    const Evaluator evaluator(e);
    const State state = testing::random_state(e, random, 0.1);
    const std::vector<double> v_rate = solve_accelerations(evaluator, state).v_rate;
    std::vector<Expr> q_rate = multiply(e.K, e.v);
    const std::vector<double> velocity = VectorFunction(e, q_rate)(state);
    std::vector<double> second = VectorFunction(e, rate_of(e, q_rate))(state);
    const Matrix K = evaluator.K(state);
    for (int i = 0; i < K.rows; ++i) {
      for (int j = 0; j < K.columns; ++j) {
        second[static_cast<std::size_t>(i)] += K(i, j) * v_rate[static_cast<std::size_t>(j)];
      }
    }
    const auto g_at = [&](double h) {
      State moved = state;
      for (std::size_t i = 0; i < moved.q.size(); ++i) {
        moved.q[i] += h * velocity[i] + h * h / 2 * second[i];
      }
      return evaluator.g(moved);
    };
    const double h = 1e-3;
    const auto here = g_at(0), p1 = g_at(h), m1 = g_at(-h), p2 = g_at(2 * h), m2 = g_at(-2 * h);
    const auto g_rate = evaluator.g_rate(state), gamma = evaluator.gamma(state);
    const Matrix G = evaluator.G(state);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double first = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h);
      const double second_difference =
          (16 * (p1[i] + m1[i]) - (p2[i] + m2[i]) - 30 * here[i]) / (12 * h * h);
      EXPECT_NEAR(first, g_rate[i], 1e-8) << "h⁴ times fifth rates, which are below 1e4";
      double exact = gamma[i];
      for (int j = 0; j < G.columns; ++j) {
        exact += G(static_cast<int>(i), j) * v_rate[static_cast<std::size_t>(j)];
      }
      EXPECT_NEAR(second_difference, exact, 1e-7) << "the same of sixth rates, below 1e5";
    }
  }
}

// v̇ and the multipliers satisfy the constraints on accelerations, and Gᵀλ has no power on v.
TEST_P(JointContract, ReactionsDoNoWork) {
  const Model model = make_pair(GetParam().law);
  std::mt19937 random(23);
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    const Evaluator evaluator(e);
    const State state = testing::random_state(e, random, 0.1);
    const Accelerations a = solve_accelerations(evaluator, state);
    const Matrix G = evaluator.G(state);
    double power = 0, scale = 1;
    for (int i = 0; i < G.rows; ++i) {
      for (int j = 0; j < G.columns; ++j) {
        const double part =
            a.lambda[static_cast<std::size_t>(i)] * G(i, j) * state.v[static_cast<std::size_t>(j)];
        power += part;
        scale = std::max(scale, std::abs(part));
      }
    }
    EXPECT_TRUE(
        near(power, 0,
             {.relative = 1e-9, .scale = scale, .because = "velocities assembled to about 1e-12"}));
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, JointContract,
                         ::testing::Values(Promise{"revolute", Revolute::law(), 1},
                                           Promise{"prismatic", Prismatic::law(), 1},
                                           Promise{"cylindrical", Cylindrical::law(), 2},
                                           Promise{"screw", Screw::law(0.2), 1},
                                           Promise{"spherical", Spherical::law(), 3},
                                           Promise{"universal", Universal::law(), 2},
                                           Promise{"constant_velocity", ConstantVelocity::law(), 2},
                                           Promise{"planar", Planar::law(), 3},
                                           Promise{"fixed", Fixed::law(), 0},
                                           Promise{"distance", Distance::law(0.3), 5},
                                           Promise{"point_on_line", PointOnLine::law(), 4},
                                           Promise{"point_on_plane", PointOnPlane::law(), 5}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace koppel
