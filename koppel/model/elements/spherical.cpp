#include <koppel/model/elements/spherical.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class SphericalLaw : public JointLaw {
 public:
  std::string_view type() const override { return Spherical::kInfo.type; }
  void constrain(JointRows& rows) const override { rows.points_coincide(); }
  void move(JointMotion& motion) const override { motion.turn_freely(); }
  Shared shared(bool /*is_planar*/) const override { return {.point = true}; }
  bool is_pivot() const override { return true; }
};

}  // namespace

std::shared_ptr<const JointLaw> Spherical::law() {
  static const auto kLaw = std::make_shared<const SphericalLaw>();
  return kLaw;
}

const std::vector<Field<Spherical>>& Spherical::fields() {
  static const std::vector<Field<Spherical>> kFields = end_fields<Spherical>();
  return kFields;
}

void Spherical::add_to(ModelWriter& writer) const {
  const auto markers = place_markers(writer, {between, at, {}, {}, JointPlacing::Axis::Unused});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
