// Reference functions and mass matrices of the cranes against their formulas [Yang 2017].
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

// A time law and its derivatives up to the fifth, of t.
class Law {
 public:
  explicit Law(const std::string& signal)
      : model_(read_model_text("coordinates: [x]\ninputs: [u]\nkinetic: x'^2/2\n"
                               "generalized_forces: {x: u}\nsignals: {c: " +
                                   signal + "}\nservo: {x: {output: x, reference: c}}\n",
                               "law.yaml")),
        function_(make()) {}

  std::vector<double> operator()(double t) const { return function_(std::vector<double>{t}); }

 private:
  Function make() const {
    std::vector<Expr> all = {model_.servos[0].reference};
    for (int k = 1; k <= 5; ++k) all.push_back(diff(all.back(), model_.time));
    return Function(std::vector<Expr>{model_.time}, all);
  }
  Model model_;
  Function function_;
};

TEST(CraneAlgebra, RestToRestIsThePolynomialOfNinthDegree) {
  // Eq. (4.87): c = 126 x⁵ − 420 x⁶ + 540 x⁷ − 315 x⁸ + 70 x⁹; c′ = 630 x⁴ (1 − x)⁴.
  constexpr double kDuration = 3;
  const Law law("{type: rest-to-rest, duration: 3, smoothness: 4}");
  for (int i = 0; i <= 20; ++i) {
    const double x = i / 20.0, y = 1 - x;
    const std::vector<double> c = law(kDuration * x);
    const double value = std::pow(x, 5) * (126 + x * (-420 + x * (540 + x * (-315 + x * 70))));
    EXPECT_TRUE(
        near(c[0], value, {.relative = 1e-13, .scale = 1, .because = "terms of size 540 cancel"}));
    EXPECT_TRUE(near(c[1], 630 * std::pow(x * y, 4) / kDuration,
                     {.relative = 1e-12, .scale = 1, .because = "terms of size 3150 cancel"}));
  }
  for (const double t : {0.0, kDuration}) {
    const std::vector<double> c = law(t);
    EXPECT_NEAR(c[0], t / kDuration, 1e-13);
    for (std::size_t k = 1; k <= 4; ++k) {
      EXPECT_NEAR(c[k], 0, 1e-11) << k;  // sums of terms up to 9!/5! · 540/3⁴
    }
  }
  // No more than asked for: the fifth jumps to 126 · 5!/T⁵.
  EXPECT_NEAR(law(1e-12)[5], 126 * 120 / std::pow(kDuration, 5), 1e-6);
}

TEST(CraneAlgebra, ThreePhasesAreJoinedWithFourContinuousDerivatives) {
  // Speeding up for 5 s, uniform, slowing down for 5 s: speed 1/(T − T₀) in the middle.
  const Law law("{type: three-phase, duration: 20, ramp: 5, smoothness: 4}");
  for (const double joint : {5.0, 15.0}) {
    const std::vector<double> before = law(std::nextafter(joint, 0)),
                              after = law(std::nextafter(joint, 20));
    for (std::size_t k = 0; k <= 4; ++k) EXPECT_NEAR(before[k], after[k], 1e-12) << k;
  }
  for (const double t : {0.0, 20.0}) {
    const std::vector<double> c = law(t);
    EXPECT_NEAR(c[0], t / 20, 1e-13);
    for (std::size_t k = 1; k <= 4; ++k) EXPECT_NEAR(c[k], 0, 1e-12) << k;
  }
  for (const double t : {6.0, 10.0, 14.0}) {
    const std::vector<double> c = law(t);
    EXPECT_NEAR(c[1], 1.0 / 15, 1e-13);
    EXPECT_NEAR(c[0], (t - 2.5) / 15, 1e-13);
  }
}

