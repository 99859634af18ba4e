// Robots in a model: links become bodies, joints joints, `mimic` a constraint and damping a force.
//
// A link that is fixed to another and has no mass is a frame of that one's body, as is a root that
// is fixed to the ground: what it weighs moves nothing.
#include <koppel/model/elements/list.hpp>
#include <koppel/model/urdf/robot.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

Vec3e exactly(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Mat3e exactly(const Mat3<double>& m) {
  return {{exactly(m.column[0]), exactly(m.column[1]), exactly(m.column[2])}};
}

MarkerFrame exactly(const urdf::Pose& pose) {
  return {exactly(pose.position), exactly(pose.rotation)};
}

// Robot files have names like joint_1-tool0; what a name may not have becomes an underscore.
std::string as_name(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string name;
  for (const char c : text) {
    const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
                         static_cast<unsigned char>(c) >= 0x80;
    name += is_fine ? c : '_';
  }
  return is_digit(name.front()) ? '_' + name : name;
}

std::shared_ptr<const JointLaw> law_of(urdf::Motion motion) {
  switch (motion) {
    case urdf::Motion::Prismatic: return Prismatic::law();
    case urdf::Motion::Planar: return Planar::law();
    case urdf::Motion::Fixed: return Fixed::law();
    default: return Revolute::law();
  }
}

bool claim_name(Reader& reader, const std::string& name, std::size_t offset, const char* kind) {
  return reader.claim({name, reader.full(name), offset, nullptr}, "element", kind);
}

// On entry `frame` is the link's place on its parent's body.
void add_link(Reader& reader, const urdf::Robot& robot, const urdf::Link& link, bool is_floating,
              Frame& frame) {
  Model& model = reader.model;
  Names& names = reader.names;
  const std::string name = as_name(link.name);
  if (!claim_name(reader, name, link.offset, "link")) return;
  const bool is_root = link.joint < 0;
  const bool is_fixed =
      is_root ? !is_floating
              : robot.joints[static_cast<std::size_t>(link.joint)].motion == urdf::Motion::Fixed;
  if (!is_fixed || (!is_root && link.has_inertia())) {
    const Body& carrier = model.bodies[static_cast<std::size_t>(frame.body)];
    const Placement pose = Placement{{carrier.position, carrier.rotation}}.then(frame.at);
    Body body;
    body.name = reader.full(name);
    body.mass = link.mass;
    body.com = exactly(link.com);
    body.inertia = exactly(link.inertia);
    body.position = pose.r;
    body.rotation = pose.R;
    body.where = reader.source.at(link.offset);
    frame = {model.add_body(std::move(body)), {}};
    names.bodies.emplace(reader.full(name), frame.body);
  } else {
    names.frames.emplace(reader.full(name), frame);
    names.points.emplace(reader.full(name), Point{frame.body, frame.at.r, frame.at, {}});
  }
  for (const Shape& shape : link.shapes) add_shape(reader, frame, shape);
}

void add_joint(Reader& reader, const urdf::Joint& joint, const std::string& name,
               const Frame& parent, int child) {
  Model& model = reader.model;
  const Placement at = parent.at.then(exactly(joint.origin));
  Joint made;
  made.name = reader.full(name);
  made.law = law_of(joint.motion);
  made.where = reader.source.at(joint.offset);
  const Vec3<double> axis =
      joint.motion == urdf::Motion::Fixed ? Vec3<double>{0, 0, 1} : joint.axis;
  made.b = make_marker(child, {}, exactly(axis));
  made.a = {parent.body, at.r, at.R * made.b.axes};
  const int index = model.add_joint(std::move(made));
  reader.names.joints.emplace(reader.full(name), index);
  if (joint.damping == 0 || !joint.has_coordinate()) return;
  const int quantity =
      joint.motion == urdf::Motion::Prismatic ? model.position_of(index) : model.angle_of(index);
  const Expr rate = model.quantities[static_cast<std::size_t>(quantity)].rate;
  Force force;
  force.name = reader.full(name) + ".damping";
  force.actions.push_back({quantity, -joint.damping * rate});
  force.where = reader.source.at(joint.offset);
  model.add_force(std::move(force));
}

}  // namespace

void add_robot(Reader& reader, const urdf::Robot& robot, bool is_floating) {
  Model& model = reader.model;
  reader.names.frames.emplace(reader.full("ground"), Frame{kGround, reader.frame});
  // Where each link is: a body, and the link's frame in it.
  std::vector<Frame> frames(robot.links.size());
  for (const int index : robot.order) {
    const urdf::Link& link = robot.links[static_cast<std::size_t>(index)];
    Frame& frame = frames[static_cast<std::size_t>(index)];
    if (link.joint < 0) {
      frame = {kGround, reader.frame};
    } else {
      const urdf::Joint& joint = robot.joints[static_cast<std::size_t>(link.joint)];
      frame = frames[static_cast<std::size_t>(joint.parent)];
      frame.at = frame.at.then(exactly(joint.origin));
    }
    add_link(reader, robot, link, is_floating, frame);
  }
  std::vector<int> joints(robot.joints.size(), -1);  // in the model
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const urdf::Joint& joint = robot.joints[i];
    const std::string name = as_name(joint.name);
    if (!claim_name(reader, name, joint.offset, "joint")) continue;
    if (joint.parent < 0 || joint.child < 0 || joint.motion == urdf::Motion::Floating) continue;
    const Frame& parent = frames[static_cast<std::size_t>(joint.parent)];
    const Frame& child = frames[static_cast<std::size_t>(joint.child)];
    if (parent.body == child.body) continue;
    joints[i] = static_cast<int>(model.joints.size());
    add_joint(reader, joint, name, parent, child.body);
  }
  const auto coordinate = [&](std::size_t joint) {
    const bool slides = robot.joints[joint].motion == urdf::Motion::Prismatic;
    const int quantity = slides ? model.position_of(joints[joint]) : model.angle_of(joints[joint]);
    return model.quantities[static_cast<std::size_t>(quantity)].value;
  };
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (!robot.joints[i].mimic || joints[i] < 0) continue;
    const urdf::Mimic& mimic = *robot.joints[i].mimic;
    const auto other = static_cast<std::size_t>(mimic.joint);
    if (joints[other] < 0) continue;
    model.constraints.push_back(
        {reader.full(as_name(robot.joints[i].name)) + ".mimic",
         coordinate(i) - mimic.multiplier * coordinate(other) - mimic.offset,
         reader.source.at(robot.joints[i].offset)});
  }
}

}  // namespace koppel::yaml
