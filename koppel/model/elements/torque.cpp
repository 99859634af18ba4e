#include <koppel/model/elements/torque.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

const std::vector<Field<Torque>>& Torque::fields() {
  static const std::vector<Field<Torque>> kFields = {
      {{"on", "the body it acts on"}, &Torque::on},
      {{"against", "the body that the opposite torque acts on", {}, "none"}, &Torque::against},
      {{.key = "torque",
        .text = "its components; in the plane a number",
        .unit = "N m",
        .allow = Allow::Everything},
       &Torque::torque},
      {{.key = "frame",
        .text = "frame of the components",
        .unless_given = "world",
        .words = {"world", "body"}},
       &Torque::frame},
      stiff_field<Torque>()};
  return kFields;
}

void Torque::add_to(ModelWriter& writer) const {
  if (!on || !torque.is_given()) return writer.reject_missing(" needs on and torque.");
  const bool flat = writer.model.is_planar;
  if (flat && torque.is_list) {
    return writer.reject_key("torque", "model.wrong-kind",
                             " must be a number or an expression, found a list.");
  }
  if (!flat && !writer.check_size("torque", torque, 3)) return;
  Vec3e f{0, 0, torque.values[0]};
  if (!flat) f = {torque.values[0], torque.values[1], torque.values[2]};
  if (frame.value != 1) f = writer.axes_of_model.R * f;  // of a sub-assembly
  Force out{.is_stiff = stiff};
  for (std::size_t i = 0; i < 3; ++i) {
    if (f[i].is_constant(0)) continue;
    const int q = writer.model.angular_velocity(writer.name + ".w" + "xyz"[i], on -> body,
                                                static_cast<int>(i), frame.value == 1,
                                                against ? against->body : kGround);
    out.actions.push_back({q, f[i]});
  }
  writer.add_force(std::move(out));
}

}  // namespace koppel
