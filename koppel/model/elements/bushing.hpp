// A bushing: a linear spring and damper in all directions between two frames, which are parallel
// and meet as placed.
//
//   w = −K x − D ẋ,    x = (d, θ)                                                           (1)
// d is the displacement of b's point in a's axes. θ is the rotation vector for small angles: with
// R the axes of b in those of a, the vector of the skew part of R,
//   θ = ½ (R₃₂ − R₂₃, R₁₃ − R₃₁, R₂₁ − R₁₂) = sin φ n                                        (2)
// which has the same components in both frames; θ̇ is the relative angular velocity in b's axes. In
// the plane θ is the angle. R is given by quantities: its columns are differences of points of b.
// Where stiffness and damping have rows for displacements only, the frames may turn as they like.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Bushing {
  static constexpr ElementInfo kInfo{
      "bushing",
      "a spring and damper in all directions between two frames that are parallel as placed: the "
      "first "
      "three rows (planar two) for displacements in the axes of the first body, the others for "
      "small "
      "rotations; with the first ones alone, none against rotations"};

  Ends between = {};
  Rows stiffness = {}, damping = {};
  bool stiff = false;

  static const std::vector<Field<Bushing>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
