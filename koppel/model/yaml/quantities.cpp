// What the names in expressions mean: parameters, inputs, coordinates and states by their name,
// quantities of bodies, joints and springs by a name with a dot.
#include <algorithm>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

int axis_of_letter(std::string_view letter) {
  return letter == "x" ? 0 : letter == "y" ? 1 : letter == "z" ? 2 : -1;
}

bool has_angle(JointKind kind) {
  return kind == JointKind::Revolute || kind == JointKind::Cylindrical || kind == JointKind::Screw;
}

bool has_position(JointKind kind) {
  return kind == JointKind::Prismatic || kind == JointKind::Cylindrical || kind == JointKind::Screw;
}

bool is_angular_velocity(std::string_view name) {
  return name.ends_with(".wx") || name.ends_with(".wy") || name.ends_with(".wz");
}

template <typename Map>
const typename Map::mapped_type* find(const Map& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace

std::optional<Expr> Reader::resolve(std::string_view name, Allow allow) {
  const std::string key = full(name);
  if (const Parameter* p = find(names_.parameters, key)) return p->symbol;
  if (allow == Allow::Parameters) return {};
  if (name == "t") return model_.time;
  if (const Expr* e = find(names_.signals, key)) return *e;
  if (allow == Allow::Time) return {};
  if (allow == Allow::Positions && name.ends_with('\'')) return {};
  if (const Expr* e = find(names_.plain, key)) return *e;
  if (allow == Allow::Positions && is_angular_velocity(name)) return {};
  return resolve_member(key);
}

// The quantity of a name with a dot; made when it is new.
std::optional<Expr> Reader::resolve_member(const std::string& full_name) {
  const bool is_rate = full_name.ends_with('\'');
  const std::string name = full_name.substr(0, full_name.size() - (is_rate ? 1 : 0));
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  const std::string owner = name.substr(0, dot), member = name.substr(dot + 1);
  const auto symbol_of = [&](int quantity) {
    const Quantity& q = model_.quantities[static_cast<std::size_t>(quantity)];
    return is_rate ? q.rate : q.value;
  };
  const int axis = axis_of_letter(member);
  if (const int* joint = find(names_.joints, owner)) {
    const JointKind kind = model_.joints[static_cast<std::size_t>(*joint)].kind;
    if (member == "angle" && has_angle(kind)) return symbol_of(model_.angle_of(*joint));
    if (member == "position" && has_position(kind)) return symbol_of(model_.position_of(*joint));
  }
  if (const auto* ends = find(names_.lengths, owner); ends != nullptr && member == "length") {
    return symbol_of(model_.distance(name, ends->first, ends->second));
  }
  const bool in_space = !model_.is_planar;
  if (const int* body = find(names_.bodies, owner)) {
    if (axis >= 0 && (in_space || axis < 2)) {
      return symbol_of(model_.coordinate_of(name, {*body, {}}, axis));
    }
    if (member == "angle" && model_.is_planar) return symbol_of(model_.body_angle(name, *body));
    if (is_angular_velocity(name) && !is_rate) {
      const int about = axis_of_letter(member.substr(1));
      if (about == 2 || (about >= 0 && in_space)) {
        const int quantity = model_.angular_velocity(name, *body, about, true);
        return model_.quantities[static_cast<std::size_t>(quantity)].rate;
      }
    }
  }
  if (const Point* point = find(names_.points, owner); point != nullptr && axis >= 0) {
    if (in_space || axis < 2) {
      return symbol_of(model_.coordinate_of(name, {point->body, point->at.e}, axis));
    }
  }
  return {};
}

std::vector<std::string> Reader::known_names() const {
  std::vector<std::string> known{"t", "pi"};
  const auto add = [&](const std::string& key, std::initializer_list<const char*> members) {
    if (!key.starts_with(prefix_)) return;
    const std::string name = key.substr(prefix_.size());
    for (const char* member : members) known.push_back(name + member);
  };
  const bool flat = model_.is_planar;
  for (const auto& [key, p] : names_.parameters) add(key, {""});
  for (const auto& [key, e] : names_.signals) add(key, {""});
  for (const auto& [key, e] : names_.plain) add(key, {""});
  for (const auto& [key, ends] : names_.lengths) add(key, {".length"});
  for (const auto& [key, point] : names_.points) {
    flat ? add(key, {".x", ".y"}) : add(key, {".x", ".y", ".z"});
  }
  for (const auto& [key, joint] : names_.joints) {
    const JointKind kind = model_.joints[static_cast<std::size_t>(joint)].kind;
    if (has_angle(kind)) add(key, {".angle", ".angle'"});
    if (has_position(kind)) add(key, {".position", ".position'"});
  }
  for (const auto& [key, body] : names_.bodies) {
    if (body == kGround) continue;
    flat ? add(key, {".x", ".y", ".angle"}) : add(key, {".x", ".y", ".z", ".wx", ".wy", ".wz"});
  }
  std::sort(known.begin(), known.end());
  return known;
}

void Reader::report_unknown(Location where, std::string_view name, Allow allow) {
  const std::string quoted = "'" + std::string(name.substr(0, 60)) + "'";
  // Known, but not here.
  if (allow != Allow::Everything && resolve(name, Allow::Everything)) {
    const char* const reason[] = {"only parameters may stand here.",
                                  "only parameters and the time t may stand here.",
                                  "rates may not stand here."};
    report(std::move(where), "model.name-not-allowed",
           quoted + " changes during the motion; " + reason[static_cast<int>(allow)]);
    return;
  }
  if (name.ends_with("''") && resolve(name.substr(0, name.find('\'')), Allow::Everything)) {
    report(std::move(where), "model.unknown-name",
           quoted + " is an acceleration; only values and rates, with one quote, are known here.");
    return;
  }
  std::vector<std::string> known;
  if (allow == Allow::Parameters || allow == Allow::Time) {
    for (const auto& [key, p] : names_.parameters) {
      if (key.starts_with(prefix_)) known.push_back(key.substr(prefix_.size()));
    }
    if (allow == Allow::Time) {
      known.emplace_back("t");
      for (const auto& [key, e] : names_.signals) {
        if (key.starts_with(prefix_)) known.push_back(key.substr(prefix_.size()));
      }
    }
    std::sort(known.begin(), known.end());
  } else {
    known = known_names();
  }
  report(std::move(where), "model.unknown-name", "unknown name " + quoted + ".",
         one_of(name, "known", std::move(known)));
}

int Reader::quantity(const Node& node, std::string_view what) {
  if (!node.is_scalar()) {
    report(node.offset, "model.wrong-kind", std::string(what) + " must be the name of a quantity.",
           "Such as pivot.angle, spring.length or rod.A.x.");
    return -1;
  }
  const std::string name = with_indices(node.offset, node.text);
  if (resolve(name, Allow::Everything)) {
    const int found = model_.find_quantity(full(name));
    if (found >= 0) return found;
    report(node.offset, "model.wrong-kind",
           std::string(what) + " must be a quantity; '" + name + "' is none.",
           "Such as pivot.angle, spring.length or rod.A.x.");
    return -1;
  }
  report_unknown(source_.at(node, 0), name, Allow::Everything);
  return -1;
}

int Reader::joint_coordinate(const Node& node, std::string_view what) {
  const std::string name = node.is_scalar() ? with_indices(node.offset, node.text) : "";
  const int* joint = find(names_.joints, full(name));
  if (joint == nullptr) {
    std::vector<std::string> known;
    for (const Joint& j : model_.joints) {
      if (j.name.starts_with(prefix_)) known.push_back(j.name.substr(prefix_.size()));
    }
    report(node.offset, "model.unknown-joint",
           std::string(what) + " names joint '" + name + "'; there is none.",
           one_of(name, "joints", known));
    return -1;
  }
  const JointKind kind = model_.joints[static_cast<std::size_t>(*joint)].kind;
  if (has_angle(kind)) return model_.angle_of(*joint);
  if (has_position(kind)) return model_.position_of(*joint);
  report(node.offset, "model.wrong-joint",
         std::string(what) + " acts on joint '" + name +
             "', which has neither an angle nor a position.",
         "Revolute, prismatic, cylindrical and screw joints have.");
  return -1;
}

}  // namespace koppel::yaml
