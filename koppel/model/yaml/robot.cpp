// Robots in a model: links become bodies, joints joints, `mimic` a constraint and damping a force.
//
// A link that is fixed to another and has no mass is a frame of that one's body, as is a root that
// is fixed to the ground: what it weighs moves nothing.
#include <koppel/model/elements/list.hpp>
#include <koppel/model/urdf/robot.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

Vector exactly(const Vec3<double>& v) { return {{v.x, v.y, v.z}, v}; }

Rotation exactly(const Mat3<double>& m) {
  Rotation R;
  R.value = m;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) R.e(i, j) = m(i, j);
  }
  return R;
}

Placement exactly(const urdf::Pose& pose) {
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

}  // namespace

bool Reader::claim_robot_name(const std::string& name, std::size_t offset, const char* kind) {
  return claim({name, full(name), offset, nullptr}, "element", kind);
}

void Reader::add_robot(const urdf::Robot& robot, bool is_floating) {
  names_.frames.emplace(full("ground"), Frame{kGround, placement_});
  // Where each link is: a body, and the link's frame in it.
  std::vector<Frame> frames(robot.links.size());
  for (const int index : robot.order) {
    const urdf::Link& link = robot.links[static_cast<std::size_t>(index)];
    Frame& frame = frames[static_cast<std::size_t>(index)];
    if (link.joint < 0) {
      frame = {kGround, placement_};
    } else {
      const urdf::Joint& joint = robot.joints[static_cast<std::size_t>(link.joint)];
      frame = frames[static_cast<std::size_t>(joint.parent)];
      frame.at = frame.at.then(exactly(joint.origin));
    }
    add_robot_link(robot, link, is_floating, frame);
  }
  std::vector<int> joints(robot.joints.size(), -1);  // in the model
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const urdf::Joint& joint = robot.joints[i];
    const std::string name = as_name(joint.name);
    if (!claim_robot_name(name, joint.offset, "joint")) continue;
    if (joint.parent < 0 || joint.child < 0 || joint.motion == urdf::Motion::Floating) continue;
    const Frame& parent = frames[static_cast<std::size_t>(joint.parent)];
    const Frame& child = frames[static_cast<std::size_t>(joint.child)];
    if (parent.body == child.body) continue;
    joints[i] = static_cast<int>(model_.joints.size());
    add_robot_joint(joint, name, parent, child.body);
  }
  const auto coordinate = [&](std::size_t joint) {
    const bool slides = robot.joints[joint].motion == urdf::Motion::Prismatic;
    const int quantity =
        slides ? model_.position_of(joints[joint]) : model_.angle_of(joints[joint]);
    return model_.quantities[static_cast<std::size_t>(quantity)].value;
  };
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (!robot.joints[i].mimic || joints[i] < 0) continue;
    const urdf::Mimic& mimic = *robot.joints[i].mimic;
    const auto other = static_cast<std::size_t>(mimic.joint);
    if (joints[other] < 0) continue;
    model_.constraints.push_back(
        {full(as_name(robot.joints[i].name)) + ".mimic",
         coordinate(i) - mimic.multiplier * coordinate(other) - mimic.offset,
         source_.at(robot.joints[i].offset)});
  }
}

// On entry `frame` is the link's place on its parent's body.
void Reader::add_robot_link(const urdf::Robot& robot, const urdf::Link& link, bool is_floating,
                            Frame& frame) {
  const std::string name = as_name(link.name);
  if (!claim_robot_name(name, link.offset, "link")) return;
  const bool is_root = link.joint < 0;
  const bool is_fixed =
      is_root ? !is_floating
              : robot.joints[static_cast<std::size_t>(link.joint)].motion == urdf::Motion::Fixed;
  if (!is_fixed || (!is_root && link.has_inertia())) {
    const Placement pose = names_.poses[static_cast<std::size_t>(frame.body)].then(frame.at);
    Body body;
    body.name = full(name);
    body.mass = link.mass;
    body.com = exactly(link.com).e;
    body.inertia = exactly(link.inertia).e;
    body.position = pose.r.e;
    body.rotation = pose.R.e;
    body.where = source_.at(link.offset);
    frame = {model_.add_body(std::move(body)), {}};
    names_.bodies.emplace(full(name), frame.body);
    names_.poses.push_back(pose);
  } else {
    names_.frames.emplace(full(name), frame);
    names_.points.emplace(full(name), Point{frame.body, frame.at.r, frame.at, {}});
  }
  for (Shape shape : link.shapes) {
    shape.position = frame.at.r.value + frame.at.R.value * shape.position;
    shape.axes = frame.at.R.value * shape.axes;
    model_.bodies[static_cast<std::size_t>(frame.body)].shapes.push_back(std::move(shape));
  }
}

void Reader::add_robot_joint(const urdf::Joint& joint, const std::string& name, const Frame& parent,
                             int child) {
  const Placement at = parent.at.then(exactly(joint.origin));
  Joint made;
  made.name = full(name);
  made.law = law_of(joint.motion);
  made.where = source_.at(joint.offset);
  const Vec3<double> axis =
      joint.motion == urdf::Motion::Fixed ? Vec3<double>{0, 0, 1} : joint.axis;
  made.b = make_marker(child, {}, exactly(axis).e);
  made.a = {parent.body, at.r.e, at.R.e * made.b.axes};
  const int index = model_.add_joint(std::move(made));
  names_.joints.emplace(full(name), index);
  if (joint.damping == 0 || !joint.has_coordinate()) return;
  const int quantity =
      joint.motion == urdf::Motion::Prismatic ? model_.position_of(index) : model_.angle_of(index);
  const Expr rate = model_.quantities[static_cast<std::size_t>(quantity)].rate;
  Force force;
  force.name = full(name) + ".damping";
  force.actions.push_back({quantity, -joint.damping * rate});
  force.where = source_.at(joint.offset);
  model_.add_force(std::move(force));
}

}  // namespace koppel::yaml
