// Joints: markers on both bodies, and drives.
#include <algorithm>
#include <cmath>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

struct Type {
  std::string_view name;
  JointKind kind;
  bool in_plane;  // exists in planar models
  bool has_axis;
  bool turns;  // about the axis
};
constexpr Type kTypes[] = {
    {"revolute", JointKind::Revolute, true, true, true},
    {"prismatic", JointKind::Prismatic, true, true, false},
    {"cylindrical", JointKind::Cylindrical, false, true, true},
    {"screw", JointKind::Screw, false, true, true},
    {"spherical", JointKind::Spherical, false, false, false},
    {"universal", JointKind::Universal, false, true, false},
    {"planar", JointKind::Planar, false, true, true},
    {"fixed", JointKind::Fixed, true, false, false},
    {"distance", JointKind::Distance, true, false, false},
    {"point-on-line", JointKind::PointOnLine, true, true, false},
    {"point-on-plane", JointKind::PointOnPlane, false, true, false},
};

const Type& type_of(JointKind kind) {
  for (const Type& type : kTypes) {
    if (type.kind == kind) return type;
  }
  return kTypes[0];
}

Marker marker_along(const Point& point, const Vector& axis) {
  return make_marker(point.body, point.at.e, axis.e, axis.value);
}

}  // namespace

// A body, `body.point`, or {body: [x, y, z]}.
std::optional<Point> Reader::point(const Node& node, const std::string& what) {
  const auto body_of = [&](const std::string& name, std::size_t offset) -> std::optional<Point> {
    const std::string key = full(name);
    Point p;
    p.name = name;
    if (const auto frame = names_.frames.find(key); frame != names_.frames.end()) {
      p.body = frame->second.body;
      p.frame = frame->second.at;
      p.at = p.frame.r;
      return p;
    }
    if (const auto body = names_.bodies.find(key); body != names_.bodies.end()) {
      p.body = body->second;
      return p;
    }
    std::vector<std::string> known;
    if (!prefix_.empty()) known.emplace_back("ground");
    for (const Body& b : model_.bodies) {
      if (b.name.starts_with(prefix_)) known.push_back(b.name.substr(prefix_.size()));
    }
    // Perhaps the body is right, and its point is not.
    const std::size_t dot = name.rfind('.');
    const std::string owner = dot == name.npos ? "" : full(name.substr(0, dot));
    if (names_.bodies.contains(owner) || names_.frames.contains(owner)) {
      std::vector<std::string> points;
      for (const auto& [point_name, value] : names_.points) {
        if (point_name.starts_with(owner + '.'))
          points.push_back(point_name.substr(owner.size() + 1));
      }
      std::sort(points.begin(), points.end());
      report(offset, "model.unknown-point",
             what + " names point '" + name.substr(dot + 1) + "' of body '" + name.substr(0, dot) +
                 "'; there is none.",
             points.empty() ? "The body has no points."
                            : one_of(name.substr(dot + 1), "points", points));
      return {};
    }
    report(offset, "model.unknown-body", what + " names body '" + name + "'; there is none.",
           one_of(name, "bodies", known));
    return {};
  };
  if (node.is_map() && node.entries.size() == 1) {
    std::optional<Point> p =
        body_of(with_indices(node.offset, node.entries[0].key), node.entries[0].offset);
    const Vector v = vector(node.entries[0].value, "point of " + what);
    if (p) {
      p->at = p->frame.point(v);
      p->is_origin = false;
    }
    return p;
  }
  if (!node.is_scalar()) {
    report(node.offset, "model.wrong-kind", what + " must name a body or a point of it.",
           "Such as rod, rod.A or {rod: [0.5, 0, 0]}.");
    return {};
  }
  const std::string name = with_indices(node.offset, node.text);
  if (const auto it = names_.points.find(full(name)); it != names_.points.end()) {
    Point p = it->second;
    p.name = name;
    return p;
  }
  return body_of(name, node.offset);
}

std::optional<std::pair<Point, Point>> Reader::between(const Element& element,
                                                       const std::string& what) {
  const Node* node = element.value->find("between");
  if (node == nullptr || !node->is_sequence() || node->items.size() != 2) {
    report(node == nullptr ? element.offset : node->offset, "model.missing-key",
           what + " needs between: [first, second].",
           "Each a body, or a point of one such as rod.A; 'ground' is the world.");
    return {};
  }
  const std::optional<Point> a = point(node->items[0], what), b = point(node->items[1], what);
  if (!a || !b) return {};
  return std::pair{*a, *b};
}

// The name of an axis of the body, or a vector in its frame. In the body frame.
std::optional<Vector> Reader::axis_of(const Node& node, const Point& point,
                                      const std::string& what) {
  if (!node.is_scalar())
    return point.frame.direction(nonzero(vector(node, "axis of " + what), node, "axis of " + what));
  const std::size_t dot = point.name.rfind('.');
  const std::string owner = dot == point.name.npos || names_.bodies.contains(full(point.name))
                                ? point.name
                                : point.name.substr(0, dot);
  const std::string name = with_indices(node.offset, node.text);
  // With or without the body in front.
  for (const std::string& key : {full(owner + '.' + name), full(name)}) {
    if (const auto it = names_.axes.find(key); it != names_.axes.end()) return it->second;
  }
  std::vector<std::string> known;
  for (const auto& [key, value] : names_.axes) {
    if (key.starts_with(full(owner) + '.')) known.push_back(key.substr(full(owner).size() + 1));
  }
  std::sort(known.begin(), known.end());
  report(node.offset, "model.unknown-axis",
         what + " names axis '" + name + "' of body '" + owner + "'; there is none.",
         known.empty() ? "The body has no axes." : one_of(name, "axes", known));
  return {};
}

