#include <koppel/model/elements/shapes.hpp>

#include <algorithm>
#include <numbers>

namespace koppel {
namespace {

// Along `axis` of any length; l2 is the length of the cylinder, squared.
Mat3e cylinder_inertia(const Vec3e& axis, Expr radius, Expr l2) {
  Mat3e inertia;
  const Expr bending = l2 / 12, spinning = radius * radius / 4, scale = dot(axis, axis);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const Expr unit = i == j ? 1 : 0, along = axis[i] * axis[j] / scale;
      inertia(i, j) = bending * (unit - along) + spinning * (unit + along);  // Eq. (1)
    }
  }
  return inertia;
}

Mat3<double> axes_along(const Vec3<double>& direction) {
  const Marker marker = make_marker(kGround, {}, {direction.x, direction.y, direction.z});
  Mat3<double> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) axes(i, j) = marker.axes(i, j).value();
  }
  return axes;
}

// A length that must be there.
bool has(ModelWriter& writer, std::string_view key, bool is_given) {
  if (!is_given) writer.reject_missing(" needs " + std::string(key) + ".");
  return is_given;
}

template <typename E>
Field<E> length_field(std::string_view key, std::string_view text, std::optional<Expr> E::*member,
                      std::string_view unless_given = {}) {
  return {{.key = key,
           .text = text,
           .unit = "m",
           .unless_given = unless_given,
           .bound = Bound::Positive},
          member};
}

template <typename E>
Field<E> at_field() {
  return {{"at", "its centre in the body frame", "m", "the origin"}, &E::at};
}

template <typename E>
Field<E> axis_field() {
  return {{"axis", "in the body frame", {}, "z"}, &E::axis};
}

Vec3e centre_of(const std::optional<WorldPoint>& at) { return at ? at->value : Vec3e{}; }

// Of a cylinder or a disc; `thickness` none: thin.
Solid round_solid(ModelWriter& writer, Expr radius, const std::optional<Expr>& length,
                  const std::optional<WorldDirection>& along, const std::optional<WorldPoint>& at) {
  const Vec3e axis = along ? along->value : Vec3e{0, 0, 1}, c = centre_of(at);
  const Expr l = length.value_or(0);
  const double r = writer.value(radius), shown = length ? writer.value(l) : 0.05 * r;
  return {
      {Shape::Kind::Cylinder, {r, shown, 0}, writer.value(c), axes_along(writer.value(axis)), {}},
      c,
      cylinder_inertia(axis, radius, l * l),
      std::numbers::pi * radius * radius * (writer.model.is_planar ? Expr(1) : l)};
}

}  // namespace

const std::vector<Field<RodShape>>& RodShape::fields() {
  using E = RodShape;
  static const std::vector<Field<E>> kFields = {
      {{"from", "where it begins, in the body frame", "m", "the origin"}, &E::from},
      {{"to", "where it ends", "m"}, &E::to},
      length_field<E>("radius", "radius of a round bar", &E::radius, "a line")};
  return kFields;
}

std::optional<Solid> RodShape::make(ModelWriter& writer) const {
  if (!has(writer, "to", to.has_value())) return {};
  const Vec3e start = centre_of(from), d = to->value - start;
  const double size = norm(writer.value(d));
  if (!(size > 0)) {
    writer.reject("model.bad-value", " has length zero.");
    return {};
  }
  const Expr l2 = dot(d, d);
  writer.keep_positive(l2, writer.what + " has length zero.");
  const Vec3<double> a = writer.value(start), b = writer.value(to->value);
  Solid solid{{}, Expr(0.5) * (start + to->value), cylinder_inertia(d, radius.value_or(0), l2), 0};
  if (radius) {
    solid.volume = std::numbers::pi * *radius * *radius * sqrt(l2);
    solid.shape = {Shape::Kind::Cylinder,
                   {writer.value(*radius), size, 0},
                   0.5 * (a + b),
                   axes_along(writer.value(d)),
                   {}};
  } else {
    solid.shape.kind = Shape::Kind::Line;
    solid.shape.points = {a, b};
  }
  return solid;
}

const std::vector<Field<BoxShape>>& BoxShape::fields() {
  static const std::vector<Field<BoxShape>> kFields = {
      {{"size", "its edges", "m"}, &BoxShape::size}, at_field<BoxShape>()};
  return kFields;
}

std::optional<Solid> BoxShape::make(ModelWriter& writer) const {
  if (!has(writer, "size", size.has_value())) return {};
  const bool is_flat = writer.model.is_planar;
  const Vec3e& s = size->value;
  Vec3<double> shown = writer.value(s);
  if (is_flat) shown.z = 0.25 * std::min(shown.x, shown.y);
  if (!(shown.x > 0 && shown.y > 0 && shown.z > 0)) {
    writer.reject_key("size", "model.bad-value", " must be positive.");
    return {};
  }
  for (std::size_t i = 0; i < (is_flat ? 2U : 3U); ++i) {
    writer.keep_positive(s[i], "size of " + writer.what + " must be positive.");
  }
  const Vec3e c = centre_of(at);
  Solid solid{{Shape::Kind::Box, shown, writer.value(c), Mat3<double>::identity(), {}},
              c,
              {},
              s.x * s.y * (is_flat ? Expr(1) : s.z)};
  for (std::size_t i = 0; i < 3; ++i) {
    const Expr b = s[(i + 1) % 3], a = s[(i + 2) % 3];
    solid.inertia(i, i) = (a * a + b * b) / 12;
  }
  return solid;
}

const std::vector<Field<CylinderShape>>& CylinderShape::fields() {
  using E = CylinderShape;
  static const std::vector<Field<E>> kFields = {
      length_field<E>("radius", "radius of its ends", &E::radius),
      length_field<E>("length", "along its axis", &E::length), axis_field<E>(), at_field<E>()};
  return kFields;
}

std::optional<Solid> CylinderShape::make(ModelWriter& writer) const {
  const bool has_radius = has(writer, "radius", radius.has_value());
  if (!has(writer, "length", length.has_value()) || !has_radius) return {};
  return round_solid(writer, *radius, length, axis, at);
}

const std::vector<Field<DiscShape>>& DiscShape::fields() {
  using E = DiscShape;
  static const std::vector<Field<E>> kFields = {
      length_field<E>("radius", "radius of the disc", &E::radius),
      length_field<E>("thickness", "along its axis", &E::thickness, "0"), axis_field<E>(),
      at_field<E>()};
  return kFields;
}

std::optional<Solid> DiscShape::make(ModelWriter& writer) const {
  if (!has(writer, "radius", radius.has_value())) return {};
  return round_solid(writer, *radius, thickness, axis, at);
}

const std::vector<Field<SphereShape>>& SphereShape::fields() {
  static const std::vector<Field<SphereShape>> kFields = {
      length_field<SphereShape>("radius", "radius of the ball", &SphereShape::radius),
      at_field<SphereShape>()};
  return kFields;
}

std::optional<Solid> SphereShape::make(ModelWriter& writer) const {
  if (!has(writer, "radius", radius.has_value())) return {};
  const Vec3e c = centre_of(at);
  Solid solid{{Shape::Kind::Sphere,
               {writer.value(*radius), 0, 0},
               writer.value(c),
               Mat3<double>::identity(),
               {}},
              c,
              {},
              4 * std::numbers::pi / 3 * pow(*radius, 3)};
  for (std::size_t i = 0; i < 3; ++i) solid.inertia(i, i) = 0.4 * (*radius * *radius);
  return solid;
}

}  // namespace koppel
