#include <koppel/base/quadrature.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace koppel {
namespace {

// ∫₀¹ xᵏ dx = 1/(k + 1) for k up to 2n − 1, to the round-off of n terms.
TEST(Gauss, IntegratesPolynomialsOfDegreeTwoNMinusOneExactly) {
  for (int n = 1; n <= 16; ++n) {
    const Quadrature rule = gauss(n);
    for (int k = 0; k < 2 * n; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < rule.at.size(); ++i) {
        sum += rule.weight[i] * std::pow(rule.at[i], k);
      }
      EXPECT_NEAR(sum, 1.0 / (k + 1), 4e-16 * n) << n << " points, degree " << k;
    }
  }
}

TEST(Gauss, NodesAscendInsideTheInterval) {
  const Quadrature rule = gauss(7);
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    EXPECT_GT(rule.at[i], i == 0 ? 0 : rule.at[i - 1]);
    EXPECT_LT(rule.at[i], 1);
  }
}

}  // namespace
}  // namespace koppel
