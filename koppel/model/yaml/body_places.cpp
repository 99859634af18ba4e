// Points and axes of bodies, as elements name them.
#include <algorithm>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

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

}  // namespace koppel::yaml
