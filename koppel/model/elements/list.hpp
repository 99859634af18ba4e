// The elements there are. A new one is its own two files and a line here: the readers of model
// files, the schema, the reference of the format and the builder go by this list.
#pragma once

#include <type_traits>

#include <koppel/model/elements/applied_force.hpp>
#include <koppel/model/elements/arc_path.hpp>
#include <koppel/model/elements/body.hpp>
#include <koppel/model/elements/bushing.hpp>
#include <koppel/model/elements/cam.hpp>
#include <koppel/model/elements/constant_velocity.hpp>
#include <koppel/model/elements/constraint.hpp>
#include <koppel/model/elements/cylindrical.hpp>
#include <koppel/model/elements/distance.hpp>
#include <koppel/model/elements/drawing.hpp>
#include <koppel/model/elements/effort.hpp>
#include <koppel/model/elements/event.hpp>
#include <koppel/model/elements/expressions.hpp>
#include <koppel/model/elements/fixed.hpp>
#include <koppel/model/elements/free_coordinates.hpp>
#include <koppel/model/elements/friction.hpp>
#include <koppel/model/elements/held_signal.hpp>
#include <koppel/model/elements/include_element.hpp>
#include <koppel/model/elements/line_path.hpp>
#include <koppel/model/elements/own_point.hpp>
#include <koppel/model/elements/planar.hpp>
#include <koppel/model/elements/point_on_line.hpp>
#include <koppel/model/elements/point_on_plane.hpp>
#include <koppel/model/elements/prismatic.hpp>
#include <koppel/model/elements/recorded_signal.hpp>
#include <koppel/model/elements/rest_to_rest.hpp>
#include <koppel/model/elements/revolute.hpp>
#include <koppel/model/elements/rolling.hpp>
#include <koppel/model/elements/run_element.hpp>
#include <koppel/model/elements/screw.hpp>
#include <koppel/model/elements/servo.hpp>
#include <koppel/model/elements/shapes.hpp>
#include <koppel/model/elements/spherical.hpp>
#include <koppel/model/elements/spline_curve.hpp>
#include <koppel/model/elements/spring.hpp>
#include <koppel/model/elements/table_element.hpp>
#include <koppel/model/elements/three_phase.hpp>
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
using SignalElements =
    ElementList<RestToRest, ThreePhase, LinePath, ArcPath, SplineCurve, RecordedSignal, HeldSignal>;
using ShapeElements = ElementList<RodShape, BoxShape, CylinderShape, DiscShape, SphereShape>;
// Told apart by the first key of their tables.
using DrawingElements =
    ElementList<DrawnPoint, DrawnLine, DrawnCable, DrawnCircle, DrawnBox, DrawnLabel>;
// Those of one type, with sections of their own in files.
using OtherElements =
    ElementList<ConstraintElement, CouplingElement, NonholonomicElement, EventElement,
                TrackingElement, TableElement, InputElement, CoordinateElement, StateElement,
                RotationElement, OutputElement, PositiveElement, ServoElement, AttitudeElement>;

}  // namespace koppel
