// What joints have in common: their ends, axes and drives.
#pragma once

#include <utility>

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

template <typename E>
std::vector<Field<E>> end_fields() {
  return {
      {{"between", "two bodies, or points of them; a body alone is its origin"}, &E::between},
      {{"at", "instead of points: its place, with the bodies as placed at the start", "m", "none"},
       &E::at},
      {{"closes",
        "in joint coordinates, hold it by constraints, as the joint that closes a loop",
        {},
        "false"},
       &E::closes}};
}

template <typename E>
std::vector<Field<E>> axis_fields() {
  return {{{"axis",
            "direction in the frame of the first body, or the name of one of its axes; with `at`, "
            "in the axes of the model",
            {},
            "z in the plane"},
           &E::axis},
          {{"axes", "one direction for each body, in its own frame", {}, "as `axis`"}, &E::axes}};
}

template <typename E>
std::vector<Field<E>> drive_fields(std::string_view unit) {
  return {
      {{"drive", "prescribed angle or position as a function of time", unit, "free", Allow::Time},
       &E::drive},
      {{.key = "jump",
        .text = "if the drive jumps, let an impulse make the mechanism follow",
        .unless_given = "none",
        .words = {"impulse"}},
       &E::jump}};
}

template <typename E>
Field<E> zero_field(std::string_view unit) {
  return {{"zero", "value of the angle or position that the joint reads as zero", unit, "0"},
          &E::zero};
}

// The markers of a joint. Where one axis is given, the other body has the same direction as placed
// at the start; angles are counted from parallel frames where the axis has the same components in
// both. The frame of an end is that of its body, or of a sub-assembly whose ground it is.
struct JointPlacing {
  const Ends& between;
  const std::optional<WorldPoint>& at;
  const std::optional<Direction>& axis;
  const Directions& axes;
  enum class Axis { Needed, NeededInSpace, Unused } use = Axis::Needed;
  bool turns = false;  // about the axis
};
// Nothing: rejected.
std::optional<std::pair<Marker, Marker>> place_markers(ModelWriter& writer,
                                                       const JointPlacing& joint);
// The ends, with `at` in the place of their points. Nothing: rejected.
std::optional<Ends> place_ends(ModelWriter& writer, const Ends& between,
                               const std::optional<WorldPoint>& at);

// Adds the joint and what its coordinates are driven by. A joint with both coordinates free takes
// both values by name; else there is one.
struct JointMotionGiven {
  const JointValue& drive;
  const Word& jump;
};
void add_joint(ModelWriter& writer, Joint joint, const JointMotionGiven* motion = nullptr);

// Marker a such that angle and position count from these values.
Marker shifted(const Marker& a, Expr angle, Expr position);

// What `zero` says of angle and position; rejected where it has not the form that the joint takes.
struct JointZero {
  Expr angle = 0, position = 0;
};
JointZero zero_of(ModelWriter& writer, const JointLaw& law, const JointValue& zero);

}  // namespace koppel
