#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

// The frame of a place as placed at the start, in world axes.
Mat3e frame_of(const ModelWriter& writer, const Place& place) {
  return writer.body(place.body).rotation * place.axes;
}

// In the frame of a place: as given, or as placed at the start.
Vec3e in_frame(const ModelWriter& writer, const Direction& axis, const Place& place) {
  if (!axis.is_in_world) return transpose(place.axes) * axis.value;
  return transpose(frame_of(writer, place)) * (writer.axes_of_model.R * axis.value);
}

// With z along an axis, given in the frame of the place. The other axes are chosen in that frame:
// they go with it when the frame, the ground of a sub-assembly, is placed elsewhere.
Marker marker_along(const ModelWriter& writer, const Place& place, const Vec3e& axis) {
  Marker marker = make_marker(place.body, place.at, axis, writer.value(axis));
  marker.axes = place.axes * marker.axes;
  return marker;
}

}  // namespace

std::optional<Ends> place_ends(ModelWriter& writer, const Ends& between,
                               const std::optional<WorldPoint>& at) {
  if (!writer.check_ends(between)) return {};
  Ends ends = between;
  if (ends.a.body == ends.b.body) {
    writer.reject("model.self-joint",
                  " joins body '" + writer.body(ends.a.body).name + "' to itself.");
    return {};
  }
  if (!at) return ends;
  const Vec3e world = writer.axes_of_model.r + writer.axes_of_model.R * at->value;
  for (Place* end : {&ends.a, &ends.b}) {
    if (!end->is_origin) {
      writer.reject_at(
          "at", "model.contradiction",
          " has both a point of body '" + writer.body(end->body).name + "' and a place, at.",
          "Give a point of each body, or the bodies alone and at.");
      return {};
    }
    end->at = writer.from_world(end->body, world);
  }
  return ends;
}

std::optional<std::pair<Marker, Marker>> place_markers(ModelWriter& writer,
                                                       const JointPlacing& joint) {
  using Axis = JointPlacing::Axis;
  const std::optional<Ends> ends = place_ends(writer, joint.between, joint.at);
  if (!ends) return {};
  const auto& [a, b, is_given] = *ends;
  const bool flat = writer.model.is_planar;
  const bool has_axis = joint.axis || joint.axes.is_given;
  if (flat && joint.use == Axis::NeededInSpace && has_axis) {
    writer.reject("model.wrong-dimension", " needs no axis: in the plane all hinges turn about z.");
    return {};
  }
  if (!has_axis && (joint.use == Axis::Needed || (joint.use == Axis::NeededInSpace && !flat))) {
    writer.reject_missing(
        " has no axis.",
        "Give axis: a direction in the frame of the first body (with 'at': in world axes).",
        "model.missing-axis");
    return {};
  }
  if (joint.axes.is_given) {
    return std::pair{marker_along(writer, a, in_frame(writer, joint.axes.a, a)),
                     marker_along(writer, b, in_frame(writer, joint.axes.b, b))};
  }
  const Vec3e axis = joint.axis ? in_frame(writer, *joint.axis, a) : Vec3e{0, 0, 1};
  const Marker first = marker_along(writer, a, axis);
  const Mat3e from_a_to_b = transpose(frame_of(writer, b)) * frame_of(writer, a);
  const Vec3<double> value = writer.value(axis);
  const Vec3<double> carried = writer.value(from_a_to_b * axis);
  constexpr double kParallel = 1e-9;
  if (joint.turns && norm(carried - value) <= kParallel * norm(value)) {
    return std::pair{first, marker_along(writer, b, axis)};
  }
  const Mat3e &Ra = writer.body(a.body).rotation, &Rb = writer.body(b.body).rotation;
  return std::pair{first, Marker{b.body, b.at, transpose(Rb) * (Ra * first.axes)}};
}

namespace {

// Two coordinates, so that values are given by name; those of a screw are one.
bool has_both(const JointLaw& law) {
  return law.has_angle() && law.has_position() && !law.needs_angle();
}

bool check_form(ModelWriter& writer, const char* key, const JointValue& value, bool is_map) {
  const bool is_wrong = is_map ? value.value.has_value() : value.angle || value.position;
  if (!is_wrong) return true;
  writer.reject_key(key, "model.wrong-kind",
                    is_map ? " must be a map: {angle: …, position: …}."
                           : " must be one expression: the joint has one coordinate.");
  return false;
}

}  // namespace

void add_joint(ModelWriter& writer, Joint joint, const JointMotionGiven* motion) {
  const bool turns = joint.law->has_angle(), is_map = has_both(*joint.law);
  const int index = writer.add_joint(std::move(joint));
  Model& model = writer.model;
  if (motion == nullptr) return;
  const JointValue& drive = motion->drive;
  const bool may_jump = motion->jump.value == 0;
  if (may_jump && !drive.is_given()) {
    return writer.reject_at("jump", "model.unknown-key", " has a jump but no drive.");
  }
  const auto add = [&](const std::string& suffix, int quantity, Expr value) {
    writer.add_constraint(".drive" + suffix, writer.quantity(quantity).value - value, may_jump);
  };
  if (!check_form(writer, "drive", drive, is_map)) return;
  if (drive.value) add("", turns ? model.angle_of(index) : model.position_of(index), *drive.value);
  if (drive.angle) add(".angle", model.angle_of(index), *drive.angle);
  if (drive.position) add(".position", model.position_of(index), *drive.position);
}

JointZero zero_of(ModelWriter& writer, const JointLaw& law, const JointValue& zero) {
  if (!check_form(writer, "zero", zero, has_both(law))) return {};
  if (has_both(law)) return {zero.angle.value_or(0), zero.position.value_or(0)};
  const Expr value = zero.value.value_or(0);
  return law.has_angle() ? JointZero{value, 0} : JointZero{0, value};
}

Marker shifted(const Marker& a, Expr angle, Expr position) {
  Marker out = a;
  if (!angle.is_constant(0)) out.axes = a.axes * rotation(Vec3e{0, 0, 1}, angle);
  out.point = a.point + position * a.axes.column[2];
  return out;
}

}  // namespace koppel
