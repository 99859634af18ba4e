#include <gtest/gtest.h>

#include <random>

#include <koppel/expr/algebra/discrete_gradient.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

constexpr std::size_t kSize = 3;

// f with its gradient and its discrete gradient as functions of points.
class Gradients {
 public:
  Gradients(Graph& graph, Expr f) : x_(symbols(graph, "x")) {
    const auto x0 = symbols(graph, "a"), x1 = symbols(graph, "b");
    std::vector<Expr> both = x0;
    both.insert(both.end(), x1.begin(), x1.end());
    value_.emplace(x_, std::vector{f});
    gradient_.emplace(x_, gradient(f, x_));
    discrete_.emplace(both, discrete_gradient(f, x_, x0, x1));
  }

  static std::vector<Expr> symbols(Graph& graph, const std::string& name) {
    std::vector<Expr> out;
    for (std::size_t i = 0; i < kSize; ++i) out.push_back(graph.symbol(name + std::to_string(i)));
    return out;
  }

  using Point = std::vector<double>;
  double value(const Point& x) const { return (*value_)(x)[0]; }
  Point gradient_at(const Point& x) const { return (*gradient_)(x); }
  Point discrete(const Point& a, const Point& b) const {
    Point both = a;
    both.insert(both.end(), b.begin(), b.end());
    return (*discrete_)(both);
  }

 private:
  std::vector<Expr> x_;
  std::optional<Function> value_, gradient_, discrete_;
};

struct Case {
  const char* name;
  Expr (*make)(Graph&, const std::vector<Expr>&);
};

// All operations, on points in [0.5, 1.5]³.
const Case kCases[] = {
    {"polynomial",
     [](Graph&, const std::vector<Expr>& x) { return x[0] * x[1] * x[2] - 3 * x[0]; }},
    {"quotient", [](Graph&, const std::vector<Expr>& x) { return (x[0] + x[1]) / (x[2] * x[0]); }},
    {"powers",
     [](Graph&, const std::vector<Expr>& x) {
       return pow(x[0], 3) + pow(x[1], -2) + pow(x[2], 1.5) + pow(x[0], x[1]);
     }},
    {"angles",
     [](Graph&, const std::vector<Expr>& x) {
       return sin(x[0] * x[1]) * cos(x[2]) + tan(x[0] / 2);
     }},
    {"inverse angles",
     [](Graph&, const std::vector<Expr>& x) {
       return asin(x[0] / 3) + acos(x[1] / 3) + atan(x[2] * x[0]) + atan2(x[0], x[1] - x[2]);
     }},
    {"exponentials",
     [](Graph&, const std::vector<Expr>& x) {
       return exp(-x[0]) + log(x[1]) + sinh(x[2]) + cosh(x[0] - x[1]) + tanh(x[2] * x[1]);
     }},
    {"spring",
     [](Graph&, const std::vector<Expr>& x) {
       return pow(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.3, 2);
     }},
};

