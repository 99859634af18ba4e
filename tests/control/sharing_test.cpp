// More inputs than outputs, with limits: against closed forms and the conditions of optimality.
#include <array>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <koppel/control/inputs/least_norm_program.hpp>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// x = Aᵀν with ν ≥ 0, and ν_i = 0 where row i is not active.
void check_optimality(const MatrixXd& A, const VectorXd& b, const LeastNorm& found) {
  ASSERT_TRUE(found.is_found);
  EXPECT_GE((A * found.x - b).minCoeff(), -1e-10 * (1 + b.norm()));
  if (found.active.empty()) {
    EXPECT_EQ(found.x.norm(), 0);
    return;
  }
  const MatrixXd active = A(found.active, Eigen::all);
  const VectorXd nu = active.transpose().completeOrthogonalDecomposition().solve(found.x);
  EXPECT_LT((active.transpose() * nu - found.x).norm(), 1e-9 * (1 + found.x.norm()));
  EXPECT_GE(nu.minCoeff(), -1e-9 * (1 + nu.norm()));
  EXPECT_LT((active * found.x - b(found.active)).norm(), 1e-9 * (1 + b.norm()));
}

TEST(LeastNormProgram, SatisfiesTheConditionsOfOptimality) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int n = 1; n <= 5; ++n) {
    for (int trial = 0; trial < 40; ++trial) {
      const int m = n + trial % 12;
      MatrixXd A(m, n);
      for (int k = 0; k < A.size(); ++k) A.data()[k] = normal(random);
      VectorXd inside(n), b(m);
      for (int k = 0; k < n; ++k) inside[k] = 3 * normal(random);
      for (int k = 0; k < m; ++k) b[k] = A.row(k).dot(inside) - std::abs(normal(random));
      check_optimality(A, b, solve_least_norm_program(A, b));
      // There is room: nothing has to be violated, and the solution is the same.
      const LeastNorm relaxed = solve_relaxed(A, b);
      ASSERT_TRUE(relaxed.is_found);
      EXPECT_LT(relaxed.violation.cwiseAbs().maxCoeff(), 1e-8);
      EXPECT_LT((relaxed.x - solve_least_norm_program(A, b).x).norm(), 1e-6);
    }
  }
}

TEST(LeastNormProgram, FindsTheLeastViolationWhereNothingSatisfiesAll) {
  // x ≥ 1 and −x ≥ 1, −x ≥ 2: least Σ ε² of ε = 1 − x, 1 + x, 2 + x is at x = −2/3.
  MatrixXd A(3, 1);
  A << 1, -1, -1;
  const VectorXd b = Eigen::Vector3d(1, 1, 2);
  EXPECT_FALSE(solve_least_norm_program(A, b).is_found);
  const LeastNorm found = solve_relaxed(A, b);
  ASSERT_TRUE(found.is_found);
  EXPECT_NEAR(found.x[0], -2.0 / 3, 1e-9);
  EXPECT_NEAR(found.violation[0], 5.0 / 3, 1e-9);
  EXPECT_NEAR(found.violation[1], 1.0 / 3, 1e-9);
  EXPECT_NEAR(found.violation[2], 4.0 / 3, 1e-9);
}

// The law τ⁵(126 − …) of smoothness 4 and its second derivative by time.
std::array<double, 2> law(double t, double T) {
  const double x = t / T;
  return {x * x * x * x * x * (126 + x * (-420 + x * (540 + x * (-315 + 70 * x)))),
          630 * 4 * std::pow(x * (1 - x), 3) * (1 - 2 * x) / (T * T)};
}

