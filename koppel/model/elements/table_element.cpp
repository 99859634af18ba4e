#include <koppel/model/elements/table_element.hpp>

namespace koppel {

const std::vector<Field<TableElement>>& TableElement::fields() {
  using E = TableElement;
  static const std::vector<Field<E>> kFields = {{{.key = "type",
                                                  .text = "interpolation between the points",
                                                  .unless_given = "`spline`",
                                                  .words = {"spline", "linear", "held"}},
                                                 &E::type},
                                                {{"x", "values of the variable, ascending"}, &E::x},
                                                {{"y", "values of the function there"}, &E::y},
                                                {{.key = "outside",
                                                  .text = "value beyond the points",
                                                  .unless_given = "`hold`",
                                                  .words = {"hold", "extrapolate", "error"}},
                                                 &E::outside}};
  return kFields;
}

void TableElement::add_to(ModelWriter& writer) const {
  if (x.values.empty() || y.values.empty()) {
    writer.reject_missing(" needs lists of numbers x and y.");
  }
  if (type.value == 2 && outside.value > 0) {
    writer.reject_at("outside", "model.contradiction",
                     " is held: it keeps its end values outside of its points.");
  }
  if (writer.is_rejected() || type.value < 0 || outside.value < 0) return;
  constexpr TableData::Outside kOutside[] = {
      TableData::Outside::Hold, TableData::Outside::Extrapolate, TableData::Outside::Refuse};
  const TableData::Outside beyond = kOutside[outside.value];
  try {
    writer.model.graph->add_table(writer.name,
                                  type.value == 0   ? TableData::spline(x.values, y.values, beyond)
                                  : type.value == 1 ? TableData::linear(x.values, y.values, beyond)
                                                    : TableData::held(x.values, y.values));
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics().front();
    writer.reject("model.bad-table", ": " + d.message, d.hint);
  }
}

}  // namespace koppel
