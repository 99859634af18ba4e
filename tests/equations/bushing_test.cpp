// Bushings against Newton and Euler in plain numbers: w = −K x − D ẋ with full matrices, between
// two bodies that move and turn.
#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using Vector = Vec3<double>;
using Square = std::vector<std::vector<double>>;

std::string text_of(const Square& m) {
  std::string text = "[";
  for (const auto& row : m) {
    text += text.size() > 1 ? ", [" : "[";
    for (std::size_t j = 0; j < row.size(); ++j)
      text += (j > 0 ? ", " : "") + std::to_string(row[j]);
    text += "]";
  }
  return text + "]";
}

// Entries in thousandths, so that the text has all of them.
Square random_matrix(std::mt19937& random, std::size_t size, int largest) {
  std::uniform_int_distribution<int> thousandths(-1000 * largest, 1000 * largest);
  Square m(size, std::vector<double>(size));
  for (auto& row : m) {
    for (double& x : row) x = thousandths(random) / 1000.0;
  }
  return m;
}

std::vector<double> times(const Square& m, const std::vector<double>& x) {
  std::vector<double> y(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += m[i][j] * x[j];
  }
  return y;
}

struct Moving {
  double mass;
  Vector inertia, com, centre, velocity, spin;  // com and spin in body axes
  Mat3<double> R;
  Vector force, torque;  // on it: world axes, the torque about its centre

  Vector origin() const { return centre - R * com; }
  Vector rate_of(const Vector& at) const { return velocity + cross(R * spin, at - centre); }
  void push(const Vector& f, const Vector& at) {
    force += f;
    torque += cross(at - centre, f);
  }
  // J ω̇ = τ − ω × J ω, in body axes.
  Vector spin_rate() const {
    const Vector J_spin = {inertia.x * spin.x, inertia.y * spin.y, inertia.z * spin.z};
    const Vector t = transpose(R) * torque - cross(spin, J_spin);
    return {t.x / inertia.x, t.y / inertia.y, t.z / inertia.z};
  }
};

Vector part(const std::vector<double>& x, std::size_t first) {
  return {x[first], x[first + 1], x[first + 2]};
}

