// Derivatives of models/vehicle_trailer.yaml at 1.5 s by parameters: complex steps [Squire & Trapp
// 1998] of hand-written equations in extended precision (long double of x86, 64 binary digits),
// integrated by extrapolation of order 20. Nothing of Koppel is used.
//
//   g++ -std=c++20 -O2 vehicle_derivatives.cpp -o vehicle_derivatives
//   ./vehicle_derivatives > vehicle_derivatives.csv
//
// The trailer hangs on the hook and the wheels are round, so that a minimal form has no
// constraints: 15 places,
//   the car (3), yaw, pitch and roll of car and trailer (3 + 3), travel s of the struts (6),
// and 21 speeds u,
//   velocity of the car in the world (3), angular velocities of car and trailer along their own
//   axes (3 + 3), ṡ (6), spin Ω of the wheels relative to the hubs (6).
// Velocities of each body are linear in u: v = Σ v_j u_j, ω = Σ ω_j u_j + what the steering adds.
// Its accelerations are a + Σ v_j u̇_j and α + Σ ω_j u̇_j. Projected (Kane's equations), with sums
// over bodies,
//   Σ (m v_j·v_k + ω_j·I ω_k) u̇_k = Σ (v_j·(F − m a) + ω_j·(T − I α − ω × I ω)) + Q_j.        (1)
//
// Only the steering switches: its third derivative jumps at t = 1 s, where a step ends here. The
// law of the tyres is smooth. The start meets the constraints for all values of the parameters, so
// that it is the one of assembly; it depends on them through the loads in balance.
//
// Columns: model, quantity, parameter (none: the quantity itself), value, and by how much it
// differs with half as many steps.
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

using Real = long double;
using C = std::complex<Real>;
using Vec = std::array<C, 3>;
using Mat = std::array<Vec, 3>;  // columns: the axes of the body

static_assert(std::numeric_limits<Real>::digits >= 64);

Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec operator-(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec operator*(C k, const Vec& a) { return {k * a[0], k * a[1], k * a[2]}; }
C dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec operator*(const Mat& R, const Vec& a) { return a[0] * R[0] + a[1] * R[1] + a[2] * R[2]; }

// R times the turn by an angle about its axis k.
Mat turned(const Mat& R, int k, C angle) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const C c = std::cos(angle), s = std::sin(angle);
  Mat out = R;
  out[i] = c * R[i] + s * R[j];
  out[j] = c * R[j] - s * R[i];
  return out;
}

Mat turned(const C* angles) {  // yaw, pitch, roll
  const Mat one{Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}};
  return turned(turned(turned(one, 2, angles[0]), 1, angles[1]), 0, angles[2]);
}

// Rates of yaw, pitch and roll for the angular velocity along the body's axes.
Vec angle_rates(const C* angles, const C* w) {
  const C c = std::cos(angles[2]), s = std::sin(angles[2]), across = s * w[1] + c * w[2];
  return {across / std::cos(angles[1]), c * w[1] - s * w[2], w[0] + std::tan(angles[1]) * across};
}

constexpr int kSpeeds = 21, kPlaces = 15, kWheels = 6;
using State = std::vector<C>;  // places, then speeds

// A frame that moves: its origin x, axes R, and (1)'s v, ω, a, α with the columns v_j, ω_j that are
// not zero.
struct Frame {
  struct Column {
    int j;
    Vec v, w;
  };
  Vec x, v, w, a, alpha;
  Mat R;
  std::vector<Column> columns;
};

Frame moved(Frame f, const Vec& r) {  // to another point of the same body
  f.x = f.x + r;
  f.v = f.v + cross(f.w, r);
  f.a = f.a + cross(f.alpha, r) + cross(f.w, cross(f.w, r));
  for (auto& c : f.columns) c.v = c.v + cross(c.w, r);
  return f;
}

