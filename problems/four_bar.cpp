#include <problems/four_bar.hpp>

#include <algorithm>
#include <cmath>

namespace koppel::problems {

void BandMatrix::factor() {
  BandMatrix& a = *this;
  for (std::size_t k = 0; k < n_; ++k) {
    const std::size_t last_row = std::min(n_ - 1, k + w_), last = std::min(n_ - 1, k + 2 * w_);
    std::size_t p = k;
    for (std::size_t i = k + 1; i <= last_row; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
    }
    pivot_[k] = p;
    if (p != k) {
      for (std::size_t j = k; j <= last; ++j) std::swap(a(k, j), a(p, j));
    }
    const double inverse = 1 / a(k, k);
    for (std::size_t i = k + 1; i <= last_row; ++i) {
      if (a(i, k) == 0) continue;
      const double factor = a(i, k) *= inverse;
      for (std::size_t j = k + 1; j <= last; ++j) a(i, j) -= factor * a(k, j);
    }
  }
}

void BandMatrix::solve(std::vector<double>& b) {
  BandMatrix& a = *this;
  for (std::size_t k = 0; k < n_; ++k) {
    std::swap(b[k], b[pivot_[k]]);
    for (std::size_t i = k + 1; i <= std::min(n_ - 1, k + w_); ++i) b[i] -= a(i, k) * b[k];
  }
  for (std::size_t k = n_; k-- > 0;) {
    for (std::size_t j = k + 1; j <= std::min(n_ - 1, k + 2 * w_); ++j) b[k] -= a(k, j) * b[j];
    b[k] /= a(k, k);
  }
}

FourBar::FourBar(std::size_t N) : N_(N), matrix_(4 * N + 3, 4), b_(4 * N + 3) {}

FourBar::State FourBar::start() const {
  State y(4 * (N_ + 1), 0.0);
  for (std::size_t i = 0; i <= N_; ++i) {
    y[2 * i] = static_cast<double>(i);
    y[2 * i + 1] = 1;
    y[2 * (N_ + 1) + 2 * i] = 1;
  }
  return y;
}

void FourBar::factor(const State& y) {
  BandMatrix& a = matrix_;
  a.clear();
  const auto put = [&](std::size_t i, std::size_t j, double value) {
    a(i, j) = value;
    a(j, i) = value;
  };
  for (std::size_t i = 0; i <= N_; ++i) {
    const int rods = 1 + (i > 0) + (i < N_);
    for (std::size_t c = 0; c < 2; ++c) {
      const double base = c == 0 ? static_cast<double>(i) : 0;
      put(point(i, c), point(i, c), rods / 3.0);
      put(upright(i), point(i, c), y[2 * i + c] - base);
      if (i == 0) continue;
      const double d = y[2 * i + c] - y[2 * i + c - 2];
      put(point(i, c), point(i - 1, c), 1.0 / 6);
      put(coupler(i), point(i, c), d);
      put(coupler(i), point(i - 1, c), -d);
    }
  }
  a.factor();
}

void FourBar::rate(const State& y, State& y_rate) {
  factor(y);
  const double* const v = y.data() + 2 * (N_ + 1);
  for (std::size_t i = 0; i <= N_; ++i) {
    const int rods = 1 + (i > 0) + (i < N_);
    const double vx = v[2 * i], vy = v[2 * i + 1];
    b_[point(i, 0)] = 0;
    b_[point(i, 1)] = -9.81 * rods / 2.0;
    b_[upright(i)] = -(vx * vx + vy * vy);
    if (i == 0) continue;
    const double dx = vx - v[2 * i - 2], dy = vy - v[2 * i - 1];
    b_[coupler(i)] = -(dx * dx + dy * dy);
  }
  matrix_.solve(b_);
  const std::size_t n = 2 * (N_ + 1);
  for (std::size_t i = 0; i <= N_; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      y_rate[2 * i + c] = v[2 * i + c];
      y_rate[n + 2 * i + c] = b_[point(i, c)];
    }
  }
}

void FourBar::project(State& y) {
  factor(y);
  double* const v = y.data() + 2 * (N_ + 1);
  const auto residual = [&](bool of_rates) {
    for (std::size_t i = 0; i <= N_; ++i) {
      const double x = y[2 * i] - static_cast<double>(i), h = y[2 * i + 1];
      b_[point(i, 0)] = b_[point(i, 1)] = 0;
      b_[upright(i)] = of_rates ? -(x * v[2 * i] + h * v[2 * i + 1]) : -0.5 * (x * x + h * h - 1);
      if (i == 0) continue;
      const double dx = y[2 * i] - y[2 * i - 2], dy = y[2 * i + 1] - y[2 * i - 1];
      b_[coupler(i)] = of_rates
                           ? -(dx * (v[2 * i] - v[2 * i - 2]) + dy * (v[2 * i + 1] - v[2 * i - 1]))
                           : -0.5 * (dx * dx + dy * dy - 1);
    }
    matrix_.solve(b_);
  };
  const auto add = [&](double* to) {
    for (std::size_t i = 0; i <= N_; ++i) {
      for (std::size_t c = 0; c < 2; ++c) to[2 * i + c] += b_[point(i, c)];
    }
  };
  residual(false);
  add(y.data());
  residual(true);
  add(v);
}

}  // namespace koppel::problems
