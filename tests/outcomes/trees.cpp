// Trees: every joint type that a tree can have, bodies listed in any order, joints named from
// either side, springs, dampers and forces of time.
#include <utility>

#include <fmt/format.h>

#include "tests/outcomes/mechanism.hpp"
#include "tests/outcomes/sketch.hpp"

namespace koppel::testing {
namespace {

struct Joined {
  std::string name, type;
  int child;
};

SketchBody general_body(Dice& dice, bool is_planar) {
  SketchBody body;
  body.mass = dice.uniform(0.5, 2);
  body.com = dice.vector(0.2);
  body.inertia = general_inertia(dice, body.mass, dice.uniform(0.4, 1));
  body.position = dice.vector(1);
  body.turn = is_planar ? Vec{0, 0, dice.uniform(-1.5, 1.5)} : dice.vector(1.2);
  if (is_planar) {
    body.com.z = body.position.z = 0;
    body.inertia = {body.inertia[2]};
  }
  return body;
}

std::string random_type(Dice& dice, bool is_planar) {
  if (is_planar) {
    static constexpr const char* kTypes[] = {"revolute",  "revolute", "revolute",
                                             "prismatic", "free",     "revolute"};
    return kTypes[dice.below(6)];
  }
  static constexpr const char* kTypes[] = {"revolute",  "revolute",  "prismatic", "cylindrical",
                                           "screw",     "spherical", "universal", "planar",
                                           "spherical", "free"};
  return kTypes[dice.below(10)];
}

// Universal and planar joints have rates without a name: the motion of their body is a wish, which
// is met as far as the joint allows.
void wish_motion(Sketch& sketch, Dice& dice, const std::string& body) {
  for (const char* what : {".x'", ".y'", ".z'", ".wx", ".wy", ".wz"}) {
    sketch.initial(fmt::format("\"{}{}\": {{value: {}, wish: true}}", body, what,
                               number(dice.uniform(-2, 2))));
  }
}

// Rates of all that a joint leaves free; they are independent in a tree, whatever their values.
void add_rates(Sketch& sketch, Dice& dice, const Joined& joint, bool is_planar) {
  const auto rate = [&](const std::string& what) {
    sketch.initial(fmt::format("\"{}\": {}", what, number(dice.uniform(-2, 2))));
  };
  if (joint.type == "revolute" || joint.type == "screw" || joint.type == "cylindrical") {
    rate(joint.name + ".angle'");
  }
  if (joint.type == "prismatic" || joint.type == "cylindrical") rate(joint.name + ".position'");
  const std::string body = sketch.name_of(joint.child);
  if (joint.type == "universal" || joint.type == "planar") wish_motion(sketch, dice, body);
  if (joint.type == "free") {
    for (const char* axis : {".x'", ".y'"}) rate(body + axis);
    if (is_planar) {
      rate(body + ".wz");
    } else {
      rate(body + ".z'");
    }
  }
  if (joint.type == "spherical" || (joint.type == "free" && !is_planar)) {
    for (const char* axis : {".wx", ".wy", ".wz"}) rate(body + axis);
  }
}

void add_forces(Sketch& sketch, Dice& dice, const std::vector<Joined>& joints, bool is_planar) {
  const auto point = [&] {
    Vec p = dice.vector(1);
    if (is_planar) p.z = 0;
    return p;
  };
  const int last = sketch.num_bodies();
  if (!dice.once_in(3)) {
    // The ground point lies outside, so that the spring does not shrink to nothing.
    const Vec far = point() + Vec{0, 3, 0};
    sketch.force(fmt::format(
        "spring: {{type: spring, between: [{}, {}], stiffness: {}, damping: {}, free_length: {}}}",
        sketch.at(0, far), sketch.at(last, point()), number(dice.uniform(5, 60)),
        number(dice.once_in(2) ? 0 : dice.uniform(0.1, 2)), number(dice.uniform(0.5, 2))));
  }
  for (const Joined& joint : joints) {
    if ((joint.type != "revolute" && joint.type != "prismatic") || !dice.once_in(2)) continue;
    sketch.force(
        fmt::format("torsion_{0}: {{type: torsion, joint: {0}, stiffness: {1}, damping: {2}}}",
                    joint.name, number(dice.uniform(0, 20)), number(dice.uniform(0, 1))));
  }
  if (dice.once_in(2)) {
    const std::string f =
        fmt::format("{}*sin({}*t)", number(dice.uniform(1, 8)), number(dice.uniform(1, 8)));
    sketch.force(fmt::format("push: {{type: force, on: {}, force: [{}{}]}}",
                             sketch.at(last, point()), f, is_planar ? ", 0" : ", 0, 1"));
  }
}

// The angle of a joint as placed, where the drive has to begin. In space bodies are turned in
// general, and angles count from where they are placed.
double angle_as_placed(Sketch& sketch, bool is_planar, int a, int b) {
  if (!is_planar) return 0;
  const auto angle = [&](int i) { return i == 0 ? 0 : sketch.body(i).turn.z; };
  return angle(b) - angle(a);
}

enum class Drive { None, First };

Sketch make_tree(const std::string& name, Dice& dice, bool is_planar, int bodies, Drive drive) {
  Sketch sketch(name, is_planar);
  std::vector<Joined> joints;
  for (int i = 1; i <= bodies; ++i) {
    sketch.add(general_body(dice, is_planar));
    const int parent = dice.below(i);
    std::string type = random_type(dice, is_planar);
    const bool is_driven = drive == Drive::First && i == 1;
    if (is_driven) type = dice.once_in(3) ? "prismatic" : "revolute";
    if (type == "free") {
      joints.push_back({"", type, i});
      continue;
    }
    Vec at = dice.vector(1), axis = dice.direction();
    if (is_planar) at.z = axis.z = 0;
    const bool has_axis = type != "spherical" && !(is_planar && type == "revolute");
    int a = parent, b = i;
    if (dice.once_in(3)) std::swap(a, b);
    std::string more = type == "screw" ? "pitch: " + number(dice.uniform(0.1, 0.5)) : "";
    if (is_driven) {
      const double start = type == "revolute" ? angle_as_placed(sketch, is_planar, a, b) : 0;
      more = fmt::format("drive: \"{} + {}*sin({}*t)^2\"", number(start),
                         number(dice.uniform(0.3, 1)), number(dice.uniform(0.5, 3)));
    }
    const std::string joint = sketch.join(type, a, b, at, has_axis ? axis : Vec{}, more);
    if (!is_driven) joints.push_back({joint, type, i});
  }
  for (const Joined& joint : joints) add_rates(sketch, dice, joint, is_planar);
  sketch.gravity(is_planar ? Vec{0, -9.81, 0} : Vec{0, 0, -9.81});
  add_forces(sketch, dice, joints, is_planar);
  if (dice.once_in(2)) sketch.write_last_body_first();
  return sketch;
}

int num_bodies(std::uint64_t number, int most) {
  return number % 10 == 9 ? most : 1 + static_cast<int>(number % 3);
}

}  // namespace

Mechanism make_planar_tree(std::uint64_t i) {
  Dice dice(1000 + i);
  const std::string name = fmt::format("planar tree {}", i);
  return {name, make_tree(name, dice, true, num_bodies(i, 6), Drive::None).text(), 0.8};
}

Mechanism make_spatial_tree(std::uint64_t i) {
  Dice dice(2000 + i);
  const std::string name = fmt::format("spatial tree {}", i);
  return {name, make_tree(name, dice, false, num_bodies(i, 4), Drive::None).text(), 0.6};
}

Mechanism make_driven(std::uint64_t i) {
  Dice dice(3000 + i);
  const std::string name = fmt::format("driven {}", i);
  Sketch sketch = make_tree(name, dice, i % 2 == 0, 1 + static_cast<int>(i % 3), Drive::First);
  // A torque that is switched, at a time that no step meets by itself.
  if (i % 4 >= 2) {
    sketch.force(fmt::format(
        "switched: {{type: torque, on: {}, torque: {}}}", sketch.name_of(sketch.num_bodies()),
        i % 2 == 0 ? "\"select(t < 0.213, 2, -1)\"" : "[0, \"select(t < 0.213, 1, 0)\", 0.5]"));
  }
  return {name, sketch.text(), 0.6};
}

}  // namespace koppel::testing
