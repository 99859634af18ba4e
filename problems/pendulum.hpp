// The plane pendulum in Cartesian coordinates, released from rest, with its solution in closed
// form.
//
//   q̇ = v − Gᵀη,   v̇ = (0, −g₀) − Gᵀλ,   g = ½(x² + y² − 1),   G = (x, y)                   (1)
//
// With the angle θ from the lowest point, sin(θ/2) = k sn(K(k) − ω t, k), k = sin(θ₀/2), ω² = g₀,
// and λ = |v|² − g₀ y.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <problems/analytic.hpp>

namespace koppel::problems {

inline constexpr double kPendulumGravity = 9.81;
inline constexpr double kPendulumAngle = 1.2;  // at the start

// sn, cn, dn of Jacobi for modulus k, by the arithmetic-geometric mean: with a₀ = 1, b₀ = k′,
// φ_N = 2^N a_N u and sin(2φ_{n−1} − φ_n) = (c_n/a_n) sin φ_n.
struct JacobiElliptic {
  double sn, cn, dn;
};
inline JacobiElliptic jacobi_elliptic(double u, double k) {
  double a[16], c[16], b = std::sqrt(1 - k * k);
  a[0] = 1;
  c[0] = k;
  int n = 0;
  while (std::abs(c[n]) > 1e-17 && n < 15) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

// x, y, v_x, v_y, λ.
inline std::vector<double> pendulum_solution(double t) {
  const double omega = std::sqrt(kPendulumGravity), k = std::sin(kPendulumAngle / 2);
  const JacobiElliptic j = jacobi_elliptic(std::comp_ellint_1(k) - omega * t, k);
  const double s = k * j.sn, c = j.dn;        // sin, cos of θ/2
  const double rate = -2 * omega * k * j.cn;  // θ̇, from cos(θ/2) θ̇/2 = −ω k cn dn
  const double x = 2 * s * c, y = 2 * s * s - 1;
  return {x, y, -y * rate, x * rate, rate * rate - kPendulumGravity * y};
}

// Formulations index3, index2, index1 and ggl of (1), all with a projector; index1 with a
// right-hand side as well.
inline Analytic pendulum(std::string_view formulation) {
  const auto e = std::make_shared<Equations>();
  e->graph = std::make_shared<Graph>();
  Graph& graph = *e->graph;
  e->t = graph.symbol("t");
  e->q = {graph.symbol("x"), graph.symbol("y")};
  e->v = {graph.symbol("x'"), graph.symbol("y'")};
  e->rows.emplace_back().name = "rod";
  const Expr x = e->q[0], y = e->q[1], vx = e->v[0], vy = e->v[1];
  const SparseExpr identity{{2, 2, {0, 1, 2}, {0, 1}}, {1, 1}};
  e->K = identity;
  e->M = Lazy<SparseExpr>([identity] { return identity; });
  e->f = {0, -kPendulumGravity};
  e->g = {(x * x + y * y - 1) / 2};
  e->G = {{1, 2, {0, 1, 2}, {0, 0}}, {x, y}};
  e->a = {{0, 2, {0, 0, 0}, {}}, {}};
  e->g_t = {0};
  e->gamma = {vx * vx + vy * vy};

  const bool is_ggl = formulation == "ggl";
  Problem problem;
  problem.name = "pendulum";
  problem.formulation = formulation;
  problem.index = formulation == "index3" ? 3 : formulation == "index1" ? 1 : 2;
  problem.num_q = problem.num_v = 2;
  problem.num_lambda = 1;
  problem.num_eta = is_ggl ? 1 : 0;
  problem.labels = {"x", "y", "vx", "vy", "lambda"};
  if (is_ggl) problem.labels.push_back("eta");

  problem.projector = Lazy<Projector>([e] {
    const int kept[] = {0};
    return Projector(*e, kept, {}, {});
  });
  problem.residual = Lazy<Residual>([=, labels = problem.labels, index = problem.index] {
    ResidualTerms terms;
    terms.t = e->t;
    for (const std::string& label : labels) {
      terms.y.push_back(e->graph->symbol(label));
      terms.y_rate.push_back(e->graph->symbol(label + "_rate"));
    }
    const std::vector<Expr>&u = terms.y, &r = terms.y_rate;
    const Expr eta = is_ggl ? u[5] : Expr(0);
    const Expr g = (u[0] * u[0] + u[1] * u[1] - 1) / 2, g_rate = u[0] * u[2] + u[1] * u[3];
    const Expr g_rate_rate = u[0] * r[2] + u[1] * r[3] + u[2] * u[2] + u[3] * u[3];
    terms.F = {{"x", r[0] - u[2] + u[0] * eta},
               {"y", r[1] - u[3] + u[1] * eta},
               {"vx", r[2] + u[0] * u[4]},
               {"vy", r[3] + kPendulumGravity + u[1] * u[4]},
               {"rod", index == 3   ? g
                       : index == 2 ? g_rate
                                    : g_rate_rate}};
    terms.index = {0, 0, 0, 0, index};
    if (is_ggl) {
      terms.F.push_back({"rod, position", g});
      terms.index.push_back(2);
    }
    return Residual(terms);
  });
  if (problem.index == 1) {
    problem.rhs = Lazy<RightHandSide>([e] {
      RightHandSideTerms terms;
      const Expr px = e->q[0], py = e->q[1];
      terms.t = e->t;
      terms.y = {px, py, e->v[0], e->v[1]};
      terms.rate = {e->v[0], e->v[1], 0, 0};
      terms.z_of = {-1, -1, 0, 1};
      terms.A = {{3, 3, {0, 2, 4, 6}, {0, 2, 1, 2, 0, 1}}, {1, px, 1, py, px, py}};
      terms.b = {e->f[0], e->f[1], -e->gamma[0]};
      terms.graph = e->graph;
      return RightHandSide(terms);
    });
  }
  const auto exact = [is_ggl](double t) {
    std::vector<double> y_exact = pendulum_solution(t);
    if (is_ggl) y_exact.push_back(0);
    return y_exact;
  };
  return {problem, 2, exact(0), exact};
}

}  // namespace koppel::problems
