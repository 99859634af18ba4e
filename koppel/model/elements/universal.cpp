#include <koppel/model/elements/universal.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class UniversalLaw : public JointLaw {
 public:
  std::string_view type() const override { return Universal::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.points_coincide();
    rows.hold("cross", dot(rows.za, rows.xb));
  }
  // Q = R_z(α) R_x(β): z_a·x_b = 0. In the axes of b: w = R_x(β)ᵀ e_z α̇ + e_x β̇.
  void move(JointMotion& motion) const override {
    const Mat3e& Q = motion.start_Q();
    const JointMotion::Coordinate alpha = motion.add("alpha", atan2(Q(1, 0), Q(0, 0)), "rad");
    const JointMotion::Coordinate beta = motion.add("beta", atan2(Q(2, 1), Q(2, 2)), "rad");
    const Mat3e second = rotation(Vec3e{1, 0, 0}, beta.value);
    motion.Q = rotation(Vec3e{0, 0, 1}, alpha.value) * second;
    motion.w = transpose(second) * Vec3e{0, 0, alpha.rate} + Vec3e{beta.rate, 0, 0};
  }
  Shared shared(bool /*is_planar*/) const override { return {.point = true}; }
};

}  // namespace

std::shared_ptr<const JointLaw> Universal::law() {
  static const auto kLaw = std::make_shared<const UniversalLaw>();
  return kLaw;
}

const std::vector<Field<Universal>>& Universal::fields() {
  static const std::vector<Field<Universal>> kFields =
      end_fields<Universal>() +
      std::vector<Field<Universal>>{
          {{"axes", "one direction for each body, in its own frame; they are perpendicular"},
           &Universal::axes}};
  return kFields;
}

void Universal::add_to(ModelWriter& writer) const {
  if (!axes.is_given) {
    return writer.reject_missing(" needs axes: one fixed to each body.", {}, "model.missing-axis");
  }
  const auto markers = place_markers(writer, {between, at, {}, axes});
  if (!markers) return;
  // x along b's axis.
  Marker b = markers->second;
  b.axes = {{b.axes.column[2], b.axes.column[0], b.axes.column[1]}};
  add_joint(writer, {.law = law(), .a = markers->first, .b = b, .closes = closes});
}

}  // namespace koppel
