#include <koppel/results/scene_json.hpp>

#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

const char* name_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::Box: return "box";
    case Shape::Kind::Cylinder: return "cylinder";
    case Shape::Kind::Sphere: return "sphere";
    case Shape::Kind::Line: return "line";
  }
  return "";
}

void add_shape(JsonText& json, const Shape& shape) {
  json.raw("{"), json.key("kind"), json.string(name_of(shape.kind));
  if (shape.kind == Shape::Kind::Line) {
    json.raw(","), json.key("points");
    json.list(shape.points, [&](const Vec3<double>& p) { json.vector(p); });
  } else {
    json.raw(","), json.key("size"), json.vector(shape.size);
    json.raw(","), json.key("position"), json.vector(shape.position);
    json.raw(","), json.key("quaternion"), json.numbers(quaternion_of(shape.axes));
  }
  json.raw("}");
}

void add_body(JsonText& json, const Scene::BodyPicture& body) {
  json.raw("{"), json.key("name"), json.string(body.name);
  json.raw(","), json.key("com"), json.vector(body.com);
  json.raw(","), json.key("shapes");
  json.list(body.shapes, [&](const Shape& shape) { add_shape(json, shape); });
  json.raw(","), json.key("points");
  json.list(body.points, [&](const Vec3<double>& p) { json.vector(p); });
  json.raw("}");
}

void add_end_values(JsonText& json, const Scene::End& end) {
  json.key("body"), json.raw(std::to_string(end.body));
  json.raw(","), json.key("point"), json.vector(end.point);
}

void add_end(JsonText& json, std::string_view name, const Scene::End& end) {
  json.key(name), json.raw("{"), add_end_values(json, end), json.raw("}");
}

const char* name_of(Drawn::Kind kind) {
  switch (kind) {
    case Drawn::Kind::Point: return "point";
    case Drawn::Kind::Line: return "line";
    case Drawn::Kind::Cable: return "cable";
    case Drawn::Kind::Circle: return "circle";
    case Drawn::Kind::Box: return "box";
    case Drawn::Kind::Label: return "label";
  }
  return "";
}

void add_drawn(JsonText& json, const Scene::DrawnPicture& part) {
  json.raw("{"), json.key("name"), json.string(part.name);
  json.raw(","), json.key("kind"), json.string(name_of(part.kind));
  json.raw(","), json.key("points"), json.raw(std::to_string(part.num_points));
  json.raw(","), json.key("size"), json.vector(part.size);
  json.raw(","), json.key("text"), json.string(part.text);
  json.raw(","), json.key("moves"), json.raw(part.moves ? "true" : "false");
  json.raw("}");
}

}  // namespace

void add_scene(JsonText& json, const Scene& scene) {
  json.raw("{"), json.key("planar"), json.raw(scene.is_planar ? "true" : "false");
  json.raw(","), json.key("bodies");
  json.list(scene.bodies, [&](const Scene::BodyPicture& body) { add_body(json, body); });
  json.raw(","), json.key("joints");
  json.list(scene.joints, [&](const Scene::JointPicture& joint) {
    json.raw("{"), json.key("name"), json.string(joint.name);
    json.raw(","), json.key("kind"), json.string(joint.kind);
    json.raw(","), add_end_values(json, joint.at);
    json.raw(","), json.key("axis"), json.vector(joint.axis);
    json.raw(","), add_end(json, "other", joint.other);
    json.raw("}");
  });
  json.raw(","), json.key("springs");
  json.list(scene.springs, [&](const Scene::SpringPicture& spring) {
    json.raw("{"), json.key("name"), json.string(spring.name);
    json.raw(","), add_end(json, "a", spring.a);
    json.raw(","), add_end(json, "b", spring.b);
    json.raw(","), json.key("cable"), json.raw(spring.is_cable ? "true" : "false");
    json.raw("}");
  });
  json.raw(","), json.key("drawing");
  json.list(scene.drawing, [&](const Scene::DrawnPicture& part) { add_drawn(json, part); });
  json.raw(","), json.key("up"), json.vector(scene.up);
  json.raw(","), json.key("times"), json.numbers(scene.times);
  json.raw(","), json.key("frames");
  std::vector<double> values;
  json.list(scene.frames, [&](const Scene::Frame& frame) {
    values.clear();
    for (const Scene::Pose& pose : frame.poses) {
      values.insert(values.end(), pose.begin(), pose.end());
    }
    values.insert(values.end(), frame.drawn.begin(), frame.drawn.end());
    scene.frames.size() > 1 ? json.packed(values) : json.numbers(values);  // a motion, or a pose
  });
  json.raw("}");
}

}  // namespace koppel