// Bodies a and b are placed parallel, so that the frames of the bushing are those of the bodies.
TEST(Bushing, HasTheForcesAndTorquesOfFullMatricesInSpace) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Square K = random_matrix(random, 6, 50), D = random_matrix(random, 6, 9);
  const Model model = read_model_text(
      "bodies:\n"
      "  a: {mass: 2, inertia: [1.3, 1, 0.8], com: [0.1, -0.2, 0], points: {P: [0.3, 0.1, 0.2]}}\n"
      "  b: {mass: 3, inertia: [0.7, 1.1, 0.9], com: [0.1, 0.05, -0.2], position: [0.5, 0, 0.1],\n"
      "      points: {P: [-0.2, 0.1, 0.1]}}\n"
      "forces:\n  rubber: {type: bushing, between: [a.P, b.P], stiffness: " +
          text_of(K) + ", damping: " + text_of(D) + "}\n",
      "bushing.yaml");
  const Evaluator evaluator(derive(model, "absolute"));
  State state = start_of(evaluator.equations);
  std::array<Moving, 2> bodies;
  bodies[0] = {2, {1.3, 1, 0.8}, {0.1, -0.2, 0}, {}, {}, {}, {}, {}, {}};
  bodies[1] = {3, {0.7, 1.1, 0.9}, {0.1, 0.05, -0.2}, {}, {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 7; ++j) state.q[7 * i + j] += 0.3 * uniform(random);
    double sum = 0;
    for (std::size_t j = 3; j < 7; ++j) sum += state.q[7 * i + j] * state.q[7 * i + j];
    for (std::size_t j = 3; j < 7; ++j) state.q[7 * i + j] /= std::sqrt(sum);
    for (std::size_t j = 0; j < 6; ++j) state.v[6 * i + j] = 2 * uniform(random);
    const double* e = &state.q[7 * i + 3];
    bodies[i].R = rotation(std::array<double, 4>{e[0], e[1], e[2], e[3]});
    bodies[i].centre = part(state.q, 7 * i);
    bodies[i].velocity = part(state.v, 6 * i);
    bodies[i].spin = part(state.v, 6 * i + 3);
  }
  Moving &a = bodies[0], &b = bodies[1];
  const Vector pa = a.origin() + a.R * Vector{0.3, 0.1, 0.2};
  const Vector pb = b.origin() + b.R * Vector{-0.2, 0.1, 0.1};
  const Mat3<double> Q = transpose(a.R) * b.R;
  // ḋ is the velocity of b's point as seen from a: less that of a's body at the same place.
  const Vector d = transpose(a.R) * (pb - pa),
               d_rate = transpose(a.R) * (b.rate_of(pb) - a.rate_of(pb));
  const Vector theta = 0.5 * Vector{Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1)};
  const Vector turning = b.spin - transpose(Q) * a.spin;
  const std::vector<double> Kx = times(K, {d.x, d.y, d.z, theta.x, theta.y, theta.z});
  const std::vector<double> Dx =
      times(D, {d_rate.x, d_rate.y, d_rate.z, turning.x, turning.y, turning.z});
  const Vector F = a.R * (-part(Kx, 0) - part(Dx, 0)), T = b.R * (-part(Kx, 3) - part(Dx, 3));
  b.push(F, pb);
  a.push(-F, pb);
  b.torque += T;
  a.torque -= T;
  const std::vector<double> found = solve_accelerations(evaluator, state).v_rate;
  for (std::size_t i = 0; i < 2; ++i) {
    const Vector acceleration = (1 / bodies[i].mass) * bodies[i].force;
    EXPECT_NEAR(norm(part(found, 6 * i) - acceleration), 0, 1e-12 * norm(acceleration)) << i;
    const Vector spin_rate = bodies[i].spin_rate();
    EXPECT_NEAR(norm(part(found, 6 * i + 3) - spin_rate), 0, 1e-12 * norm(spin_rate)) << i;
  }
}

// x = (dx, dy, angle) of a body against the ground: m r̈ = F, J α = T + (p − c) × F.
TEST(Bushing, HasTheForcesAndTheTorqueOfFullMatricesInThePlane) {
  std::mt19937 random(6);
  const Square K = random_matrix(random, 3, 50), D = random_matrix(random, 3, 9);
  const Model model = read_model_text(
      "dimension: 2\n"
      "bodies: {b: {mass: 2, inertia: 0.8, com: [0.1, -0.2], points: {P: [0.3, 0.1]}}}\n"
      "forces:\n  rubber: {type: bushing, between: [{ground: [0.3, 0.1]}, b.P], stiffness: " +
          text_of(K) + ", damping: " + text_of(D) + "}\n",
      "bushing.yaml");
  const Evaluator evaluator(derive(model, "absolute"));
  State state = start_of(evaluator.equations);
  const double angle = 0.6, spin = -1.7;
  state.q = {0.4, -0.3, angle};
  state.v = {1.1, 0.5, spin};
  const double c = std::cos(angle), s = std::sin(angle);
  const Vector arm = {c * 0.2 - s * 0.3, s * 0.2 + c * 0.3, 0};  // from the centre to P
  const std::vector<double> Kx = times(K, {0.4 + arm.x - 0.3, -0.3 + arm.y - 0.1, angle});
  const std::vector<double> Dx = times(D, {1.1 - spin * arm.y, 0.5 + spin * arm.x, spin});
  const Vector F = {-Kx[0] - Dx[0], -Kx[1] - Dx[1], 0};
  const std::vector<double> found = solve_accelerations(evaluator, state).v_rate;
  const testing::Tolerance round_off = {.relative = 1e-12, .because = "round-off"};
  EXPECT_TRUE(testing::near(found[0], F.x / 2, round_off));
  EXPECT_TRUE(testing::near(found[1], F.y / 2, round_off));
  EXPECT_TRUE(testing::near(found[2], (cross(arm, F).z - Kx[2] - Dx[2]) / 0.8, round_off));
}

}  // namespace
}  // namespace koppel
