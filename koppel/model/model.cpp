#include <koppel/model/elements/joint_law.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/model/orientation.hpp>

namespace koppel {
namespace {

template <typename Items>
int find_by_name(const Items& items, std::string_view name) {
  const auto it =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? -1 : static_cast<int>(it - items.begin());
}

template <typename Items, typename Item>
int append(Items& items, Item item) {
  items.push_back(std::move(item));
  return static_cast<int>(items.size()) - 1;
}

}  // namespace

Model::Model() : time(graph->symbol("t")) {
  Body ground;
  ground.name = "ground";
  bodies.push_back(std::move(ground));
}

int Model::add_body(Body body) { return append(bodies, std::move(body)); }
int Model::add_joint(Joint joint) {
  if (!joint.law) {
    throw Error("model.bad-joint", "joint '" + joint.name + "' has no law: it says nothing.");
  }
  const int index = append(joints, std::move(joint));
  const Joint& added = joints.back();
  if (added.law->has_angle()) {
    add_measure(added.name, "angle", Quantity::JointAngle{index});
  }
  if (added.law->has_position()) {
    add_measure(added.name, "position", Quantity::JointPosition{index});
  }
  return index;
}

int Model::add_force(Force force) { return append(forces, std::move(force)); }

int Model::find_body(std::string_view body) const { return find_by_name(bodies, body); }
int Model::find_joint(std::string_view joint) const { return find_by_name(joints, joint); }

Expr Model::add_parameter(std::string_view parameter, double value) {
  parameters.push_back({graph->symbol(parameter), value});
  return parameters.back().symbol;
}

Expr Model::add_input(std::string_view input) {
  inputs.push_back(graph->symbol(input));
  input_limits.emplace_back();
  return inputs.back();
}

int Model::add_coordinate(std::string_view coordinate) {
  const int index = static_cast<int>(coordinates.size());
  const int quantity = add_quantity(coordinate, Quantity::Free{index});
  const Quantity& q = quantities[static_cast<std::size_t>(quantity)];
  coordinates.push_back({std::string(coordinate), q.value, q.rate, {}});
  return quantity;
}

int Model::add_quantity(std::string_view quantity, Quantity::Of of) {
  const Expr named = graph->symbol(quantity);
  if (const auto it = quantity_of_.find(named.id()); it != quantity_of_.end()) return it->second;
  const bool is_rate = std::holds_alternative<Quantity::AngularVelocity>(of);
  const Expr value = is_rate ? graph->symbol(std::string(quantity) + ".integral") : named;
  const Expr rate = is_rate ? named : graph->symbol(std::string(quantity) + '\'');
  return quantity_of_[named.id()] = append(quantities, Quantity{value, rate, std::move(of)});
}

int Model::find_quantity(std::string_view quantity) const {
  const Expr* named = graph->find_symbol(quantity);
  if (named == nullptr) return -1;
  const auto it = quantity_of_.find(named->id());
  return it == quantity_of_.end() ? -1 : it->second;
}

void Model::add_measure(const std::string& owner, std::string_view member, Quantity::Of of) {
  measures_[owner].push_back({std::string(member), std::move(of)});
}

std::optional<int> Model::find_measure(const std::string& measure) {
  const std::size_t dot = measure.rfind('.');
  if (dot == measure.npos) return {};
  const auto owner = measures_.find(measure.substr(0, dot));
  if (owner == measures_.end()) return {};
  for (const Measure& m : owner->second) {
    if (measure.compare(dot + 1, measure.npos, m.member) == 0) return add_quantity(measure, m.of);
  }
  return {};
}

std::optional<int> Model::measure_body(const std::string& measure, int body,
                                       std::string_view member) {
  if (const auto place = measure_point(measure, {body, {}}, member)) return place;
  if (is_planar && member == "angle") return body_angle(measure, body);
  const bool is_spin = member.size() == 2 && member[0] == 'w';
  if (is_spin && (member[1] == 'z' || (!is_planar && (member[1] == 'x' || member[1] == 'y')))) {
    return angular_velocity(measure, body, member[1] - 'x', true);
  }
  const auto turn = std::find(std::begin(kOrientations), std::end(kOrientations), member);
  if (is_planar || turn == std::end(kOrientations)) return {};
  return orientation(measure, Marker{}, {body, {}},
                     static_cast<int>(turn - std::begin(kOrientations)));
}

std::optional<int> Model::measure_point(const std::string& measure, const Marker& point,
                                        std::string_view member) {
  if (member.size() != 1) return {};
  const int axis = member[0] - 'x';
  if (axis < 0 || axis > (is_planar ? 1 : 2)) return {};
  return coordinate_of(measure, point, axis);
}

// Angular velocities have a rate only, whose symbol is their name.
Expr Model::symbol_of(int quantity, bool is_rate) const {
  const Quantity& q = quantities[static_cast<std::size_t>(quantity)];
  return is_rate || std::holds_alternative<Quantity::AngularVelocity>(q.of) ? q.rate : q.value;
}

std::optional<Expr> Model::find_symbol(const std::string& full) {
  const bool is_rate = full.ends_with('\'');
  const std::string plain = full.substr(0, full.size() - (is_rate ? 1 : 0));
  const std::size_t dot = plain.rfind('.');
  std::optional<int> found = find_measure(plain);
  if (!found && dot != plain.npos) {
    const std::string owner = plain.substr(0, dot), member = plain.substr(dot + 1);
    const std::size_t second = owner.rfind('.');
    if (const int body = find_body(owner); body >= 0) {
      found = measure_body(plain, body, member);
    } else if (second != owner.npos) {
      const int of = find_body(owner.substr(0, second));
      for (const NamedVector& p :
           of < 0 ? std::vector<NamedVector>{} : bodies[static_cast<std::size_t>(of)].points) {
        if (owner.compare(second + 1, owner.npos, p.name) == 0) {
          found = measure_point(plain, {of, p.value}, member);
        }
      }
    }
  }
  if (!found) {
    const int quantity = find_quantity(plain);
    const Expr* symbol = graph->find_symbol(full);
    if (quantity >= 0) return symbol_of(quantity, is_rate);
    for (const Output& d : definitions) {
      if (d.name == full) return d.value;
    }
    if (symbol == nullptr) return {};
    const auto is_it = [&](Expr e) { return e == *symbol; };
    const bool is_known = is_it(time) || std::any_of(inputs.begin(), inputs.end(), is_it) ||
                          std::any_of(parameters.begin(), parameters.end(),
                                      [&](auto& p) { return is_it(p.symbol); }) ||
                          std::any_of(first_order.begin(), first_order.end(),
                                      [&](auto& f) { return is_it(f.state); });
    return is_known ? std::optional(*symbol) : std::nullopt;
  }
  const bool has_value = !std::holds_alternative<Quantity::AngularVelocity>(
      quantities[static_cast<std::size_t>(*found)].of);
  if (is_rate && !has_value) return {};
  return symbol_of(*found, is_rate);
}

std::vector<std::pair<std::string, std::string>> Model::measures() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [owner, measures] : measures_) {
    for (const Measure& m : measures) all.emplace_back(owner, m.member);
  }
  return all;
}

