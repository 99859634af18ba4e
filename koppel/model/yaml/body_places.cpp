// Points and axes of bodies, as elements name them.
#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

// A body, `body.point`, or {body: [x, y, z]}.
std::optional<Point> Reader::point(const Node& node, const std::string& what) {
  const auto body_of = [&](const std::string& name, std::size_t offset) -> std::optional<Point> {
    const std::string key = full(name);
    Point p;
    p.name = name;
    if (const auto found = names.frames.find(key); found != names.frames.end()) {
      p.body = found->second.body;
      p.frame = found->second.at;
      p.at = p.frame.r;
      return p;
    }
    if (const auto body = names.bodies.find(key); body != names.bodies.end()) {
      p.body = body->second;
      return p;
    }
    std::vector<std::string> known;
    if (!prefix.empty()) known.emplace_back("ground");
    for (const Body& b : model.bodies) {
      if (b.name.starts_with(prefix)) known.push_back(b.name.substr(prefix.size()));
    }
    // Perhaps the body is right, and its point is not.
    const std::size_t dot = name.rfind('.');
    const std::string owner = dot == name.npos ? "" : full(name.substr(0, dot));
    if (names.bodies.contains(owner) || names.frames.contains(owner)) {
      std::vector<std::string> points;
      for (const auto& [point_name, value] : names.points) {
        if (point_name.starts_with(owner + '.'))
          points.push_back(point_name.substr(owner.size() + 1));
      }
      std::sort(points.begin(), points.end());
      report_unknown(source.at(offset), "model.unknown-point", key,
                     what + " names point '" + name.substr(dot + 1) + "' of body '" +
                         name.substr(0, dot) + "'; there is none.",
                     points.empty() ? "The body has no points."
                                    : list_choices(name.substr(dot + 1), "points", points));
      return {};
    }
    report_unknown(source.at(offset), "model.unknown-body", key,
                   what + " names body '" + name + "'; there is none.",
                   list_choices(name, "bodies", known));
    return {};
  };
  if (node.is_map() && node.entries.size() == 1) {
    std::optional<Point> p =
        body_of(with_indices(node.offset, node.entries[0].key), node.entries[0].offset);
    const Vec3e v = vector(node.entries[0].value, "point of " + what);
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
  if (const auto it = names.points.find(full(name)); it != names.points.end()) {
    Point p = it->second;
    p.name = name;
    return p;
  }
  return body_of(name, node.offset);
}

// The name of an axis of the body, or a vector in its frame. In the body frame.
std::optional<Vec3e> Reader::axis_of(const Node& node, const Point& point,
                                     const std::string& what) {
  if (!node.is_scalar()) return point.frame.direction(direction(node, "axis of " + what));
  const std::size_t dot = point.name.rfind('.');
  const std::string owner = dot == point.name.npos || names.bodies.contains(full(point.name))
                                ? point.name
                                : point.name.substr(0, dot);
  const std::string name = with_indices(node.offset, node.text);
  // With or without the body in front.
  for (const std::string& key : {full(owner + '.' + name), full(name)}) {
    if (const auto it = names.axes.find(key); it != names.axes.end()) return it->second;
  }
  std::vector<std::string> known;
  for (const auto& [key, value] : names.axes) {
    if (key.starts_with(full(owner) + '.')) known.push_back(key.substr(full(owner).size() + 1));
  }
  std::sort(known.begin(), known.end());
  report_unknown(source.at(node.offset), "model.unknown-axis", full(owner + '.' + name),
                 what + " names axis '" + name + "' of body '" + owner + "'; there is none.",
                 known.empty() ? "The body has no axes." : list_choices(name, "axes", known));
  return {};
}

}  // namespace koppel::yaml
