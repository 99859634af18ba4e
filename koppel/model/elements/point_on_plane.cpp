#include <koppel/model/elements/point_on_plane.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class PointOnPlaneLaw : public JointLaw {
 public:
  std::string_view type() const override { return PointOnPlane::kInfo.type; }
  void constrain(JointRows& rows) const override { rows.point_in_plane(); }
  bool has_motion() const override { return false; }
};

}  // namespace

std::shared_ptr<const JointLaw> PointOnPlane::law() {
  static const auto kLaw = std::make_shared<const PointOnPlaneLaw>();
  return kLaw;
}

const std::vector<Field<PointOnPlane>>& PointOnPlane::fields() {
  static const std::vector<Field<PointOnPlane>> kFields =
      end_fields<PointOnPlane>() + axis_fields<PointOnPlane>();
  return kFields;
}

void PointOnPlane::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
