#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
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

}  // namespace

void Reader::read_bodies(const Node* section) {
  if (prefix_.empty()) {
    names_.bodies.emplace("ground", kGround);
    names_.poses.emplace_back();
  } else {
    names_.frames.emplace(full("ground"), Frame{kGround, placement_});
  }
  for (const Element& element : elements(section, "bodies")) {
    if (element.name == "ground") {
      const std::string what = "the ground";
      if (!check_keys(*element.value, what, {"points", "axes", "shape"})) continue;
      read_points(element, kGround, placement_);
      std::vector<Solid> ignored;
      if (const Node* shape = element.value->find("shape")) {
        read_shapes(*shape, what, model_.bodies[kGround], ignored);
      }
    } else {
      read_body(element);
    }
  }
}

void Reader::read_body(const Element& element) {
  const std::string what = describe("body", element.name);
  if (!claim(element, "element", "body")) return;
  const Node& node = *element.value;
  Body body;
  body.name = element.full_name;
  body.where = source_.at(element.offset);
  // Known from here on, so that a mistake in it is no mistake of what names it.
  const int index = model_.add_body(body);
  names_.bodies.emplace(element.full_name, index);
  names_.poses.push_back(placement_);
  if (!check_keys(node, what,
                  {"mass", "density", "point_mass", "com", "inertia", "shape", "points", "axes",
                   "position", "angle", "rotation", "quaternion", "cardan", "frame"})) {
    return;
  }
  read_mass(element, what, body);
  const Node* frame = node.find("frame");
  if (frame == nullptr) {
    const Placement pose = placement_.then(placement(node, what));
    names_.poses.back() = pose;
    body.position = pose.r.e;
    body.rotation = pose.R.e;
  } else {
    read_frame(*frame, node, what, body);
  }
  model_.bodies[static_cast<std::size_t>(index)] = std::move(body);
  if (frame != nullptr) place_by_frame(index);
  read_points(element, index, {});
}

void Reader::read_points(const Element& element, int body, const Placement& frame) {
  const std::string owner = body == kGround ? "the ground" : describe("body", element.name);
  Body& target = model_.bodies[static_cast<std::size_t>(body)];
  const std::string prefix = body == kGround ? prefix_ : "";
  for (const bool is_axis : {false, true}) {
    const char* const section = is_axis ? "axes" : "points";
    for (const Element& item :
         elements(element.value->find(section), std::string(section) + " of " + owner)) {
      const std::string what = (is_axis ? "axis '" : "point '") + item.name + "' of " + owner;
      const bool is_coordinate = item.name == "x" || item.name == "y" || item.name == "z";
      if (!is_valid_name(item.name) || item.name.find('.') != item.name.npos || is_coordinate) {
        report(item.offset, "model.bad-name",
               "'" + item.name.substr(0, 60) + "' cannot name a point or an axis.",
               is_coordinate ? "x, y and z are the coordinates of the body's origin."
                             : "A name is a letter, then letters, digits or underscores.");
        continue;
      }
      Vector v = vector(*item.value, what);
      if (is_axis) {
        v = frame.direction(nonzero(v, *item.value, what));
        names_.axes.emplace(element.full_name + '.' + item.name, v);
        target.axes.push_back({prefix + item.name, v.e});
      } else {
        v = frame.point(v);
        names_.points.emplace(element.full_name + '.' + item.name,
                              Point{body, v, frame, {}, false});
        target.points.push_back({prefix + item.name, v.e});
      }
    }
  }
}

void Reader::read_inertia(const Node& node, const std::string& what, Body& body) {
  if (model_.is_planar) {
    if (node.is_sequence()) {
      report(node.offset, "model.wrong-dimension",
             "inertia of " + what + " must be one number in a planar model.");
      return;
    }
    body.inertia(2, 2) = number(node, "inertia of " + what).e;
    return;
  }
  if (!node.is_sequence() || (node.items.size() != 3 && node.items.size() != 6)) {
    report(node.offset, "model.wrong-dimension",
           "inertia of " + what + " must be [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz].");
    return;
  }
  constexpr std::size_t kPlace[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto [row, column] = kPlace[i];
    const Expr e = number(node.items[i], "inertia of " + what).e;
    body.inertia(row, column) = e;
    body.inertia(column, row) = e;
  }
}

void Reader::read_mass(const Element& element, const std::string& what, Body& body) {
  const Node& node = *element.value;
  std::vector<Solid> solids;
  if (const Node* shape = node.find("shape")) read_shapes(*shape, what, body, solids);
  const Node* com = node.find("com");
  const Node* inertia = node.find("inertia");
  if (const Node* point = node.find("point_mass")) {
    body.is_point = true;
    body.mass = number(*point, "point_mass of " + what).e;
    for (const char* key : {"mass", "density", "com", "inertia"}) {
      if (const Node* other = node.find(key)) {
        report(other->offset, "model.contradiction",
               what + " is a point mass; it has no " + std::string(key) + ".");
      }
    }
    return;
  }
  const Node* mass = node.find("mass");
  const Node* density = node.find("density");
  if (mass == nullptr && density == nullptr) {
    report(element.offset, "model.missing-mass", what + " has no mass.",
           "Give mass, or density with a shape, or point_mass.");
    return;
  }
  if (mass != nullptr && density != nullptr) {
    report(density->offset, "model.contradiction", what + " has both a mass and a density.");
    return;
  }
  // The centre of mass and the inertia of all shapes together, each weighed by its volume; a
  // single shape may be a line.
  Expr volume = 0;
  for (const Solid& solid : solids) volume += solid.volume;
  const bool has_lines = [&] {
    for (const Solid& solid : solids) {
      if (solid.volume.is_constant(0)) return true;
    }
    return false;
  }();
  if (density != nullptr) {
    if (solids.empty() || has_lines) {
      report(density->offset, "model.missing-shape",
             what + " has a density but no shape with a volume.", "Give mass instead.");
      return;
    }
    body.mass = number(*density, "density of " + what).e * volume;
  } else {
    body.mass = number(*mass, "mass of " + what).e;
  }
  if (com != nullptr) body.com = vector(*com, "com of " + what).e;
  if (inertia != nullptr) read_inertia(*inertia, what, body);
  if (solids.empty()) {
    if (inertia == nullptr && node.find("shape") == nullptr) {
      report(element.offset, "model.missing-inertia", what + " has no inertia.",
             "Give inertia, or a shape to compute it from, or point_mass in place of mass.");
    }
    return;
  }
  if (solids.size() > 1 && has_lines && (inertia == nullptr || com == nullptr)) {
    report(element.offset, "model.missing-inertia",
           what + " has several shapes, some without volume; its mass cannot be spread over them.",
           "Give inertia and com.");
    return;
  }
  if (inertia != nullptr && com != nullptr) return;
  const auto share = [&](const Solid& s) {
    return solids.size() == 1 ? Expr(1) : s.volume / volume;
  };
  Vec3e centre;
  for (const Solid& solid : solids) centre += share(solid) * solid.centre;
  if (com == nullptr) body.com = centre;
  if (inertia != nullptr) return;
  for (const Solid& solid : solids) {
    add_scaled(body.inertia, body.mass * share(solid), solid.inertia);
    if (solids.size() > 1) {
      add_scaled(body.inertia, body.mass * share(solid), point_inertia(solid.centre - centre));
    }
  }
  if (model_.is_planar) {
    const Expr about_z = body.inertia(2, 2);
    body.inertia = {};
    body.inertia(2, 2) = about_z;
  }
}

}  // namespace koppel::yaml
