#include <koppel/model/model.hpp>

#include <algorithm>
#include <cmath>

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
int Model::add_joint(Joint joint) { return append(joints, std::move(joint)); }
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

int Model::add_quantity(std::string_view quantity, decltype(Quantity::of) of) {
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
