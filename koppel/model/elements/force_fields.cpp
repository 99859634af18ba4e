#include <koppel/model/elements/force_fields.hpp>

namespace koppel {

Expr stored_energy(const ModelWriter& writer, Expr stiffness, Expr rest, Expr stretch) {
  if (!writer.is_constant(stiffness) || !writer.is_constant(rest)) return 0;
  return stiffness * stretch * stretch / 2;
}

bool is_between_bodies(ModelWriter& writer, const Ends& ends) {
  if (!writer.check_ends(ends)) return false;
  if (ends.a.body != ends.b.body) return true;
  writer.reject("model.self-joint",
                " acts between two points of body '" + writer.body(ends.a.body).name + "'.");
  return false;
}

}  // namespace koppel
