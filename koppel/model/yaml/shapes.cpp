// Shapes: for pictures, and to compute centres of mass and inertias from.
//
// Homogeneous, of mass 1, about the centre. A cylinder of radius r and length l along the unit
// vector n, of which rods (r = 0) and discs are special cases, has
//   I = (l²/12) (1 − n nᵀ) + (r²/4) (1 + n nᵀ)                                           (1)
// a sphere (2/5) r² 1, a box with edges a along its axes diag(b² + c², c² + a², a² + b²)/12.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
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

}  // namespace

void Reader::read_shapes(const Node& node, const std::string& what, Body& body,
                         std::vector<Solid>& solids) {
  if (node.is_sequence()) {
    for (const Node& item : node.items) {
      if (!expect_map(item, "a shape of " + what)) continue;
      for (const Entry& entry : item.entries) read_shape(entry, what, body, solids);
    }
  } else if (expect_map(node, "shape of " + what)) {
    for (const Entry& entry : node.entries) read_shape(entry, what, body, solids);
  }
}

void Reader::read_shape(const Entry& entry, const std::string& what, Body& body,
                        std::vector<Solid>& solids) {
  const std::string& kind = entry.key;
  const Node& node = entry.value;
  const std::string name = kind + " of " + what;
  const bool flat = model_.is_planar;
  const auto missing = [&](const char* key) {
    report(entry.offset, "model.missing-key", name + " needs " + key + ".");
  };
  // A length that must be there and be positive.
  const auto length = [&](const char* key) -> std::optional<Number> {
    const Node* n = node.find(key);
    if (n == nullptr) {
      missing(key);
      return {};
    }
    const Number x = number(*n, std::string(key) + " of the " + name);
    if (x.value > 0) return x;
    report(n->offset, "model.bad-value",
           std::string(key) + " of the " + name + " must be positive.");
    return {};
  };
  const auto centre = [&] {
    const Node* at = node.find("at");
    return at == nullptr ? Vector() : vector(*at, "at of the " + name);
  };
  const auto add = [&](Shape shape, const Solid& solid) {
    body.shapes.push_back(std::move(shape));
    solids.push_back(solid);
  };

  if (kind == "rod") {
    if (!check_keys(node, name, {"from", "to", "radius"})) return;
    const Node* to = node.find("to");
    const Node* from = node.find("from");
    if (to == nullptr) return missing("to");
    const Vector start = from == nullptr ? Vector() : vector(*from, "from of the " + name);
    const Vector end = vector(*to, "to of the " + name);
    const Vector d{end.e - start.e, end.value - start.value};
    const double size = norm(d.value);
    if (!(size > 0)) {
      return report(entry.offset, "model.bad-value", name + " has length zero.");
    }
    const Expr l2 = dot(d.e, d.e);
    const Vec3e middle = Expr(0.5) * (start.e + end.e);
    Solid solid{middle, {}, 0};
    Shape shape;
    if (node.find("radius") == nullptr) {
      solid.inertia = cylinder_inertia(d.e, 0, l2);
      shape.kind = Shape::Kind::Line;
      shape.points = {start.value, end.value};
    } else {
      const std::optional<Number> radius = length("radius");
      if (!radius) return;
      solid.inertia = cylinder_inertia(d.e, radius->e, l2);
      solid.volume = std::numbers::pi * radius->e * radius->e * sqrt(l2);
      shape.kind = Shape::Kind::Cylinder;
      shape.size = {radius->value, size, 0};
      shape.position = 0.5 * (start.value + end.value);
      shape.axes = axes_along(d.value);
    }
    return add(std::move(shape), solid);
  }

  if (kind == "cylinder" || kind == "disc") {
    const char* const along = kind == "disc" ? "thickness" : "length";
    if (!check_keys(node, name, {"radius", along, "axis", "at"})) return;
    const std::optional<Number> radius = length("radius");
    std::optional<Number> l = Number{};
    if (kind == "cylinder" || node.find(along) != nullptr) l = length(along);
    if (!radius || !l) return;
    Vector axis{{0, 0, 1}, {0, 0, 1}};
    if (const Node* n = node.find("axis")) {
      axis = nonzero(vector(*n, "axis of the " + name), *n, "axis of the " + name);
    }
    const Vector c = centre();
    const double shown = l->value > 0 ? l->value : 0.05 * radius->value;
    return add(
        {Shape::Kind::Cylinder, {radius->value, shown, 0}, c.value, axes_along(axis.value), {}},
        {c.e, cylinder_inertia(axis.e, radius->e, l->e * l->e),
         std::numbers::pi * radius->e * radius->e * (flat ? Expr(1) : l->e)});
  }

  if (kind == "sphere") {
    if (!check_keys(node, name, {"radius", "at"})) return;
    const std::optional<Number> radius = length("radius");
    if (!radius) return;
    const Vector c = centre();
    Solid solid{c.e, {}, 4 * std::numbers::pi / 3 * pow(radius->e, 3)};
    for (std::size_t i = 0; i < 3; ++i) solid.inertia(i, i) = 0.4 * (radius->e * radius->e);
    return add({Shape::Kind::Sphere, {radius->value, 0, 0}, c.value, Mat3<double>::identity(), {}},
               solid);
  }

  if (kind == "box") {
    if (!check_keys(node, name, {"size", "at"})) return;
    const Node* size = node.find("size");
    if (size == nullptr) return missing("size");
    const Vector s = vector(*size, "size of the " + name);
    Vec3<double> shown = s.value;
    if (flat) shown.z = 0.25 * std::min(shown.x, shown.y);
    if (!(shown.x > 0 && shown.y > 0 && shown.z > 0)) {
      return report(size->offset, "model.bad-value", "size of the " + name + " must be positive.");
    }
    const Vector c = centre();
    Solid solid{c.e, {}, s.e.x * s.e.y * (flat ? Expr(1) : s.e.z)};
    for (std::size_t i = 0; i < 3; ++i) {
      const Expr b = s.e[(i + 1) % 3], a = s.e[(i + 2) % 3];
      solid.inertia(i, i) = (a * a + b * b) / 12;
    }
    return add({Shape::Kind::Box, shown, c.value, Mat3<double>::identity(), {}}, solid);
  }

  report(entry.offset, "model.unknown-type",
         "unknown shape '" + kind.substr(0, 60) + "' of " + what + ".",
         one_of(kind, "shapes", {"box", "cylinder", "disc", "rod", "sphere"}));
}

}  // namespace koppel::yaml