void Reader::read_joints(const Node* section) {
  for (const Element& element : elements(section, "joints")) read_joint(element);
}

void Reader::read_joint(const Element& element) {
  const std::string what = describe("joint", element.name);
  if (!claim(element, "element", "joint")) return;
  const Node& node = *element.value;
  if (!expect_map(node, what)) return;
  const Node* type = node.find("type");
  if (type == nullptr) {
    report(element.offset, "model.missing-key", what + " has no type.");
    return;
  }
  const int chosen =
      word(*type, "type of " + what,
           {"revolute", "prismatic", "cylindrical", "screw", "spherical", "universal", "planar",
            "fixed", "distance", "point-on-line", "point-on-plane", "rolling"});
  if (chosen < 0) return;
  if (type->text == "rolling") return read_rolling(element, what);
  const Type& t = kTypes[chosen];
  if (model_.is_planar && !t.in_plane) {
    report(type->offset, "model.wrong-dimension",
           what + " is " + std::string(t.name) +
               "; planar models have revolute, prismatic, fixed, "
               "distance, point-on-line and rolling joints.",
           t.kind == JointKind::Spherical ? "Did you mean 'revolute'?" : "");
    return;
  }
  check_keys(
      node, what,
      {"type", "between", "at", "axis", "axes", "length", "pitch", "drive", "jump", "closes"});
  const auto needless = [&](const char* key, bool is_needed, const char* whose) {
    const Node* n = node.find(key);
    if (n == nullptr || is_needed) return;
    report(n->offset, "model.unknown-key",
           std::string("key '") + key + "' in " + what + " belongs to " + whose + ".");
  };
  needless("length", t.kind == JointKind::Distance, "distance joints");
  needless("pitch", t.kind == JointKind::Screw, "screws");
  needless("axis", t.has_axis, "joints with an axis");
  needless("axes", t.has_axis, "joints with an axis");
  needless("jump", node.find("drive") != nullptr, "drives");
  Joint joint;
  joint.name = element.full_name;
  joint.kind = t.kind;
  joint.where = source_.at(element.offset);
  const std::size_t before = mistakes_.size();
  read_markers(element, what, joint);
  if (const Node* pitch = node.find("pitch")) {
    joint.pitch = number(*pitch, "pitch of " + what).e;
  } else if (t.kind == JointKind::Screw) {
    report(element.offset, "model.missing-key",
           what + " needs its pitch: the displacement a turn.");
  }
  if (const Node* closes = node.find("closes")) {
    joint.closes = boolean(*closes, "closes of " + what);
  }
  const int index = model_.add_joint(joint);
  names_.joints.emplace(element.full_name, index);
  if (t.kind == JointKind::Distance)
    names_.lengths.emplace(element.full_name, std::pair{joint.a, joint.b});
  if (mistakes_.size() == before) read_drive(element, what, index);
}

