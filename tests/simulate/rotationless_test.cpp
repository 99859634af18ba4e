// The rotationless formulation [Yang 2017, chapter 2] as Koppel derives it, and the condition of
// the equations of a step.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

MatrixXd dense(const Matrix& A) {
  MatrixXd out(A.rows, A.columns);
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < A.columns; ++j) out(i, j) = A(i, j);
  }
  return out;
}

Matrix3d hat(const Vector3d& a) {
  Matrix3d out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

// v = P (ṙ, ω) for a free body with directors d_i: ḋ_i = ω × d_i.
MatrixXd null_space(const Matrix3d& R) {
  MatrixXd P = MatrixXd::Zero(12, 6);
  P.topLeftCorner(3, 3).setIdentity();
  for (int i = 0; i < 3; ++i) P.block(3 + 3 * i, 3, 3, 3) = -hat(R.col(i));
  return P;
}

// G P = 0, PᵀM P = diag(m 1, J), PᵀM Ṗ t = (0, ω × J ω), at random orientations.
TEST(Directors, NullSpaceGivesTheEquationsOfNewtonAndEuler) {
  const Model model = read_model_text(R"(
name: free body
bodies: {body: {mass: 3, inertia: [0.4, 0.5, 0.7]}}
)",
                                      "free.yaml");
  const Equations e = derive(model, "directors");
  const Evaluator evaluator(e);
  ASSERT_EQ(e.num_q(), 12u);
  ASSERT_EQ(e.num_g(), 6u);
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 10; ++k) {
    const auto vector = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
    const Matrix3d R =
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized()
            .toRotationMatrix();
    State state = start_of(e);
    const Vector3d r = vector(), omega = vector();
    for (int i = 0; i < 3; ++i) {
      state.q[static_cast<std::size_t>(i)] = r[i];
      for (int j = 0; j < 3; ++j) state.q[static_cast<std::size_t>(3 + 3 * i + j)] = R(j, i);
    }
    const MatrixXd G = dense(evaluator.G(state)), M = dense((*evaluator.M)(state)),
                   P = null_space(R);
    EXPECT_LT((G * P).norm(), 1e-13);
    const Matrix3d J = R * Vector3d(0.4, 0.5, 0.7).asDiagonal() * R.transpose();
    MatrixXd expected = MatrixXd::Zero(6, 6);
    expected.topLeftCorner(3, 3) = 3 * Matrix3d::Identity();
    expected.bottomRightCorner(3, 3) = J;
    EXPECT_LT((P.transpose() * M * P - expected).norm(), 1e-13);
    const MatrixXd P_rate = null_space(hat(omega) * R) - null_space(Matrix3d::Zero());
    const Eigen::VectorXd bias = P.transpose() * M * P_rate.rightCols(3) * omega;
    EXPECT_LT(bias.head(3).norm(), 1e-13);
    EXPECT_LT((bias.tail(3) - omega.cross(J * omega)).norm(), 1e-13);
  }
}

// Euler values E_i = (J_j + J_k − J_i)/2: table 2.1 gives table 2.2 within its rounding.
TEST(Directors, EulerValuesAreThoseOfTheTable) {
  const Model crane = read_model(KOPPEL_SOURCE "/models/rotary_crane_released.yaml");
  const Equations e = derive(crane, "directors");
  const Evaluator evaluator(e);
  const MatrixXd M = dense((*evaluator.M)(start_of(e)));
  const double expected[3][4] = {
      {100, 8.33, 8.33, 208.33}, {50, 1.04, 1.04, 1.04}, {3, 0.01, 0.25, 0.01}};
  for (int body = 0; body < 3; ++body) {
    for (int vector = 0; vector < 4; ++vector) {
      for (int axis = 0; axis < 3; ++axis) {
        const int at = 12 * body + 3 * vector + axis;
        EXPECT_NEAR(M(at, at), expected[body][vector], 0.0051);
      }
    }
  }
  EXPECT_LT((M - MatrixXd(M.diagonal().asDiagonal())).norm(), 1e-12);
}

TEST(Directors, PairsHaveSevenFreedomsAndTheCraneFive) {
  for (const char* type : {"revolute", "prismatic"}) {
    const Model pair = read_model_text(std::string(R"(
name: pair
bodies:
  a: {mass: 1, inertia: [1, 2, 2.5]}
  b: {mass: 2, inertia: [1, 1.5, 2], position: [1, 0.2, 0]}
joints: {J: {type: )") + type + ", between: [a, b], axis: [1, 0.2, 0]}}\n",
                                       "pair.yaml");
    const Evaluator evaluator(derive(pair, "directors"));
    const RankReport rank = analyze_rank(evaluator, assemble(evaluator).state);
    EXPECT_EQ(rank.degrees_of_freedom, 7) << type;
  }
  const Evaluator crane(
      derive(read_model(KOPPEL_SOURCE "/models/rotary_crane_released.yaml"), "directors"));
  EXPECT_EQ(analyze_rank(crane, assemble(crane).state).degrees_of_freedom, 5);
}