// A body at the same point that turns freely, with angular velocity u along its axes.
Frame hinged(Frame f, const Mat& R, const C* u, int first) {
  f.R = R;
  f.w = R * Vec{u[0], u[1], u[2]};
  f.alpha = {};
  for (auto& c : f.columns) c.w = {};
  for (int k = 0; k < 3; ++k) f.columns.push_back({first + k, {}, R[k]});
  return f;
}

struct Equations {
  C M[kSpeeds][kSpeeds] = {}, f[kSpeeds] = {};

  void add(const Frame& b, C m, const Vec& inertia, const Vec& F, const Vec& T) {
    const auto I = [&](const Vec& w) {
      return inertia[0] * dot(b.R[0], w) * b.R[0] + inertia[1] * dot(b.R[1], w) * b.R[1] +
             inertia[2] * dot(b.R[2], w) * b.R[2];
    };
    const Vec force = F - m * b.a, torque = T - I(b.alpha) - cross(b.w, I(b.w));
    for (const auto& k : b.columns) {
      const Vec mv = m * k.v, Iw = I(k.w);
      for (const auto& j : b.columns) M[j.j][k.j] += dot(j.v, mv) + dot(j.w, Iw);
      f[k.j] += dot(k.v, force) + dot(k.w, torque);
    }
  }

  // u̇ by elimination; M is positive definite.
  void solve() {
    for (int k = 0; k < kSpeeds; ++k) {
      for (int i = k + 1; i < kSpeeds; ++i) {
        if (M[i][k] == C(0)) continue;
        const C by = M[i][k] / M[k][k];
        for (int j = k; j < kSpeeds; ++j) M[i][j] -= by * M[k][j];
        f[i] -= by * f[k];
      }
    }
    for (int k = kSpeeds - 1; k >= 0; --k) {
      for (int j = k + 1; j < kSpeeds; ++j) f[k] -= M[k][j] * f[j];
      f[k] /= M[k][k];
    }
  }
};

struct Vehicle {
  C g = 9.81, v0 = 20, steering = 1.5 * M_PI / 180, m = 1300, a = 1.2, b = 1.5, h = 0.55,
    overhang = 0.9, hook = 0.42, mt = 800, c = 0.15, l = 3.5, track = 0.75, mh = 25, mw = 18,
    r = 0.31, k = 25000, d = 2000, kt = 200000, dt = 200, cx = 20, cy = 14, friction = 0.9;

  C load(int i) const {  // of the struts at the start: front, rear, trailer
    const C nose = mt * g * c / l, front = (m * g * b - nose * overhang) / (a + b) / Real(2);
    return i < 2 ? front : i < 4 ? (m * g + nose) / Real(2) - front : (mt * g - nose) / Real(2);
  }
  C height(int i) const { return r - (load(i) + (mh + mw) * g) / kt; }
  Vec strut(int i) const {  // in the frame of the car, or of the trailer
    const C x = i < 2 ? a : i < 4 ? -b : -c, side = i % 2 == 0 ? 1 : -1;
    return {x, side * track, height(i) - h};
  }

  // Load and slip force of a tyre on the wheel's centre, and their torque about it; the formulas
  // are (1) to (7) of koppel/model/elements/tyre.hpp, with n = e_z and p = 0.
  std::pair<Vec, Vec> tyre(const Frame& wheel) const {
    const Vec n{0, 0, 1}, axis = wheel.R[1], side = cross(axis, n);
    const C upright = std::sqrt(dot(side, side)), eps = r / Real(1000), v_creep = 0.1;
    const Vec nu = (Real(1) / upright) * (n - dot(n, axis) * axis);
    const C delta = r * upright - wheel.x[2], rate = -dot(n, wheel.v - r * cross(wheel.w, nu));
    const C root = std::sqrt(delta * delta + eps * eps), smooth = (delta + root) / Real(2),
            s = smooth / root;
    const C elastic = s * kt * smooth, load = elastic + dt * s * s * rate;
    const Vec rho = delta * n - r * nu, tau = (Real(1) / upright) * side, sigma = cross(n, tau);
    const C travel = dot(tau, wheel.v);
    const Vec slide = (Real(1) / std::sqrt(travel * travel + v_creep * v_creep)) *
                      (wheel.v + cross(wheel.w, rho));
    const C forward = -cx * dot(tau, slide), sideways = -cy * dot(sigma, slide);
    const C grip = friction * elastic /
                   std::sqrt(friction * friction + forward * forward + sideways * sideways);
    const Vec F = load * n + grip * (forward * tau + sideways * sigma);
    return {F, cross(rho, F)};
  }

