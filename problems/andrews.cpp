#include <problems/andrews.hpp>

#include <cmath>
#include <cstddef>

namespace koppel::problems {
namespace {

constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                 m7 = .05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                 I6 = 5.667e-7, I7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
constexpr double d = .028, da = .0115, e = .02, ea = .01421, zf = .02, fa = .01421, rr = .007,
                 ra = .00092, ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02, zt = .04,
                 ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449;
constexpr double c0 = 4530, l0 = .07785, torque = .033;

enum Angle { kBeta, kAlpha, kGamma, kPsi, kDelta, kChi, kEpsilon, kNumAngles };
constexpr int n = kNumAngles, m = 6;

struct Vector {
  double x, y;
  Vector turned() const { return {-y, x}; }
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y}; }
Vector operator*(double s, Vector a) { return {s * a.x, s * a.y}; }
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y; }

constexpr Vector kEnd[3] = {{xb, yb}, {xa, ya}, {xa, ya}};  // of the sums of vectors

// Two angles coupled by (2), and the vectors that they turn.
struct Pair {
  Angle x, y;
  double mass_x, mass_y;
};
constexpr Pair kCrank{kBeta, kAlpha, m1* ra* ra + I1 + m2* rr* rr, m2* da* da + I2};
constexpr Pair kLeft{kDelta, kPsi, m4* zt* zt + m5*(ta* ta + tb * tb) + I5,
                     m4*(e - ea) * (e - ea) + I4};
constexpr Pair kRight{kEpsilon, kChi, m6* u* u + m7*(ua* ua + ub * ub) + I7,
                      m6*(zf - fa) * (zf - fa) + I6};
constexpr double kMassGamma = m3 * (sa * sa + sb * sb) + I3;

// All that depends on the position: the vectors, h and h′ of the pairs (h″ = −h), V′ and V″.
struct Position {
  Vector w[kNumAngles];
  double h[3], slope[3];
  double spring, stiffness;

  explicit Position(const double* q) {
    Vector a[kNumAngles];  // (cos, sin)
    for (int i = 0; i < n; ++i) a[i] = {std::cos(q[i]), std::sin(q[i])};
    w[kBeta] = rr * a[kBeta];
    w[kAlpha] = -d * a[kAlpha];
    w[kGamma] = ss * a[kGamma].turned();
    w[kPsi] = e * a[kPsi].turned();
    w[kDelta] = -zt * a[kDelta];
    w[kChi] = -zf * a[kChi];
    w[kEpsilon] = u * a[kEpsilon].turned();
    // Of y − x: the cosine dot(a_x, a_y), the sine dot(a_x⊥, a_y).
    constexpr double kH[3] = {-m2 * da * rr, m4 * zt * (e - ea), -m6 * u * (zf - fa)};
    h[0] = kH[0] * dot(a[kBeta], a[kAlpha]);
    slope[0] = -kH[0] * dot(a[kBeta].turned(), a[kAlpha]);
    h[1] = kH[1] * dot(a[kDelta].turned(), a[kPsi]);
    slope[1] = kH[1] * dot(a[kDelta], a[kPsi]);
    h[2] = kH[2] * dot(a[kEpsilon].turned(), a[kChi]);
    slope[2] = kH[2] * dot(a[kEpsilon], a[kChi]);
    // With z = B − C: L L′ = s⊥·z, V′ = c₀ (1 − l₀/L) s⊥·z.
    constexpr Vector z{xb - xc, yb - yc};
    const Vector s = sd * a[kGamma] - sc * a[kGamma].turned();
    const double length2 = (sd * sd + sc * sc + z.x * z.x + z.y * z.y) + 2 * dot(s, z);
    const double length = std::sqrt(length2), sz = dot(s.turned(), z);
    spring = c0 * (1 - l0 / length) * sz;
    stiffness = c0 * (l0 * sz * sz / (length2 * length) - (1 - l0 / length) * dot(s, z));
  }

