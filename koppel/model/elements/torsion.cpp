#include <koppel/model/elements/torsion.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

const std::vector<Field<Torsion>>& Torsion::fields() {
  constexpr auto everything = Allow::Everything;
  static const std::vector<Field<Torsion>> kFields = {
      {{"joint", "the joint it acts in"}, &Torsion::joint},
      {{"stiffness", "torque per angle", "N m/rad", "0", everything}, &Torsion::stiffness},
      {{"rest", "the angle without torque", "rad", "0", everything}, &Torsion::rest},
      {{"damping", "torque per angular velocity", "N m s/rad", "0", everything}, &Torsion::damping},
      {{"effort", "additional torque", "N m", "0", everything}, &Torsion::effort},
      stiff_field<Torsion>()};
  return kFields;
}

void Torsion::add_to(ModelWriter& writer) const {
  if (!joint) return writer.reject_missing(" needs the joint it acts in.");
  if (!stiffness && !damping && !effort) {
    return writer.reject_missing(" needs stiffness, damping or effort.");
  }
  const Quantity q = writer.quantity(joint->quantity);
  Force force{.is_stiff = stiff};
  Expr sum = 0;
  if (stiffness) {
    const Expr zero = rest.value_or(0), stretch = q.value - zero;
    sum -= *stiffness * stretch;
    force.potential = stored_energy(writer, *stiffness, zero, stretch);
  }
  if (damping) sum -= *damping * q.rate;
  if (effort) sum += *effort;
  force.actions.push_back({joint->quantity, sum});
  writer.add_force(std::move(force));
}

}  // namespace koppel
