#include <koppel/model/elements/prismatic.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class PrismaticLaw : public JointLaw {
 public:
  std::string_view type() const override { return Prismatic::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.axes_parallel();
    rows.no_turning();
    rows.point_on_axis();
  }
  void move(JointMotion& motion) const override {
    motion.slide("position", 2);
    motion.position = motion.d.z;
  }
  bool has_position() const override { return true; }
  Shared shared(bool /*is_planar*/) const override { return {.axis = true}; }
};

}  // namespace

std::shared_ptr<const JointLaw> Prismatic::law() {
  static const auto kLaw = std::make_shared<const PrismaticLaw>();
  return kLaw;
}

const std::vector<Field<Prismatic>>& Prismatic::fields() {
  static const std::vector<Field<Prismatic>> kFields =
      end_fields<Prismatic>() + axis_fields<Prismatic>() + drive_fields<Prismatic>("m") +
      std::vector{zero_field<Prismatic>("m")};
  return kFields;
}

void Prismatic::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed});
  if (!markers) return;
  const JointZero from = zero_of(writer, *law(), zero);
  markers->first = shifted(markers->first, from.angle, from.position);
  const JointMotionGiven motion{drive, jump};
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes},
            &motion);
}

}  // namespace koppel
