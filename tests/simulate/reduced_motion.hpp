// Linkages of thin homogeneous rods whose pose is known as a function of one angle s along a
// branch, smooth also where the rods line up. With the ends a(s), b(s) of each rod, a prime for
// d/ds,
//   T = ½ μ ṡ²,   μ = Σ m/3 (a′·a′ + a′·b′ + b′·b′),   V = Σ m g (a_y + b_y)/2,
//   μ s̈ = −½ μ′ṡ² − V′                                                                 (1)
// is all of its motion: no constraint, no multiplier, nothing that becomes singular. An independent
// reference for what is computed from the constraints.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace koppel::testing {

// A function of s with its first two derivatives.
struct Jet {
  double f = 0, d = 0, dd = 0;
  Jet(double value = 0, double first = 0, double second = 0)  // NOLINT: constants are functions
      : f(value), d(first), dd(second) {}
};
inline Jet operator+(Jet a, Jet b) { return {a.f + b.f, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(Jet a, Jet b) { return {a.f - b.f, a.d - b.d, a.dd - b.dd}; }
inline Jet operator-(Jet a) { return {-a.f, -a.d, -a.dd}; }
inline Jet operator*(Jet a, Jet b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}
// φ(a) by the derivatives of φ at a.
inline Jet chain(Jet a, double value, double first, double second) {
  return {value, first * a.d, second * a.d * a.d + first * a.dd};
}
inline Jet inverse(Jet a) { return chain(a, 1 / a.f, -1 / (a.f * a.f), 2 / (a.f * a.f * a.f)); }
inline Jet operator/(Jet a, Jet b) { return a * inverse(b); }
inline Jet sqrt(Jet a) {
  const double root = std::sqrt(a.f);
  return chain(a, root, 0.5 / root, -0.25 / (root * a.f));
}
inline Jet sin(Jet a) { return chain(a, std::sin(a.f), std::cos(a.f), -std::sin(a.f)); }
inline Jet cos(Jet a) { return chain(a, std::cos(a.f), -std::sin(a.f), -std::cos(a.f)); }

using Place = std::array<Jet, 3>;
inline Place at(Jet x, Jet y, Jet z = 0) { return {x, y, z}; }
inline Place operator+(const Place& p, const Place& q) {
  return {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
}
// A point at a distance in the plane.
inline Place polar(Jet length, Jet angle) { return at(length * cos(angle), length * sin(angle)); }

struct Rod {
  Place a, b;
  double mass = 1;
};

struct Linkage {
  std::function<std::vector<Rod>(Jet s)> rods;
  double s = 0;       // at the start
  double s_rate = 0;  // there
  // The outputs of the model: which coordinate of the end b of which rod.
  struct Output {
    std::string name;
    std::size_t rod, axis;
  };
  std::vector<Output> outputs;
};

struct ReducedState {
  double s, s_rate;
};

inline double acceleration(const Linkage& linkage, ReducedState at) {
  constexpr double kGravity = 9.81;
  double mu = 0, mu_rate = 0, V_rate = 0;
  for (const Rod& rod : linkage.rods({at.s, 1, 0})) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Jet &a = rod.a[i], &b = rod.b[i];
      mu += rod.mass / 3 * (a.d * a.d + a.d * b.d + b.d * b.d);
      mu_rate += rod.mass / 3 * (2 * a.d * a.dd + a.dd * b.d + a.d * b.dd + 2 * b.d * b.dd);
    }
    V_rate += rod.mass * kGravity * (rod.a[1].d + rod.b[1].d) / 2;
  }
  return -(0.5 * mu_rate * at.s_rate * at.s_rate + V_rate) / mu;  // (1)
}

// By the classical method of order 4 with `num_steps` steps.
inline ReducedState follow(const Linkage& linkage, double time, int num_steps) {
  ReducedState y{linkage.s, linkage.s_rate};
  const double h = time / num_steps;
  const auto rate = [&](ReducedState x) {
    return ReducedState{x.s_rate, acceleration(linkage, x)};
  };
  const auto ahead = [&](ReducedState k, double part) {
    return ReducedState{y.s + part * h * k.s, y.s_rate + part * h * k.s_rate};
  };
  for (int n = 0; n < num_steps; ++n) {
    const ReducedState k1 = rate(y), k2 = rate(ahead(k1, 0.5)), k3 = rate(ahead(k2, 0.5)),
                       k4 = rate(ahead(k3, 1));
    y = {y.s + h / 6 * (k1.s + 2 * k2.s + 2 * k3.s + k4.s),
         y.s_rate + h / 6 * (k1.s_rate + 2 * k2.s_rate + 2 * k3.s_rate + k4.s_rate)};
  }
  return y;
}

}  // namespace koppel::testing