// Of models/cable_robot_planar.yaml at a time: tensions times W are force and torque.
struct Planar {
  Eigen::Matrix<double, 3, 4> W;
  Eigen::Vector3d wrench;
};
Planar planar_robot(double t, double m = 5) {
  const auto [c, c2] = law(t, 2);
  const double x = 1 + c, y = 1 + 0.2 * c, phi = 0.1 * c;
  const double A[4][2] = {{0, 0}, {3, 0}, {3, 2}, {0, 2}};
  const double B[4][2] = {{-0.15, 0.1}, {0.15, 0.1}, {0.15, -0.1}, {-0.15, -0.1}};
  Planar out;
  for (int i = 0; i < 4; ++i) {
    const double rx = std::cos(phi) * B[i][0] - std::sin(phi) * B[i][1];
    const double ry = std::sin(phi) * B[i][0] + std::cos(phi) * B[i][1];
    const double dx = A[i][0] - x - rx, dy = A[i][1] - y - ry, l = std::hypot(dx, dy);
    out.W.col(i) << dx / l, dy / l, (rx * dy - ry * dx) / l;
  }
  out.wrench << m * c2, m * (0.2 * c2 + 9.81), 0.1 * 0.1 * c2;
  return out;
}

VectorXd inputs_at(const Inverse& result, std::size_t row) {
  VectorXd u(static_cast<Eigen::Index>(result.equations->u.size()));
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    u[i] = result.trajectory[result.equations->u[static_cast<std::size_t>(i)].name()][row];
  }
  return u;
}

Inverse solve(const Model& model, const std::string& method = "", bool verify = false) {
  InverseOptions options = inverse_options_of(model);
  options.method = method;
  options.verify = verify;
  options.sampling.count = 401;
  return inverse(model, options);
}

// One tension too many: u = u₀ + z n with W n = 0 and the z nearest to 0 for which all are within
// their limits.
TEST(Sharing, FourCablesKeepTheirLeastTensionInAllCoordinates) {
  const Model model = model_file("cable_robot_planar");
  for (const char* method : {"", "minimal-extension:twice"}) {
    const Inverse result = solve(model, method, true);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_TRUE(result.summary.limit_violations.empty());
    EXPECT_TRUE(result.summary.unavoidable.empty());
    EXPECT_LT(result.summary.verification->relative_error, *method == 0 ? 1e-10 : 1e-5);
    bool held[4] = {};
    for (std::size_t row = 0; row < result.trajectory.num_rows(); ++row) {
      const Planar at = planar_robot(result.trajectory.time()[row]);
      const VectorXd u0 = at.W.transpose() * (at.W * at.W.transpose()).ldlt().solve(at.wrench);
      const VectorXd n = at.W.fullPivLu().kernel().col(0);
      double low = -1e9, high = 1e9;
      for (int i = 0; i < 4; ++i) {
        const double a = (10 - u0[i]) / n[i], b = (500 - u0[i]) / n[i];
        low = std::max(low, std::min(a, b));
        high = std::min(high, std::max(a, b));
      }
      ASSERT_LT(low, high);
      const VectorXd exact = u0 + std::clamp(0.0, low, high) * n;
      const VectorXd u = inputs_at(result, row);
      EXPECT_LT((u - exact).norm(), 1e-8) << row;
      for (int i = 0; i < 4; ++i) held[i] = held[i] || std::abs(u[i] - 10) < 1e-9;
    }
    EXPECT_TRUE(held[0] && held[1]) << "another cable is the slackest on the way";
  }
}

// With a smaller step from row to row the largest change of an input shrinks in proportion.
TEST(Sharing, InputsAreContinuousInTime) {
  const Model model = model_file("cable_robot_planar");
  const auto largest_change = [&](int rows) {
    InverseOptions options = inverse_options_of(model);
    options.sampling.count = rows;
    const Inverse result = inverse(model, options);
    double most = 0;
    for (std::size_t row = 1; row < result.trajectory.num_rows(); ++row) {
      most = std::max(most, (inputs_at(result, row) - inputs_at(result, row - 1)).norm());
    }
    return most;
  };
  EXPECT_NEAR(largest_change(401) / largest_change(801), 2, 0.1);
}

