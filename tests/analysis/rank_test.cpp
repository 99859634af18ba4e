#include <bit>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

RankReport rank_of(const Model& model, const std::string& set = "") {
  const Evaluator evaluator(derive(model, set));
  const Assembly assembly = assemble(evaluator);
  EXPECT_TRUE(assembly) << assembly.text;
  return analyze_rank(evaluator, assembly.state);
}

TEST(Rank, BricardHasThirtyEquationsOfWhichOneIsRedundant) {
  const RankReport r = rank_of(make_bricard(), "absolute");
  EXPECT_EQ(r.num_rows, 30);
  EXPECT_EQ(r.rank, 29);
  EXPECT_EQ(r.degrees_of_freedom, 1);
  ASSERT_EQ(r.redundant.size(), 1u);
  EXPECT_EQ(r.redundant[0].num_equations, 5);
  EXPECT_EQ(r.redundant[0].rows.size(), 1u);
  EXPECT_FALSE(r.is_near_singular());
}

TEST(Rank, FourBarInSpaceHasThreeRedundantEquationsInOneJoint) {
  const RankReport r = rank_of(make_four_bar(), "absolute");
  EXPECT_EQ(r.degrees_of_freedom, 1);
  EXPECT_EQ(r.num_rows, 20);
  ASSERT_EQ(r.redundant.size(), 1u);
  EXPECT_EQ(r.redundant[0].text,
            "'d': 3 of its 5 equations (d.z, d.tilt_x, d.tilt_y) repeat what a, b, c already say. "
            "Make it a point-on-line joint, or accept that its reaction is not unique.");
}

TEST(Rank, LeavesOutRowsWithoutWhichTheOthersAreFarFromDependent) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x", 0);
  const auto [y, vy] = add_coordinate(model, "y", 0);
  model.kinetic = 0.5 * (vx * vx + vy * vy);
  model.constraints.push_back({"sum", 0.01 * x + y, {}});
  model.constraints.push_back({"y", y, {}});
  model.constraints.push_back({"x", x, {}});  // without it the others are nearly parallel
  const RankReport r = rank_of(model);
  EXPECT_EQ(r.rank, 2);
  ASSERT_EQ(r.redundant_rows.size(), 1u);
  EXPECT_NE(r.redundant_rows[0], 2);
}

TEST(Rank, LeavesOutNonholonomicRowsRatherThanThoseThatHoldPositions) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x", 0);
  const auto [y, vy] = add_coordinate(model, "y", 0);
  model.kinetic = 0.5 * (vx * vx + vy * vy);
  model.constraints.push_back({"x", x, {}});
  model.constraints.push_back({"y", y, {}});
  model.nonholonomic.push_back({"small", 0.1 * vx + vy, {}});
  const RankReport r = rank_of(model);
  EXPECT_EQ(r.rank, 2);
  EXPECT_EQ(r.redundant_rows, std::vector<int>{2});
}

double smallest_singular_value(const Eigen::MatrixXd& C) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(C).singularValues().minCoeff();
}

// The best that can be left out of a matrix of unit rows, by trying all sets of rows.
double best_singular_value(const Eigen::MatrixXd& C, int left_out) {
  double best = 0;
  const int m = static_cast<int>(C.rows());
  for (unsigned mask = 0; mask < (1U << m); ++mask) {
    if (std::popcount(mask) != m - left_out) continue;
    Eigen::MatrixXd kept(m - left_out, C.cols());
    for (int i = 0, next = 0; i < m; ++i) {
      if ((mask >> i & 1U) != 0) kept.row(next++) = C.row(i);
    }
    best = std::max(best, smallest_singular_value(kept));
  }
  return best;
}

