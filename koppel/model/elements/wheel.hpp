// A wheel or a ball on a plane that is fixed to the ground: what rolling joints and tyres share.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Wheel {
  Place centre;
  Expr radius;
  Marker plane;                  // z is its normal
  ObservedVector c;              // the centre
  std::optional<Vec3e> axis;     // in world axes, of length 1; a ball has none
  std::vector<int> coordinates;  // quantities that c and the axis are made of
};

// `key`: the field that names the centre. Nothing: rejected.
std::optional<Wheel> put_on_plane(ModelWriter& writer, const char* key, const Place& centre,
                                  Expr radius, const std::optional<Direction>& axis,
                                  const std::optional<WorldDirection>& normal,
                                  const std::optional<WorldPoint>& at);

// The fields axis, normal and at.
template <typename E>
std::vector<Field<E>> plane_fields() {
  return {
      {{"axis", "what a disc turns about, in its body; without it a ball", {}, "none"}, &E::axis},
      {{"normal", "of the plane", {}, "z; planar y"}, &E::normal},
      {{"at", "a point of the plane", "m", "the origin"}, &E::at}};
}

}  // namespace koppel