// PᵀM P for P = ∂q/∂z, z minimal coordinates, by columns of P.
std::vector<std::vector<double>> reduce(const Matrix& M,
                                        const std::vector<std::vector<double>>& P) {
  std::vector<std::vector<double>> out(P.size(), std::vector<double>(P.size()));
  for (std::size_t a = 0; a < P.size(); ++a) {
    for (std::size_t b = 0; b < P.size(); ++b) {
      for (int i = 0; i < M.rows; ++i) {
        for (int j = 0; j < M.columns; ++j) {
          out[a][b] +=
              P[a][static_cast<std::size_t>(i)] * M(i, j) * P[b][static_cast<std::size_t>(j)];
        }
      }
    }
  }
  return out;
}

void expect_along_constraints(const Evaluator& evaluator, const State& state,
                              const std::vector<std::vector<double>>& P) {
  const Matrix G = evaluator.G(state);
  for (const std::vector<double>& column : P) {
    double rate = 0;
    for (int j = 0; j < G.columns; ++j) rate += G(0, j) * column[static_cast<std::size_t>(j)];
    EXPECT_NEAR(rate, 0, 1e-12);
  }
}

TEST(CraneAlgebra, TheNullSpaceOfTheOverheadCraneGivesItsMinimalMassMatrix) {
  // Load at (s + l sin θ, −l cos θ). Eq. (4.73a) with the winch J/r² = 10:
  //   ⎡ m_t + m   m sin θ    m l cos θ ⎤
  //   ⎢ m sin θ   J/r² + m   0         ⎥
  //   ⎣ m l cos θ 0          m l²      ⎦
  const Evaluator evaluator(derive(read_model(KOPPEL_MODELS "overhead_crane.yaml")));
  for (const double theta : {-0.7, 0.2, 1.1}) {
    const double s = 0.4, l = 3, sine = std::sin(theta), cosine = std::cos(theta);
    State state = start_of(evaluator.equations);
    state.q = {s, l, s + l * sine, -l * cosine};
    const std::vector<std::vector<double>> P = {
        {1, 0, 1, 0}, {0, 1, sine, -cosine}, {0, 0, l * cosine, l * sine}};
    expect_along_constraints(evaluator, state, P);
    const auto M = reduce((*evaluator.M)(state), P);
    const double expected[3][3] = {{110, 100 * sine, 100 * l * cosine},
                                   {100 * sine, 110, 0},
                                   {100 * l * cosine, 0, 100 * l * l}};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(M[a][b], expected[a][b], 1e-11);
    }
  }
}

TEST(CraneAlgebra, TheNullSpaceOfTheRotaryCraneGivesItsMinimalMassMatrix) {
  // In the frame of the bridge the load is at (s + l sin θ, 0, −l cos θ) for a swing in the plane
  // of bridge and mast: with φ̇ it moves across by (s + l sin θ) φ̇, which is coupled to nothing:
  //   M_φφ = J_b + m_t s² + m (s + l sin θ)²,  M_φ· = 0, and the rest as for the overhead crane.
  const Evaluator evaluator(derive(read_model(KOPPEL_MODELS "rotary_crane.yaml")));
  const double phi = 0.8, s = 4, l = 3, theta = 0.3, sine = std::sin(theta),
               cosine = std::cos(theta), c = std::cos(phi), d = std::sin(phi), reach = s + l * sine;
  State state = start_of(evaluator.equations);
  state.q = {phi, s, l, reach * c, reach * d, -l * cosine};
  const std::vector<std::vector<double>> P = {{1, 0, 0, -reach * d, reach * c, 0},
                                              {0, 1, 0, c, d, 0},
                                              {0, 0, 1, sine * c, sine * d, -cosine},
                                              {0, 0, 0, l * cosine * c, l * cosine * d, l * sine}};
  expect_along_constraints(evaluator, state, P);
  const auto M = reduce((*evaluator.M)(state), P);
  const double expected[4][4] = {{480 + 10 * s * s + 100 * reach * reach, 0, 0, 0},
                                 {0, 110, 100 * sine, 100 * l * cosine},
                                 {0, 100 * sine, 110, 0},
                                 {0, 100 * l * cosine, 0, 100 * l * l}};
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(M[a][b], expected[a][b], 1e-10);
  }
}

}  // namespace
}  // namespace koppel
