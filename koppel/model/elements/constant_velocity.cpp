#include <koppel/model/elements/constant_velocity.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class ConstantVelocityLaw : public JointLaw {
 public:
  std::string_view type() const override { return ConstantVelocity::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.points_coincide();
    rows.hold("twist", dot(rows.xb, rows.ya) - dot(rows.yb, rows.xa));  // Eq. (1)
  }
  void move(JointMotion& motion) const override {
    // At the start e₀ = ½ √(1 + tr Q), and 4 e₀ (e₁, e₂) is in the skew part of Q; σ = e/(1 + e₀).
    const Mat3e& Q = motion.start_Q();
    const Expr e0 = sqrt(1 + Q(0, 0) + Q(1, 1) + Q(2, 2)) / 2, scale = 1 / (4 * e0 * (1 + e0));
    const auto x = motion.add("swing_x", scale * (Q(2, 1) - Q(1, 2)), "");
    const auto y = motion.add("swing_y", scale * (Q(0, 2) - Q(2, 0)), "");
    const Vec3e s{x.value, y.value, 0}, s_rate{x.rate, y.rate, 0};
    const Expr square = dot(s, s), k = 1 / (1 + square);
    motion.Q = rotation(std::array<Expr, 4>{(1 - square) * k, 2 * s.x * k, 2 * s.y * k, Expr(0)});
    motion.w =
        4 * k * k *
        ((1 - square) * s_rate - Expr(2) * cross(s, s_rate) + 2 * dot(s, s_rate) * s);  // Eq. (3)
  }
  Shared shared(bool /*is_planar*/) const override { return {.point = true}; }
};

}  // namespace

std::shared_ptr<const JointLaw> ConstantVelocity::law() {
  static const auto kLaw = std::make_shared<const ConstantVelocityLaw>();
  return kLaw;
}

const std::vector<Field<ConstantVelocity>>& ConstantVelocity::fields() {
  static const std::vector<Field<ConstantVelocity>> kFields =
      end_fields<ConstantVelocity>() + axis_fields<ConstantVelocity>();
  return kFields;
}

void ConstantVelocity::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed, true});
  if (!markers) return;
  add_joint(writer, {.law = law(), .a = markers->first, .b = markers->second, .closes = closes});
}

}  // namespace koppel
