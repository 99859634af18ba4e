#include <koppel/model/elements/cylindrical.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class CylindricalLaw : public JointLaw {
 public:
  std::string_view type() const override { return Cylindrical::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.axes_parallel();
    rows.point_on_axis();
  }
  void move(JointMotion& motion) const override {
    motion.turn();
    motion.slide("position", 2);
    motion.position = motion.d.z;
  }
  bool has_angle() const override { return true; }
  bool has_position() const override { return true; }
  Shared shared(bool is_planar) const override { return {.axis = !is_planar}; }
};

}  // namespace

std::shared_ptr<const JointLaw> Cylindrical::law() {
  static const auto kLaw = std::make_shared<const CylindricalLaw>();
  return kLaw;
}

const std::vector<Field<Cylindrical>>& Cylindrical::fields() {
  static const std::vector<Field<Cylindrical>> kFields =
      end_fields<Cylindrical>() + axis_fields<Cylindrical>() + drive_fields<Cylindrical>("rad, m") +
      std::vector{zero_field<Cylindrical>("rad, m")};
  return kFields;
}

void Cylindrical::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed, true});
  if (!markers) return;
  const JointZero from = zero_of(writer, *law(), zero);
  markers->first = shifted(markers->first, from.angle, from.position);
  const JointMotionGiven motion{drive, jump};
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes},
            &motion);
}

}  // namespace koppel
