// Time laws and composed shapes against closed forms.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/equations/kinematics.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/time_law.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

class Law {
 public:
  template <typename Make>
  explicit Law(Make make) : t_(graph_.symbol("t")), law_({t_}, {make(t_)}) {}
  double operator()(double t) const { return law_({t})[0]; }
  double rate(double t) const { return ((*this)(t + 1e-5) - (*this)(t - 1e-5)) / 2e-5; }

 private:
  Graph graph_;
  Expr t_;
  Function law_;
};

// With n rates that vanish at both ends: 3τ² − 2τ³ and 10τ³ − 15τ⁴ + 6τ⁵.
TEST(TimeLaw, RestToRestIsTheKnownPolynomial) {
  const double T = 2;
  const Law one([&](Expr t) { return rest_to_rest(t, T, 1); });
  const Law two([&](Expr t) { return rest_to_rest(t, T, 2); });
  for (const double t : {-0.5, 0.0, 0.3, 0.9, 1.0, 1.4, 1.9, 2.0, 2.5}) {
    const double x = std::clamp(t / T, 0.0, 1.0);
    EXPECT_NEAR(one(t), x * x * (3 - 2 * x), 1e-14) << t;
    EXPECT_NEAR(two(t), x * x * x * (10 + x * (-15 + 6 * x)), 1e-14) << t;
  }
}

// Σ C(2n+1, j) τʲ (1−τ)²ⁿ⁺¹⁻ʲ over j > n, and its integral as a sum over one degree more: nothing
// cancels at any smoothness.
TEST(TimeLaw, HighSmoothnessKeepsAllDigits) {
  for (const int n : {7, 14, 20}) {
    const Law law([&](Expr t) { return rest_to_rest(t, 1, n); });
    const Law ramp([&](Expr t) { return three_phase(t, 2, 1, n + 1); });  // ∫ over (0, 1)
    for (const double x : {0.05, 0.2, 0.45, 0.5, 0.7, 0.98}) {
      double sum = 0, integral = 0, c = 1, d = 1;
      for (int j = 0; j <= 2 * n + 2; ++j) {
        if (j > n && j < 2 * n + 2) sum += c * std::pow(x, j) * std::pow(1 - x, 2 * n + 1 - j);
        if (j > n + 1) {
          integral +=
              d * (j - n - 1) / (2 * n + 2) * std::pow(x, j) * std::pow(1 - x, 2 * n + 2 - j);
        }
        c *= static_cast<double>(2 * n + 1 - j) / (j + 1);
        d *= static_cast<double>(2 * n + 2 - j) / (j + 1);
      }
      EXPECT_NEAR(law(x), sum, 1e-14 * sum) << n << ' ' << x;
      EXPECT_NEAR(ramp(x), integral, 1e-14 * integral) << n << ' ' << x;
    }
  }
}

// Accelerated for T₀, then with the velocity 1/(T − T₀), then braked: odd about the middle, without
// jumps of position or velocity.
TEST(TimeLaw, ThreePhasesJoinWithoutJumps) {
  const double T = 5, T0 = 1.2;
  const Law law([&](Expr t) { return three_phase(t, T, T0, 3); });
  EXPECT_EQ(law(-1), 0);
  EXPECT_EQ(law(6), 1);
  EXPECT_NEAR(law(T / 2), 0.5, 1e-14);
  EXPECT_NEAR(law.rate(T / 2), 1 / (T - T0), 1e-9);
  EXPECT_NEAR(law(T0), T0 / 2 / (T - T0), 1e-14) << "the mean velocity of the start is half";
  for (const double t : {0.0, T0, T - T0, T}) {
    EXPECT_NEAR(law(t - 1e-9), law(t + 1e-9), 1e-8) << t;
    EXPECT_NEAR(law.rate(t - 2e-5), law.rate(t + 2e-5), 1e-4) << t;
  }
  for (const double t : {0.3, 0.8, 1.7}) EXPECT_NEAR(law(t) + law(T - t), 1, 1e-14) << t;
}

// Two rods with radii 0.1 and 0.2 along x, of one material: volumes π 0.01·1 and π 0.04·2.
TEST(Shapes, SeveralOfOneDensityHaveTheirCommonCentreAndInertia) {
  const Model model = read_model_text(
      "bodies: {b: {density: 1000, shape: [{rod: {to: [1, 0, 0], radius: 0.1}}, "
      "{rod: {from: [1, 0, 0], to: [3, 0, 0], radius: 0.2}}]}}\n",
      "shapes.yaml");
  const ParameterValues values(model);
  const double m1 = 1000 * std::numbers::pi * 0.01, m2 = 1000 * std::numbers::pi * 0.08;
  const double centre = (0.5 * m1 + 2 * m2) / (m1 + m2);
  EXPECT_NEAR(values(model.bodies[1].mass), m1 + m2, 1e-10);
  EXPECT_NEAR(values(model.bodies[1].com).x, centre, 1e-13);
  const Mat3<double> J = values(model.bodies[1].inertia);
  // About the axis m r²/2; across m (l²/12 + r²/4), and the distances from the common centre.
  EXPECT_NEAR(J(0, 0), m1 * 0.005 + m2 * 0.02, 1e-10);
  const double across = m1 * (1.0 / 12 + 0.0025 + (centre - 0.5) * (centre - 0.5)) +
                        m2 * (4.0 / 12 + 0.01 + (centre - 2) * (centre - 2));
  EXPECT_NEAR(J(1, 1), across, 1e-9);
  EXPECT_NEAR(J(2, 2), across, 1e-9);
  EXPECT_NEAR(J(0, 1), 0, 1e-12);
}

}  // namespace
}  // namespace koppel