void Reader::read_markers(const Element& element, const std::string& what, Joint& joint) {
  const Node& node = *element.value;
  const Type& type = type_of(joint.kind);
  auto ends = between(element, what);
  if (!ends) return;
  auto& [a, b] = *ends;
  if (a.body == b.body) {
    report(element.offset, "model.self-joint",
           what + " joins body '" + model_.bodies[static_cast<std::size_t>(a.body)].name +
               "' to itself.");
    return;
  }
  const Placement& pose_a = names_.poses[static_cast<std::size_t>(a.body)];
  const Placement& pose_b = names_.poses[static_cast<std::size_t>(b.body)];
  const Node* at = node.find("at");
  if (at != nullptr) {
    for (const Point* end : {&a, &b}) {
      if (end->is_origin) continue;
      report(at->offset, "model.contradiction",
             what + " has both a point of body '" +
                 model_.bodies[static_cast<std::size_t>(end->body)].name + "' and a place, at.",
             "Give a point of each body, or the bodies alone and at.");
      return;
    }
    const Vector world = placement_.point(vector(*at, "at of " + what));
    a.at = pose_a.point_back(world);
    b.at = pose_b.point_back(world);
  }
  if (joint.kind == JointKind::Distance) {
    joint.a = {a.body, a.at.e};
    joint.b = {b.body, b.at.e};
    const Vector ra = pose_a.point(a.at), rb = pose_b.point(b.at);
    const Node* length = node.find("length");
    const Number l = length != nullptr ? number(*length, "length of " + what)
                                       : Number{norm(rb.e - ra.e), norm(rb.value - ra.value)};
    joint.length = l.e;
    if (l.value > 0) return;
    report(length != nullptr ? length->offset : element.offset, "model.bad-value",
           "length of " + what + " must be positive" +
               (length != nullptr ? "." : "; as placed, its points coincide."),
           length != nullptr ? "" : "Give length, or positions of the bodies.");
    return;
  }

  // The axes of both markers. Where the user gives one, the other is as placed at the start.
  Vector axis_a{{0, 0, 1}, {0, 0, 1}};
  std::optional<Vector> axis_b;
  if (const Node* axes = node.find("axes")) {
    if (!axes->is_sequence() || axes->items.size() != 2) {
      report(axes->offset, "model.wrong-dimension",
             "axes of " + what + " must be two axes, one for each body.");
      return;
    }
    const auto first = axis_of(axes->items[0], a, what);
    axis_b = axis_of(axes->items[1], b, what);
    if (!first || !axis_b) return;
    axis_a = *first;
  } else if (const Node* axis = node.find("axis")) {
    if (at != nullptr && !axis->is_scalar()) {
      const Vector world = nonzero(vector(*axis, "axis of " + what), *axis, "axis of " + what);
      axis_a = pose_a.direction_back(placement_.direction(world));
    } else {
      const auto given = axis_of(*axis, a, what);
      if (!given) return;
      axis_a = *given;
    }
  } else if (type.has_axis && !(model_.is_planar && joint.kind == JointKind::Revolute)) {
    report(element.offset, "model.missing-axis", what + " has no axis.",
           "Give axis: a direction in the frame of the first body (with 'at': in world axes).");
    return;
  } else {
    axis_a = a.frame.direction(axis_a);
  }
  if (model_.is_planar && joint.kind == JointKind::Revolute &&
      (node.find("axis") != nullptr || node.find("axes") != nullptr)) {
    report(element.offset, "model.wrong-dimension",
           what + " needs no axis: in the plane all hinges turn about z.");
    return;
  }
  if (joint.kind == JointKind::Universal) {
    if (!axis_b) {
      report(element.offset, "model.missing-axis", what + " needs axes: one fixed to each body.");
      return;
    }
    joint.a = marker_along(a, axis_a);
    // x along b's axis; z as near to a's axis as placed.
    const Marker m = marker_along(b, *axis_b);
    joint.b = {b.body, b.at.e, {{m.axes.column[2], m.axes.column[0], m.axes.column[1]}}};
    return;
  }
  joint.a = marker_along(a, axis_a);
  if (axis_b) {
    joint.b = marker_along(b, *axis_b);
    return;
  }
  const Vector carried = pose_b.direction_back(pose_a.direction(axis_a));
  constexpr double kParallel = 1e-9;
  const bool same = norm(carried.value - axis_a.value) <= kParallel * norm(axis_a.value);
  if (type.turns && same) {
    // Angles are counted from parallel frames.
    joint.b = {b.body, b.at.e, joint.a.axes};
  } else {
    joint.b = {b.body, b.at.e, transpose(pose_b.R.e) * (pose_a.R.e * joint.a.axes)};
  }
}

void Reader::add_drive(const Element& element, const Node& node, const std::string& what,
                       int quantity, const std::string& name) {
  const Expr e = expression(node, "drive of " + what, Allow::Time);
  model_.constraints.push_back({name,
                                model_.quantities[static_cast<std::size_t>(quantity)].value - e,
                                source_.at(element.offset)});
  model_.constraints.back().may_jump = may_jump(*element.value, what);
}

// `jump: impulse`: where what is prescribed jumps, an impulse makes the mechanism follow.
bool Reader::may_jump(const Node& node, const std::string& what) {
  const Node* jump = node.find("jump");
  return jump != nullptr && word(*jump, "jump of " + what, {"impulse"}) == 0;
}

void Reader::read_drive(const Element& element, const std::string& what, int index) {
  const Node* drive = element.value->find("drive");
  if (drive == nullptr) return;
  const std::string name = element.full_name + ".drive";
  const JointKind kind = model_.joints[static_cast<std::size_t>(index)].kind;
  if (kind == JointKind::Cylindrical) {
    if (!check_keys(*drive, "drive of " + what, {"angle", "position"})) return;
    if (const Node* n = drive->find("angle")) {
      add_drive(element, *n, what, model_.angle_of(index), name + ".angle");
    }
    if (const Node* n = drive->find("position")) {
      add_drive(element, *n, what, model_.position_of(index), name + ".position");
    }
  } else if (kind == JointKind::Revolute || kind == JointKind::Screw) {
    add_drive(element, *drive, what, model_.angle_of(index), name);
  } else if (kind == JointKind::Prismatic) {
    add_drive(element, *drive, what, model_.position_of(index), name);
  } else if (kind == JointKind::Distance) {
    Joint& joint = model_.joints[static_cast<std::size_t>(index)];
    joint.length = expression(*drive, "drive of " + what, Allow::Time);
    joint.may_jump = may_jump(*element.value, what);
  } else {
    report(drive->offset, "model.unknown-key", what + " has no coordinate that could be driven.",
           "Revolute, prismatic, cylindrical, screw and distance joints have.");
  }
}

}  // namespace koppel::yaml
