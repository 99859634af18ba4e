#include <koppel/model/elements/arc_path.hpp>

#include <koppel/model/elements/signal_fields.hpp>

namespace koppel {

const std::vector<Field<ArcPath>>& ArcPath::fields() {
  using E = ArcPath;
  static const std::vector<Field<E>> kFields = {
      {{"center", "centre of the circle", "m"}, &E::center},
      {{"from", "where it begins", "m"}, &E::from},
      {{.key = "angle",
        .text = "angle that the arc covers",
        .unit = "rad",
        .bound = Bound::OneTurn},
       &E::angle},
      {{"axis", "axis of rotation, in space", {}, "z in the plane"}, &E::axis},
      law_field<E>()};
  return kFields;
}

void ArcPath::add_to(ModelWriter& writer) const {
  const bool is_planar = writer.model.is_planar;
  if (!center || !from || !angle || !law || axis.has_value() == is_planar) {
    return writer.reject_missing(is_planar ? " needs center, from, angle and law, and no axis."
                                           : " needs center, from, axis, angle and law.");
  }
  const Vec3e about = axis ? normalized(axis->value) : Vec3e{0, 0, 1};
  define_path(writer,
              center->value + rotation(about, *angle * *law) * (from->value - center->value));
}

}  // namespace koppel
