#include <koppel/model/elements/distance.hpp>

#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {
namespace {

class DistanceLaw : public JointLaw {
 public:
  explicit DistanceLaw(Expr length) : length_(length) {}
  std::string_view type() const override { return Distance::kInfo.type; }
  void constrain(JointRows& rows) const override {
    rows.hold("length", dot(rows.d, rows.d) - length_ * length_, Holds::Other, "m^2");
  }
  bool has_motion() const override { return false; }
  std::vector<Term> terms() const override {
    return {{.name = "length", .value = length_, .may_change = true, .must_be_positive = true}};
  }

 private:
  Expr length_;
};

}  // namespace

std::shared_ptr<const JointLaw> Distance::law(Expr length) {
  return std::make_shared<const DistanceLaw>(length);
}

const std::vector<Field<Distance>>& Distance::fields() {
  static const std::vector<Field<Distance>> kFields =
      end_fields<Distance>() +
      std::vector<Field<Distance>>{
          {{"length", "length of the rod", "m", "as placed"}, &Distance::length}} +
      drive_fields<Distance>("m");
  return kFields;
}

void Distance::add_to(ModelWriter& writer) const {
  const std::optional<Ends> ends = place_ends(writer, between, at);
  if (!ends) return;
  const Place &a = ends->a, &b = ends->b;
  const Expr L =
      length ? *length : norm(writer.in_world(b.body, b.at) - writer.in_world(a.body, a.at));
  if (!(writer.value(L) > 0)) {
    return writer.reject_key(
        "length", "model.bad-value",
        length ? " must be positive." : " must be positive; as placed, its points coincide.",
        length ? "" : "Give length, or positions of the bodies.");
  }
  if (jump.value == 0 && !drive.value) {
    return writer.reject_at("jump", "model.unknown-key", " has a jump but no drive.");
  }
  const Marker first{a.body, a.at, a.axes}, second{b.body, b.at, b.axes};
  add_joint(writer, {.law = law(drive.value.value_or(L)),
                     .a = first,
                     .b = second,
                     .closes = closes,
                     .may_jump = jump.value == 0});
  writer.model.add_measure(writer.name, "length", Quantity::DistanceBetween{first, second});
}

}  // namespace koppel
