// Forces, as efforts on quantities.
#include <algorithm>
#include <array>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

Expr value(const Model& model, int quantity) {
  return model.quantities[static_cast<std::size_t>(quantity)].value;
}
Expr rate(const Model& model, int quantity) {
  return model.quantities[static_cast<std::size_t>(quantity)].rate;
}

}  // namespace

bool Reader::is_constant(Expr e) const {
  if (e.is_constant()) return true;
  const std::vector<Expr> symbols = symbols_of(e);
  return std::all_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
    return names_.parameters.contains(std::string(symbol.name()));
  });
}

// The energy of a linear spring; none where stiffness or rest change during the motion.
Expr Reader::stored(Expr stiffness, Expr rest, Expr stretch) const {
  if (!is_constant(stiffness) || !is_constant(rest)) return 0;
  return stiffness * stretch * stretch / 2;
}

void Reader::read_forces(const Node* section) {
  for (const Element& element : elements(section, "forces")) read_force(element);
}

void Reader::read_force(const Element& element) {
  const std::string what = describe("force", element.name);
  if (!claim(element, "element", "force")) return;
  const Node& node = *element.value;
  if (!expect_map(node, what)) return;
  const Node* type = node.find("type");
  if (type == nullptr) {
    report(element.offset, "model.missing-key", what + " has no type.");
    return;
  }
  using Step = void (Reader::*)(const Element&, const std::string&, Force&);
  constexpr std::array<Step, 9> kSteps = {
      &Reader::read_spring,   &Reader::read_spring,        &Reader::read_torsion,
      &Reader::read_friction, &Reader::read_applied_force, &Reader::read_torque,
      &Reader::read_effort,   &Reader::read_bushing,       &Reader::read_tyre};
  const int chosen = word(
      *type, "type of " + what,
      {"spring", "damper", "torsion", "friction", "force", "torque", "effort", "bushing", "tyre"});
  if (chosen < 0) return;
  Force force;
  force.name = element.full_name;
  force.where = source_.at(element.offset);
  if (const Node* stiff = node.find("stiff")) {
    force.is_stiff = boolean(*stiff, "stiff of " + what);
  }
  (this->*kSteps[static_cast<std::size_t>(chosen)])(element, what, force);
  model_.add_force(std::move(force));
}

// The tension k (length − free_length) + d length' pulls the ends together.
void Reader::read_spring(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what,
             {"type", "between", "stiffness", "damping", "free_length", "tension", "stiff"});
  const auto ends = between(element, what);
  if (!ends) return;
  const Marker a{ends->first.body, ends->first.at.e}, b{ends->second.body, ends->second.at.e};
  if (a.body == b.body) {
    report(element.offset, "model.self-joint",
           what + " acts between two points of body '" +
               model_.bodies[static_cast<std::size_t>(a.body)].name + "'.");
    return;
  }
  // Known before its own expressions: tension may be one of spring.length.
  names_.lengths.emplace(element.full_name, std::pair{a, b});
  const int length = model_.distance(element.full_name + ".length", a, b);
  const Node* stiffness = node.find("stiffness");
  const Node* free_length = node.find("free_length");
  const Node* damping = node.find("damping");
  const Node* tension = node.find("tension");
  if (stiffness == nullptr && damping == nullptr && tension == nullptr) {
    report(element.offset, "model.missing-key", what + " needs stiffness, damping or tension.");
  }
  if (stiffness != nullptr && free_length == nullptr) {
    report(element.offset, "model.missing-key", what + " has a stiffness but no free_length.",
           "Write free_length: 0 for one that pulls until its ends meet.");
  }
  Expr pull = 0;
  if (stiffness != nullptr && free_length != nullptr) {
    const Expr k = expression(*stiffness, "stiffness of " + what, Allow::Everything);
    const Expr rest = expression(*free_length, "free_length of " + what, Allow::Everything);
    const Expr stretch = value(model_, length) - rest;
    pull += k * stretch;
    force.potential = stored(k, rest, stretch);
  }
  if (damping != nullptr) {
    pull += expression(*damping, "damping of " + what, Allow::Everything) * rate(model_, length);
  }
  if (tension != nullptr) pull += expression(*tension, "tension of " + what, Allow::Everything);
  force.actions.push_back({length, -pull});
}

void Reader::read_torsion(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "joint", "stiffness", "damping", "rest", "effort", "stiff"});
  const Node* joint = node.find("joint");
  if (joint == nullptr) {
    report(element.offset, "model.missing-key", what + " needs the joint it acts in.");
    return;
  }
  const int q = joint_coordinate(*joint, what);
  if (q < 0) return;
  Expr effort = 0;
  if (const Node* stiffness = node.find("stiffness")) {
    const Node* rest = node.find("rest");
    const Expr zero =
        rest == nullptr ? Expr(0) : expression(*rest, "rest of " + what, Allow::Everything);
    const Expr k = expression(*stiffness, "stiffness of " + what, Allow::Everything);
    const Expr stretch = value(model_, q) - zero;
    effort -= k * stretch;
    force.potential = stored(k, zero, stretch);
  }
  if (const Node* damping = node.find("damping")) {
    effort -= expression(*damping, "damping of " + what, Allow::Everything) * rate(model_, q);
  }
  if (const Node* given = node.find("effort"))
    effort += expression(*given, "effort of " + what, Allow::Everything);
  if (node.find("stiffness") == nullptr && node.find("damping") == nullptr &&
      node.find("effort") == nullptr) {
    report(element.offset, "model.missing-key", what + " needs stiffness, damping or effort.");
  }
  force.actions.push_back({q, effort});
}

