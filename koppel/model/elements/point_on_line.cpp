#include <koppel/model/elements/point_on_line.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class PointOnLineLaw : public JointLaw {
 public:
  std::string_view type() const override { return PointOnLine::kInfo.type; }
  void constrain(JointRows& rows) const override { rows.point_on_axis(); }
  bool has_motion() const override { return false; }
  Shared shared(bool /*is_planar*/) const override { return {.line = true}; }
};

}  // namespace

std::shared_ptr<const JointLaw> PointOnLine::law() {
  static const auto kLaw = std::make_shared<const PointOnLineLaw>();
  return kLaw;
}

const std::vector<Field<PointOnLine>>& PointOnLine::fields() {
  static const std::vector<Field<PointOnLine>> kFields =
      end_fields<PointOnLine>() + axis_fields<PointOnLine>();
  return kFields;
}

void PointOnLine::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
