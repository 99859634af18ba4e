#include <koppel/model/rotation_signal.hpp>

namespace koppel {
namespace {

constexpr double kNothing = 1e-12;  // far below an angle that can be told from zero

Expr length_of(const Vec3e& a) { return sqrt(dot(a, a) + kNothing * kNothing); }

std::array<Expr, 4> product(const std::array<Expr, 4>& a, const std::array<Expr, 4>& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

// About the axis x, y, z (0, 1, 2).
std::array<Expr, 4> about(std::size_t axis, Expr angle) {
  std::array<Expr, 4> e = {cos(angle / 2), 0, 0, 0};
  e[axis + 1] = sin(angle / 2);
  return e;
}

// A column of 4 r rᵀ, of the rotation A.
std::array<Expr, 4> quaternion_along(const Mat3e& A) {
  const Expr x = A(2, 1) - A(1, 2), y = A(0, 2) - A(2, 0), z = A(1, 0) - A(0, 1);
  const Expr xy = A(0, 1) + A(1, 0), xz = A(0, 2) + A(2, 0), yz = A(1, 2) + A(2, 1);
  const Expr a = A(0, 0), b = A(1, 1), c = A(2, 2);
  const std::array<Expr, 4> columns[] = {{1 + a + b + c, x, y, z},
                                         {x, 1 + a - b - c, xy, xz},
                                         {y, xy, 1 - a + b - c, yz},
                                         {z, xz, yz, 1 - a - b + c}};
  std::array<Expr, 4> out;
  for (std::size_t i = 0; i < 4; ++i) {
    const Expr of_b_or_c = select(b < c, columns[3][i], columns[2][i]);
    const Expr of_a = select(max(b, c) <= a, columns[1][i], of_b_or_c);
    out[i] = select(0 < a + b + c, columns[0][i], of_a);
  }
  return out;
}

}  // namespace

std::array<Expr, 4> quaternion_of_signal(RotationForm form, std::span<const Expr> z) {
  switch (form) {
    case RotationForm::RotationVector: {
      const Vec3e vector{z[0], z[1], z[2]};
      const Expr angle = length_of(vector), part = sin(angle / 2) / angle;
      return {cos(angle / 2), part * z[0], part * z[1], part * z[2]};
    }
    case RotationForm::RollPitchYaw:
      return product(about(2, z[2]), product(about(1, z[1]), about(0, z[0])));
    case RotationForm::Quaternion: break;
  }
  const Expr size =
      sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3] + kNothing * kNothing);
  return {z[0] / size, z[1] / size, z[2] / size, z[3] / size};
}

Vec3e rotation_between(const Mat3e& from, const std::array<Expr, 4>& to) {
  const std::array<Expr, 4> r = quaternion_along(rotation(to) * transpose(from));
  const Expr side = select(r[0] < 0, -1, 1);
  const Vec3e v{r[1], r[2], r[3]};
  const Expr size = length_of(v);
  return (2 * side * atan2(size, side * r[0]) / size) * v;
}

}  // namespace koppel
