#include <koppel/model/elements/bushing.hpp>

#include <array>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {
namespace {

using Matrix = std::vector<std::vector<Expr>>;

Matrix zeros(std::size_t size) { return Matrix(size, std::vector<Expr>(size, Expr(0))); }

// Whether there are rows for displacements only, or none.
bool is_for_displacements(const Rows& given, std::size_t dim) {
  if (!given.is_given()) return true;
  return given.is_diagonal ? given.rows[0].size() == dim : given.rows.size() == dim;
}

// The matrix, or one of zeros where its size is wrong, which is reported.
Matrix matrix(ModelWriter& writer, const char* key, const Rows& given, std::size_t size) {
  Matrix m = zeros(size);
  if (!given.is_given()) return m;
  if (!given.is_diagonal && given.rows.size() != size) {
    writer.reject_key(key, "model.wrong-dimension",
                      " must have " + std::to_string(size) + " rows; found " +
                          std::to_string(given.rows.size()) + ".");
    return m;
  }
  for (const std::vector<Expr>& row : given.rows) {
    Numbers numbers;
    numbers.values = row;
    if (!writer.check_size(key, numbers, size)) return m;
  }
  if (!given.is_diagonal) return given.rows;
  for (std::size_t i = 0; i < size; ++i) m[i][i] = given.rows[0][i];
  return m;
}

}  // namespace

const std::vector<Field<Bushing>>& Bushing::fields() {
  static const std::vector<Field<Bushing>> kFields = {
      {{"between", "the two points"}, &Bushing::between},
      {{"stiffness", "a diagonal, or all rows", "N/m, N m/rad", "0", Allow::Time},
       &Bushing::stiffness},
      {{"damping", "a diagonal, or all rows", "N s/m, N m s/rad", "0", Allow::Time},
       &Bushing::damping},
      stiff_field<Bushing>()};
  return kFields;
}

void Bushing::add_to(ModelWriter& writer) const {
  Model& model = writer.model;
  const bool flat = model.is_planar;
  const std::size_t dim = flat ? 2 : 3;
  const bool turns = !is_for_displacements(stiffness, dim) || !is_for_displacements(damping, dim);
  const std::size_t size = !turns ? dim : flat ? 3 : 6;
  if (!stiffness.is_given() && !damping.is_given()) {
    writer.reject_missing(" needs stiffness or damping.");
  }
  const Matrix K = matrix(writer, "stiffness", stiffness, size);
  const Matrix D = matrix(writer, "damping", damping, size);
  if (!is_between_bodies(writer, between) || writer.is_rejected()) return;
  const Place &a = between.a, &b = between.b;
  const Marker frame_a{a.body, a.at, a.axes};
  const Mat3e axes_b = transpose(writer.body(b.body).rotation) *
                       (writer.body(a.body).rotation * frame_a.axes);  // parallel as placed
  const auto coordinate = [&](const std::string& part, const Vec3e& at, std::size_t i) {
    return model.coordinate_of(
        writer.name + '.' + part + "xyz" [i], { b.body, at }, static_cast<int>(i), frame_a);
  };
  std::vector<int> quantity(dim);
  std::vector<Expr> x(size, Expr(0)), rate(size, Expr(0));
  for (std::size_t i = 0; i < dim; ++i) {
    quantity[i] = coordinate("", b.at, i);
    x[i] = writer.quantity(quantity[i]).value;
    rate[i] = writer.quantity(quantity[i]).rate;
  }
  Force force{.is_stiff = stiff};
  const auto load = [&](std::size_t i) {
    Expr w = 0;
    for (std::size_t j = 0; j < size; ++j) w -= K[i][j] * x[j] + D[i][j] * rate[j];  // Eq. (1)
    return w;
  };
  const auto add_forces = [&] {
    for (std::size_t i = 0; i < dim; ++i) force.actions.push_back({quantity[i], load(i)});
  };
  if (!turns) {
    add_forces();
    return writer.add_force(std::move(force));
  }
  Mat3e R;
  for (std::size_t j = 0; j < dim; ++j) {
    const Vec3e tip = b.at + axes_b.column[j];
    for (std::size_t i = 0; i < dim; ++i) {
      const int q = coordinate(std::string("e") + "xyz"[j] + '.', tip, i);
      R(i, j) = writer.quantity(q).value - x[i];
    }
  }
  Vec3e omega;  // in b's body axes
  std::array<int, 3> turn{};
  for (std::size_t i = flat ? 2 : 0; i < 3; ++i) {
    turn[i] = model.angular_velocity(writer.name + ".w" + "xyz"[i], b.body, static_cast<int>(i),
                                     true, a.body);
    omega[i] = writer.quantity(turn[i]).rate;
  }
  const Vec3e spin = transpose(axes_b) * omega;
  if (flat) {
    x[2] = atan2(R(1, 0), R(0, 0));
    rate[2] = spin.z;
  } else {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      x[3 + i] = 0.5 * (R(k, j) - R(j, k));  // Eq. (2)
      rate[3 + i] = spin[i];
    }
  }
  add_forces();
  Vec3e w;
  for (std::size_t i = dim; i < size; ++i) (flat ? w.z : w[i - dim]) = load(i);
  const Vec3e torque = axes_b * w;
  for (std::size_t i = flat ? 2 : 0; i < 3; ++i) force.actions.push_back({turn[i], torque[i]});
  writer.add_force(std::move(force));
}

}  // namespace koppel
