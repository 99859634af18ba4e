#include <koppel/model/elements/friction.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

const std::vector<Field<Friction>>& Friction::fields() {
  static const std::vector<Field<Friction>> kFields = {
      {{"joint", "the joint it acts in"}, &Friction::joint},
      {{"torque", "magnitude; for a sliding joint use `force`", "N m", "none", Allow::Everything},
       &Friction::torque},
      {{"force", "magnitude in a sliding joint", "N", "none", Allow::Everything}, &Friction::force},
      {{.key = "velocity",
        .text = "rate below which friction is viscous",
        .unit = "rad/s or m/s",
        .bound = Bound::Positive},
       &Friction::velocity},
      stiff_field<Friction>()};
  return kFields;
}

void Friction::add_to(ModelWriter& writer) const {
  const std::optional<Expr>& size = torque ? torque : force;
  if (!joint || !size || !velocity) {
    return writer.reject("model.missing-key", " needs joint, torque (or force) and velocity.",
                         "Below the velocity, friction is viscous.");
  }
  const Quantity q = writer.quantity(joint->quantity);
  writer.add_force(
      {.actions = {{joint->quantity, -*size * tanh(q.rate / *velocity)}}, .is_stiff = stiff});
}

}  // namespace koppel
