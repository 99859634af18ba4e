#include <koppel/model/elements/wheel.hpp>

namespace koppel {

std::optional<Wheel> put_on_plane(ModelWriter& writer, const char* key, const Place& centre,
                                  Expr radius, const std::optional<Direction>& axis,
                                  const std::optional<WorldDirection>& normal,
                                  const std::optional<WorldPoint>& at) {
  const bool flat = writer.model.is_planar;
  Wheel wheel{
      .centre = centre, .radius = radius, .plane = {}, .c = {}, .axis = {}, .coordinates = {}};
  const auto note = [&](const ObservedVector& x) {
    wheel.coordinates.insert(wheel.coordinates.end(), x.quantity.begin(),
                             x.quantity.begin() + (flat ? 2 : 3));
  };
  if (centre.body == kGround) {
    writer.reject_at(key, "model.self-joint", " rolls the ground on itself.");
    return {};
  }
  const Vec3e n = normal ? normal->value : flat ? Vec3e{0, 1, 0} : Vec3e{0, 0, 1};
  const MarkerFrame& model = writer.axes_of_model;
  wheel.plane = make_marker(kGround, at ? at->value : Vec3e{}, n, writer.value(n));
  wheel.plane.point = model.r + model.R * wheel.plane.point;
  wheel.plane.axes = model.R * wheel.plane.axes;
  wheel.c = writer.world_coordinates("centre", {centre.body, centre.at});
  note(wheel.c);
  if (flat && axis) {
    writer.reject_at("axis", "model.wrong-dimension",
                     " needs no axis: in the plane all wheels turn about z.");
    return {};
  }
  if (flat) {
    wheel.axis = Vec3e{0, 0, 1};
  } else if (axis) {
    const ObservedVector tip =
        writer.world_coordinates("axis", {centre.body, centre.at + normalized(axis->value)});
    wheel.axis = tip.value - wheel.c.value;
    note(tip);
  }
  return wheel;
}

}  // namespace koppel
