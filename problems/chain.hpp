// A chain of n thin rods in the plane (models/chain.yaml) by hand: the articulated-body algorithm
// [Featherstone 2008, section 7.3], in joint coordinates.
//
// Link i turns about P_i with the angle φ_i, r = l (cos φ, sin φ) leads to P_{i+1}, and p = (−r_y,
// r_x). All that hangs on P_{i+1} answers to its acceleration with the force
//   F_{i+1} = Â a_{i+1} + ĉ,     a_{i+1} = a_i + α_i p − ω_i² r,                           (1)
// symmetric 2 × 2 matrices Â. Then for link i, with mass m and weight m g,
//   F_i = A a_i + b α_i + c,     A = m 1 + Â,   b = m p/2 + Â p,
//                                c = ĉ − ω² (m r/2 + Â r) − m g,                           (2)
//   0   = b·a_i + J α_i + n,     J = m l²/3 + p·Â p,   n = p·(ĉ − ω² Â r − m g/2).         (3)
// Eliminating α_i gives (1) one link nearer to the ground: Â = A − b bᵀ/J, ĉ = c − b n/J. From the
// ground, where a = 0, outwards, (3) gives the angular accelerations.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace koppel::problems {

// For Runge–Kutta methods (runge_kutta.hpp), also integrate_dop853(). y: n angles between links,
// the first one from the horizontal, and their rates.
template <typename Scalar = double>
class Chain {
 public:
  using State = std::vector<Scalar>;
  static constexpr bool kProjects = false;

  explicit Chain(std::size_t n) : n_(n), length_(Scalar(1) / static_cast<Scalar>(n)), links_(n) {}

  State start() const { return State(2 * n_, Scalar(0)); }  // level, at rest
  void rate(const State& y, State& y_rate) { rate(y.data(), y_rate.data()); }
  void rate(const Scalar* y, Scalar* y_rate);
  void project(State&) {}
  // The end of the last link.
  std::vector<Scalar> tip(const State& y) const;

 private:
  struct Link {
    Scalar rx, ry, square;      // r, ω²
    Scalar bx, by, n, inverse;  // b, n, 1/J
  };
  std::size_t n_;
  Scalar length_;
  std::vector<Link> links_;
};

template <typename Scalar>
void Chain<Scalar>::rate(const Scalar* y, Scalar* y_rate) {
  constexpr Scalar m = 1, g = Scalar(9.81L);
  Scalar angle = 0, omega = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    angle += y[i];
    omega += y[n_ + i];
    y_rate[i] = y[n_ + i];
    links_[i].rx = length_ * std::cos(angle);
    links_[i].ry = length_ * std::sin(angle);
    links_[i].square = omega * omega;
  }
  Scalar xx = 0, xy = 0, yy = 0, cx = 0, cy = 0;  // Â, ĉ
  for (std::size_t i = n_; i-- > 0;) {
    Link& link = links_[i];
    const Scalar px = -link.ry, py = link.rx;
    const Scalar apx = xx * px + xy * py, apy = xy * px + yy * py;                      // Â p
    const Scalar arx = xx * link.rx + xy * link.ry, ary = xy * link.rx + yy * link.ry;  // Â r
    cx -= link.square * arx;
    cy -= link.square * ary;
    link.bx = m / 2 * px + apx;
    link.by = m / 2 * py + apy;
    link.n = px * cx + py * (cy + m / 2 * g);
    link.inverse = 1 / (m * length_ * length_ / 3 + px * apx + py * apy);
    const Scalar ux = link.bx * link.inverse, uy = link.by * link.inverse;
    xx += m - link.bx * ux;
    xy -= link.bx * uy;
    yy += m - link.by * uy;
    cx -= m / 2 * link.square * link.rx + ux * link.n;
    cy -= m / 2 * link.square * link.ry - m * g + uy * link.n;
  }
  Scalar ax = 0, ay = 0, before = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const Link& link = links_[i];
    const Scalar alpha = -(link.bx * ax + link.by * ay + link.n) * link.inverse;
    y_rate[n_ + i] = alpha - before;
    before = alpha;
    ax -= alpha * link.ry + link.square * link.rx;
    ay += alpha * link.rx - link.square * link.ry;
  }
}

template <typename Scalar>
std::vector<Scalar> Chain<Scalar>::tip(const State& y) const {
  Scalar angle = 0, tip_x = 0, tip_y = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    angle += y[i];
    tip_x += length_ * std::cos(angle);
    tip_y += length_ * std::sin(angle);
  }
  return {tip_x, tip_y};
}

}  // namespace koppel::problems
