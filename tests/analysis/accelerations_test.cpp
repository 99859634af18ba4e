#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

// Consistent initial values of the IVP test set, computed there to 30 digits.
TEST(Accelerations, OfAndrewsSqueezerAtItsStartAreThoseOfTheTestSet) {
  const Evaluator evaluator(derive(make_andrews()));
  const Accelerations a = solve_accelerations(evaluator, start_of(evaluator.equations));
  const double v_rate[] = {
      14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0};
  const double lambda[] = {
      98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0};
  const Tolerance loose{.relative = 1e-9, .scale = 1e4, .because = "cond(M) ≈ 1e3, start to 1e-16"};
  const Tolerance force{.relative = 1e-9, .scale = 1e2, .because = "cond(M) ≈ 1e3, start to 1e-16"};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_TRUE(near(a.v_rate[i], v_rate[i], loose)) << i;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(near(a.lambda[i], lambda[i], force)) << i;
  EXPECT_FALSE(a.is_redundant);
}

TEST(Accelerations, OfThePendulumAndItsTensionHaveTheirClosedForm) {
  const Evaluator evaluator(derive(make_point_pendulum()));
  State s = start_of(evaluator.equations);
  s.v = {0.8 * 3, 0.6 * 3};  // angular velocity 3
  const Accelerations a = solve_accelerations(evaluator, s);
  // With φ from the downward vertical, sin φ = 0.6: φ″ = −g sin φ. Along the bar −φ′².
  const double angular = -9.81 * 0.6;
  const Tolerance tolerance{.relative = 1e-14, .scale = 10, .because = "three unknowns"};
  EXPECT_TRUE(near(a.v_rate[0], 0.8 * angular - 9 * 0.6, tolerance));
  EXPECT_TRUE(near(a.v_rate[1], 0.6 * angular + 9 * 0.8, tolerance));
  // 2λ(x, y) is the force towards the pivot: its size is m (g cos φ + φ′²).
  EXPECT_TRUE(near(2 * a.lambda[0], 2 * (9.81 * 0.8 + 9), tolerance));
}

TEST(Accelerations, AreUniqueWhereConstraintsRepeatEachOther) {
  Model model = make_point_pendulum();
  Model twice = model;
  twice.constraints.push_back({"same bar", twice.constraints[0].residual, {}});
  const Evaluator one(derive(model)), two(derive(twice));
  const Accelerations a = solve_accelerations(one, start_of(one.equations));
  const Accelerations b = solve_accelerations(two, start_of(two.equations));
  EXPECT_TRUE(b.is_redundant);
  EXPECT_FALSE(b.is_underdetermined);
  const Tolerance tolerance{.relative = 1e-12,
                            .because = "well conditioned but for the repetition"};
  EXPECT_TRUE(near(a.v_rate[0], b.v_rate[0], tolerance));
  EXPECT_TRUE(near(a.v_rate[1], b.v_rate[1], tolerance));
  // Least norm shares the force evenly.
  EXPECT_TRUE(near(a.lambda[0] / 2, b.lambda[0], tolerance));
  EXPECT_TRUE(near(a.lambda[0] / 2, b.lambda[1], tolerance));
}

TEST(Accelerations, AreFoundWithoutMassWhereConstraintsDetermineThem) {
  // A massless pulley between two masses: x1 + x2 = 2 p, p driven by the first mass alone.
  Model model;
  const auto [x1, v1] = add_coordinate(model, "x1");
  const auto [x2, v2] = add_coordinate(model, "x2");
  const auto [p, vp] = add_coordinate(model, "p");
  static_cast<void>(vp);
  model.kinetic = 0.5 * 2 * v1 * v1 + 0.5 * 3 * v2 * v2;
  model.potential = -9.81 * (2 * x1 + 3 * x2);
  model.constraints.push_back({"rope", x1 + x2 - 2 * p, {}});
  model.constraints.push_back({"axle", p, {}});
  const Evaluator evaluator(derive(model));
  const Accelerations a = solve_accelerations(evaluator, start_of(evaluator.equations));
  EXPECT_FALSE(a.is_underdetermined);
  // Atwood: x2″ = g (3 − 2)/(3 + 2).
  const Tolerance tolerance{.relative = 1e-14, .because = "five unknowns"};
  EXPECT_TRUE(near(a.v_rate[1], 9.81 / 5, tolerance));
  EXPECT_TRUE(near(a.v_rate[0], -9.81 / 5, tolerance));
}

}  // namespace
}  // namespace koppel
