// What a wheel and a ball on a plane have in common: `rolling` joints and tyres.
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

std::optional<Wheel> Reader::read_wheel(const Element& element, const Node& on, const Node& radius,
                                        const std::string& what) {
  const Node& node = *element.value;
  Wheel wheel;
  const std::optional<Point> centre = point(on, what);
  const Number r = number(radius, "radius of " + what);
  if (!centre) return {};
  wheel.centre = *centre;
  wheel.radius = r;
  if (!(r.value > 0)) {
    report(radius.offset, "model.bad-value", "radius of " + what + " must be positive.");
    return {};
  }
  if (centre->body == kGround) {
    report(on.offset, "model.self-joint", what + " rolls the ground on itself.");
    return {};
  }
  Vector normal = model_.is_planar ? Vector{{0, 1, 0}, {0, 1, 0}} : Vector{{0, 0, 1}, {0, 0, 1}};
  if (const Node* n = node.find("normal"))
    normal = nonzero(vector(*n, "normal of " + what), *n, "normal of " + what);
  Vector origin;
  if (const Node* at = node.find("at")) origin = vector(*at, "at of " + what);
  normal = placement_.direction(normal);
  wheel.plane = make_marker(kGround, placement_.point(origin).e, normal.e, normal.value);
  wheel.c = world_coordinates(element.full_name + ".centre", {centre->body, centre->at.e});
  const Node* axis_node = node.find("axis");
  if (model_.is_planar) {
    if (axis_node != nullptr) {
      report(axis_node->offset, "model.wrong-dimension",
             what + " needs no axis: in the plane all wheels turn about z.");
      return {};
    }
    wheel.axis = Vec3e{0, 0, 1};
  } else if (axis_node != nullptr) {
    const auto axis = axis_of(*axis_node, *centre, what);
    if (!axis) return {};
    const Observed tip = world_coordinates(element.full_name + ".axis",
                                           {centre->body, centre->at.e + normalized(axis->e)});
    wheel.axis = tip.value - wheel.c.value;
  }
  return wheel;
}

Observed Reader::world_coordinates(const std::string& name, const Marker& point) {
  Observed out;
  for (std::size_t i = 0; i < (model_.is_planar ? 2U : 3U); ++i) {
    out.quantity[i] = model_.coordinate_of(name + '.' + "xyz"[i], point, static_cast<int>(i));
    const Quantity& q = model_.quantities[static_cast<std::size_t>(out.quantity[i])];
    out.value[i] = q.value;
    out.rate[i] = q.rate;
  }
  return out;
}

Observed Reader::world_angular_velocity(const std::string& name, int body) {
  Observed out;
  for (std::size_t i = model_.is_planar ? 2 : 0; i < 3; ++i) {
    out.quantity[i] =
        model_.angular_velocity(name + '.' + "xyz"[i], body, static_cast<int>(i), false);
    out.rate[i] = model_.quantities[static_cast<std::size_t>(out.quantity[i])].rate;
  }
  return out;
}

}  // namespace koppel::yaml
