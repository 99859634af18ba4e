#include <koppel/results/units.hpp>

#include <algorithm>

namespace koppel {
namespace {

struct UnitOf {
  std::string operator()(const Quantity::JointAngle&) const { return "rad"; }
  std::string operator()(const Quantity::JointPosition&) const { return "m"; }
  std::string operator()(const Quantity::DistanceBetween&) const { return "m"; }
  std::string operator()(const Quantity::PointCoordinate&) const { return "m"; }
  std::string operator()(const Quantity::BodyAngle&) const { return "rad"; }
  std::string operator()(const Quantity::Orientation&) const { return "rad"; }
  std::string operator()(const Quantity::AngularVelocity&) const { return "rad"; }  // of its angle
  std::string operator()(const Quantity::Free&) const { return ""; }
};

// Components of the user's own points have a unit, those of vectors none.
const PointOrVector* find_element(const Model& model, const std::string& owner) {
  for (const PointOrVector& element : model.elements) {
    if (element.name == owner) return &element;
  }
  return nullptr;
}

bool is_free(const Model& model, const std::string& name) {
  return std::any_of(model.coordinates.begin(), model.coordinates.end(),
                     [&](const FreeCoordinate& c) { return c.name == name; });
}

// "hinge.angle" → "hinge", "angle".
std::pair<std::string, std::string> split_last(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

bool is_axis(const std::string& part) { return part == "x" || part == "y" || part == "z"; }

// Unit vectors of natural coordinates and directors have no unit: "P.axis", "rod.u1", "rod.d3".
bool is_direction(const std::string& owner) {
  const std::string part = split_last(owner).second;
  return part == "axis" || (part.size() == 2 && (part[0] == 'u' || part[0] == 'd') &&
                            part[1] >= '1' && part[1] <= '3');
}

}  // namespace

std::string unit_of(const Model& model, Expr written) {
  for (const Quantity& quantity : model.quantities) {
    const std::string unit = std::visit(UnitOf{}, quantity.of);
    if (quantity.value == written) return unit;
    if (quantity.rate == written) return unit_of_derivative(unit);
  }
  return "";
}

std::string unit_of_coordinate(const Model& model, const std::string& name) {
  const auto [owner, part] = split_last(name);
  if (const PointOrVector* element = find_element(model, owner)) {
    return element->is_point ? "m" : "";
  }
  if (is_free(model, name)) return "";
  if (is_axis(part)) return is_direction(owner) ? "" : "m";
  if (part == "position") return "m";
  if (part == "angle" || part == "alpha" || part == "beta" || part == "gamma") return "rad";
  return "";
}

std::string unit_of_velocity(const Model& model, const std::string& name) {
  if (name.ends_with('\'')) {
    return unit_of_derivative(unit_of_coordinate(model, name.substr(0, name.size() - 1)));
  }
  const auto [owner, part] = split_last(name);
  return is_axis(part) && split_last(owner).second == "omega" ? "rad/s" : "";
}

std::string unit_of_derivative(const std::string& unit, int order) {
  if (unit.empty() || order == 0) return unit;
  const std::size_t slash = unit.rfind("/s");
  const bool is_rate =
      slash != std::string::npos && (slash + 2 == unit.size() || unit[slash + 2] == '^');
  int power = order;
  if (is_rate) power += slash + 2 == unit.size() ? 1 : std::stoi(unit.substr(slash + 3));
  return unit.substr(0, is_rate ? slash : unit.size()) + "/s" +
         (power == 1 ? "" : "^" + std::to_string(power));
}

std::string unit_of_multiplier(const Model& model, const std::string& coordinates,
                               const std::string& row) {
  const auto [owner, part] = split_last(row);
  // Directors and natural coordinates state some joints by products of lengths.
  const bool is_plain =
      coordinates == "absolute" || coordinates == "cardan" || coordinates == "joint";
  return is_plain && is_axis(part) && model.find_joint(owner) >= 0 ? "N" : "";
}

}  // namespace koppel
