// Vectors and matrices of three dimensions over any number type (double, Expr). Eigen is not used
// here: its expression templates and zero-initialisation do not fit symbolic entries, and nothing
// is needed beyond these few lines.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace koppel {

template <typename T>
struct Vec3 {
  T x{}, y{}, z{};

  T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  Vec3& operator-=(const Vec3& b) { return *this = *this - b; }

  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(const T& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
};

template <typename T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <typename T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <typename T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

template <typename T>
Vec3<T> normalized(const Vec3<T>& a) {
  return (T(1) / norm(a)) * a;
}

// By columns: m.column[j] is the image of the j-th unit vector.
template <typename T>
struct Mat3 {
  std::array<Vec3<T>, 3> column{};

  static Mat3 identity() {
    return {{{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}}};
  }

  const T& operator()(std::size_t row, std::size_t col) const { return column[col][row]; }
  T& operator()(std::size_t row, std::size_t col) { return column[col][row]; }

  friend Vec3<T> operator*(const Mat3& m, const Vec3<T>& a) {
    return a.x * m.column[0] + a.y * m.column[1] + a.z * m.column[2];
  }
  friend Mat3 operator*(const Mat3& m, const Mat3& n) {
    return {{m * n.column[0], m * n.column[1], m * n.column[2]}};
  }
};

template <typename T>
Mat3<T> transpose(const Mat3<T>& m) {
  Mat3<T> t;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) t(i, j) = m(j, i);
  }
  return t;
}

// The rotation by an angle about a unit axis [Rodrigues]: R = c I + s ã + (1 − c) a aᵀ.
template <typename T>
Mat3<T> rotation(const Vec3<T>& axis, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Mat3<T> r;
  for (std::size_t j = 0; j < 3; ++j) {
    Vec3<T> unit;
    unit[j] = T(1);
    r.column[j] = c * unit + s * cross(axis, unit) + ((T(1) - c) * axis[j]) * axis;
  }
  return r;
}

// The rotation of a unit quaternion (scalar first).
template <typename T>
Mat3<T> rotation(const std::array<T, 4>& e) {
  const T two(2);
  return {{{{T(1) - two * (e[2] * e[2] + e[3] * e[3]), two * (e[1] * e[2] + e[0] * e[3]),
             two * (e[1] * e[3] - e[0] * e[2])},
            {two * (e[1] * e[2] - e[0] * e[3]), T(1) - two * (e[1] * e[1] + e[3] * e[3]),
             two * (e[2] * e[3] + e[0] * e[1])},
            {two * (e[1] * e[3] + e[0] * e[2]), two * (e[2] * e[3] - e[0] * e[1]),
             T(1) - two * (e[1] * e[1] + e[2] * e[2])}}}};
}

}  // namespace koppel