  // The left-hand sides of (1).
  void closure(Vector* g) const {
    const Vector E = w[kBeta] + w[kAlpha];
    g[0] = E + w[kGamma] - kEnd[0];
    g[1] = E + w[kPsi] + w[kDelta] - kEnd[1];
    g[2] = E + w[kChi] + w[kEpsilon] - kEnd[2];
  }
};

// Sums over the angles as in (1), of any vectors.
template <typename Term>
void add_arms(const Term& term, Vector* sums) {
  const Vector E = term(kBeta) + term(kAlpha);
  sums[0] = E + term(kGamma);
  sums[1] = E + term(kPsi) + term(kDelta);
  sums[2] = E + term(kChi) + term(kEpsilon);
}

// M and S at a position, and M⁻¹Gᵀ.
class Matrix {
 public:
  explicit Matrix(const Position& at) {
    Symmetric sums[3];
    const Symmetric both = invert(0, kCrank, at);
    sums[1] = both + invert(1, kLeft, at);
    sums[2] = both + invert(2, kRight, at);
    u_[kGamma] = (1 / kMassGamma) * at.w[kGamma].turned();
    sums[0] = both + outer(u_[kGamma], at.w[kGamma].turned());
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) {
        const Symmetric& s = i == j ? sums[i] : both;
        l_[2 * i][2 * j] = s.xx;
        l_[2 * i + 1][2 * j] = s.xy;
        l_[2 * i][2 * j + 1] = s.xy;
        l_[2 * i + 1][2 * j + 1] = s.yy;
      }
    }
    factor();
  }

  // M⁻¹ f, for a pair of angles.
  void accelerate(int k, const Pair& pair, double fx, double fy, double* a) const {
    a[pair.x] = inverse_[k][0] * fx + inverse_[k][1] * fy;
    a[pair.y] = inverse_[k][1] * fx + inverse_[k][2] * fy;
  }

  // S⁻¹ r, in place.
  void solve(Vector* r) const {
    double b[m] = {r[0].x, r[0].y, r[1].x, r[1].y, r[2].x, r[2].y};
    for (int i = 1; i < m; ++i) {
      for (int j = 0; j < i; ++j) b[i] -= l_[i][j] * b[j];
    }
    for (int i = m; i-- > 0;) {
      b[i] *= pivot_[i];
      for (int j = i + 1; j < m; ++j) b[i] -= l_[j][i] * b[j];
    }
    for (int i = 0; i < 3; ++i) r[i] = {b[2 * i], b[2 * i + 1]};
  }

  // a −= M⁻¹Gᵀ λ
  void pull(const Vector* lambda, double* a) const {
    const Vector all = lambda[0] + lambda[1] + lambda[2];
    a[kBeta] -= dot(u_[kBeta], all);
    a[kAlpha] -= dot(u_[kAlpha], all);
    a[kGamma] -= dot(u_[kGamma], lambda[0]);
    a[kPsi] -= dot(u_[kPsi], lambda[1]);
    a[kDelta] -= dot(u_[kDelta], lambda[1]);
    a[kChi] -= dot(u_[kChi], lambda[2]);
    a[kEpsilon] -= dot(u_[kEpsilon], lambda[2]);
  }

 private:
  struct Symmetric {
    double xx, xy, yy;
    Symmetric operator+(const Symmetric& b) const { return {xx + b.xx, xy + b.xy, yy + b.yy}; }
  };
  static Symmetric outer(Vector a, Vector b) { return {a.x * b.x, a.x * b.y, a.y * b.y}; }

  // The inverse of a block of M, its columns of M⁻¹Gᵀ, and what it gives to S.
  Symmetric invert(int k, const Pair& pair, const Position& at) {
    const double h = at.h[k], inverse = 1 / (pair.mass_x * pair.mass_y - h * h);
    const double xx = pair.mass_y * inverse, xy = -h * inverse, yy = pair.mass_x * inverse;
    inverse_[k][0] = xx, inverse_[k][1] = xy, inverse_[k][2] = yy;
    const Vector jx = at.w[pair.x].turned(), jy = at.w[pair.y].turned();
    u_[pair.x] = xx * jx + xy * jy;
    u_[pair.y] = xy * jx + yy * jy;
    return outer(u_[pair.x], jx) + outer(u_[pair.y], jy);
  }

  void factor() {
    for (int j = 0; j < m; ++j) {
      pivot_[j] = 1 / l_[j][j];
      double column[m];
      for (int i = j + 1; i < m; ++i) {
        column[i] = l_[i][j];
        l_[i][j] *= pivot_[j];
        for (int k = j + 1; k <= i; ++k) l_[i][k] -= l_[i][j] * column[k];
      }
    }
  }

  double inverse_[3][3];
  Vector u_[kNumAngles];
  double l_[m][m], pivot_[m];
};

