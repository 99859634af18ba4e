#include <koppel/model/elements/line_path.hpp>

#include <koppel/model/elements/signal_fields.hpp>

namespace koppel {

const std::vector<Field<LinePath>>& LinePath::fields() {
  using E = LinePath;
  static const std::vector<Field<E>> kFields = {{{"from", "where it begins", "m"}, &E::from},
                                                {{"to", "where it ends", "m"}, &E::to},
                                                law_field<E>()};
  return kFields;
}

void LinePath::add_to(ModelWriter& writer) const {
  if (!from || !to || !law) {
    return writer.reject_missing(" needs from, to and law.");
  }
  define_path(writer, from->value + *law * (to->value - from->value));
}

}  // namespace koppel
