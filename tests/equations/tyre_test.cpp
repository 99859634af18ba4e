// The tyre: load, slip and lift-off of a single wheel, from its accelerations.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using testing::near;

constexpr double m = 20, J = 1.1, r = 0.3, k = 2e5, mu = 0.9, Cx = 20, Cy = 14, g = 9.81;

// A wheel that stands upright, its centre at height z.
std::string wheel(double z) {
  return "gravity: [0, 0, -9.81]\n"
         "bodies: {w: {mass: 20, inertia: [0.6, 1.1, 0.6], position: [0, 0, " +
         std::to_string(z) +
         "]}}\n"
         "forces:\n"
         "  t: {type: tyre, on: w, axis: [0, 1, 0], radius: 0.3, stiffness: 2e5, damping: 300,\n"
         "      friction: 0.9, slip_stiffness: [20, 14]}\n";
}

struct Motion {
  double vx = 0, vy = 0, vz = 0, spin = 0, z = 0;
};

// (ẍ, ÿ, z̈, ω̇ₓ, ω̇_y, ω̇_z).
std::vector<double> accelerations(const Motion& motion) {
  const Evaluator evaluator(derive(read_model_text(wheel(motion.z), "wheel.yaml"), "absolute"));
  State state = start_of(evaluator.equations);
  state.q[2] = motion.z;
  state.v = {motion.vx, motion.vy, motion.vz, 0, motion.spin, 0};
  return solve_accelerations(evaluator, state).v_rate;
}

// At a deflection of 10 mm; contact is smoothed over ε = r/1000.
TEST(Tyre, CarriesTheLoadOfALinearSpring) {
  const double deflection = 0.01;
  const auto a = accelerations({.z = r - deflection});
  EXPECT_TRUE(near(a[2], k * deflection / m - g, {.relative = 1e-5, .because = "(eps/delta)^4"}));
  const auto damped = accelerations({.vz = -0.1, .z = r - deflection});
  EXPECT_TRUE(
      near(damped[2] - a[2], 300 * 0.1 / m, {.relative = 3e-3, .because = "(eps/delta)^2"}));
}

// A wheel that leans by φ and falls over: δ = r cos φ − z, δ̇ = −r φ̇ sin φ − ż. The rest of the
// force is in the plane, so that z̈ has the damper's part alone.
TEST(Tyre, DampsTheDeflectionOfALeaningWheel) {
  const double lean = 0.4, deflection = 0.01, z = r * std::cos(lean) - deflection;
  const auto rise = [&](double lean_rate, double vz) {
    const Evaluator evaluator(derive(read_model_text(wheel(z), "wheel.yaml"), "absolute"));
    State state = start_of(evaluator.equations);
    state.q = {0, 0, z, std::cos(lean / 2), std::sin(lean / 2), 0, 0};
    state.v = {3, 0.2, vz, lean_rate, 10, 0};
    return solve_accelerations(evaluator, state).v_rate[2];
  };
  for (const double lean_rate : {-0.5, 0.5}) {
    const double rate = -r * std::sin(lean) * lean_rate - 0.1;
    EXPECT_TRUE(near(rise(lean_rate, 0.1) - rise(0, 0), 300 * rate / m,
                     {.relative = 3e-3, .because = "(eps/delta)^2"}));
  }
}

TEST(Tyre, LetsGoInTheAir) {
  const auto a = accelerations({.vx = 10, .vy = 2, .vz = 1, .spin = 3, .z = r + 0.05});
  EXPECT_TRUE(near(a[2], -g, {.relative = 1e-5, .because = "eps^4/delta^3"}));
  EXPECT_LT(std::abs(a[0]), 1e-4);
  EXPECT_LT(std::abs(a[1]), 1e-4);
}

TEST(Tyre, RollsFreelyWithoutSlip) {
  const double z = r - 0.01;
  const auto a = accelerations({.vx = 10, .spin = 10 / z, .z = z});
  EXPECT_LT(std::abs(a[0]), 1e-9);
  EXPECT_LT(std::abs(a[1]), 1e-9);
  EXPECT_LT(std::abs(a[4]), 1e-9);
}

TEST(Tyre, ResistsSmallSlipInProportion) {
  const double z = r - 0.01, N = k * 0.01, v = 10, slip = 1e-4;
  const auto forward = accelerations({.vx = v, .spin = (1 + slip) * v / z, .z = z});
  EXPECT_TRUE(
      near(forward[0], Cx * N * slip / m, {.relative = 1e-3, .because = "v0, (eps/delta)^4"}));
  EXPECT_TRUE(near(forward[4], -z * Cx * N * slip / J, {.relative = 1e-3, .because = "as above"}));
  const auto sideways = accelerations({.vx = v, .vy = slip * v, .spin = v / z, .z = z});
  EXPECT_TRUE(near(sideways[1], -Cy * N * slip / m, {.relative = 1e-3, .because = "as above"}));
}

TEST(Tyre, NeverGripsMoreThanFrictionAllows) {
  const double z = r - 0.01, N = k * 0.01;
  const auto locked = accelerations({.vx = 10, .z = z});
  EXPECT_LT(-locked[0], mu * N / m);
  EXPECT_GT(-locked[0], 0.995 * mu * N / m);  // 1/√(1 + (μ/C)²) with C = 20
  const auto both = accelerations({.vx = 10, .vy = 5, .z = z});
  EXPECT_LT(std::hypot(both[0], both[1]), mu * N / m);
}

TEST(Tyre, InThePlaneIsTheUprightWheel) {
  const double z = r - 0.01;
  const std::string text =
      "dimension: 2\n"
      "gravity: [0, -9.81]\n"
      "bodies: {w: {mass: 20, inertia: 1.1, position: [0, 0.29]}}\n"
      "forces:\n"
      "  t: {type: tyre, on: w, radius: 0.3, stiffness: 2e5, damping: 300, friction: 0.9,\n"
      "      slip_stiffness: 20}\n";
  const Evaluator evaluator(derive(read_model_text(text, "wheel.yaml"), "absolute"));
  State state = start_of(evaluator.equations);
  state.v = {10, -0.2, -25};  // forward along x is a turn clockwise
  const std::vector<double> flat = solve_accelerations(evaluator, state).v_rate;
  const std::vector<double> upright = accelerations({.vx = 10, .vz = -0.2, .spin = 25, .z = z});
  const testing::Tolerance round_off = {.relative = 1e-12, .because = "round-off"};
  EXPECT_TRUE(near(flat[0], upright[0], round_off));
  EXPECT_TRUE(near(flat[1], upright[2], round_off));
  EXPECT_TRUE(near(flat[2], -upright[4], round_off));
}

}  // namespace
}  // namespace koppel
