// Positions, velocities and Jacobians of bodies and points against closed forms, and against the
// motion itself.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/point_kinematics.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using testing::near;

Model model_of(const std::string& name) { return read_model(KOPPEL_MODELS + name + ".yaml"); }

std::vector<Expr> components(const Vec3e& a) { return {a.x, a.y, a.z}; }

const PointKinematics& point_of(const BodyKinematics& body, const std::string& name) {
  for (const PointKinematics& point : body.points) {
    if (point.name == name) return point;
  }
  throw std::runtime_error("no point " + name);
}

// With a the angle of the first rod and a + b that of the second, both of length 1:
//   end = (cos a + cos(a+b), sin a + sin(a+b)),   J = ∂end/∂(a, b).
TEST(PointKinematics, OfTheDoublePendulumAreThoseOfTrigonometry) {
  const Model model = model_of("double_pendulum");
  const Equations e = derive(model, "joint");
  const ModelKinematics k = describe_kinematics(model, "joint");
  ASSERT_EQ(k.bodies.size(), 2u);
  const PointKinematics& end = point_of(k.bodies[1], "end");
  State state = start_of(e);
  const double a = 0.3, b = -1.1, va = 0.7, vb = 2.5;
  state.q = {a, b};
  state.v = {va, vb};
  const std::vector<double> r = VectorFunction(e, components(end.position))(state),
                            v = VectorFunction(e, components(end.velocity))(state);
  const double J[2][2] = {{-std::sin(a) - std::sin(a + b), -std::sin(a + b)},
                          {std::cos(a) + std::cos(a + b), std::cos(a + b)}};
  EXPECT_TRUE(near(r[0], std::cos(a) + std::cos(a + b), {.relative = 1e-14, .scale = 2}));
  EXPECT_TRUE(near(r[1], std::sin(a) + std::sin(a + b), {.relative = 1e-14, .scale = 2}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(near(v[static_cast<std::size_t>(i)], J[i][0] * va + J[i][1] * vb,
                     {.relative = 1e-14, .scale = 8}));
    for (int j = 0; j < 2; ++j) {
      const std::vector<Expr> entry = {end.jacobian.at(i, j)};
      EXPECT_TRUE(
          near(VectorFunction(e, entry)(state)[0], J[i][j], {.relative = 1e-14, .scale = 2}));
    }
  }
  const std::vector<double> w = VectorFunction(e, components(k.bodies[1].angular_velocity))(state);
  EXPECT_TRUE(near(w[2], va + vb, {.relative = 1e-14, .scale = 4}));
  EXPECT_TRUE(k.bodies[1].angular_jacobian.at(2, 0).is_constant(1));
  EXPECT_TRUE(k.bodies[1].angular_jacobian.at(2, 1).is_constant(1));
}

// ṙ_P − ṙ_O = ω × (r_P − r_O) for all points of a rigid body, where the constraints hold.
TEST(PointKinematics, VelocitiesAreThoseOfARigidBodyInEveryCoordinateSet) {
  std::mt19937 random(5);
  for (const char* name : {"slider_crank", "heavy_top", "stewart_platform", "flyball_governor"}) {
    const Model model = model_of(name);
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(std::string(name) + ' ' + set);
      const Equations e = derive(model, set);
      const State state = testing::random_state(e, random, 0.05);
      for (const BodyKinematics& body : describe_kinematics(model, set).bodies) {
        const std::vector<double> w = VectorFunction(e, components(body.angular_velocity))(state);
        const PointKinematics& origin = body.points.front();
        for (const PointKinematics& point : body.points) {
          const auto d = VectorFunction(e, components(point.position - origin.position))(state),
                     v = VectorFunction(e, components(point.velocity - origin.velocity))(state);
          for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            EXPECT_TRUE(near(v[i], w[j] * d[k] - w[k] * d[j],
                             {.relative = 1e-9,
                              .scale = 1 + std::hypot(w[0], w[1], w[2]),
                              .because = "velocities satisfy the constraints to 1e-12 or so"}));
          }
        }
      }
    }
  }
}

TEST(PointKinematics, NeedBodies) {
  EXPECT_EQ(testing::error_of([&] { describe_kinematics(model_of("car_axle"), "lagrange"); }),
            "error[equations.no-bodies]: 'car axle' has no bodies: its coordinates are its "
            "own.\n  Kinematics are those of bodies and their points.");
}

}  // namespace
}  // namespace koppel