// The crane in 42 coordinates, turned by `turn` and with the winch turned by `theta`.
State crane_at(const Equations& e, double turn, double theta) {
  State state = start_of(e);
  const auto set = [&](const std::string& name, const Vector3d& value) {
    for (std::size_t i = 0; i < e.num_q(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        if (e.q[i].name() == name + "xyz"[axis]) state.q[i] = value[axis];
      }
    }
  };
  const Vector3d d1(std::cos(turn), std::sin(turn), 0), d2(-std::sin(turn), std::cos(turn), 0),
      d3(0, 0, 1);
  for (const char* body : {"1", "2"}) {
    set(std::string("d") + body + "1", d1);
    set(std::string("d") + body + "2", d2);
  }
  set("d31", std::cos(theta) * d1 - std::sin(theta) * d3);
  set("d32", d2);
  set("d33", std::sin(theta) * d1 + std::cos(theta) * d3);
  set("r2", 1.5 * d1);
  set("r3", 1.5 * d1);
  set("r4", 1.5 * d1 - (5 + 0.1 * theta) * d3);
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    if (e.q[i].name() == "turn") state.q[i] = turn;
    if (e.q[i].name() == "theta") state.q[i] = theta;
  }
  return state;
}

TEST(Directors, AugmentationOfTheSourceLosesRankAtItsSingularAngles) {
  const Equations e = derive(read_model(KOPPEL_SOURCE "/tests/simulate/rotary_crane_42.yaml"));
  const Evaluator evaluator(e);
  ASSERT_EQ(e.num_q(), 42u);
  ASSERT_EQ(e.num_g(), 37u);
  const double singular = 0.75 * std::numbers::pi;
  const auto rank_at = [&](double turn, double theta) {
    const State state = crane_at(e, turn, theta);
    for (const double g : evaluator.g(state)) EXPECT_NEAR(g, 0, 1e-13);
    return analyze_rank(evaluator, state, {.here_only = true}).rank;
  };
  EXPECT_EQ(rank_at(0.3, 0.4), 37);
  EXPECT_EQ(rank_at(singular, 0.4), 36);
  EXPECT_EQ(rank_at(0.3, singular), 36);
  EXPECT_EQ(rank_at(singular, singular), 35);
}

double condition(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A);
  return svd.singularValues()[0] / svd.singularValues()[A.rows() - 1];
}

// [2M/h  h Gᵀ; G  0] of the crane, trolley at 2.5 m: 9.5e8, 9.5e11, 9.5e14 at h = 0.1, 0.01, 0.001
// by another program. The matrix that is solved, with rows and unknowns scaled by powers of h,
// keeps its condition.
TEST(EnergyMomentum, ConditionOfTheStepDoesNotGrowAsTheStepShrinks) {
  const Equations e = derive(
      read_model(KOPPEL_SOURCE "/tests/simulate/rotary_crane_42.yaml", {.set = {{"s0", "2.5"}}}));
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const MatrixXd G = dense(evaluator.G(start)), M = dense((*evaluator.M)(start));
  const Problem problem = formulate(e, "index3", start);
  const StepEquations& steps = *problem.steps_of(StepRule::EnergyMomentum).equations;
  const StepEquations::Stage& stage = steps.stages()[0];
  std::vector<double> s0 = start_values(problem, evaluator, start);
  const double published[] = {9.5e8, 9.5e11, 9.5e14};
  double scaled[3];
  for (int k = 0; k < 3; ++k) {
    const double h = std::pow(10, -1 - k);
    MatrixXd plain = MatrixXd::Zero(79, 79);
    plain.topLeftCorner(42, 42) = 2 / h * M;
    plain.topRightCorner(42, 37) = h * G.transpose();
    plain.bottomLeftCorner(37, 42) = G;
    // To the two digits that are given; the last is limited by the arithmetic.
    EXPECT_NEAR(condition(plain) / published[k], 1, k == 2 ? 0.2 : 0.01);

    StepEquations::Workspace work = steps.make_workspace({});
    steps.begin(0, h, s0, work);
    std::vector<double> values(static_cast<std::size_t>(stage.pattern.num_entries()));
    steps.jacobian(0, values, work);
    const auto n = static_cast<Eigen::Index>(stage.size());
    MatrixXd J = MatrixXd::Zero(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int at = stage.pattern.column_start[column]; at < stage.pattern.column_start[column + 1];
           ++at) {
        const auto row = static_cast<std::size_t>(stage.pattern.row[static_cast<std::size_t>(at)]);
        J(stage.pattern.row[static_cast<std::size_t>(at)], j) =
            values[static_cast<std::size_t>(at)] * std::pow(h, stage.row_exponent[row]) /
            std::pow(h, stage.exponent[column]);
      }
    }
    scaled[k] = condition(J);
  }
  EXPECT_LT(scaled[2], 1e7);
  EXPECT_NEAR(scaled[2] / scaled[1], 1, 0.05);
}

}  // namespace
}  // namespace koppel::testing