// Of models/cable_robot.yaml.
MatrixXd spatial_robot(double t, VectorXd& wrench) {
  const auto [s, s2] = law(t, 3);
  const Eigen::Vector3d at(-0.5 + s, -0.3 + 0.6 * s, 1 + 0.4 * s);
  const Eigen::AngleAxisd turn(0.2 * s, Eigen::Vector3d::UnitZ());
  MatrixXd W(6, 8);
  for (int i = 0; i < 8; ++i) {
    const double sx[] = {1, -1, -1, 1}, sy[] = {1, 1, -1, -1};
    const bool is_upper = i < 4;
    const double x = sx[i % 4], y = sy[i % 4];
    const Eigen::Vector3d A(2 * x, 1.5 * y, is_upper ? 2.5 : 0);
    const Eigen::Vector3d B = is_upper ? Eigen::Vector3d(0.2 * x, 0.05 * y, -0.1)
                                       : Eigen::Vector3d(0.05 * x, 0.2 * y, 0.1);
    const Eigen::Vector3d r = turn * B, d = (A - at - r).normalized();
    W.col(i) << d, r.cross(d);
  }
  wrench.resize(6);
  wrench << 20 * s2, 20 * 0.6 * s2, 20 * (0.4 * s2 + 9.81), 0, 0, 0.8 * 0.2 * s2;
  return W;
}

// Two tensions too many: W u is the wrench, limits are kept, and u = Wᵀκ + ν with ν ≥ 0 of cables
// at their least tension.
TEST(Sharing, EightCablesSatisfyTheConditionsOfOptimality) {
  const Inverse result = solve(model_file("cable_robot"), "", true);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_TRUE(result.summary.limit_violations.empty());
  EXPECT_TRUE(result.summary.verification->is_verified);
  std::size_t most_held = 0;
  for (std::size_t row = 0; row < result.trajectory.num_rows(); row += 5) {
    VectorXd wrench;
    const MatrixXd W = spatial_robot(result.trajectory.time()[row], wrench);
    const VectorXd u = inputs_at(result, row);
    EXPECT_LT((W * u - wrench).norm(), 1e-8) << row;
    EXPECT_GE(u.minCoeff(), 20 - 1e-8) << row;
    std::vector<Eigen::Index> free, held;
    for (Eigen::Index i = 0; i < 8; ++i) (u[i] > 20 + 1e-7 ? free : held).push_back(i);
    most_held = std::max(most_held, held.size());
    const MatrixXd of_free = W(Eigen::all, free).transpose();
    const VectorXd kappa = of_free.completeOrthogonalDecomposition().solve(VectorXd(u(free)));
    EXPECT_LT((of_free * kappa - u(free)).norm(), 1e-7) << row;
    for (const Eigen::Index i : held) EXPECT_GE(u[i] - W.col(i).dot(kappa), -1e-6) << row;
  }
  EXPECT_GE(most_held, 2u);
}

// A platform that is too heavy for its upper cables: the interval, and least squares of what is
// beyond the limits, along the one direction there is.
TEST(Sharing, WhereLimitsCannotBeKeptTheLeastViolationIsTold) {
  const Model model = model_file("cable_robot_planar", {{"m", "80"}});
  const Inverse result = solve(model);
  ASSERT_EQ(result.status, Outcome::Status::Doubtful) << result.text;
  ASSERT_FALSE(result.summary.unavoidable.empty());
  double worst = 0, first = -1;
  for (std::size_t row = 0; row < result.trajectory.num_rows(); ++row) {
    const double t = result.trajectory.time()[row];
    const Planar at = planar_robot(t, 80);
    const VectorXd u0 = at.W.transpose() * (at.W * at.W.transpose()).ldlt().solve(at.wrench);
    const VectorXd n = at.W.fullPivLu().kernel().col(0).normalized();
    const auto beyond = [&](double z) {
      const VectorXd u = u0 + z * n;
      return VectorXd((u.array() - 500).max(10 - u.array()).max(0));
    };
    double a = -3000, b = 3000;  // Σ ε² is convex in z
    for (int k = 0; k < 200; ++k) {
      const double l = a + (b - a) / 3, r = b - (b - a) / 3;
      (beyond(l).squaredNorm() < beyond(r).squaredNorm() ? b : a) =
          beyond(l).squaredNorm() < beyond(r).squaredNorm() ? r : l;
    }
    const double least = beyond(0.5 * (a + b)).maxCoeff();
    if (least > 1e-3 && first < 0) first = t;
    worst = std::max(worst, least);
    if (least > 1e-3) {
      const VectorXd u = inputs_at(result, row);
      const double there = std::max((u.array() - 500).maxCoeff(), (10 - u.array()).maxCoeff());
      EXPECT_NEAR(there, least, 1e-4 * least) << t;
    }
  }
  ASSERT_GE(first, 0);
  const Excess& e = result.summary.unavoidable.front();
  EXPECT_NEAR(e.from, first, 0.0051);
  double told = 0;
  for (const Excess& x : result.summary.unavoidable) told = std::max(told, x.worst);
  EXPECT_NEAR(told, worst, 1e-4 * worst);
}