// The angles on which the three sums of (1) depend, in the order of their columns.
struct Arm {
  int sum;
  Angle angle;
};
constexpr Arm kArms[] = {{0, kBeta},  {0, kAlpha}, {0, kGamma}, {1, kBeta}, {1, kAlpha},  {1, kPsi},
                         {1, kDelta}, {2, kBeta},  {2, kAlpha}, {2, kChi},  {2, kEpsilon}};

}  // namespace

Andrews::State Andrews::relative(const State& y) {
  State out = y;
  for (const std::size_t k : {0, n}) {
    out[k + kAlpha] -= y[k + kBeta];
    out[k + kPsi] -= y[k + kDelta];
    out[k + kChi] -= y[k + kEpsilon];
  }
  return out;
}

Andrews::State Andrews::absolute(const State& angles) {
  State out = angles;
  for (const std::size_t k : {0, n}) {
    out[k + kAlpha] += angles[k + kBeta];
    out[k + kPsi] += angles[k + kDelta];
    out[k + kChi] += angles[k + kEpsilon];
  }
  return out;
}

Andrews::State Andrews::start() {
  return absolute({-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
                   0.487364979543842550, -0.222668390165885885, 1.23054744454982119});
}

// S λ = G M⁻¹f − Σ w ω², as the second derivative of a vector is w⊥ ω̇ − w ω².
void Andrews::rate(const State& y, State& y_rate) {
  const Position at(y.data());
  const Matrix matrix(at);
  const double *const v = y.data() + n, (&k)[3] = at.slope;
  double* const a = y_rate.data() + n;
  matrix.accelerate(0, kCrank, torque - k[0] * v[kAlpha] * v[kAlpha], k[0] * v[kBeta] * v[kBeta],
                    a);
  matrix.accelerate(1, kLeft, -k[1] * v[kPsi] * v[kPsi], k[1] * v[kDelta] * v[kDelta], a);
  matrix.accelerate(2, kRight, -k[2] * v[kChi] * v[kChi], k[2] * v[kEpsilon] * v[kEpsilon], a);
  a[kGamma] = -at.spring / kMassGamma;
  Vector lambda[3];
  add_arms([&](int i) { return a[i] * at.w[i].turned() - (v[i] * v[i]) * at.w[i]; }, lambda);
  matrix.solve(lambda);
  matrix.pull(lambda, a);
  for (std::size_t i = 0; i < n; ++i) y_rate[i] = v[i];
  for (std::size_t i = 0; i < 3; ++i) {
    lambda_[2 * i] = lambda[i].x;
    lambda_[2 * i + 1] = lambda[i].y;
  }
}

void Andrews::project(State& y) {
  Position at(y.data());
  const Matrix matrix(at);
  Vector r[3];
  at.closure(r);
  matrix.solve(r);
  double correction[kNumAngles] = {};
  matrix.pull(r, correction);
  double* const v = y.data() + n;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] += correction[i];
    at.w[i] = at.w[i] + correction[i] * at.w[i].turned();  // where the angle is now, to first order
  }
  add_arms([&](int i) { return v[i] * at.w[i].turned(); }, r);
  matrix.solve(r);
  matrix.pull(r, v);
}

