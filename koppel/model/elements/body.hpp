// Bodies: mass, centre of mass and inertia, given or by shapes, and where they are expected.
#pragma once

#include <koppel/model/elements/placing.hpp>
#include <koppel/model/elements/shapes.hpp>

namespace koppel {

struct BodyElement : Placing {
  static constexpr ElementInfo kInfo{"body", "a rigid body or a point mass"};

  std::optional<Expr> mass = {}, density = {}, point_mass = {};
  std::optional<WorldPoint> com = {};
  Numbers inertia = {};
  Shapes shape = {};
  NamedPoints points = {};
  NamedAxes axes = {};
  OwnPoints frame = {};

  static const std::vector<Field<BodyElement>>& fields();
  // The body, in `within`: the frame that its place refers to. Its points and axes are left out.
  Body make(ModelWriter& writer, const MarkerFrame& within) const;

 private:
  void set_mass(ModelWriter& writer, Body& body) const;
  void set_inertia(ModelWriter& writer, Body& body) const;
  void set_by_shape(ModelWriter& writer, Body& body, Expr volume) const;
  void set_place(ModelWriter& writer, Body& body, const MarkerFrame& within) const;
};

// What can be said about the ground.
struct GroundElement {
  static constexpr ElementInfo kInfo{"ground", "what does not move"};

  NamedPoints points = {};
  NamedAxes axes = {};
  Shapes shape = {};

  static const std::vector<Field<GroundElement>>& fields();
};

}  // namespace koppel
