#include "models.hpp"

#include <cmath>
#include <string>

#include "by_hand.h"

namespace koppel::benchmarks {
namespace {

std::vector<Expr> make_symbols(Graph& graph, const std::string& name, int count) {
  std::vector<Expr> out;
  for (int i = 0; i < count; ++i) out.push_back(graph.symbol(name + '[' + std::to_string(i) + ']'));
  return out;
}

// Numbers that are all different and none of them special.
std::vector<double> spread(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(2 * std::sin(1.3 * static_cast<double>(i) + 0.5));
  }
  return out;
}

double mass(int i) { return 1 + 0.1 * i; }

// With p = 1/|r|³ of each pair: from d² as `inverse_cube` says.
std::vector<Expr> attractions(const std::vector<Expr>& x, Expr (*inverse_cube)(Expr)) {
  std::vector<Expr> a(x.size());
  const int n = static_cast<int>(x.size() / 3);
  const auto at = [](int body, int axis) { return static_cast<std::size_t>(3 * body + axis); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      Expr d[3];
      for (int m = 0; m < 3; ++m) d[m] = x[at(i, m)] - x[at(j, m)];
      const Expr p = inverse_cube(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      for (int m = 0; m < 3; ++m) {
        a[at(i, m)] -= mass(j) * p * d[m];
        a[at(j, m)] += mass(i) * p * d[m];
      }
    }
  }
  return a;
}

}  // namespace

Formula make_cart_pole(Graph& graph) {
  const double m = 0.3, l = 0.5, M = 1, g = 9.81;
  const auto [angle, w, F] = graph.symbols("angle", "w", "F");
  const Expr s = sin(angle), c = cos(angle);
  const Expr d = M + m * s * s;
  const Expr cart = (F + m * s * (l * w * w + g * c)) / d;
  const Expr pole = -(F * c + m * l * w * w * c * s + (M + m) * g * s) / (l * d);
  return {"cart and pole", {angle, w, F}, {cart, pole}, {0.4, -1.3, 2.1}, by_hand_cart_pole};
}

Formula make_chain(Graph& graph, int num_links) {
  const int n = num_links;
  const auto count = static_cast<std::size_t>(n);
  const double m = 0.2, l = 0.4, g = 9.81;
  std::vector<Expr> in = make_symbols(graph, "angle", n);
  const std::vector<Expr> rate = make_symbols(graph, "rate", n);
  std::vector<Expr> M(count * count), f(count), s, c, w;
  for (std::size_t i = 0; i < count; ++i) {
    const double below = n - static_cast<int>(i) - 0.5;
    s.push_back(sin(in[i]));
    c.push_back(cos(in[i]));
    w.push_back(rate[i] * rate[i]);
    M[i * count + i] = m * l * l * (below - 0.5 + 1.0 / 3);
    f[i] = -m * g * l * below * s[i];
  }
  for (std::size_t i = 1; i < count; ++i) {
    const double k = m * l * l * (n - static_cast<int>(i) - 0.5);
    for (std::size_t j = 0; j < i; ++j) {
      const Expr h = k * (s[i] * c[j] - c[i] * s[j]);
      M[i * count + j] = M[j * count + i] = k * (c[i] * c[j] + s[i] * s[j]);
      f[i] -= h * w[j];
      f[j] += h * w[i];
    }
  }
  in.insert(in.end(), rate.begin(), rate.end());
  M.insert(M.end(), f.begin(), f.end());
  return {"chain of links", in, M, spread(2 * count), n == kNumLinks ? by_hand_chain : nullptr};
}

Formula make_gravity(Graph& graph, int num_bodies) {
  const std::vector<Expr> x = make_symbols(graph, "x", 3 * num_bodies);
  const auto a = attractions(x, [](Expr d2) { return 1 / (d2 * sqrt(d2)); });
  return {"gravity", x, a, spread(x.size()), num_bodies == kNumBodies ? by_hand_gravity : nullptr};
}

System make_pendulum(Graph& graph) {
  const auto [angle, rate] = graph.symbols("angle", "rate");
  return {
      "pendulum", {angle, rate}, {rate, -9.81 * sin(angle)}, {0.7, 0.2}, by_hand_taylor_pendulum};
}

System make_kepler(Graph& graph) {
  const auto [x, y, vx, vy] = graph.symbols("x", "y", "vx", "vy");
  const Expr p = pow(x * x + y * y, -1.5);
  return {"Kepler problem",
          {x, y, vx, vy},
          {vx, vy, -x * p, -y * p},
          {1, 0.2, -0.1, 1.1},
          by_hand_taylor_kepler};
}

System make_double_pendulum(Graph& graph) {
  const double g = 9.81;
  const auto [angle1, angle2, w1, w2] = graph.symbols("angle1", "angle2", "w1", "w2");
  const Expr s = sin(angle1 - angle2), c = cos(angle1 - angle2);
  const Expr P = -s * w2 * w2 - 2 * g * sin(angle1);
  const Expr Q = s * w1 * w1 - g * sin(angle2);
  const Expr d = 1 + s * s;
  return {"double pendulum",
          {angle1, angle2, w1, w2},
          {w1, w2, (P - c * Q) / d, (2 * Q - c * P) / d},
          {0.9, -0.4, 0.3, 1.1},
          by_hand_taylor_double_pendulum};
}

System make_planets(Graph& graph) {
  std::vector<Expr> x = make_symbols(graph, "x", 3 * kNumPlanets);
  std::vector<Expr> v = make_symbols(graph, "v", 3 * kNumPlanets);
  const auto a = attractions(x, [](Expr d2) { return pow(d2, -1.5); });
  std::vector<Expr> rates = v;
  rates.insert(rates.end(), a.begin(), a.end());
  x.insert(x.end(), v.begin(), v.end());
  return {"six bodies", x, rates, spread(x.size()), by_hand_taylor_planets};
}

}  // namespace koppel::benchmarks
