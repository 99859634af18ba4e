#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

// Points and axes of a body, in its own frame or one in it.
template <typename E>
void name_points(Reader& reader, const Element& element, const E& made, int index,
                 const Placement& frame) {
  Body& body = reader.model.bodies[static_cast<std::size_t>(index)];
  const std::string prefix = index == kGround ? reader.prefix : "";
  for (const NamedVector& point : made.points.values) {
    const Vec3e at = frame.point(point.value);
    reader.names.points.emplace(element.full_name + '.' + point.name,
                                Point{index, at, frame, {}, false});
    body.points.push_back({prefix + point.name, at});
  }
  for (const NamedVector& axis : made.axes.values) {
    const Vec3e along = frame.direction(axis.value);
    reader.names.axes.emplace(element.full_name + '.' + axis.name, along);
    body.axes.push_back({prefix + axis.name, along});
  }
}

void read_ground(Reader& reader, const Element& element) {
  const std::string what = "the ground";
  if (!reader.check_keys(*element.value, what, keys_of<GroundElement>())) return;
  GroundElement made;
  FieldReader(reader, *element.value, what).read(made);
  name_points(reader, element, made, kGround, reader.frame);
  for (const Solid& solid : made.shape.values) {
    add_shape(reader, {kGround, reader.frame}, solid.shape);
  }
}

void read_body(Reader& reader, const Element& element) {
  const std::string what = describe("body", element.name);
  if (!reader.claim(element, "element", "body")) return;
  // Known from here on, so that a mistake in it is no mistake of what names it.
  Body body;
  body.name = element.full_name;
  body.where = reader.source.at(element.offset);
  const int index = reader.model.add_body(std::move(body));
  reader.names.bodies.emplace(element.full_name, index);
  if (!reader.check_keys(*element.value, what, keys_of<BodyElement>())) return;
  BodyElement made;
  FieldReader(reader, *element.value, what).read(made);
  ModelWriter writer = reader.writer_for(element, what);
  reader.model.bodies[static_cast<std::size_t>(index)] = made.make(writer, reader.frame);
  if (made.frame.is_given) place_by_frame(reader, index);
  name_points(reader, element, made, index, {});
}

}  // namespace

void add_shape(Reader& reader, const Frame& on, Shape shape) {
  const Vec3<double> r = (*reader.values)(on.at.r);
  const Mat3<double> R = (*reader.values)(on.at.R);
  shape.position = r + R * shape.position;
  shape.axes = R * shape.axes;
  for (Vec3<double>& point : shape.points) point = r + R * point;
  reader.model.bodies[static_cast<std::size_t>(on.body)].shapes.push_back(std::move(shape));
}

void read_bodies(Reader& reader, const Node* section) {
  if (reader.prefix.empty()) {
    reader.names.bodies.emplace("ground", kGround);
  } else {
    reader.names.frames.emplace(reader.full("ground"), Frame{kGround, reader.frame});
  }
  for (const Element& element : reader.elements(section, "bodies")) {
    const Reader::Subject subject(reader, element.full_name);
    element.name == "ground" ? read_ground(reader, element) : read_body(reader, element);
  }
}

}  // namespace koppel::yaml
