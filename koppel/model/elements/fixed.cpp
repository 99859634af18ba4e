#include <koppel/model/elements/fixed.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class FixedLaw : public JointLaw {
 public:
  std::string_view type() const override { return Fixed::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.points_coincide();
    rows.axes_parallel();
    rows.no_turning();
  }
  void move(JointMotion& /*motion*/) const override {}
  Shared shared(bool /*is_planar*/) const override { return {.point = true}; }
};

}  // namespace

std::shared_ptr<const JointLaw> Fixed::law() {
  static const auto kLaw = std::make_shared<const FixedLaw>();
  return kLaw;
}

const std::vector<Field<Fixed>>& Fixed::fields() {
  static const std::vector<Field<Fixed>> kFields = end_fields<Fixed>();
  return kFields;
}

void Fixed::add_to(ModelWriter& writer) const {
  const auto markers = place_markers(writer, {between, at, {}, {}, JointPlacing::Axis::Unused});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
