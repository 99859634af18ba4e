// The recursion along a tree gives the accelerations of its full mass matrix, at a linear cost.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

// M v̇ = f, in numbers.
void expect_equilibrium(const Equations& e, std::mt19937& random) {
  ASSERT_EQ(e.v_rate.size(), e.num_v());
  const State state = testing::random_state(e, random, 0.2);
  const Evaluator evaluator(e);
  const Matrix M = (*evaluator.M)(state);
  const std::vector<double> v_rate = evaluator.v_rate(state), f = evaluator.f(state);
  std::vector<double> inertia(f.size());
  double scale = 0;
  for (int i = 0; i < M.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double terms = std::abs(f[row]);
    for (int j = 0; j < M.columns; ++j) {
      const double term = M(i, j) * v_rate[static_cast<std::size_t>(j)];
      inertia[row] += term;
      terms += std::abs(term);
    }
    scale = std::max(scale, terms);
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_TRUE(testing::near(
        inertia[i], f[i],
        {.relative = 1e-11, .scale = scale, .because = "a sum over the bodies, cond(M) up to 1e4"}))
        << e.v[i].name();
  }
}

TEST(Articulated, AccelerationsOfRandomTreesSolveTheEquationsOfMotion) {
  std::mt19937 random(5);
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE("mechanism " + std::to_string(i));
    expect_equilibrium(derive(testing::make_random_mechanism(random, 1 + i % 7, 0), "joint"),
                       random);
  }
}

TEST(Articulated, AccelerationsOfModelsSolveTheEquationsOfMotion) {
  std::mt19937 random(6);
  for (const char* name : {"double_pendulum", "chain", "heavy_top", "robot"}) {
    SCOPED_TRACE(name);
    expect_equilibrium(derive(read_model(KOPPEL_MODELS + std::string(name) + ".yaml"), "joint"),
                       random);
  }
}

TEST(Articulated, AreOnlyThereForTreesWithoutConstraints) {
  const Model loop = read_model(KOPPEL_MODELS "four_bar.yaml");
  EXPECT_TRUE(derive(loop, "joint").v_rate.empty());
  const Model chain = read_model(KOPPEL_MODELS "chain.yaml");
  EXPECT_TRUE(derive(chain, "natural").v_rate.empty());
}

TEST(Articulated, AccelerationsGrowLinearlyWithTheBodies) {
  const auto size = [](const char* n) {
    const Model model = read_model(KOPPEL_MODELS "chain.yaml", {.set = {{"n", n}}});
    return static_cast<double>(num_operations(derive(model, "joint").v_rate));
  };
  const double few = size("100"), many = size("1000");
  EXPECT_NEAR(std::log10(many / few), 1.0, 0.02);
  EXPECT_LT(many / 1000, 110);  // operations a link; by hand one needs some 60
}

}  // namespace
}  // namespace koppel
