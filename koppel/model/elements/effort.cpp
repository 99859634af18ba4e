#include <koppel/model/elements/effort.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

const std::vector<Field<Effort>>& Effort::fields() {
  static const std::vector<Field<Effort>> kFields = {
      {{"on", "the quantity it acts on"}, &Effort::on},
      {{.key = "effort",
        .text = "value along the quantity",
        .unit = "N or N m",
        .allow = Allow::Everything},
       &Effort::effort},
      stiff_field<Effort>()};
  return kFields;
}

void Effort::add_to(ModelWriter& writer) const {
  if (!on || !effort) return writer.reject_missing(" needs on and effort.");
  writer.add_force({.actions = {{on->quantity, *effort}}, .is_stiff = stiff});
}

}  // namespace koppel
