#include <koppel/model/elements/body.hpp>

#include <algorithm>

namespace koppel {
namespace {

// Of a point of mass 1 at d, about the origin: |d|² I − d dᵀ.
Mat3e point_inertia(const Vec3e& d) {
  Mat3e inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      inertia(i, j) = (i == j ? dot(d, d) : Expr(0)) - d[i] * d[j];
    }
  }
  return inertia;
}

void add_scaled(Mat3e& sum, Expr factor, const Mat3e& m) {
  for (std::size_t j = 0; j < 3; ++j) sum.column[j] += factor * m.column[j];
}

bool is_line(const Solid& solid) { return solid.volume.is_constant(0); }

// `points`, `axes` and `shape`.
template <typename E>
Field<E> shape_field() {
  return {{"shape", "one of the shapes below, or a list of them", {}, "none"}, &E::shape};
}
template <typename E>
std::vector<Field<E>> named_fields() {
  return {{{"points", "named points in the body frame", "m", "none"}, &E::points},
          {{"axes", "named directions in the body frame", {}, "none"}, &E::axes}};
}

}  // namespace

const std::vector<Field<BodyElement>>& BodyElement::fields() {
  using E = BodyElement;
  using Fields = std::vector<Field<E>>;
  static const Fields kFields =
      Fields{{{"mass", "the mass; 0 is allowed", "kg", "`density` or `point_mass`"}, &E::mass},
             {{"density", "mass per volume of the shape; planar: per area", "kg/m³", "none"},
              &E::density},
             {{"point_mass", "the mass of a body without rotation", "kg", "none"}, &E::point_mass},
             {{"com", "the centre of mass", "m", "that of the shape, or the origin"}, &E::com},
             {{"inertia",
               "about the centre of mass. Planar: a number; else `[Ixx, Iyy, Izz]` or "
               "`[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`, the elements of the tensor (`Ixy` = −∫xy dm)",
               "kg m²", "that of the shape"},
              &E::inertia},
             shape_field<E>()} +
      named_fields<E>() + placing_fields<E>() +
      Fields{{{"frame",
               "points and vectors that define the body frame, instead of the last five keys: the "
               "origin, one on the x axis, one in the x-y plane",
               {},
               "none"},
              &E::frame}};
  return kFields;
}

const std::vector<Field<GroundElement>>& GroundElement::fields() {
  static const std::vector<Field<GroundElement>> kFields =
      named_fields<GroundElement>() +
      std::vector<Field<GroundElement>>{shape_field<GroundElement>()};
  return kFields;
}

Body BodyElement::make(ModelWriter& writer, const MarkerFrame& within) const {
  Body body;
  body.name = writer.name;
  body.where = writer.where();
  for (const Solid& solid : shape.values) body.shapes.push_back(solid.shape);
  set_mass(writer, body);
  set_place(writer, body, within);
  return body;
}

void BodyElement::set_place(ModelWriter& writer, Body& body, const MarkerFrame& within) const {
  if (!frame.is_given) {
    const MarkerFrame at = placed(writer, *this);
    body.position = within.r + within.R * at.r;
    body.rotation = within.R * at.R;
    return;
  }
  const std::pair<const char*, bool> others[] = {{"position", position.has_value()},
                                                 {"angle", angle.has_value()},
                                                 {"rotation", rotation.is_given},
                                                 {"quaternion", quaternion.is_given()},
                                                 {"cardan", cardan.is_given()}};
  for (const auto& [key, has] : others) {
    if (!has) continue;
    return writer.reject_at(
        key, "model.contradiction",
        " has a frame of points and vectors; it has no " + std::string(key) + ".");
  }
  if (!frame.is_known) return;  // reported
  try {
    writer.model.set_frame(body, frame.values);
  } catch (const Error& error) {
    writer.reject_with("frame", error.diagnostics().front());
  }
}

void BodyElement::set_inertia(ModelWriter& writer, Body& body) const {
  const std::vector<Expr>& I = inertia.values;
  if (writer.model.is_planar) {
    if (inertia.is_list || I.size() != 1) {
      return writer.reject_key("inertia", "model.wrong-dimension",
                               " must be one number in a planar model.");
    }
    body.inertia(2, 2) = I[0];
    return;
  }
  if (!inertia.is_list || (I.size() != 3 && I.size() != 6)) {
    return writer.reject_key("inertia", "model.wrong-dimension",
                             " must be [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz].");
  }
  constexpr std::size_t kPlace[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (std::size_t i = 0; i < I.size(); ++i) {
    const auto [row, column] = kPlace[i];
    body.inertia(row, column) = body.inertia(column, row) = I[i];
  }
}

void BodyElement::set_mass(ModelWriter& writer, Body& body) const {
  if (point_mass) {
    body.is_point = true;
    body.mass = *point_mass;
    const std::pair<const char*, bool> others[] = {{"mass", mass.has_value()},
                                                   {"density", density.has_value()},
                                                   {"com", com.has_value()},
                                                   {"inertia", inertia.is_given()}};
    for (const auto& [key, has] : others) {
      if (!has) continue;
      writer.reject_at(key, "model.contradiction",
                       " is a point mass; it has no " + std::string(key) + ".");
    }
    return;
  }
  if (!mass && !density) {
    return writer.reject_missing(" has no mass.",
                                 "Give mass, or density with a shape, or point_mass.",
                                 "model.missing-mass");
  }
  if (mass && density) {
    return writer.reject_at("density", "model.contradiction", " has both a mass and a density.");
  }
  const std::vector<Solid>& solids = shape.values;
  Expr volume = 0;
  for (const Solid& solid : solids) volume += solid.volume;
  if (density) {
    if (solids.empty() || std::any_of(solids.begin(), solids.end(), is_line)) {
      return writer.reject_missing(" has a density but no shape with a volume.",
                                   "Give mass instead.", "model.missing-shape", "density");
    }
    body.mass = *density * volume;
  } else {
    body.mass = *mass;
  }
  if (com) body.com = com->value;
  if (inertia.is_given()) set_inertia(writer, body);
  if (!solids.empty()) return set_by_shape(writer, body, volume);
  if (inertia.is_given() || shape.is_given) return;
  writer.reject_missing(
      " has no inertia.",
      "Give inertia, or a shape to compute it from, or point_mass in place of mass.",
      "model.missing-inertia");
}

// The centre of mass and the inertia of all shapes together, each weighed by its volume; a single
// shape may be a line.
void BodyElement::set_by_shape(ModelWriter& writer, Body& body, Expr volume) const {
  const std::vector<Solid>& solids = shape.values;
  if (inertia.is_given() && com) return;
  if (solids.size() > 1 && std::any_of(solids.begin(), solids.end(), is_line)) {
    return writer.reject_missing(
        " has several shapes, some without volume; its mass cannot be spread over them.",
        "Give inertia and com.", "model.missing-inertia");
  }
  const auto share = [&](const Solid& s) {
    return solids.size() == 1 ? Expr(1) : s.volume / volume;
  };
  Vec3e centre;
  for (const Solid& solid : solids) centre += share(solid) * solid.centre;
  if (!com) body.com = centre;
  if (inertia.is_given()) return;
  for (const Solid& solid : solids) {
    add_scaled(body.inertia, body.mass * share(solid), solid.inertia);
    if (solids.size() > 1) {
      add_scaled(body.inertia, body.mass * share(solid), point_inertia(solid.centre - centre));
    }
  }
  if (writer.model.is_planar) {
    const Expr about_z = body.inertia(2, 2);
    body.inertia = {};
    body.inertia(2, 2) = about_z;
  }
}

}  // namespace koppel
