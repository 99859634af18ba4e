#include <problems/bricard.hpp>

#include <algorithm>
#include <cstddef>

namespace koppel::problems {
namespace {

constexpr int n = Bricard::n, m = Bricard::m;
enum : std::size_t { X2, Z2, X3, Y3, Z3, X4, Y4, Z4, U3, U4 = U3 + 3, Y5 = U4 + 3, Z5 };

constexpr double kGravity = 9.81;
constexpr double kThick = 0.1 * 0.1 / 12;  // w²/12

// The vectors of (2) at q; `one` is 0 for their rates.
struct Vectors {
  double u2[3], r2[3], u3[3], r3[3], u4[3], r4[3], u5[3];

  Vectors(const double* q, double one) {
    const double P2[3] = {q[X2], 0, q[Z2]}, P5[3] = {0, q[Y5], q[Z5]};
    for (std::size_t i = 0; i < 3; ++i) {
      r2[i] = q[X3 + i] - P2[i];
      r3[i] = q[X4 + i] - q[X3 + i];
      r4[i] = P5[i] - q[X4 + i];
      u3[i] = q[U3 + i];
      u4[i] = q[U4 + i];
    }
    u2[0] = -q[Z2], u2[1] = 0, u2[2] = q[X2];
    u5[0] = 0, u5[1] = q[Z5] - one, u5[2] = -q[Y5];
  }
};

double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// All constraints, less the constant of the first seven, times `factor`.
template <typename Row>
void dot_products(const Vectors& s, double factor, double less, Row& out) {
  const double half = factor / 2;
  out[0] = half * (dot(s.u2, s.u2) - less);
  out[1] = half * (dot(s.r2, s.r2) - less);
  out[2] = half * (dot(s.u3, s.u3) - less);
  out[3] = half * (dot(s.r3, s.r3) - less);
  out[4] = half * (dot(s.u4, s.u4) - less);
  out[5] = half * (dot(s.r4, s.r4) - less);
  out[6] = half * (dot(s.u5, s.u5) - less);
  out[7] = factor * dot(s.r2, s.u2);
  out[8] = factor * dot(s.r2, s.u3);
  out[9] = factor * dot(s.u2, s.u3);
  out[10] = factor * dot(s.r3, s.u3);
  out[11] = factor * dot(s.r3, s.u4);
  out[12] = factor * dot(s.r4, s.u4);
  out[13] = factor * dot(s.r4, s.u5);
  out[14] = factor * dot(s.u4, s.u5);
}

// The entries of Gᵀ that are not always 0. `one` is 0 for its part that is linear in q.
template <typename Rows>
void put_transposed(const double* q, double one, Rows& Gt) {
  const Vectors s(q, one);
  Gt[X2][0] = q[X2], Gt[Z2][0] = q[Z2];
  Gt[X2][1] = -s.r2[0], Gt[Z2][1] = -s.r2[2];
  Gt[Y5][5] = s.r4[1], Gt[Z5][5] = s.r4[2];
  Gt[Y5][6] = q[Y5], Gt[Z5][6] = s.u5[1];
  // r₂·u₂ = z₃x₂ − x₃z₂
  Gt[X2][7] = q[Z3], Gt[Z2][7] = -q[X3], Gt[X3][7] = -q[Z2], Gt[Z3][7] = q[X2];
  Gt[X2][8] = -s.u3[0], Gt[Z2][8] = -s.u3[2];
  Gt[X2][9] = s.u3[2], Gt[Z2][9] = -s.u3[0], Gt[U3][9] = -q[Z2], Gt[U3 + 2][9] = q[X2];
  Gt[Y5][12] = s.u4[1], Gt[Z5][12] = s.u4[2];
  // r₄·u₅ = y₄ (1 − z₅) + (z₄ − 1) y₅
  Gt[Y4][13] = -s.u5[1], Gt[Z4][13] = q[Y5], Gt[Y5][13] = q[Z4] - one, Gt[Z5][13] = -q[Y4];
  Gt[U4 + 1][14] = s.u5[1], Gt[U4 + 2][14] = s.u5[2];
  Gt[Y5][14] = -s.u4[2], Gt[Z5][14] = s.u4[1];
  for (std::size_t i = 0; i < 3; ++i) {
    Gt[X3 + i][1] = s.r2[i];
    Gt[U3 + i][2] = s.u3[i];
    Gt[X4 + i][3] = s.r3[i], Gt[X3 + i][3] = -s.r3[i];
    Gt[U4 + i][4] = s.u4[i];
    Gt[X4 + i][5] = -s.r4[i];
    Gt[X3 + i][8] = s.u3[i], Gt[U3 + i][8] = s.r2[i];
    Gt[X4 + i][10] = s.u3[i], Gt[X3 + i][10] = -s.u3[i], Gt[U3 + i][10] = s.r3[i];
    Gt[X4 + i][11] = s.u4[i], Gt[X3 + i][11] = -s.u4[i], Gt[U4 + i][11] = s.r3[i];
    Gt[X4 + i][12] = -s.u4[i], Gt[U4 + i][12] = s.r4[i];
  }
}

// M by (1), and by its structure M⁻¹: coordinates along x, y and z hang together.
struct Mass {
  struct Entry {
    std::size_t i, j;
    double value;
  };
  std::vector<Entry> M, inverse;

