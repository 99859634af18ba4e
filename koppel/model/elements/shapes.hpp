// Shapes of bodies: for pictures, and to compute centres of mass and inertias from.
//
// Homogeneous, of mass 1, about the centre. A cylinder of radius r and length l along the unit
// vector n, of which rods (r = 0) and discs are special cases, has
//   I = (l²/12) (1 − n nᵀ) + (r²/4) (1 + n nᵀ)                                           (1)
// a sphere (2/5) r² 1, a box with edges a along its axes diag(b² + c², c² + a², a² + b²)/12.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

// A shape and its mass properties, of mass 1, about its centre, along the body axes.
struct Solid {
  Shape shape;
  Vec3e centre;
  Mat3e inertia;
  Expr volume = 0;  // 0: a line; in planar models an area
};

// What a body has under `shape`.
struct Shapes {
  std::vector<Solid> values = {};
  bool is_given = false;
};

struct RodShape {
  static constexpr ElementInfo kInfo{"rod", "a line or a round bar from a point to another"};

  std::optional<WorldPoint> to = {}, from = {};
  std::optional<Expr> radius = {};

  static const std::vector<Field<RodShape>>& fields();
  std::optional<Solid> make(ModelWriter& writer) const;  // nothing: there is a mistake
};

struct BoxShape {
  static constexpr ElementInfo kInfo{"box", "with edges along the axes of the body"};

  std::optional<WorldPoint> size = {}, at = {};

  static const std::vector<Field<BoxShape>>& fields();
  std::optional<Solid> make(ModelWriter& writer) const;
};

struct CylinderShape {
  static constexpr ElementInfo kInfo{"cylinder", "about its centre"};

  std::optional<Expr> radius = {}, length = {};
  std::optional<WorldDirection> axis = {};
  std::optional<WorldPoint> at = {};

  static const std::vector<Field<CylinderShape>>& fields();
  std::optional<Solid> make(ModelWriter& writer) const;
};

struct DiscShape {
  static constexpr ElementInfo kInfo{"disc", "a cylinder that may be thin"};

  std::optional<Expr> radius = {}, thickness = {};
  std::optional<WorldDirection> axis = {};
  std::optional<WorldPoint> at = {};

  static const std::vector<Field<DiscShape>>& fields();
  std::optional<Solid> make(ModelWriter& writer) const;
};

struct SphereShape {
  static constexpr ElementInfo kInfo{"sphere", "a ball"};

  std::optional<Expr> radius = {};
  std::optional<WorldPoint> at = {};

  static const std::vector<Field<SphereShape>>& fields();
  std::optional<Solid> make(ModelWriter& writer) const;
};

}  // namespace koppel