AndrewsGgl::AndrewsGgl() : GglByTerms(n, m) {
  set_start_of(Andrews());
  make_pattern();
}

void AndrewsGgl::residual(const double* y, const double* y_rate, double* F) const {
  const Position at(y);
  const double *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  const double* const a = y_rate + n;
  double* const D = F + n;  // of the dynamics
  int k = 0;
  for (const Pair& pair : {kCrank, kLeft, kRight}) {
    const int i = pair.x, j = pair.y;
    D[i] = pair.mass_x * a[i] + at.h[k] * a[j] + at.slope[k] * v[j] * v[j];
    D[j] = pair.mass_y * a[j] + at.h[k] * a[i] - at.slope[k] * v[i] * v[i];
    ++k;
  }
  D[kBeta] -= torque;
  D[kGamma] = kMassGamma * a[kGamma] + at.spring;
  for (int i = 0; i < n; ++i) F[i] = y_rate[i] - v[i];
  for (const auto& [sum, i] : kArms) {
    const Vector w = at.w[i].turned();
    F[i] += w.x * eta[2 * sum] + w.y * eta[2 * sum + 1];
    D[i] += w.x * lambda[2 * sum] + w.y * lambda[2 * sum + 1];
  }
  Vector g[3], g_rate[3];
  at.closure(g);
  add_arms([&](int i) { return v[i] * at.w[i].turned(); }, g_rate);
  for (int i = 0; i < 3; ++i) {
    F[2 * n + 2 * i] = g[i].x;
    F[2 * n + 2 * i + 1] = g[i].y;
    F[2 * n + m + 2 * i] = g_rate[i].x;
    F[2 * n + m + 2 * i + 1] = g_rate[i].y;
  }
}

template <typename Add>
void AndrewsGgl::visit_jacobian(const double* y, const double* y_rate, double c, Add&& add) const {
  const Position at(y);
  const double *const v = y + n, *const lambda = v + n, *const eta = lambda + m;
  const double* const a = y_rate + n;
  for (int i = 0; i < n; ++i) {
    add(i, i, c);
    add(i, n + i, -1.0);
  }
  int k = 0;
  for (const Pair& pair : {kCrank, kLeft, kRight}) {
    const int i = pair.x, j = pair.y;
    const double h = at.h[k], slope = at.slope[k];
    // By the angle y; that by x is the opposite.
    const double row_x = slope * a[j] - h * v[j] * v[j], row_y = slope * a[i] + h * v[i] * v[i];
    add(n + i, n + i, c * pair.mass_x);
    add(n + i, n + j, c * h + 2 * slope * v[j]);
    add(n + i, i, -row_x);
    add(n + i, j, row_x);
    add(n + j, n + j, c * pair.mass_y);
    add(n + j, n + i, c * h - 2 * slope * v[i]);
    add(n + j, i, -row_y);
    add(n + j, j, row_y);
    ++k;
  }
  add(n + kGamma, n + kGamma, c * kMassGamma);
  add(n + kGamma, kGamma, at.stiffness);
  for (const auto& [sum, i] : kArms) {
    const double w[2] = {at.w[i].x, at.w[i].y}, turned[2] = {-w[1], w[0]};
    for (int x = 0; x < 2; ++x) {
      const int row = 2 * sum + x;
      add(i, i, -w[x] * eta[row]);
      add(n + i, i, -w[x] * lambda[row]);
      add(i, 2 * n + m + row, turned[x]);      // Gᵀ of η
      add(n + i, 2 * n + row, turned[x]);      // Gᵀ of λ
      add(2 * n + row, i, turned[x]);          // G
      add(2 * n + m + row, n + i, turned[x]);  // G
      add(2 * n + m + row, i, -w[x] * v[i]);   // ∂(G v)/∂q
    }
  }
}

template class GglByTerms<AndrewsGgl>;

}  // namespace koppel::problems
