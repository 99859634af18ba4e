#include <koppel/model/elements/applied_force.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

const std::vector<Field<AppliedForce>>& AppliedForce::fields() {
  static const std::vector<Field<AppliedForce>> kFields = {
      {{"on", "the point it acts on"}, &AppliedForce::on},
      {{.key = "force", .text = "its components", .unit = "N", .allow = Allow::Everything},
       &AppliedForce::force},
      {{.key = "frame",
        .text = "frame of the components",
        .unless_given = "world",
        .words = {"world", "body"}},
       &AppliedForce::frame},
      stiff_field<AppliedForce>()};
  return kFields;
}

// In world axes, those of a sub-assembly turned with it, the effort on the coordinates of the
// point. In body axes the directions are the differences of points of the body: e_j = (p + e_j) −
// p.
void AppliedForce::add_to(ModelWriter& writer) const {
  if (!on || !force.is_given()) return writer.reject_missing(" needs on and force.");
  const std::size_t size = writer.model.is_planar ? 2 : 3;
  if (!writer.check_size("force", force, size)) return;
  std::vector<Expr> f = force.values;
  const auto coordinate = [&](const std::string& part, const Vec3e& at, std::size_t i) {
    return writer.model.coordinate_of(
        writer.name + '.' + part + "xyz" [i], { on->body, at }, static_cast<int>(i));
  };
  std::vector<int> position(size);
  for (std::size_t i = 0; i < size; ++i) position[i] = coordinate("", on->at, i);
  if (frame.value == 1) {
    std::vector<Expr> in_world(size, Expr(0));
    for (std::size_t j = 0; j < size; ++j) {
      if (f[j].is_constant(0)) continue;
      Vec3e tip = on->at;
      tip[j] += 1;
      for (std::size_t i = 0; i < size; ++i) {
        const int end = coordinate(std::string("e") + "xyz"[j] + '.', tip, i);
        in_world[i] += f[j] * (writer.quantity(end).value - writer.quantity(position[i]).value);
      }
    }
    f = in_world;
  } else {
    Vec3e along;
    for (std::size_t i = 0; i < size; ++i) along[i] = f[i];
    along = writer.axes_of_model.R * along;
    for (std::size_t i = 0; i < size; ++i) f[i] = along[i];
  }
  Force out{.is_stiff = stiff};
  for (std::size_t i = 0; i < size; ++i) {
    if (!f[i].is_constant(0)) out.actions.push_back({position[i], f[i]});
  }
  writer.add_force(std::move(out));
}

}  // namespace koppel