int Model::angle_of(int joint) {
  return add_quantity(joints[static_cast<std::size_t>(joint)].name + ".angle",
                      Quantity::JointAngle{joint});
}

int Model::position_of(int joint) {
  return add_quantity(joints[static_cast<std::size_t>(joint)].name + ".position",
                      Quantity::JointPosition{joint});
}

int Model::distance(std::string_view quantity, const Marker& a, const Marker& b) {
  return add_quantity(quantity, Quantity::DistanceBetween{a, b});
}

int Model::coordinate_of(std::string_view quantity, const Marker& point, int axis,
                         std::optional<Marker> reference) {
  return add_quantity(quantity, Quantity::PointCoordinate{point, axis, std::move(reference)});
}

int Model::body_angle(std::string_view quantity, int body) {
  return add_quantity(quantity, Quantity::BodyAngle{body});
}

int Model::orientation(std::string_view quantity, const Marker& a, const Marker& b, int component) {
  return add_quantity(quantity, Quantity::Orientation{a, b, component});
}

int Model::angular_velocity(std::string_view quantity, int body, int axis, bool in_body_axes,
                            int reference) {
  return add_quantity(quantity, Quantity::AngularVelocity{body, reference, axis, in_body_axes});
}

// x along the cyclic successor of the axis' largest component, made perpendicular: for an axis
// along a unit vector this permutes the unit vectors.
Marker make_marker(int body, const Vec3e& point, const Vec3e& axis, const Vec3<double>& value) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::abs(value[i]) > std::abs(value[largest])) largest = i;
  }
  const Vec3e z = normalized(axis);
  Vec3e next;
  next[(largest + 1) % 3] = 1;
  const Vec3e x = normalized(next - dot(next, z) * z);
  return {body, point, {{x, cross(z, x), z}}};
}

// Expressions of parameters count as 1.
Marker make_marker(int body, const Vec3e& point, const Vec3e& axis) {
  const auto size = [](Expr e) { return e.is_constant() ? e.value() : 1.0; };
  return make_marker(body, point, axis, {size(axis.x), size(axis.y), size(axis.z)});
}

}  // namespace koppel