  State start() const {
    State y(kPlaces + kSpeeds);
    y[2] = h;
    y[kPlaces] = v0;
    for (int i = 0; i < kWheels; ++i) y[kPlaces + 15 + i] = v0 / height(i);
    return y;
  }

  // The steering's angle and its rates.
  Vec steer(Real t) const {
    if (t < 1) return {};
    const Real w = std::acos(Real(-1)), s = std::sin(w * (t - 1)), c = std::cos(w * (t - 1));
    return {steering * (s * s * s), steering * (3 * w * s * s * c),
            steering * (3 * w * w * s * (2 * c * c - s * s))};
  }

  Frame car(const State& y) const {
    const C* u = &y[kPlaces];
    Frame f;
    f.x = {y[0], y[1], y[2]};
    f.v = {u[0], u[1], u[2]};
    for (int k = 0; k < 3; ++k) {
      f.columns.push_back({k, {}, {}});
      f.columns.back().v[k] = 1;
    }
    return hinged(f, turned(&y[3]), u + 3, 3);
  }

  Frame trailer(const Frame& car, const State& y) const {
    const Frame at = moved(car, car.R * Vec{-b - overhang, 0, hook - h});
    const Mat R = turned(&y[6]);
    return moved(hinged(at, R, &y[kPlaces + 6], 6), R * Vec{c - l, 0, h - hook});
  }

  State rate(Real t, const State& y) const {
    const C* u = &y[kPlaces];
    const Vec down{0, 0, -g};
    Equations e;
    const Frame front = car(y), back = trailer(front, y);
    e.add(front, m, {500, 2200, 2400}, m * down, {});
    e.add(back, mt, {400, 1200, 1300}, mt * down, {});
    for (int i = 0; i < kWheels; ++i) {
      const Frame& base = i < 4 ? front : back;
      const C s = y[9 + i], s_rate = u[9 + i], spin = u[15 + i];
      const Vec up = base.R[2];
      Frame hub = moved(base, base.R * (strut(i) + Vec{0, 0, s}));
      hub.v = hub.v + s_rate * up;
      hub.a = hub.a + Real(2) * s_rate * cross(base.w, up);
      hub.columns.push_back({9 + i, up, {}});
      if (i < 2) {
        const Vec angle = steer(t);
        hub.R = turned(base.R, 2, angle[0]);
        hub.w = base.w + angle[1] * up;
        hub.alpha = base.alpha + angle[2] * up + angle[1] * cross(base.w, up);
      }
      e.add(hub, mh, {0.5, 0.5, 0.5}, mh * down, {});
      e.f[9 + i] -= load(i) + k * s + d * s_rate;
      Frame wheel = hub;
      wheel.w = hub.w + spin * hub.R[1];
      wheel.alpha = hub.alpha + spin * cross(hub.w, hub.R[1]);
      wheel.columns.push_back({15 + i, {}, hub.R[1]});
      const auto [F, T] = tyre(wheel);
      // The wheel's own axes turn with its spin, which a round inertia does not notice.
      e.add(wheel, mw, {Real(0.6), Real(1.1), Real(0.6)}, F + mw * down, T);
    }
    e.solve();
    State out(y.size());
    for (int k = 0; k < 3; ++k) out[k] = u[k];
    const Vec turn = angle_rates(&y[3], u + 3), turn_back = angle_rates(&y[6], u + 6);
    for (int k = 0; k < 3; ++k) out[3 + k] = turn[k];
    for (int k = 0; k < 3; ++k) out[6 + k] = turn_back[k];
    for (int i = 0; i < kWheels; ++i) out[9 + i] = u[9 + i];
    for (int j = 0; j < kSpeeds; ++j) out[kPlaces + j] = e.f[j];
    return out;
  }
};