// Seven linear constraints of rank five on eight coordinates: what is kept is of full rank, and far
// from dependent.
TEST(Rank, LeavesOutRowsOfRandomDependenceSoThatTheRestIsWellConditioned) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd C = Eigen::MatrixXd::NullaryExpr(7, 8, [&] { return uniform(random); });
    // The last rows repeat others, with small parts of them too, at any place.
    C.row(5) = 0.05 * C.row(0) + C.row(1) - 0.4 * C.row(3);
    C.row(6) = 0.03 * C.row(2) + C.row(5) + 0.6 * C.row(4);
    for (int i = 6; i > 0; --i) C.row(i).swap(C.row(static_cast<int>(random() % (i + 1))));
    for (int i = 0; i < 7; ++i) C.row(i) /= C.row(i).norm();
    Model model;
    std::vector<Expr> x;
    for (int j = 0; j < 8; ++j) {
      const auto [value, rate] = add_coordinate(model, "x" + std::to_string(j), 0);
      x.push_back(value);
      model.kinetic = model.kinetic + 0.5 * rate * rate;
    }
    for (int i = 0; i < 7; ++i) {
      Expr g = 0;
      for (int j = 0; j < 8; ++j) g += C(i, j) * x[static_cast<std::size_t>(j)];
      model.constraints.push_back({"c" + std::to_string(i), g, {}});
    }
    const RankReport r = rank_of(model);
    ASSERT_EQ(r.rank, 5) << trial;
    ASSERT_EQ(r.redundant_rows.size(), 2u) << trial;
    Eigen::MatrixXd kept(5, 8);
    int next = 0;
    for (int i = 0; i < 7; ++i) {
      if (std::count(r.redundant_rows.begin(), r.redundant_rows.end(), i) > 0) continue;
      ASSERT_LT(next, 5);
      kept.row(next++) = C.row(i);
    }
    const double reached = smallest_singular_value(kept), best = best_singular_value(C, 2);
    EXPECT_GT(reached, 0.4 * best) << trial;
  }
}

TEST(Rank, DegreesOfFreedomAreTheSameInAllCoordinates) {
  const std::pair<Model, int> mechanisms[] = {
      {make_bricard(), 1},   {make_four_bar(), 1},     {make_double_pendulum(), 2},
      {make_heavy_top(), 3}, {make_slider_crank(), 1}, {make_joint_collection(), 13}};
  for (const auto& [model, dof] : mechanisms) {
    for (const std::string& set : coordinate_sets(model)) {
      if (model.name == "bricard" && set == "cardan") continue;  // singular: rods along z
      EXPECT_EQ(rank_of(model, set).degrees_of_freedom, dof) << model.name << " " << set;
    }
  }
}

TEST(Rank, DoesNotDependOnUnits) {
  // The bar in millimetres: x² + y² − L² has rows 10⁶ times larger than that of the guide.
  Model model;
  const auto [x, vx] = add_coordinate(model, "x", 600);
  const auto [y, vy] = add_coordinate(model, "y", 800);
  const auto [w, vw] = add_coordinate(model, "w", 1e-3);
  model.kinetic = 0.5 * (vx * vx + vy * vy + 1e-9 * vw * vw);
  model.constraints.push_back({"bar", x * x + y * y - 1e6, {}});
  model.constraints.push_back({"gear", 1e-6 * w - 1e-9, {}});
  const RankReport r = rank_of(model);
  EXPECT_EQ(r.rank, 2);
  EXPECT_FALSE(r.is_near_singular());
}

TEST(Rank, SeesThatASliderCrankIsNearItsSingularPosition) {
  // Crank and rod of equal length: with the slider above the pivot the crank turns freely.
  Model model;
  const auto [a, va] = add_coordinate(model, "a", 1.5707);
  const auto [b, vb] = add_coordinate(model, "b", 1.5707);
  const auto [s, vs] = add_coordinate(model, "s", 0);
  model.kinetic = 0.5 * (va * va + vb * vb + vs * vs);
  model.constraints.push_back({"x", cos(a) + cos(b) - s, {}});
  model.constraints.push_back({"y", sin(a) - sin(b), {}});
  const Evaluator evaluator(derive(model));
  State state = start_of(evaluator.equations);
  for (const double angle : {1.57079632, 1.0}) {
    state.q = {angle, angle, 2 * std::cos(angle)};
    const RankReport r = analyze_rank(evaluator, state);
    EXPECT_EQ(r.is_near_singular(), angle > 1.5) << r.smallest_pivot;
  }
}

TEST(Rank, CountsNonholonomicConstraints) {
  Model model;
  const auto [x, vx] = add_coordinate(model, "x");
  const auto [y, vy] = add_coordinate(model, "y");
  const auto [phi, w] = add_coordinate(model, "phi", 0.3);
  static_cast<void>(x), static_cast<void>(y);
  model.kinetic = 0.5 * (vx * vx + vy * vy + 0.1 * w * w);
  model.nonholonomic.push_back({"skate", -sin(phi) * vx + cos(phi) * vy, {}});
  const RankReport r = rank_of(model);
  EXPECT_EQ(r.rank, 1);
  EXPECT_EQ(r.degrees_of_freedom, 2);
}

}  // namespace
}  // namespace koppel
