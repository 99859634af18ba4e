#include <koppel/model/urdf/read_urdf.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <koppel/base/suggest.hpp>
#include <koppel/model/urdf/document.hpp>

namespace koppel::urdf {
namespace {

using pugi::xml_node;

struct Type {
  const char* name;
  Motion motion;
};
constexpr Type kTypes[] = {{"revolute", Motion::Revolute},   {"continuous", Motion::Continuous},
                           {"prismatic", Motion::Prismatic}, {"fixed", Motion::Fixed},
                           {"floating", Motion::Floating},   {"planar", Motion::Planar}};

// Right angles written with all digits are meant exactly, which keeps the equations sparse.
double snapped(double x) {
  constexpr double kRounding = 1e-15;
  const double whole = std::round(x);
  return std::abs(x - whole) < kRounding ? whole : x;
}

// Roll, pitch, yaw: about the fixed axes x, then y, then z.
Mat3<double> from_rpy(const Vec3<double>& rpy) {
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  Mat3<double> R = rotation(z, rpy.z) * rotation(y, rpy.y) * rotation(x, rpy.x);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) R(i, j) = snapped(R(i, j));
  }
  return R;
}

std::string quoted(const char* kind, const std::string& name) {
  return std::string(kind) + " '" + name.substr(0, 60) + "'";
}

class RobotReader {
 public:
  RobotReader(const yaml::Source& source, std::vector<Diagnostic>& mistakes)
      : document_(source, mistakes) {}

  Robot read() {
    const xml_node root = document_.open();
    if (!root) return {};
    robot_.name = root.attribute("name").value();
    document_.check_elements(root, "the robot",
                             {"link", "joint", "material", "transmission", "gazebo"});
    for (const xml_node& element : root.children("link")) read_link(element);
    // A joint may mimic one that stands after it.
    std::vector<xml_node> elements;
    for (const xml_node& element : root.children("joint")) {
      if (read_joint(element)) elements.push_back(element);
    }
    for (std::size_t i = 0; i < elements.size(); ++i) read_mimic(elements[i], i);
    if (robot_.links.empty()) {
      document_.report(document_.offset_of(root), "model.missing-key", "the robot has no links.");
    } else {
      order_links();
    }
    return std::move(robot_);
  }

 private:
  void report(xml_node element, std::string_view id, std::string message, std::string hint = {}) {
    document_.report(document_.offset_of(element), id, std::move(message), std::move(hint));
  }

  Pose read_origin(xml_node owner, const std::string& of) {
    Pose pose;
    const xml_node origin = owner.child("origin");
    if (!origin) return pose;
    const std::string what = "the origin of " + of;
    document_.check_attributes(origin, what, {"xyz", "rpy"});
    if (const auto xyz = document_.vector(origin, "xyz", what)) pose.position = *xyz;
    if (const auto rpy = document_.vector(origin, "rpy", what)) pose.rotation = from_rpy(*rpy);
    return pose;
  }

  void read_link(xml_node element) {
    const auto name = document_.required_text(element, "name", "a link");
    if (!name) return;
    const std::string what = quoted("link", *name);
    if (!link_of_.emplace(*name, static_cast<int>(robot_.links.size())).second) {
      report(element, "model.duplicate-name", what + " stands here twice.");
      return;
    }
    document_.check_elements(element, what, {"inertial", "visual", "collision"});
    Link link;
    link.name = *name;
    link.offset = document_.offset_of(element);
    if (const xml_node inertial = element.child("inertial")) read_inertial(inertial, what, link);
    for (const xml_node& visual : element.children("visual")) read_visual(visual, what, link);
    robot_.links.push_back(std::move(link));
  }

