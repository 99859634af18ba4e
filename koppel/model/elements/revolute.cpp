#include <koppel/model/elements/revolute.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class RevoluteLaw : public JointLaw {
 public:
  std::string_view type() const override { return Revolute::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.points_coincide();
    rows.axes_parallel();
  }
  void move(JointMotion& motion) const override { motion.turn(); }
  bool has_angle() const override { return true; }
  // In the plane the axis of a hinge stands on it and is no coordinate.
  Shared shared(bool is_planar) const override { return {.point = true, .axis = !is_planar}; }
  bool is_pivot() const override { return true; }
};

}  // namespace

std::shared_ptr<const JointLaw> Revolute::law() {
  static const auto kLaw = std::make_shared<const RevoluteLaw>();
  return kLaw;
}

const std::vector<Field<Revolute>>& Revolute::fields() {
  static const std::vector<Field<Revolute>> kFields =
      end_fields<Revolute>() + axis_fields<Revolute>() + drive_fields<Revolute>("rad") +
      std::vector{zero_field<Revolute>("rad")};
  return kFields;
}

void Revolute::add_to(ModelWriter& writer) const {
  auto markers =
      place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::NeededInSpace, true});
  if (!markers) return;
  const JointZero from = zero_of(writer, *law(), zero);
  markers->first = shifted(markers->first, from.angle, from.position);
  const JointMotionGiven motion{drive, jump};
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes},
            &motion);
}

}  // namespace koppel
