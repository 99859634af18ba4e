// Global sensitivities against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include <koppel/study/indices.hpp>

namespace koppel {
namespace {

using Kind = Design::Kind;
using Values = std::vector<double>;

Samples box(Kind kind, std::size_t parameters, std::size_t count, double low, double high) {
  Design design{.kind = kind, .count = count, .seed = 1};
  for (std::size_t i = 0; i < parameters; ++i) {
    design.ranges.push_back({"x" + std::to_string(i + 1), low, high});
  }
  return Samples(design);
}

Values values_of(const Samples& samples, const std::function<double(const Values&)>& f) {
  Values out;
  for (std::size_t i = 0; i < samples.size(); ++i) out.push_back(f(samples.point(i)));
  return out;
}

// sin x₁ + a sin² x₂ + b x₃⁴ sin x₁ over [−π, π]³ [Ishigami & Homma 1990]. Its parts of variance:
//   V₁ = (1 + b π⁴/5)²/2,   V₂ = a²/8,   V₁₃ = b² π⁸ (1/18 − 1/50),   others 0.
struct Ishigami {
  static constexpr double a = 7, b = 0.1;
  static double at(const Values& x) {
    return std::sin(x[0]) + a * std::pow(std::sin(x[1]), 2) +
           b * std::pow(x[2], 4) * std::sin(x[0]);
  }
  double pi4 = std::pow(std::numbers::pi, 4);
  double v1 = std::pow(1 + b * pi4 / 5, 2) / 2, v2 = a * a / 8;
  double v13 = b * b * pi4 * pi4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
};

TEST(SobolIndices, OfTheIshigamiFunctionAreItsClosedForms) {
  const Ishigami f;
  const Samples samples = box(Kind::Saltelli, 3, 4096, -std::numbers::pi, std::numbers::pi);
  EXPECT_EQ(samples.size(), 4096u * 5);
  const std::vector<SobolIndex> indices = sobol_indices(samples, values_of(samples, f.at), 300);
  const double first[] = {f.v1 / f.v, f.v2 / f.v, 0};
  const double total[] = {(f.v1 + f.v13) / f.v, f.v2 / f.v, f.v13 / f.v};
  for (std::size_t i = 0; i < 3; ++i) {
    // Even points: the error is far below that of random ones, some 1/√4096.
    EXPECT_NEAR(indices[i].first, first[i], 0.01) << i;
    EXPECT_NEAR(indices[i].total, total[i], 0.01) << i;
    EXPECT_LT(indices[i].first_95.low, first[i]);
    EXPECT_GT(indices[i].first_95.high, first[i]);
    EXPECT_LT(indices[i].total_95.low, total[i] + 1e-12);
    EXPECT_GT(indices[i].total_95.high, total[i] - 1e-12);
    EXPECT_LT(indices[i].total_95.high - indices[i].total_95.low, 0.1);
  }
}

// Sobol's g-function Π (|4x_i − 2| + a_i)/(1 + a_i) over [0, 1]^k: V_i = 1/(3 (1 + a_i)²), and
// V = Π (1 + V_i) − 1, the total part of i is V_i Π_{j≠i} (1 + V_j).
TEST(SobolIndices, OfTheGFunctionAreItsClosedForms) {
  const Values a = {0, 1, 4.5, 9, 99};
  const Samples samples = box(Kind::Saltelli, 5, 4096, 0, 1);
  const std::vector<SobolIndex> indices =
      sobol_indices(samples,
                    values_of(samples,
                              [&](const Values& x) {
                                double y = 1;
                                for (std::size_t i = 0; i < x.size(); ++i)
                                  y *= (std::abs(4 * x[i] - 2) + a[i]) / (1 + a[i]);
                                return y;
                              }),
                    100);
  double product = 1;
  for (const double each : a) product *= 1 + 1 / (3 * (1 + each) * (1 + each));
  for (std::size_t i = 0; i < 5; ++i) {
    const double part = 1 / (3 * (1 + a[i]) * (1 + a[i]));
    EXPECT_NEAR(indices[i].first, part / (product - 1), 0.01) << i;
    EXPECT_NEAR(indices[i].total, part * product / (1 + part) / (product - 1), 0.01) << i;
  }
}

TEST(SobolIndices, LeaveOutPairsWithFailuresAndSayNothingOfConstants) {
  const Samples samples = box(Kind::Saltelli, 2, 512, 0, 1);
  Values y = values_of(samples, [](const Values& x) { return 3 * x[0] + x[1]; });
  y[7] = std::nan("");   // of pair 1
  y[16] = std::nan("");  // of pair 4
  const std::vector<SobolIndex> indices = sobol_indices(samples, y, 50);
  EXPECT_EQ(indices[0].num_used, 510u);
  EXPECT_NEAR(indices[0].first, 0.9, 0.02);
  EXPECT_NEAR(indices[1].total, 0.1, 0.02);
  EXPECT_TRUE(std::isnan(sobol_indices(samples, Values(samples.size(), 2.0), 5)[0].first));
}

TEST(ElementaryEffects, OfALinearFunctionAreItsSlopesTimesTheRanges) {
  const Samples samples = box(Kind::Morris, 3, 10, -1, 3);
  EXPECT_EQ(samples.size(), 40u);
  const auto effects = elementary_effects(
      samples, values_of(samples, [](const Values& x) { return 2 * x[0] - 0.5 * x[1] + 7; }));
  EXPECT_NEAR(effects[0].mean, 8, 1e-13);
  EXPECT_NEAR(effects[0].mean_size, 8, 1e-13);
  EXPECT_NEAR(effects[0].deviation, 0, 1e-12);
  EXPECT_NEAR(effects[1].mean, -2, 1e-13);
  EXPECT_NEAR(effects[1].mean_size, 2, 1e-13);
  EXPECT_NEAR(effects[2].mean_size, 0, 1e-13);
  EXPECT_EQ(effects[2].num_used, 10u);
}

// x₁ x₂ over [0, 1]²: the effect of x₁ is the level of x₂, uniform over 0, 1/3, 2/3, 1: mean 1/2,
// deviation √5/6.
TEST(ElementaryEffects, OfAProductVaryWithTheOtherFactor) {
  const Samples samples = box(Kind::Morris, 2, 4000, 0, 1);
  const auto effects =
      elementary_effects(samples, values_of(samples, [](const Values& x) { return x[0] * x[1]; }));
  for (const ElementaryEffects& e : effects) {
    EXPECT_NEAR(e.mean, 0.5, 4 * 0.373 / std::sqrt(4000.0));
    EXPECT_NEAR(e.deviation, std::sqrt(5.0) / 6, 0.01);
    EXPECT_NEAR(e.size_error, 0.373 / std::sqrt(4000.0), 2e-4);
  }
}

TEST(ElementaryEffects, MoveOneParameterAtATimeByTheStep) {
  const Samples samples = box(Kind::Morris, 4, 25, 0, 1);
  for (std::size_t path = 0; path < 25; ++path) {
    std::vector<int> moved(4, 0);
    for (std::size_t step = 0; step < 4; ++step) {
      const Values before = samples.point(5 * path + step),
                   after = samples.point(5 * path + step + 1);
      for (std::size_t i = 0; i < 4; ++i) {
        if (after[i] == before[i]) continue;
        ++moved[i];
        EXPECT_NEAR(std::abs(after[i] - before[i]), kMorrisStep, 1e-15);
        EXPECT_EQ(samples.order_of_path(path)[step], i);
      }
    }
    EXPECT_EQ(moved, std::vector<int>(4, 1));
  }
}

}  // namespace
}  // namespace koppel