// Gragg's rule with 2, 4, …, 2 kColumns steps, extrapolated: order 2 kColumns.
State step(const Vehicle& vehicle, Real t, const State& y, Real H) {
  constexpr int kColumns = 10;
  const std::size_t size = y.size();
  std::vector<State> table, row;
  const State slope = vehicle.rate(t, y);
  for (int k = 0; k < kColumns; ++k) {
    const int n = 2 * (k + 1);
    const Real h = H / n;
    State before = y, now = y;
    for (std::size_t i = 0; i < size; ++i) now[i] += h * slope[i];
    for (int m = 1; m <= n; ++m) {
      const State rate = vehicle.rate(m < n ? t + m * h : t + H, now);
      if (m == n) {
        for (std::size_t i = 0; i < size; ++i)
          now[i] = (before[i] + now[i] + h * rate[i]) / Real(2);
      } else {
        for (std::size_t i = 0; i < size; ++i) before[i] += 2 * h * rate[i];
        std::swap(before, now);
      }
    }
    row.assign(1, now);
    for (int j = 0; j < k; ++j) {
      const int fewer = 2 * (k - j);
      const Real by = Real(fewer * fewer) / Real(n * n - fewer * fewer);
      State next = row[j];
      for (std::size_t i = 0; i < size; ++i) next[i] += by * (row[j][i] - table[j][i]);
      row.push_back(std::move(next));
    }
    table = row;
  }
  return table.back();
}

constexpr const char* kQuantities[] = {"y", "trailer_y", "yaw_rate"};

std::array<C, 3> motion(const Vehicle& vehicle, int steps_per_second) {
  State y = vehicle.start();
  const Real H = Real(1) / steps_per_second;  // 1 s is the end of a step
  for (int i = 0; 2 * i < 3 * steps_per_second; ++i) {
    y = step(vehicle, Real(i) / steps_per_second, y, H);
  }
  return {y[1], vehicle.trailer(vehicle.car(y), y).x[1], y[kPlaces + 5]};
}

int main() {
  constexpr int kFine = 200, kCoarse = 100;
  constexpr Real kStep = 1e-60L;
  const std::pair<const char*, C Vehicle::*> parameters[] = {
      {"", nullptr},        {"steering", &Vehicle::steering},
      {"m", &Vehicle::m},   {"a", &Vehicle::a},
      {"b", &Vehicle::b},   {"mt", &Vehicle::mt},
      {"k", &Vehicle::k},   {"cy", &Vehicle::cy},
      {"kt", &Vehicle::kt}, {"v0", &Vehicle::v0}};
  std::puts("model,quantity,parameter,value,error");
  for (const auto& [name, member] : parameters) {
    Vehicle vehicle;
    if (member != nullptr) vehicle.*member += C(0, kStep);
    const std::array<C, 3> fine = motion(vehicle, kFine), coarse = motion(vehicle, kCoarse);
    const auto value = [&](C x) { return member == nullptr ? x.real() : x.imag() / kStep; };
    for (std::size_t i = 0; i < fine.size(); ++i) {
      std::printf("vehicle_trailer,%s,%s,%.17Lg,%.0Le\n", kQuantities[i], name, value(fine[i]),
                  std::abs(value(fine[i]) - value(coarse[i])));
    }
    std::fflush(stdout);
  }
}