class DiscreteGradient : public ::testing::TestWithParam<Case> {
 protected:
  Graph graph_;
  Gradients make() {
    return Gradients(graph_, GetParam().make(graph_, Gradients::symbols(graph_, "x")));
  }
  std::mt19937 random_{7};
  Gradients::Point point(double centre = 1, double range = 0.5) {
    std::uniform_real_distribution<double> in(centre - range, centre + range);
    return {in(random_), in(random_), in(random_)};
  }
};
INSTANTIATE_TEST_SUITE_P(Of, DiscreteGradient, ::testing::ValuesIn(kCases), [](const auto& suite) {
  std::string name = suite.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(DiscreteGradient, GivesTheDifferenceOfValuesExactly) {
  const Gradients f = make();
  for (const double distance : {0.5, 1e-2, 1e-4, 1e-6, 1e-9}) {
    for (int k = 0; k < 50; ++k) {
      const auto a = point(), step = point(0, distance);
      auto b = a;
      for (std::size_t i = 0; i < kSize; ++i) b[i] += step[i];
      const auto slope = f.discrete(a, b);
      double sum = 0;
      for (std::size_t i = 0; i < kSize; ++i) sum += slope[i] * (b[i] - a[i]);
      EXPECT_TRUE(near(sum, f.value(b) - f.value(a),
                       {.relative = 100 * kEps, .scale = 20, .because = "values reach 20"}));
    }
  }
}

TEST_P(DiscreteGradient, IsThatInTheMiddleToSecondOrder) {
  const Gradients f = make();
  for (int k = 0; k < 20; ++k) {
    const auto centre = point(), direction = point(0, 1);
    const auto deviation = [&](double size) {
      auto a = centre, b = centre;
      for (std::size_t i = 0; i < kSize; ++i) {
        a[i] -= size * direction[i];
        b[i] += size * direction[i];
      }
      const auto slope = f.discrete(a, b), middle = f.gradient_at(centre);
      double largest = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        largest = std::max(largest, std::abs(slope[i] - middle[i]));
      }
      return largest;
    };
    EXPECT_LT(deviation(0), 1e-13);
    const double coarse = deviation(0.02), fine = deviation(0.01);
    EXPECT_LT(fine, 0.01);
    if (coarse > 1e-9) {
      EXPECT_NEAR(coarse / fine, 4, 0.3);
    }
  }
}

TEST_P(DiscreteGradient, DoesNotTellTheEndsApart) {
  const Gradients f = make();
  for (int k = 0; k < 20; ++k) {
    const auto a = point(), b = point();
    const auto forth = f.discrete(a, b), back = f.discrete(b, a);
    for (std::size_t i = 0; i < kSize; ++i) {
      EXPECT_TRUE(
          near(forth[i], back[i],
               {.relative = 1e-12, .scale = 1, .because = "differences at distances > 1e-2"}));
    }
  }
}

TEST(DiscreteGradientOf, AQuadraticIsTheGradientInTheMiddle) {
  Graph graph;
  const auto x = Gradients::symbols(graph, "x");
  const Gradients f(graph, 3 * x[0] * x[0] - x[1] * x[2] + pow(x[2] - x[0], 2) + 5 * x[1] - 1);
  const std::vector<double> a = {0.3, -2, 5}, b = {4, 1, -0.5};
  std::vector<double> middle(kSize);
  for (std::size_t i = 0; i < kSize; ++i) middle[i] = (a[i] + b[i]) / 2;
  const auto slope = f.discrete(a, b), expected = f.gradient_at(middle);
  for (std::size_t i = 0; i < kSize; ++i) {
    EXPECT_TRUE(near(slope[i], expected[i], {.relative = 10 * kEps, .because = "rounding"}));
  }
}

// A potential of the distance has no torque: x̄ × D̄V = 0, whatever the step.
TEST(DiscreteGradientOf, ADistanceKeepsItsSymmetryUnderRotations) {
  Graph graph;
  const auto x = Gradients::symbols(graph, "x");
  const Expr r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const Gradients f(graph, pow(r - 0.3, 2) + 1 / r);
  const std::vector<double> a = {0.3, -2, 5}, b = {4, 1, -0.5};
  const auto slope = f.discrete(a, b);
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::size_t j = (i + 1) % kSize, k = (i + 2) % kSize;
    const double torque = (a[j] + b[j]) / 2 * slope[k] - (a[k] + b[k]) / 2 * slope[j];
    EXPECT_NEAR(torque, 0, 1e-14);
  }
}

// Where branches change within the step, and where nothing moves.
TEST(DiscreteGradientOf, FunctionsWithCornersIsExactToo) {
  Graph graph;
  const auto x = Gradients::symbols(graph, "x");
  const Expr f = abs(x[0]) + max(x[0], x[1]) * x[2] + min(x[1], 2 * x[2]) +
                 select(x[0] < x[2], x[0] * x[0], x[2] * x[2]);
  const Gradients g(graph, f);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> in(-1, 1);
  for (int k = 0; k < 200; ++k) {
    const std::vector<double> a = {in(random), in(random), in(random)},
                              b = {in(random), in(random), in(random)};
    const auto slope = g.discrete(a, b);
    double sum = 0;
    for (std::size_t i = 0; i < kSize; ++i) sum += slope[i] * (b[i] - a[i]);
    EXPECT_NEAR(sum, g.value(b) - g.value(a), 1e-13);
  }
  const std::vector<double> a = {0, 0, 0};
  for (const double slope : g.discrete(a, a)) EXPECT_TRUE(std::isfinite(slope));
}

}  // namespace
}  // namespace koppel::testing
