#include <problems/rods.hpp>

#include <algorithm>
#include <map>
#include <span>

#include <Eigen/Dense>

namespace koppel::problems {
namespace {

constexpr double kGravity = 9.81;

double value_of(const Rods::Coordinate& c, const double* q) {
  return c.index < 0 ? c.value : q[c.index];
}
double rate_of(const Rods::Coordinate& c, const double* v) { return c.index < 0 ? 0 : v[c.index]; }

}  // namespace

Rods::Rods(std::vector<Rod> rods, std::vector<double> start, std::vector<double> start_rate,
           std::vector<std::pair<int, double>> more_mass)
    : GglByTerms(static_cast<int>(start.size()), static_cast<int>(rods.size())),
      rods_(std::move(rods)),
      q_(std::move(start)),
      v_(std::move(start_rate)),
      f_(q_.size()) {
  std::map<std::pair<int, int>, double> M;
  for (const Rod& rod : rods_) {
    for (int c = 0; c < 2; ++c) {
      const int a = rod.from[c].index, b = rod.to[c].index;
      for (const int i : {a, b}) {
        if (i < 0) continue;
        M[{i, i}] += rod.mass / 3;
        if (c == 1) f_[static_cast<std::size_t>(i)] -= rod.mass * kGravity / 2;
      }
      if (a < 0 || b < 0) continue;
      M[{a, b}] += rod.mass / 6;
      M[{b, a}] += rod.mass / 6;
    }
  }
  for (const auto& [i, mass] : more_mass) M[{i, i}] += mass;
  for (const auto& [place, value] : M) M_.push_back({place.first, place.second, value});
  find_start();
  make_pattern();
}

void Rods::residual(const double* y, const double* y_rate, double* F) const {
  const int n = num_q(), m = static_cast<int>(rods_.size());
  const double *const q = y, *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  for (int i = 0; i < n; ++i) {
    F[i] = y_rate[i] - v[i];
    F[n + i] = -f_[static_cast<std::size_t>(i)];
  }
  for (const Entry& e : M_) F[n + e.i] += e.value * y_rate[n + e.j];
  for (int k = 0; k < m; ++k) {
    const Rod& rod = rods_[static_cast<std::size_t>(k)];
    double square = -rod.length * rod.length, rate = 0;
    for (int c = 0; c < 2; ++c) {
      const Coordinate &a = rod.from[c], &b = rod.to[c];
      const double d = value_of(b, q) - value_of(a, q);
      square += d * d;
      rate += d * (rate_of(b, v) - rate_of(a, v));
      if (b.index >= 0) {
        F[b.index] += d * eta[k];
        F[n + b.index] += d * lambda[k];
      }
      if (a.index >= 0) {
        F[a.index] -= d * eta[k];
        F[n + a.index] -= d * lambda[k];
      }
    }
    F[2 * n + k] = square / 2;
    F[2 * n + m + k] = rate;
  }
}

// Calls add(row, column, value) for every term.
template <typename Add>
void Rods::visit_jacobian(const double* y, const double*, double c, Add&& add) const {
  const int n = num_q(), m = static_cast<int>(rods_.size());
  const double *const q = y, *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  for (int i = 0; i < n; ++i) {
    add(i, i, c);
    add(i, n + i, -1.0);
  }
  for (const Entry& e : M_) add(n + e.i, n + e.j, c * e.value);
  for (int k = 0; k < m; ++k) {
    const Rod& rod = rods_[static_cast<std::size_t>(k)];
    for (int x = 0; x < 2; ++x) {
      const Coordinate &a = rod.from[x], &b = rod.to[x];
      const double d = value_of(b, q) - value_of(a, q), d_rate = rate_of(b, v) - rate_of(a, v);
      for (const auto& [i, other, sign] :
           {std::tuple(b.index, a.index, 1.0), std::tuple(a.index, b.index, -1.0)}) {
        if (i < 0) continue;
        add(i, i, eta[k]);
        add(n + i, i, lambda[k]);
        if (other >= 0) {
          add(i, other, -eta[k]);
          add(n + i, other, -lambda[k]);
        }
        add(i, 2 * n + m + k, sign * d);       // Gᵀ of η
        add(n + i, 2 * n + k, sign * d);       // Gᵀ of λ
        add(2 * n + k, i, sign * d);           // G
        add(2 * n + m + k, n + i, sign * d);   // G
        add(2 * n + m + k, i, sign * d_rate);  // ∂(G v)/∂q
      }
    }
  }
}

// Accelerations and multipliers from [M Gᵀ; G 0]: once, hence dense.
void Rods::find_start() {
  const int n = num_q(), m = static_cast<int>(rods_.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n + m);
  for (const Entry& e : M_) A(e.i, e.j) = e.value;
  for (int i = 0; i < n; ++i) b(i) = f_[static_cast<std::size_t>(i)];
  for (int k = 0; k < m; ++k) {
    const Rod& rod = rods_[static_cast<std::size_t>(k)];
    for (int c = 0; c < 2; ++c) {
      const Coordinate &from = rod.from[c], &to = rod.to[c];
      const double d = value_of(to, q_.data()) - value_of(from, q_.data());
      const double d_rate = rate_of(to, v_.data()) - rate_of(from, v_.data());
      if (to.index >= 0) A(to.index, n + k) = A(n + k, to.index) = d;
      if (from.index >= 0) A(from.index, n + k) = A(n + k, from.index) = -d;
      b(n + k) -= d_rate * d_rate;
    }
  }
  const Eigen::VectorXd x = A.partialPivLu().solve(b);
  const std::span solution(x.data(), static_cast<std::size_t>(n + m));
  set_start(q_, v_, solution.first(static_cast<std::size_t>(n)),
            solution.last(static_cast<std::size_t>(m)));
}

template class GglByTerms<Rods>;

Rods make_rods(const SliderCrank& data) {
  const SliderCrank::Vector y = data.start();
  const Rods::Coordinate zero, Ax{0}, Ay{1}, Bx{2};
  return Rods(
      {{{zero, zero}, {Ax, Ay}, data.a, data.crank}, {{Ax, Ay}, {Bx, zero}, data.b, data.rod}},
      {y[0], y[1], y[2]}, {y[3], y[4], y[5]}, {{2, data.slider}});
}

Rods make_four_bar_rods(int N) {
  std::vector<Rods::Rod> rods;
  std::vector<double> q, v;
  for (int i = 0; i <= N; ++i) {
    const Rods::Coordinate x{2 * i}, y{2 * i + 1};
    rods.push_back({{{-1, double(i)}, {}}, {x, y}, 1, 1});
    if (i > 0) rods.push_back({{{2 * i - 2}, {2 * i - 1}}, {x, y}, 1, 1});
    q.insert(q.end(), {double(i), 1.0});
    v.insert(v.end(), {1.0, 0.0});
  }
  return Rods(std::move(rods), std::move(q), std::move(v));
}

}  // namespace koppel::problems
