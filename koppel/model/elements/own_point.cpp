#include <koppel/model/elements/own_point.hpp>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

bool depends_on_coordinates_only(const Model& model, Expr e) {
  if (e.is_constant()) return true;
  for (const Expr& symbol : symbols_of(e)) {
    const int quantity = model.find_quantity(symbol.name());
    if (symbol == model.time) return false;
    if (quantity >= 0 && !std::holds_alternative<Quantity::Free>(
                             model.quantities[static_cast<std::size_t>(quantity)].of)) {
      return false;
    }
  }
  return true;
}

}  // namespace

const std::vector<Field<OwnPoint>>& OwnPoint::fields() {
  using E = OwnPoint;
  static const std::vector<Field<E>> kFields = {
      {{.key = "start",
        .text = "expected at the start; its components are coordinates",
        .unit = "m",
        .unless_given = "`is`",
        .alone = true,
        .called = kItself},
       &E::start},
      {{"moves", "which of its components are coordinates, some of the letters xyz", {}, "all"},
       &E::moves},
      {{.key = "is",
        .text = "what it is: expressions of coordinates, and of points and vectors above it",
        .unit = "m",
        .unless_given = "`start`",
        .allow = Allow::Positions,
        .called = kItself},
       &E::is}};
  return kFields;
}

std::optional<int> OwnPoint::add_as(ModelWriter& writer, bool is_point) const {
  Model& model = writer.model;
  if (start.has_value() == is.is_given()) {
    writer.reject_missing(" needs start, or is.",
                          "start: expected values of its coordinates; is: what it is, by others.");
    return {};
  }
  const std::string all = model.is_planar ? "xy" : "xyz";
  int index = 0;
  if (start) {
    const std::string letters = moves.value_or(all);
    if (letters.empty() || letters.find_first_not_of(all) != letters.npos) {
      writer.reject_key(
          "moves", "model.bad-value",
          " must be some of the letters of " + all + ", found '" + letters.substr(0, 40) + "'.");
      return {};
    }
    index = is_point ? model.add_point(writer.name, start->value, letters)
                     : model.add_vector(writer.name, start->value, letters);
  } else {
    if (moves) {
      writer.reject_with("moves", {"model.unknown-key",
                                   "key 'moves' in " + writer.what + " belongs to start.",
                                   {},
                                   {},
                                   {}});
      return {};
    }
    if (!is.is_list || is.values.size() != all.size()) {
      writer.reject_at(
          "is", "model.wrong-dimension",
          " must be a list of " + std::to_string(all.size()) + " numbers; found " +
              (is.is_list || is.values.empty() ? std::to_string(is.values.size()) : "no list") +
              ".");
      return {};
    }
    for (const Expr& component : is.values) {
      if (depends_on_coordinates_only(model, component)) continue;
      writer.reject_at("is", "model.name-not-allowed",
                       " may depend on coordinates, points, vectors and parameters only.");
      return {};
    }
    index = model.add_given(writer.name,
                            {is.values[0], is.values[1], all.size() == 3 ? is.values[2] : Expr(0)},
                            is_point);
  }
  model.elements[static_cast<std::size_t>(index)].where = writer.where();
  return index;
}

}  // namespace koppel