  Mass() {
    add_line({X2, X3, X4}, {true, false, false});
    add_line({Y3, Y4, Y5}, {false, false, true});
    add_line({Z2, Z3, Z4, Z5}, {true, false, false, true});
    for (std::size_t i = 0; i < 6; ++i) {
      M.push_back({U3 + i, U3 + i, 2 * kThick});
      inverse.push_back({U3 + i, U3 + i, 1 / (2 * kThick)});
    }
  }

 private:
  // Each coordinate belongs to two rods, of which it has a third each, and its neighbour in the
  // line a sixth of one. P₂ and P₅ turn u₂ and u₅.
  void add_line(const std::vector<std::size_t>& line, const std::vector<bool>& turns) {
    const std::size_t size = line.size();
    std::vector<double> off(size, 0.0), diagonal(size);
    for (std::size_t i = 0; i < size; ++i) {
      diagonal[i] = 2.0 / 3 + (turns[i] ? 2 * kThick : 0);
      M.push_back({line[i], line[i], diagonal[i]});
      if (i == 0) continue;
      M.push_back({line[i], line[i - 1], 1.0 / 6});
      M.push_back({line[i - 1], line[i], 1.0 / 6});
    }
    // Columns of the inverse by elimination of the tridiagonal matrix.
    for (std::size_t column = 0; column < size; ++column) {
      std::vector<double> pivot = diagonal, x(size, 0.0);
      x[column] = 1;
      for (std::size_t i = 1; i < size; ++i) {
        pivot[i] -= 1.0 / 36 / pivot[i - 1];
        x[i] -= x[i - 1] / 6 / pivot[i - 1];
      }
      for (std::size_t i = size; i-- > 0;) {
        if (i + 1 < size) x[i] -= x[i + 1] / 6;
        x[i] /= pivot[i];
      }
      for (std::size_t i = 0; i < size; ++i) inverse.push_back({line[i], line[column], x[i]});
    }
  }
};
const Mass& mass() {
  static const Mass all;
  return all;
}

struct Place {
  std::size_t j, k;
};
// Where G has entries, by rows of Gᵀ; found at an arbitrary position.
const std::vector<Place>& places() {
  static const std::vector<Place> all = [] {
    double q[n];
    for (int i = 0; i < n; ++i) q[i] = 0.1 + 0.7 * i + 0.01 * i * i;
    std::array<std::array<double, m>, n> Gt{};
    put_transposed(q, 1, Gt);
    std::vector<Place> found;
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        if (Gt[j][k] != 0) found.push_back({j, k});
      }
    }
    return found;
  }();
  return all;
}

constexpr double kWeight[n] = {0, 0, 0, -kGravity, 0, 0, -kGravity, 0,
                               0, 0, 0, 0,         0, 0, -kGravity, 0};
// M⁻¹ f, the same at all times.
const std::array<double, n>& free_fall() {
  static const std::array<double, n> a = [] {
    std::array<double, n> out{};
    for (const auto& [i, j, value] : mass().inverse) out[i] += value * kWeight[j];
    return out;
  }();
  return a;
}

}  // namespace

Bricard::State Bricard::start() {
  State y{};
  y[X2] = y[X3] = y[X4] = 1;
  y[Y3] = y[Y4] = y[Y5] = -1;
  y[Z4] = y[Z5] = 1;
  y[U3] = y[U4 + 1] = 1;
  return y;
}

void Bricard::factor(const double* q) {
  put_transposed(q, 1, Gt_);
  for (Row& row : W_) row.fill(0);
  for (const auto& [i, j, value] : mass().inverse) {
    for (std::size_t k = 0; k <= m; ++k) W_[i][k] += value * Gt_[j][k];
  }
  for (const Place *at = places().data(), *const end = at + places().size(); at != end;) {
    Row sum{};
    const std::size_t k = at->k;
    for (; at != end && at->k == k; ++at) {
      const double factor = Gt_[at->j][k];
      for (std::size_t i = 0; i <= m; ++i) sum[i] += factor * W_[at->j][i];
    }
    l_[k] = sum;
  }
  // By rows of the upper triangle: S_ik −= S_ji S_jk / S_jj.
  for (std::size_t j = 0; j < m; ++j) {
    pivot_[j] = 1 / l_[j][j];
    for (std::size_t i = j + 1; i < m; ++i) {
      const double factor = l_[j][i] * pivot_[j];
      for (std::size_t k = i; k < m; ++k) l_[i][k] -= factor * l_[j][k];
    }
    for (std::size_t i = j + 1; i < m; ++i) l_[j][i] *= pivot_[j];
  }
}