  void read_inertial(xml_node element, const std::string& link_text, Link& link) {
    const std::string of = "the inertial of " + link_text;
    document_.check_elements(element, of, {"origin", "mass", "inertia"});
    const Pose pose = read_origin(element, of);
    link.com = pose.position;
    if (const xml_node mass = element.child("mass")) {
      const std::string what = "the mass of " + link_text;
      document_.check_attributes(mass, what, {"value"});
      link.mass = document_.required_number(mass, "value", what).value_or(0);
    } else {
      report(element, "model.missing-mass", of + " has no mass.");
    }
    const xml_node inertia = element.child("inertia");
    if (!inertia) {
      report(element, "model.missing-inertia", of + " has no inertia.");
      return;
    }
    const std::string what = "the inertia of " + link_text;
    document_.check_attributes(inertia, what, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    constexpr const char* kNames[3][3] = {
        {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
    Mat3<double> I;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i; j < 3; ++j) {
        // Products of inertia that are zero may be left out.
        const auto value = i == j ? document_.required_number(inertia, kNames[i][j], what)
                                  : document_.number(inertia, kNames[i][j], what);
        I(i, j) = I(j, i) = value.value_or(0);
      }
    }
    link.inertia = pose.rotation * I * transpose(pose.rotation);
  }

  void read_visual(xml_node element, const std::string& link_text, Link& link) {
    const std::string of = "a visual of " + link_text;
    document_.check_elements(element, of, {"origin", "geometry", "material"});
    const Pose pose = read_origin(element, of);
    const xml_node geometry = element.child("geometry");
    if (!geometry) {
      report(element, "model.missing-key", of + " has no geometry.");
      return;
    }
    document_.check_elements(geometry, of, {"box", "cylinder", "sphere", "mesh", "capsule"});
    Shape shape;
    shape.position = pose.position;
    shape.axes = pose.rotation;
    if (const xml_node box = geometry.child("box")) {
      shape.kind = Shape::Kind::Box;
      document_.check_attributes(box, of, {"size"});
      if (document_.required_text(box, "size", "the box of " + of)) {
        shape.size = document_.vector(box, "size", of).value_or(Vec3<double>{1, 1, 1});
        check_size(box, "size", of, std::min({shape.size.x, shape.size.y, shape.size.z}));
      }
    } else if (const xml_node cylinder = geometry.child("cylinder")) {
      shape.kind = Shape::Kind::Cylinder;
      document_.check_attributes(cylinder, of, {"radius", "length"});
      shape.size = {read_size(cylinder, "radius", of), read_size(cylinder, "length", of), 0};
    } else if (const xml_node sphere = geometry.child("sphere")) {
      shape.kind = Shape::Kind::Sphere;
      document_.check_attributes(sphere, of, {"radius"});
      shape.size = {read_size(sphere, "radius", of), 0, 0};
    } else {
      return;  // a mesh
    }
    link.shapes.push_back(std::move(shape));
  }

  double read_size(xml_node element, const char* attribute, const std::string& of) {
    const double size = document_.required_number(element, attribute, of).value_or(1);
    check_size(element, attribute, of, size);
    return size;
  }

  void check_size(xml_node element, const char* attribute, const std::string& of, double size) {
    if (size > 0) return;
    document_.report(document_.offset_of(element, attribute), "model.bad-value",
                     std::string(attribute) + " of " + of + " must be positive.");
  }

  // Whether it is there now.
  bool read_joint(xml_node element) {
    const auto name = document_.required_text(element, "name", "a joint");
    if (!name) return false;
    const std::string what = quoted("joint", *name);
    if (!joint_of_.emplace(*name, static_cast<int>(robot_.joints.size())).second) {
      report(element, "model.duplicate-name", what + " stands here twice.");
      return false;
    }
    document_.check_elements(element, what,
                             {"origin", "parent", "child", "axis", "calibration", "dynamics",
                              "limit", "mimic", "safety_controller"});
    Joint joint;
    joint.name = *name;
    joint.offset = document_.offset_of(element);
    read_type(element, what, joint);
    joint.origin = read_origin(element, what);
    joint.parent = read_end(element, "parent", what);
    joint.child = read_end(element, "child", what);
    if (joint.parent >= 0 && joint.parent == joint.child) {
      report(element, "model.self-joint",
             what + " joins link '" + link(joint.parent).name + "' to itself.");
      joint.parent = joint.child = -1;
    }
    if (joint.child >= 0) {
      int& owner = link(joint.child).joint;
      if (owner >= 0) {
        report(element, "model.contradiction",
               "link '" + link(joint.child).name + "' is the child of " + what + " and of joint '" +
                   robot_.joints[static_cast<std::size_t>(owner)].name + "'.",
               "URDF describes trees; a loop is closed by a joint in the model file.");
      } else {
        owner = static_cast<int>(robot_.joints.size());
      }
    }
    read_axis(element, what, joint);
    read_limit(element, what, joint);
    if (const xml_node dynamics = element.child("dynamics")) {
      document_.check_attributes(dynamics, "the dynamics of " + what, {"damping", "friction"});
      joint.damping = document_.number(dynamics, "damping", "the dynamics of " + what).value_or(0);
      document_.number(dynamics, "friction", "the dynamics of " + what);
    }
    robot_.joints.push_back(std::move(joint));
    return true;
  }

  void read_type(xml_node element, const std::string& what, Joint& joint) {
    joint.motion = Motion::Revolute;  // so that its axis is read in any case
    const auto type = document_.required_text(element, "type", what);
    if (!type) return;
    std::vector<std::string> known;
    for (const Type& t : kTypes) {
      if (*type == t.name) {
        joint.motion = t.motion;
        return;
      }
      known.emplace_back(t.name);
    }
    std::string hint = "choices: revolute, continuous, prismatic, fixed, floating, planar.";
    if (const std::string near = suggest(type->substr(0, 60), known); !near.empty()) {
      hint += " Did you mean '" + near + "'?";
    }
    document_.report(document_.offset_of(element, "type"), "model.unknown-type",
                     "type of " + what + " cannot be '" + type->substr(0, 60) + "'.", hint);
  }

  // The link that <parent> or <child> names, or −1.
  int read_end(xml_node element, const char* which, const std::string& what) {
    const xml_node end = element.child(which);
    if (!end) {
      report(element, "model.missing-key", what + " has no " + which + ".");
      return -1;
    }
    const auto name =
        document_.required_text(end, "link", std::string("the ") + which + " of " + what);
    if (!name) return -1;
    if (const auto it = link_of_.find(*name); it != link_of_.end()) return it->second;
    document_.report(document_.offset_of(end, "link"), "model.unknown-body",
                     what + " names link '" + name->substr(0, 60) + "'; there is none.",
                     suggestion(*name, link_of_));
    return -1;
  }

  void read_axis(xml_node element, const std::string& what, Joint& joint) {
    const xml_node axis = element.child("axis");
    if (!axis || joint.motion == Motion::Fixed || joint.motion == Motion::Floating) return;
    document_.check_attributes(axis, "the axis of " + what, {"xyz"});
    if (!document_.required_text(axis, "xyz", "the axis of " + what)) return;
    const auto xyz = document_.vector(axis, "xyz", "the axis of " + what);
    if (!xyz) return;
    if (norm(*xyz) > 0 && std::isfinite(norm(*xyz))) {
      joint.axis = *xyz;
      return;
    }
    document_.report(document_.offset_of(axis, "xyz"), "model.zero-axis",
                     "the axis of " + what + " has length zero; it gives no direction.");
  }

  void read_limit(xml_node element, const std::string& what, Joint& joint) {
    const xml_node limit = element.child("limit");
    if (!limit) return;
    const std::string of = "the limit of " + what;
    document_.check_attributes(limit, of, {"lower", "upper", "effort", "velocity"});
    Limits limits;
    limits.lower = document_.number(limit, "lower", of).value_or(0);
    limits.upper = document_.number(limit, "upper", of).value_or(0);
    limits.effort = document_.number(limit, "effort", of).value_or(0);
    limits.velocity = document_.number(limit, "velocity", of).value_or(0);
    if (limits.lower > limits.upper) {
      report(limit, "model.bad-value", "lower is above upper in " + of + ".");
    }
    joint.limits = limits;
  }

  void read_mimic(xml_node element, std::size_t index) {
    const xml_node mimic = element.child("mimic");
    if (!mimic) return;
    Joint& joint = robot_.joints[index];
    const std::string what = quoted("joint", joint.name), of = "the mimic of " + what;
    document_.check_attributes(mimic, of, {"joint", "multiplier", "offset"});
    Mimic read;
    read.multiplier = document_.number(mimic, "multiplier", of).value_or(1);
    read.offset = document_.number(mimic, "offset", of).value_or(0);
    const auto name = document_.required_text(mimic, "joint", of);
    if (!name) return;
    const auto it = joint_of_.find(*name);
    const std::size_t place = document_.offset_of(mimic, "joint");
    if (it == joint_of_.end()) {
      document_.report(place, "model.unknown-joint",
                       of + " names joint '" + name->substr(0, 60) + "'; there is none.",
                       suggestion(*name, joint_of_));
      return;
    }
    read.joint = it->second;
    if (static_cast<std::size_t>(read.joint) == index) {
      document_.report(place, "model.self-joint", what + " mimics itself.");
      return;
    }
    for (const Joint* j : {&joint, &robot_.joints[static_cast<std::size_t>(read.joint)]}) {
      if (j->has_coordinate()) continue;
      document_.report(place, "model.wrong-joint",
                       of + " needs joints with a coordinate; joint '" + j->name + "' has none.",
                       "Revolute, continuous and prismatic joints have.");
      return;
    }
    joint.mimic = read;
  }

  // Each link after its parent. Links of a loop come last.
  void order_links() {
    std::vector<std::vector<int>> children(robot_.links.size());
    int root = -1;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      Link& l = robot_.links[i];
      const int parent = l.joint < 0 ? -1 : robot_.joints[static_cast<std::size_t>(l.joint)].parent;
      if (parent >= 0) {
        children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(i));
        continue;
      }
      robot_.order.push_back(static_cast<int>(i));
      if (l.joint >= 0) {
        l.joint = -1;  // its parent is a mistake that is known already
      } else if (root < 0) {
        root = static_cast<int>(i);
      } else {
        document_.report(l.offset, "model.contradiction",
                         "link '" + l.name + "' is the child of no joint, like the root '" +
                             link(root).name + "'; a robot has one root.");
      }
    }
    std::vector<bool> is_reached(robot_.links.size(), false);
    for (std::size_t i = 0; i < robot_.order.size(); ++i) {
      const auto at = static_cast<std::size_t>(robot_.order[i]);
      is_reached[at] = true;
      for (const int child : children[at]) robot_.order.push_back(child);
    }
    bool is_reported = false;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (is_reached[i]) continue;
      Link& l = robot_.links[i];
      if (!is_reported) {
        document_.report(l.offset, "model.contradiction",
                         "link '" + l.name + "' is in a loop of parents, or hangs on one.",
                         "URDF describes trees; a loop is closed by a joint in the model file.");
      }
      is_reported = true;
      l.joint = -1;
      robot_.order.push_back(static_cast<int>(i));
    }
  }

  static std::string suggestion(const std::string& name,
                                const std::unordered_map<std::string, int>& known) {
    constexpr std::size_t kLongest = 60, kMost = 1000;  // what can be searched for every mistake
    if (name.size() > kLongest || known.size() > kMost) return {};
    std::vector<std::string> names;
    for (const auto& [k, index] : known) names.push_back(k);
    std::sort(names.begin(), names.end());
    const std::string near = suggest(name, names);
    return near.empty() ? "" : "Did you mean '" + near + "'?";
  }

  Link& link(int index) { return robot_.links[static_cast<std::size_t>(index)]; }

  Document document_;
  Robot robot_;
  std::unordered_map<std::string, int> link_of_, joint_of_;
};

}  // namespace

bool Link::has_inertia() const {
  bool found = mass != 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) found |= inertia(i, j) != 0;
  }
  return found;
}

Robot read_robot(const yaml::Source& source, std::vector<Diagnostic>& mistakes) {
  return RobotReader(source, mistakes).read();
}

}  // namespace koppel::urdf
