#include <koppel/equations/units.hpp>

namespace koppel {
namespace {

struct UnitOf {
  const Model& model;

  std::string operator()(const Quantity::JointAngle&) const { return "rad"; }
  std::string operator()(const Quantity::JointPosition&) const { return "m"; }
  std::string operator()(const Quantity::DistanceBetween&) const { return "m"; }
  std::string operator()(const Quantity::PointCoordinate&) const { return "m"; }
  std::string operator()(const Quantity::BodyAngle&) const { return "rad"; }
  std::string operator()(const Quantity::AngularVelocity&) const { return "rad"; }  // of its angle
  std::string operator()(const Quantity::Orientation&) const { return "rad"; }
  // Components of the user's own points are lengths; of vectors and of all else nothing is known.
  std::string operator()(const Quantity::Free& x) const {
    const Expr& value = model.coordinates[static_cast<std::size_t>(x.coordinate)].value;
    for (const PointOrVector& element : model.elements) {
      if (!element.is_point || element.is_given) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (element.value[k] == value) return "m";
      }
    }
    return "";
  }
};

}  // namespace

std::string unit_of(const Model& model, Expr written) {
  if (!written.is_symbol()) return "";
  for (const Quantity& quantity : model.quantities) {
    const bool is_value = quantity.value == written;
    if (!is_value && quantity.rate != written) continue;
    const std::string unit = std::visit(UnitOf{model}, quantity.of);
    return is_value ? unit : unit_of_derivative(unit);
  }
  return "";
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

std::string unit_of_multiplier(const Equations::Row& row) {
  const bool is_velocity = row.level == Equations::Row::Level::Velocity;
  return row.unit == (is_velocity ? "m/s" : "m") ? "N" : "";
}

}  // namespace koppel
