// The car axle's step, linear-implicit:J1 with ggl, as one would write it by hand: the mass matrix
// is k times the identity and forces do not depend on velocities, so only 2 × 2 systems are left.
#pragma once

#include <array>
#include <cmath>

namespace koppel::benchmarks {

struct HandAxle {
  double L = 1, L0 = 0.5, r = 0.1, w = 10, gravity = 1, k = 5e-4;
  std::array<double, 4> q{0, 0.5, 1, 0.5}, v{-0.5, 0, -0.5, 0};

  struct Road {
    double x, y, vx, vy;
  };
  Road road(double t) const {
    const double y = r * std::sin(w * t), vy = r * w * std::cos(w * t);
    const double x = std::sqrt(L * L - y * y);
    return {x, y, -y * vy / x, vy};
  }

  // Both rows have the sign of the model's constraints.
  static std::array<double, 2> constraints(const std::array<double, 4>& p, const Road& b,
                                           double L) {
    const double dx = p[0] - p[2], dy = p[1] - p[3];
    return {-(p[0] * b.x + p[1] * b.y), -(dx * dx + dy * dy - L * L)};
  }
  using Rows = std::array<std::array<double, 4>, 2>;
  static Rows gradient(const std::array<double, 4>& p, const Road& b) {
    const double dx = 2 * (p[0] - p[2]), dy = 2 * (p[1] - p[3]);
    return {{{-b.x, -b.y, 0, 0}, {-dx, -dy, dx, dy}}};
  }
  static double dot(const std::array<double, 4>& a, const std::array<double, 4>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  }
  // A Bᵀ x = b for two rows each.
  static std::array<double, 2> solve(const Rows& A, const Rows& B, const std::array<double, 2>& b) {
    const double a00 = dot(A[0], B[0]), a01 = dot(A[0], B[1]), a10 = dot(A[1], B[0]),
                 a11 = dot(A[1], B[1]), d = 1 / (a00 * a11 - a01 * a10);
    return {(a11 * b[0] - a01 * b[1]) * d, (a00 * b[1] - a10 * b[0]) * d};
  }

  // A spring of stiffness 1 at (x, y) from its foot, and the change of its force along (vx, vy).
  void spring(double x, double y, double vx, double vy, double h, double& fx, double& fy) const {
    const double s = x * x + y * y, c = L0 / std::sqrt(s), dc = -c * (x * vx + y * vy) / s;
    fx = (c - 1) * x + h * (dc * x + (c - 1) * vx);
    fy = (c - 1) * y - k * gravity + h * (dc * y + (c - 1) * vy);
  }

  void step(double t, double h) {
    const Road b = road(t), b1 = road(t + h);
    std::array<double, 4> f{}, next{};
    spring(q[0], q[1], v[0], v[1], h, f[0], f[1]);
    spring(q[2] - b.x, q[3] - b.y, v[2] - b.vx, v[3] - b.vy, h, f[2], f[3]);
    for (std::size_t i = 0; i < 4; ++i) next[i] = q[i] + h * v[i];
    const Rows G = gradient(q, b);
    const auto g = constraints(next, b1, L);
    const auto mu = solve(G, G, {-g[0], -g[1]});
    for (std::size_t i = 0; i < 4; ++i) next[i] += G[0][i] * mu[0] + G[1][i] * mu[1];
    const Rows G1 = gradient(next, b1);
    const double rate0 = dot(G1[0], v) - (next[0] * b1.vx + next[1] * b1.vy), rate1 = dot(G1[1], v);
    const auto lambda =
        solve(G1, G, {dot(G1[0], f) + k * rate0 / h, dot(G1[1], f) + k * rate1 / h});
    for (std::size_t i = 0; i < 4; ++i) {
      v[i] += h / k * (f[i] - G[0][i] * lambda[0] - G[1][i] * lambda[1]);
    }
    q = next;
  }
};

}  // namespace koppel::benchmarks
