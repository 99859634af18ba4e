// The elements there are. A new one is its own two files and a line here: the readers of model
// files, the schema, the reference of the format and the builder go by this list.
#pragma once

#include <type_traits>

#include <koppel/model/elements/applied_force.hpp>
#include <koppel/model/elements/bushing.hpp>
#include <koppel/model/elements/cam.hpp>
#include <koppel/model/elements/constant_velocity.hpp>
#include <koppel/model/elements/constraint.hpp>
#include <koppel/model/elements/cylindrical.hpp>
#include <koppel/model/elements/distance.hpp>
#include <koppel/model/elements/effort.hpp>
#include <koppel/model/elements/event.hpp>
#include <koppel/model/elements/fixed.hpp>
#include <koppel/model/elements/friction.hpp>
#include <koppel/model/elements/planar.hpp>
#include <koppel/model/elements/point_on_line.hpp>
#include <koppel/model/elements/point_on_plane.hpp>
#include <koppel/model/elements/prismatic.hpp>
#include <koppel/model/elements/revolute.hpp>
#include <koppel/model/elements/rolling.hpp>
#include <koppel/model/elements/screw.hpp>
#include <koppel/model/elements/spherical.hpp>
#include <koppel/model/elements/spring.hpp>
#include <koppel/model/elements/torque.hpp>
#include <koppel/model/elements/torsion.hpp>
#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/elements/tyre.hpp>
#include <koppel/model/elements/universal.hpp>

namespace koppel {

template <typename... E>
struct ElementList {
  template <typename T>
  static constexpr bool has() {
    return (std::is_same_v<E, T> || ...);
  }
  // Calls f with each element type, as std::type_identity<E>.
  template <typename F>
  static void for_each(F&& f) {
    (f(std::type_identity<E>{}), ...);
  }
};

using JointElements =
    ElementList<Revolute, Prismatic, Cylindrical, Screw, Spherical, Universal, ConstantVelocity,
                Planar, Fixed, Distance, PointOnLine, PointOnPlane, Rolling, Cam>;
using ForceElements =
    ElementList<Spring, Damper, Torsion, Friction, AppliedForce, Torque, Effort, Bushing, Tyre>;
// Those with sections of their own in files.
using OtherElements = ElementList<ConstraintElement, CouplingElement, NonholonomicElement,
                                  EventElement, TrackingElement>;

}  // namespace koppel
