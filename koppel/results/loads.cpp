#include <koppel/results/loads.hpp>

#include <algorithm>

#include <koppel/equations/kinematics.hpp>
#include <koppel/equations/quantities.hpp>

namespace koppel {
namespace {

bool is_same(const Marker& a, const Marker& b) {
  return a.body == b.body && a.point.x == b.point.x && a.point.y == b.point.y &&
         a.point.z == b.point.z;
}

// That of this force at this point, made when it is new.
PointLoad& load_at(const Marker& at, const std::string& name, std::vector<PointLoad>& loads) {
  const auto found = std::find_if(loads.begin(), loads.end(), [&](const PointLoad& load) {
    return load.name == name && is_same(load.at, at);
  });
  if (found != loads.end()) return *found;
  return loads.emplace_back(PointLoad{name, at, {}});
}

}  // namespace

Loads loads_of(const Model& model, const Equations& equations) {
  Kinematics kinematics = *equations.kinematics;
  const ParameterValues values(model);
  const Quantities quantities(model, kinematics, values);
  Loads out;
  for (const Force& force : model.forces) {
    for (const Action& action : force.actions) {
      const auto& of = model.quantities[static_cast<std::size_t>(action.quantity)].of;
      if (std::holds_alternative<Quantity::DistanceBetween>(of)) {
        out.pulls.push_back({force.name, -quantities.resolve(action.effort)});
      } else if (const auto* x = std::get_if<Quantity::PointCoordinate>(&of)) {
        const Mat3e axes = x->reference ? locate(kinematics, *x->reference).R : Mat3e::identity();
        load_at(x->point, force.name, out.points).force +=
            quantities.resolve(action.effort) * axes.column[static_cast<std::size_t>(x->axis)];
      }
    }
  }
  return out;
}

}  // namespace koppel
