#include <koppel/model/elements/planar.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class PlanarLaw : public JointLaw {
 public:
  std::string_view type() const override { return Planar::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.axes_parallel();
    rows.point_in_plane();
  }
  void move(JointMotion& motion) const override {
    motion.turn();
    motion.slide("x", 0);
    motion.slide("y", 1);
  }
};

}  // namespace

std::shared_ptr<const JointLaw> Planar::law() {
  static const auto kLaw = std::make_shared<const PlanarLaw>();
  return kLaw;
}

const std::vector<Field<Planar>>& Planar::fields() {
  static const std::vector<Field<Planar>> kFields = end_fields<Planar>() + axis_fields<Planar>();
  return kFields;
}

void Planar::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed, true});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