void Bricard::solve(Row& b) const {
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = j + 1; i < m; ++i) b[i] -= l_[j][i] * b[j];
  }
  for (std::size_t i = m; i-- > 0;) {
    b[i] *= pivot_[i];
    for (std::size_t j = i + 1; j < m; ++j) b[i] -= l_[i][j] * b[j];
  }
}

void Bricard::pull(const Row& lambda, double* a) const {
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < m; ++k) sum += W_[j][k] * lambda[k];
    a[j] -= sum;
  }
}

// S λ = G M⁻¹f + γ, where γ = d(G v)/dt without accelerations is twice the products of the rates.
void Bricard::rate(const State& y, State& y_rate) {
  factor(y.data());
  dot_products(Vectors(y.data() + n, 0), 2, 0, lambda_);
  const std::array<double, n>& fall = free_fall();
  for (const auto& [j, k] : places()) lambda_[k] += Gt_[j][k] * fall[j];
  solve(lambda_);
  std::copy_n(y.begin() + n, n, y_rate.begin());
  std::copy(fall.begin(), fall.end(), y_rate.begin() + n);
  pull(lambda_, y_rate.data() + n);
}

std::array<double, Bricard::m> Bricard::multipliers() const {
  std::array<double, m> out;
  std::copy_n(lambda_.begin(), m, out.begin());
  return out;
}

void Bricard::project(State& y) {
  factor(y.data());
  Row r;
  dot_products(Vectors(y.data(), 1), 1, 1, r);
  solve(r);
  pull(r, y.data());
  put_transposed(y.data(), 1, Gt_);
  r.fill(0);
  for (const auto& [j, k] : places()) r[k] += Gt_[j][k] * y[n + j];
  solve(r);
  pull(r, y.data() + n);
}

BricardGgl::BricardGgl() : GglByTerms(n, m) {
  set_start_of(Bricard());
  // G is linear in q: its derivative by q_j is its linear part at the unit vector.
  for (int j = 0; j < n; ++j) {
    double unit[n] = {};
    unit[j] = 1;
    std::array<std::array<double, m>, n> Gt{};
    put_transposed(unit, 0, Gt);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < m; ++k) {
        const double value = Gt[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
        if (value != 0) curvatures_.push_back({k, i, j, value});
      }
    }
  }
  make_pattern();
}

void BricardGgl::residual(const double* y, const double* y_rate, double* F) const {
  const double *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  double* const g = F + 2 * n;
  std::array<std::array<double, m>, n> Gt;
  put_transposed(y, 1, Gt);
  for (int i = 0; i < n; ++i) {
    F[i] = y_rate[i] - v[i];
    F[n + i] = -kWeight[i];
  }
  for (const auto& [i, j, value] : mass().M) F[n + i] += value * y_rate[n + j];
  dot_products(Vectors(y, 1), 1, 1, g);
  std::fill_n(g + m, m, 0.0);
  for (const auto& [j, k] : places()) {
    const double value = Gt[j][k];
    F[j] += value * eta[k];
    F[n + j] += value * lambda[k];
    g[m + k] += value * v[j];
  }
}

template <typename Add>
void BricardGgl::visit_jacobian(const double* y, const double*, double c, Add&& add) const {
  const double *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  std::array<std::array<double, m>, n> Gt, Gt_rate;
  put_transposed(y, 1, Gt);
  put_transposed(v, 0, Gt_rate);
  for (int i = 0; i < n; ++i) {
    add(i, i, c);
    add(i, n + i, -1.0);
  }
  for (const auto& [i, j, value] : mass().M) {
    add(n + static_cast<int>(i), n + static_cast<int>(j), c * value);
  }
  for (const auto& [k, i, j, value] : curvatures_) {
    add(i, j, value * eta[k]);
    add(n + i, j, value * lambda[k]);
  }
  for (const auto& [at_j, at_k] : places()) {
    const int j = static_cast<int>(at_j), k = static_cast<int>(at_k);
    const double value = Gt[at_j][at_k];
    add(j, 2 * n + m + k, value);                // Gᵀ of η
    add(n + j, 2 * n + k, value);                // Gᵀ of λ
    add(2 * n + k, j, value);                    // G
    add(2 * n + m + k, n + j, value);            // G
    add(2 * n + m + k, j, Gt_rate[at_j][at_k]);  // ∂(G v)/∂q
  }
}

template class GglByTerms<BricardGgl>;

}  // namespace koppel::problems
