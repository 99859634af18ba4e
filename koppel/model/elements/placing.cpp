#include <koppel/model/elements/placing.hpp>

#include <array>
#include <cmath>

namespace koppel {
namespace {

// Turns by right angles are meant exactly: cos(90 deg) is 0, which keeps the equations sparse.
double snapped(double x) {
  constexpr double kRounding = 1e-15;
  const double whole = std::round(x);
  return std::abs(x - whole) < kRounding ? whole : x;
}

Mat3e snapped(Mat3e R) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (R(i, j).is_constant()) R(i, j) = snapped(R(i, j).value());
    }
  }
  return R;
}

Mat3e turned_by(ModelWriter& writer, const Orientation& orientation) {
  const auto& [about, quaternion, cardan, is_given] = orientation;
  if (about.is_given) {
    if (!about.axis || !about.angle) {
      writer.reject_key("rotation", "model.missing-key", " needs axis and angle.");
      return Mat3e::identity();
    }
    return snapped(rotation(normalized(about.axis->value), *about.angle));
  }
  if (quaternion.is_given()) {
    if (!writer.check_size("quaternion", quaternion, 4)) return Mat3e::identity();
    std::array<Expr, 4> e;
    Expr square = 0;
    double length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      e[i] = quaternion.values[i];
      square = i == 0 ? e[i] * e[i] : square + e[i] * e[i];
      length = std::hypot(length, writer.value(e[i]));
    }
    if (length == 0) {
      writer.reject_key("quaternion", "model.zero-axis", " has length zero.");
      return Mat3e::identity();
    }
    const Expr scale = sqrt(square);
    for (Expr& x : e) x = x / scale;
    return snapped(rotation(e));
  }
  Mat3e R = Mat3e::identity();
  if (!cardan.is_given()) return R;
  if (!cardan.is_list || cardan.values.size() != 3) {
    writer.reject_key("cardan", "model.wrong-dimension", " must be three angles.");
    return R;
  }
  const Vec3e axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) R = R * rotation(axes[i], cardan.values[i]);
  return snapped(R);
}

}  // namespace

const std::vector<Field<AxisAngle>>& AxisAngle::fields() {
  using E = AxisAngle;
  static const std::vector<Field<E>> kFields = {
      {{"axis", "in the axes of the model"}, &E::axis},
      {{.key = "angle", .text = "about it", .unit = "rad", .bound = Bound::OneTurn}, &E::angle}};
  return kFields;
}

const std::vector<Field<Orientation>>& Orientation::fields() {
  static const std::vector<Field<Orientation>> kFields = orientation_fields<Orientation>();
  return kFields;
}

Mat3e turned(ModelWriter& writer, const Orientation& orientation, std::string_view key) {
  const auto& [about, quaternion, cardan, is_given] = orientation;
  if (about.is_given + quaternion.is_given() + cardan.is_given() > 1) {
    const char* const message = " has more than one rotation.";
    const char* const hint = "Give one of angle, rotation, quaternion, cardan.";
    key.empty() ? writer.reject("model.contradiction", message, hint)
                : writer.reject_key(key, "model.contradiction", message, hint);
  }
  const std::string of = writer.of;
  if (!key.empty()) writer.of = std::string(key) + " of " + of;
  const Mat3e R = turned_by(writer, orientation);
  writer.of = of;
  return R;
}
MarkerFrame placed(ModelWriter& writer, const Placing& placing) {
  MarkerFrame out;
  if (placing.position) out.r = placing.position->value;
  const bool is_spatial =
      placing.rotation.is_given || placing.quaternion.is_given() || placing.cardan.is_given();
  if (placing.angle && is_spatial) {
    writer.reject("model.contradiction", " has more than one rotation.",
                  "Give one of angle, rotation, quaternion, cardan.");
  }
  if (placing.angle) {
    if (writer.model.is_planar) {
      out.R = snapped(rotation(Vec3e{0, 0, 1}, *placing.angle));
    } else {
      writer.reject_at("angle", "model.wrong-dimension",
                       " has an angle; that places bodies in planar models only.",
                       "Write rotation: {axis: [x, y, z], angle: …}.");
    }
  } else if (writer.model.is_planar && is_spatial) {
    writer.reject_at(placing.rotation.is_given       ? "rotation"
                     : placing.quaternion.is_given() ? "quaternion"
                                                     : "cardan",
                     "model.wrong-dimension", " has a rotation in space; the model is planar.",
                     "Write angle: … for a rotation in the plane.");
  } else {
    out.R = turned(writer, placing, {});
  }
  return out;
}

}  // namespace koppel
