// Systems whose solutions are known, as Problems: for tests of integrators, and for measuring them.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel::problems {

struct Analytic {
  Problem problem;
  double end = 1;  // the start is at 0
  std::vector<double> y;
  std::function<std::vector<double>(double t)> exact;  // empty: not known in closed form
};

// ẏ = rates(t, y), as a right-hand side and as the residual ẏ − rates.
using Rates = std::function<std::vector<Expr>(Expr t, const std::vector<Expr>& y)>;
inline Problem make_ode(const std::string& name, int size, const Rates& rates,
                        std::vector<double> breakpoints = {}) {
  struct Symbols {
    Graph graph;
    Expr t;
    std::vector<Expr> y, y_rate, r;
  };
  const auto s = std::make_shared<Symbols>();
  Problem problem;
  problem.name = name;
  problem.formulation = "ode";
  problem.num_x = size;
  problem.breakpoints = std::move(breakpoints);
  s->t = s->graph.symbol("t");
  for (int i = 0; i < size; ++i) {
    problem.labels.push_back("y[" + std::to_string(i) + "]");
    s->y.push_back(s->graph.symbol(problem.labels.back()));
    s->y_rate.push_back(s->graph.symbol(problem.labels.back() + "'"));
  }
  s->r = rates(s->t, s->y);
  problem.rhs = Lazy<RightHandSide>([s] {
    RightHandSideTerms terms;
    terms.t = s->t;
    terms.y = s->y;
    terms.rate = s->r;
    terms.z_of.assign(s->y.size(), -1);
    terms.graph = {s, &s->graph};
    return RightHandSide(terms);
  });
  problem.residual = Lazy<Residual>([s, labels = problem.labels] {
    ResidualTerms terms{s->t, s->y, s->y_rate, {}, {}, std::vector<int>(s->y.size(), 0)};
    for (std::size_t i = 0; i < s->y.size(); ++i) {
      terms.F.push_back({labels[i], s->y_rate[i] - s->r[i]});
    }
    return Residual(terms);
  });
  return problem;
}

// ÿ = −y.
inline Analytic harmonic_oscillator() {
  return {make_ode("oscillator", 2,
                   [](Expr, const std::vector<Expr>& y) {
                     return std::vector{y[1], -y[0]};
                   }),
          10,
          {1, 0},
          [](double t) {
            return std::vector{std::cos(t), -std::sin(t)};
          }};
}

// ẏ = −stiffness (y − cos t) − sin t: the solution cos t attracts strongly [Prothero & Robinson
// 1974].
inline Analytic stiff_relaxation(double stiffness) {
  return {make_ode("relaxation", 1,
                   [=](Expr t, const std::vector<Expr>& y) {
                     return std::vector{-stiffness * (y[0] - cos(t)) - sin(t)};
                   }),
          2,
          {1},
          [](double t) { return std::vector{std::cos(t)}; }};
}

// Van der Pol's equation with ε = 10⁻⁶ [Hairer & Wanner 1996, section IV.10]; the reference at t =
// 2 is theirs.
inline Analytic van_der_pol() {
  return {make_ode("van der pol", 2,
                   [](Expr, const std::vector<Expr>& y) {
                     return std::vector{y[1], ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6};
                   }),
          2,
          {2, -0.66},
          {}};
}

// The restricted three-body problem on a closed orbit [Hairer, Nørsett & Wanner 1993, section
// II.0]: at the end the start is reached again.
inline Analytic arenstorf() {
  const double mu = 0.012277471, nu = 1 - mu;
  const std::vector<double> start = {0.994, 0, 0, -2.00158510637908252240537862224};
  return {make_ode("arenstorf", 4,
                   [=](Expr, const std::vector<Expr>& y) {
                     const Expr a = y[0] + mu, b = y[0] - nu;
                     const Expr r1 = pow(a * a + y[1] * y[1], 1.5);
                     const Expr r2 = pow(b * b + y[1] * y[1], 1.5);
                     return std::vector{y[2], y[3], y[0] + 2 * y[3] - nu * a / r1 - mu * b / r2,
                                        y[1] - 2 * y[2] - nu * y[1] / r1 - mu * y[1] / r2};
                   }),
          17.0652165601579625588917206249, start, [start](double) { return start; }};
}

// A row of equal masses and springs between walls, plucked in its first mode: with y = (q, v),
// v̇_i = q_{i−1} − 2 q_i + q_{i+1}, whose frequency is 2 sin(π/(2(n + 1))). Large and sparse.
inline Analytic spring_chain(int n) {
  const auto mode = [n](double t) {
    const double k = std::numbers::pi / (n + 1), omega = 2 * std::sin(k / 2);
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) y.push_back(std::sin(i * k) * std::cos(omega * t));
    for (int i = 1; i <= n; ++i) y.push_back(-omega * std::sin(i * k) * std::sin(omega * t));
    return y;
  };
  const auto rates = [n](Expr, const std::vector<Expr>& y) {
    const auto at = [&](int i) {
      return i < 0 || i >= n ? Expr(0) : y[static_cast<std::size_t>(i)];
    };
    std::vector<Expr> r;
    for (int i = 0; i < n; ++i) r.push_back(y[static_cast<std::size_t>(n + i)]);
    for (int i = 0; i < n; ++i) r.push_back(at(i - 1) - 2 * at(i) + at(i + 1));
    return r;
  };
  return {make_ode("springs", 2 * n, rates), 20, mode(0), mode};
}

// ẏ₀ jumps at t = 1: cos t before, −3 y₀ after, so that a step across it loses all order.
inline Analytic jump() {
  return {make_ode("jump", 1,
                   [](Expr t, const std::vector<Expr>& y) {
                     return std::vector{select(t < 1, cos(t), -3 * y[0])};
                   },
                   {1}),
          2,
          {0},
          [](double t) {
            return std::vector{t <= 1 ? std::sin(t) : std::sin(1.0) * std::exp(-3 * (t - 1))};
          }};
}

}  // namespace koppel::problems
