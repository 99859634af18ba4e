#include <koppel/model/elements/screw.hpp>

#include <numbers>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class ScrewLaw : public JointLaw {
 public:
  explicit ScrewLaw(Expr pitch) : pitch_(pitch) {}
  std::string_view type() const override { return Screw::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.axes_parallel();
    rows.point_on_axis();
    rows.hold("advance", dot(rows.za, rows.d) - pitch_ * (*rows.angle / (2 * std::numbers::pi)),
              Holds::Other, "m");
  }
  void move(JointMotion& motion) const override {
    motion.turn();
    const Expr advance = pitch_ / (2 * std::numbers::pi);
    motion.position = motion.d.z = advance * *motion.angle;
    motion.d_rate.z = advance * motion.w.z;
  }
  bool has_angle() const override { return true; }
  bool has_position() const override { return true; }
  bool needs_angle() const override { return true; }
  Shared shared(bool is_planar) const override { return {.axis = !is_planar}; }
  std::vector<Term> terms() const override { return {{.name = "pitch", .value = pitch_}}; }

 private:
  Expr pitch_;
};

}  // namespace

std::shared_ptr<const JointLaw> Screw::law(Expr pitch) {
  return std::make_shared<const ScrewLaw>(pitch);
}

const std::vector<Field<Screw>>& Screw::fields() {
  static const std::vector<Field<Screw>> kFields =
      end_fields<Screw>() + axis_fields<Screw>() +
      std::vector<Field<Screw>>{{{"pitch", "displacement per turn", "m"}, &Screw::pitch}} +
      drive_fields<Screw>("rad") + std::vector{zero_field<Screw>("rad")};
  return kFields;
}

void Screw::add_to(ModelWriter& writer) const {
  auto markers = place_markers(writer, {between, at, axis, axes, JointPlacing::Axis::Needed, true});
  if (!pitch) writer.reject_missing(" needs its pitch: the displacement a turn.");
  if (!markers || !pitch) return;
  const Expr angle = zero_of(writer, *law(*pitch), zero).angle;
  markers->first = shifted(markers->first, angle, *pitch * angle / (2 * std::numbers::pi));
  const JointMotionGiven motion{drive, jump};
  add_joint(writer,
            {.law = law(*pitch), .a = markers->first, .b = markers->second, .closes = closes},
            &motion);
}

}  // namespace koppel
