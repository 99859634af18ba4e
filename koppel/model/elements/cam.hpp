// A cam: a point or a roller of the second body on a curve c(s) that is fixed to the first. The
// place s on the curve is a coordinate of the model, without mass. In the plane, with the tangent
// t = c'/|c'|, the normal n to its right, the centre p of a roller in the axes of the first body
// and its radius r (0: a point),
//   t·(p − c(s)) = 0                                                                        (1)
//   r − n·(p − c(s)) = 0                                                                    (2)
// Equation (1) needs no force: t·c' is the only thing in it that s changes, and nothing else acts
// on s. The multiplier of (2) is the force of the contact, positive where it pushes. Where r is the
// radius of curvature of a hollow curve the roller touches it twice, and the pose is singular.
// In space a point is on the curve, p − c(s) = 0.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Cam {
  static constexpr ElementInfo kInfo{
      "cam", "a point or roller of the second body on a `curve` of the first"};

  Ends between = {};
  Numbers curve = {};  // expressions of name.s
  std::optional<Expr> radius = {}, start = {};
  bool groove = false;

  static const std::vector<Field<Cam>>& fields();
  void announce(ModelWriter& writer) const;
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