// A smooth Coulomb friction: −torque tanh(rate/velocity).
void Reader::read_friction(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "joint", "torque", "force", "velocity", "stiff"});
  const Node* joint = node.find("joint");
  const Node* size = node.find("torque") != nullptr ? node.find("torque") : node.find("force");
  const Node* velocity = node.find("velocity");
  if (joint == nullptr || size == nullptr || velocity == nullptr) {
    report(element.offset, "model.missing-key",
           what + " needs joint, torque (or force) and velocity.",
           "Below the velocity, friction is viscous.");
    return;
  }
  const int q = joint_coordinate(*joint, what);
  if (q < 0) return;
  const Number v = number(*velocity, "velocity of " + what);
  if (!(v.value > 0)) {
    report(velocity->offset, "model.bad-value", "velocity of " + what + " must be positive.");
    return;
  }
  force.actions.push_back({q, -expression(*size, "torque of " + what, Allow::Everything) *
                                  tanh(rate(model_, q) / v.e)});
}

// In world axes the effort on the coordinates of the point. In body axes the directions are the
// differences of points of the body: e_j = (p + e_j) − p.
void Reader::read_applied_force(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "on", "force", "frame", "stiff"});
  const Node* on = node.find("on");
  const Node* components = node.find("force");
  const Node* frame = node.find("frame");
  if (on == nullptr || components == nullptr) {
    report(element.offset, "model.missing-key", what + " needs on and force.");
    return;
  }
  const bool in_body = frame != nullptr && word(*frame, "frame of " + what, {"world", "body"}) == 1;
  const std::optional<Point> p = point(*on, what);
  const std::size_t size = model_.is_planar ? 2 : 3;
  std::vector<Expr> f = expressions(*components, size, "force of " + what, Allow::Everything);
  if (!p) return;
  const auto coordinate = [&](const std::string& name, const Vec3e& at, std::size_t i) {
    return model_.coordinate_of(
        element.full_name + '.' + name + "xyz" [i], { p->body, at }, static_cast<int>(i));
  };
  std::vector<int> position(size);
  for (std::size_t i = 0; i < size; ++i) position[i] = coordinate("", p->at.e, i);
  if (in_body) {
    std::vector<Expr> in_world(size, Expr(0));
    for (std::size_t j = 0; j < size; ++j) {
      if (f[j].is_constant(0)) continue;
      Vec3e tip = p->at.e;
      tip[j] += 1;
      for (std::size_t i = 0; i < size; ++i) {
        const int end = coordinate(std::string("e") + "xyz"[j] + '.', tip, i);
        in_world[i] += f[j] * (value(model_, end) - value(model_, position[i]));
      }
    }
    f = in_world;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!f[i].is_constant(0)) force.actions.push_back({position[i], f[i]});
  }
}

void Reader::read_torque(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "on", "against", "torque", "frame", "stiff"});
  const Node* on = node.find("on");
  const Node* components = node.find("torque");
  const Node* frame = node.find("frame");
  const Node* against = node.find("against");
  if (on == nullptr || components == nullptr) {
    report(element.offset, "model.missing-key", what + " needs on and torque.");
    return;
  }
  const bool in_body = frame != nullptr && word(*frame, "frame of " + what, {"world", "body"}) == 1;
  const std::optional<Point> p = point(*on, what);
  std::optional<Point> reference = Point{};
  if (against != nullptr) reference = point(*against, what);
  const bool flat = model_.is_planar;
  std::vector<Expr> f;
  if (flat) {
    f = {0, 0, expression(*components, "torque of " + what, Allow::Everything)};
  } else {
    f = expressions(*components, 3, "torque of " + what, Allow::Everything);
  }
  if (!p || !reference) return;
  for (std::size_t i = 0; i < 3; ++i) {
    if (f[i].is_constant(0)) continue;
    const int q = model_.angular_velocity(element.full_name + ".w" + "xyz"[i], p -> body,
                                          static_cast<int>(i), in_body, reference->body);
    force.actions.push_back({q, f[i]});
  }
}

void Reader::read_effort(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "on", "effort", "stiff"});
  const Node* on = node.find("on");
  const Node* effort = node.find("effort");
  if (on == nullptr || effort == nullptr) {
    report(element.offset, "model.missing-key", what + " needs on and effort.");
    return;
  }
  const int q = quantity(*on, "on of " + what);
  const Expr e = expression(*effort, "effort of " + what, Allow::Everything);
  if (q >= 0) force.actions.push_back({q, e});
}

}  // namespace koppel::yaml