// Cables as constraints between winches and the platform: their multipliers stay positive.
TEST(Sharing, CablesOfWinchesPull) {
  const Model model = read_model_text(
      "name: robot\ndimension: 2\ngravity: [0, -9.81]\ninputs: [M1, M2, M3]\n"
      "bodies: {load: {point_mass: 5, position: [1, 1]}}\n"
      "coordinates: {a: sqrt(2), b: sqrt(5), c: sqrt(2)}\n"
      "kinetic: 2*(a'^2 + b'^2 + c'^2)\n"
      "generalized_forces: {a: -M1/0.05, b: -M2/0.05, c: -M3/0.05}\n"
      "constraints:\n"
      "  lower: {value: \"(load.x^2 + load.y^2 - a^2)/2\", pulls: true}\n"
      "  right: {value: \"((load.x - 3)^2 + (load.y - 2)^2 - b^2)/2\", pulls: true}\n"
      "  left: {value: \"(load.x^2 + (load.y - 2)^2 - c^2)/2\", pulls: true}\n"
      "signals: {s: {type: rest-to-rest, duration: 2}}\n"
      "servo: {x: {output: load.x, reference: 1 + s}, y: {output: load.y, reference: 1 + s/5}}\n"
      "positive: {a: a, b: b, c: c}\nrun: {end: 2}\n",
      "robot.yaml");
  const Inverse result = solve(model, "", true);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_TRUE(result.summary.pushing_cables.empty());
  EXPECT_LT(result.summary.verification->relative_error, 1e-10);
  // Without inputs of their own the lower cable would push: it is just not slack.
  double least = 1e9;
  for (const double lambda : result.trajectory["lambda.lower"]) least = std::min(least, lambda);
  EXPECT_NEAR(least, 0, 1e-9);
}

TEST(Sharing, LimitsAreLeftWhereSharesWouldChangeInternalDynamics) {
  // Both forces move x; B moves y, which is not prescribed, as well.
  const Model model = read_model_text(
      "name: sled\ninputs: {A: {min: 0, max: 1}, B: {min: 0, max: 1}}\ncoordinates: {x: 0, y: 0}\n"
      "kinetic: (x'^2 + y'^2)/2\npotential: y^2/2\ndissipation: y'^2/2\n"
      "generalized_forces: {x: A + B, y: B}\n"
      "signals: {c: {type: rest-to-rest, duration: 2}}\n"
      "servo: {x: {output: x, reference: c}}\nrun: {end: 2}\n",
      "sled.yaml");
  const Inverse result = solve(model);
  ASSERT_EQ(result.status, Outcome::Status::Doubtful) << result.text;
  EXPECT_FALSE(result.summary.limit_violations.empty());
  const auto& messages = result.summary.messages;
  EXPECT_NE(std::find(messages.begin(), messages.end(),
                      "the inputs are shared out without regard to their limits: other shares "
                      "would change the internal dynamics."),
            messages.end());
}

}  // namespace
}  // namespace koppel
