#include <problems/slider_crank.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace koppel::problems {
namespace {

constexpr int kMaxOrder = 40;

// Coefficients of the solution's series at a point. With Q[k] = (k+2)(k+1) q[k+2], order k of the
// dynamics and order k+2 of the constraints are
//   M Q[k] + G[0]ᵀλ[k] = f[k] − Σ_{j=1..k} G[j]ᵀ λ[k−j]                                   (2)
//   G[0] Q[k] = −(k+2)(k+1) ½ Σ_{j=1..k+1} (x[j] x[k+2−j] + y[j] y[k+2−j]), and so for d.   (3)
struct Expansion {
  using Series = double[kMaxOrder + 1];
  Series x, y, s, d;
  Series l1, l2, both;  // λ₁, λ₂, λ₁ + λ₂

  void make(const SliderCrank& data, const SliderCrankMatrix& matrix, const double* q,
            const double* v, int order);
};

// Σ_{j=1..k} a[j] b[k−j]
double product(const double* a, const double* b, int k) {
  double sum = 0;
  for (int j = 1; j <= k; ++j) sum += a[j] * b[k - j];
  return sum;
}

// ½ Σ_{j=1..k−1} a[j] a[k−j]
double half_square(const double* a, int k) {
  double sum = 0;
  int i = 1, j = k - 1;
  for (; i < j; ++i, --j) sum += a[i] * a[j];
  return i == j ? sum + 0.5 * a[i] * a[i] : sum;
}

void Expansion::make(const SliderCrank& data, const SliderCrankMatrix& matrix, const double* q,
                     const double* v, int order) {
  x[0] = q[0], y[0] = q[1], s[0] = q[2], d[0] = s[0] - x[0];
  x[1] = v[0], y[1] = v[1], s[1] = v[2], d[1] = s[1] - x[1];
  for (int k = 0; k + 2 <= order; ++k) {
    const double factor = (k + 2) * (k + 1);
    const double dl = product(d, l2, k), squares = half_square(y, k + 2);
    std::array<double, 5> b{dl - product(x, l1, k), -product(y, both, k), -dl,
                            -factor * (half_square(x, k + 2) + squares),
                            -factor * (half_square(d, k + 2) + squares)};
    if (k == 0) b[1] -= data.gravity * (data.crank + data.rod) / 2;
    matrix.solve(b);
    x[k + 2] = b[0] / factor;
    y[k + 2] = b[1] / factor;
    s[k + 2] = b[2] / factor;
    d[k + 2] = s[k + 2] - x[k + 2];
    l1[k] = b[3];
    l2[k] = b[4];
    both[k] = b[3] + b[4];
  }
}

// The polynomial and its derivative at h.
void follow(const double* a, int order, double h, double& value, double& rate) {
  value = a[order];
  rate = 0;
  for (int k = order - 1; k >= 0; --k) {
    rate = rate * h + value;
    value = value * h + a[k];
  }
}

// The last term is (h/ρ)ᵖ with ρ from the last two coefficients; it shall be σ h tolerance.
double step_for(const Expansion& e, int p, double tolerance) {
  constexpr double kSafety = 0.1;
  double last = 0, before = 0;
  for (const double* a : {e.x, e.y, e.s}) {
    const double w = 1 / std::max(1.0, std::abs(a[0]));
    last = std::max(last, w * std::abs(a[p]));
    before = std::max(before, w * std::abs(a[p - 1]));
  }
  const double radius = std::min(std::pow(last, -1.0 / p), std::pow(before, -1.0 / (p - 1)));
  return std::min(0.9 * radius, std::pow(kSafety * tolerance * std::pow(radius, p), 1.0 / (p - 1)));
}

}  // namespace

SliderCrank::Vector SliderCrank::start() const {
  const double x = a * std::numbers::sqrt2 / 2, y = x, d = std::sqrt(b * b - y * y);
  // From G v = 0: x ẋ + y ẏ = 0 and d (ṡ − ẋ) + y ẏ = 0.
  const double x_rate = d * speed / (d + x);
  return {x, y, x + d, x_rate, -x_rate * x / y, speed};
}

void SliderCrankMatrix::factor(const SliderCrank& data, const double* q) {
  const double x = q[0], y = q[1], d = q[2] - q[0], m = (data.crank + data.rod) / 3;
  // The lower triangle.
  double a[5][5] = {
      {m}, {0, m}, {data.rod / 6, 0, data.rod / 3 + data.slider}, {x, y, 0, 0}, {-d, y, d, 0, 0}};
  for (int j = 0; j < 5; ++j) {
    inverse_[j] = 1 / a[j][j];
    for (int i = j + 1; i < 5; ++i) {
      l_[i][j] = a[i][j] * inverse_[j];
      for (int k = j + 1; k <= i; ++k) a[i][k] -= l_[i][j] * a[k][j];
    }
  }
}

void SliderCrankMatrix::solve(std::array<double, 5>& b) const {
  for (std::size_t i = 1; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= l_[i][j] * b[j];
  }
  for (std::size_t i = 5; i-- > 0;) {
    b[i] *= inverse_[i];
    for (std::size_t j = i + 1; j < 5; ++j) b[i] -= l_[j][i] * b[j];
  }
}

void SliderCrankMatrix::project(const SliderCrank& data, double* q, double* v) const {
  double d = q[2] - q[0];
  std::array<double, 5> b{0, 0, 0, -0.5 * (q[0] * q[0] + q[1] * q[1] - data.a * data.a),
                          -0.5 * (d * d + q[1] * q[1] - data.b * data.b)};
  solve(b);
  for (std::size_t i = 0; i < 3; ++i) q[i] += b[i];
  d = q[2] - q[0];
  b = {0, 0, 0, -(q[0] * v[0] + q[1] * v[1]), -(d * (v[2] - v[0]) + q[1] * v[1])};
  solve(b);
  for (std::size_t i = 0; i < 3; ++i) v[i] += b[i];
}

void SliderCrankRates::rate(const State& y, State& y_rate) {
  matrix_.factor(data_, y.data());
  const double vx = y[3], vy = y[4], vd = y[5] - y[3];
  std::array<double, 5> b{0, -data_.gravity * (data_.crank + data_.rod) / 2, 0,
                          -(vx * vx + vy * vy), -(vd * vd + vy * vy)};
  matrix_.solve(b);
  y_rate = {y[3], y[4], y[5], b[0], b[1], b[2]};
}

void SliderCrankRates::project(State& y) {
  matrix_.factor(data_, y.data());
  matrix_.project(data_, y.data(), y.data() + 3);
}

long integrate_taylor(const SliderCrank& data, SliderCrank::Vector& y, double end, double tolerance,
                      int order) {
  order = std::min(order, kMaxOrder);
  SliderCrankMatrix matrix;
  Expansion expansion;
  long count = 0;
  for (double t = 0; t < end; ++count) {
    matrix.factor(data, y.data());
    matrix.project(data, y.data(), y.data() + 3);
    expansion.make(data, matrix, y.data(), y.data() + 3, order);
    const double h = std::min(step_for(expansion, order, tolerance), end - t);
    follow(expansion.x, order, h, y[0], y[3]);
    follow(expansion.y, order, h, y[1], y[4]);
    follow(expansion.s, order, h, y[2], y[5]);
    t = h == end - t ? end : t + h;
  }
  matrix.factor(data, y.data());
  matrix.project(data, y.data(), y.data() + 3);
  return count;
}

}  // namespace koppel::problems
