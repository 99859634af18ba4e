// What the names in expressions mean: parameters, inputs, coordinates and states by their name,
// quantities of bodies, joints and springs by a name with a dot.
#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/orientation.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

bool is_angular_velocity(std::string_view name) {
  return name.ends_with(".wx") || name.ends_with(".wy") || name.ends_with(".wz");
}

template <typename Map>
const typename Map::mapped_type* find(const Map& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

// What a body or point of a sub-assembly has as seen from its frame, where that differs from what
// it has in the world: coordinates, and orientation in space.
std::optional<int> in_frame(Model& model, const Placement& frame, const std::string& name,
                            const Marker& on, std::string_view member, bool is_body) {
  const Marker reference{kGround, frame.r, frame.R};
  const int axis = member.size() == 1 ? member[0] - 'x' : -1;
  if (axis >= 0 && axis <= (model.is_planar ? 1 : 2)) {
    return model.coordinate_of(name, on, axis, reference);
  }
  const auto turn = std::find(std::begin(kOrientations), std::end(kOrientations), member);
  if (model.is_planar || !is_body || turn == std::end(kOrientations)) return {};
  return model.orientation(name, reference, on, static_cast<int>(turn - std::begin(kOrientations)));
}

}  // namespace

bool Placement::is_world() const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!r[i].is_constant(0)) return false;
    for (std::size_t j = 0; j < 3; ++j) {
      if (!R(i, j).is_constant(i == j ? 1 : 0)) return false;
    }
  }
  return true;
}

std::optional<Expr> Reader::resolve(std::string_view name, Allow allow) {
  const std::string key = full(name);
  if (const Parameter* p = find(names.parameters, key)) return p->symbol;
  if (allow == Allow::Parameters) return {};
  if (name == "t") return model.time;
  if (const Expr* e = find(names.signals, key)) return *e;
  if (allow == Allow::Time) return {};
  if (const std::optional<Expr> e = definition(key, allow)) return e;
  if (allow == Allow::Positions && name.ends_with('\'')) return {};
  if (const Expr* e = find(names.plain, key)) return *e;
  if (allow == Allow::Positions && is_angular_velocity(name)) return {};
  const std::optional<Member> found = member(name);
  if (!found) return {};
  return model.symbol_of(found->quantity, found->is_rate) - found->zero;
}

std::optional<Reader::Member> Reader::member(std::string_view of) {
  const std::string full_name = full(of);
  const bool is_rate = full_name.ends_with('\'');
  const std::string name = full_name.substr(0, full_name.size() - (is_rate ? 1 : 0));
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  const std::string owner = name.substr(0, dot), member = name.substr(dot + 1);
  Member out{-1, is_rate};
  std::optional<int> found = model.find_measure(name);
  const int* body = find(names.bodies, owner);
  const Point* point = find(names.points, owner);
  if (!found && !frame.is_world() && (body != nullptr || point != nullptr)) {
    const Marker on = point != nullptr ? Marker{point->body, point->at} : Marker{*body, {}};
    // Other files know the same name as that in the world: an index tells them apart.
    found = in_frame(model, frame, name + "[0]", on, member, body != nullptr);
  }
  if (body != nullptr && !found) found = model.measure_body(name, *body, member);
  if (point != nullptr && !found)
    found = model.measure_point(name, {point->body, point->at}, member);
  if (!found || (is_rate && is_angular_velocity(name))) return {};
  out.quantity = *found;
  if (model.is_planar && body != nullptr && member == "angle" && !is_rate) {
    out.zero = atan2(frame.R(1, 0), frame.R(0, 0));
  }
  return out;
}

std::vector<std::string> Reader::known_names() const {
  std::vector<std::string> known{"t", "pi"};
  const auto add = [&](const std::string& key, std::initializer_list<const char*> members) {
    if (!key.starts_with(prefix)) return;
    const std::string name = key.substr(prefix.size());
    for (const char* member : members) known.push_back(name + member);
  };
  const bool flat = model.is_planar;
  for (const auto& [key, p] : names.parameters) add(key, {""});
  for (const auto& [key, e] : names.signals) add(key, {""});
  for (const auto& [key, e] : definitions) add(key, {""});
  for (const auto& [key, e] : names.plain) add(key, {""});
  for (const auto& [owner, member] : model.measures()) {
    if (!names.joints.contains(owner) || member == "length") add(owner + '.' + member, {""});
  }
  for (const auto& [key, point] : names.points) {
    flat ? add(key, {".x", ".y"}) : add(key, {".x", ".y", ".z"});
  }
  for (const auto& [key, joint] : names.joints) {
    const JointLaw& law = *model.joints[static_cast<std::size_t>(joint)].law;
    if (law.has_angle()) add(key, {".angle", ".angle'"});
    if (law.has_position()) add(key, {".position", ".position'"});
  }
  for (const auto& [key, body] : names.bodies) {
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
    report_unknown(
        std::move(where), "model.unknown-name", full(name),
        quoted + " is an acceleration; only values and rates, with one quote, are known here.");
    return;
  }
  std::vector<std::string> known;
  if (allow == Allow::Parameters || allow == Allow::Time) {
    for (const auto& [key, p] : names.parameters) {
      if (key.starts_with(prefix)) known.push_back(key.substr(prefix.size()));
    }
    if (allow == Allow::Time) {
      known.emplace_back("t");
      for (const auto& [key, e] : names.signals) {
        if (key.starts_with(prefix)) known.push_back(key.substr(prefix.size()));
      }
    }
    std::sort(known.begin(), known.end());
  } else {
    known = known_names();
  }
  report_unknown(std::move(where), "model.unknown-name", full(name), "unknown name " + quoted + ".",
                 list_choices(name, "known", std::move(known)));
}

int Reader::quantity(const Node& node, std::string_view what) {
  if (!node.is_scalar()) {
    report(node.offset, "model.wrong-kind", std::string(what) + " must be the name of a quantity.",
           "Such as pivot.angle, spring.length or rod.A.x.");
    return -1;
  }
  const std::string name = with_indices(node.offset, node.text);
  if (resolve(name, Allow::Everything)) {
    const std::optional<Member> named = member(name);
    const int found = named ? named->quantity : model.find_quantity(full(name));
    if (found >= 0) return found;
    report(node.offset, "model.wrong-kind",
           std::string(what) + " must be a quantity; '" + name + "' is none.",
           "Such as pivot.angle, spring.length or rod.A.x.");
    return -1;
  }
  report_unknown(source.at(node, 0), name, Allow::Everything);
  return -1;
}

int Reader::joint_coordinate(const Node& node, std::string_view what) {
  const std::string name = node.is_scalar() ? with_indices(node.offset, node.text) : "";
  const int* joint = find(names.joints, full(name));
  if (joint == nullptr) {
    std::vector<std::string> known;
    for (const Joint& j : model.joints) {
      if (j.name.starts_with(prefix)) known.push_back(j.name.substr(prefix.size()));
    }
    report_unknown(source.at(node.offset), "model.unknown-joint", full(name),
                   std::string(what) + " names joint '" + name + "'; there is none.",
                   list_choices(name, "joints", known));
    return -1;
  }
  const JointLaw& law = *model.joints[static_cast<std::size_t>(*joint)].law;
  if (law.has_angle()) return model.angle_of(*joint);
  if (law.has_position()) return model.position_of(*joint);
  report(node.offset, "model.wrong-joint",
         std::string(what) + " acts on joint '" + name +
             "', which has neither an angle nor a position.",
         "Revolute, prismatic, cylindrical and screw joints have.");
  return -1;
}

}  // namespace koppel::yaml
