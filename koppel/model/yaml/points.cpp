// Points and vectors of the user's own, whose components are coordinates, and the body frames that
// follow from them.
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

// A.x and A.x' in expressions; and the point as a place for springs, where it stands still.
void name_components(Reader& reader, const PointOrVector& element) {
  const Model& model = reader.model;
  bool is_still = true;
  for (std::size_t i = 0; i < (model.is_planar ? 2U : 3U); ++i) {
    const Expr value = element.value[i];
    std::vector<Expr> coordinates, rates;
    if (!value.is_constant()) coordinates = symbols_of(value);
    for (const Expr& symbol : coordinates) {
      const int quantity = model.find_quantity(symbol.name());
      rates.push_back(quantity < 0 ? Expr(0)  // a parameter
                                   : model.quantities[static_cast<std::size_t>(quantity)].rate);
      is_still = is_still && quantity < 0;
    }
    const std::string name = element.name + '.' + "xyz"[i];
    reader.names.plain.emplace(name, value);
    reader.names.plain.emplace(
        name + '\'', coordinates.empty() ? Expr(0) : time_derivative(value, coordinates, rates));
  }
  if (!element.is_point || !is_still) return;
  reader.names.points.emplace(element.name, Point{kGround, element.value, {}, {}, false});
}

}  // namespace

void read_own_points(Reader& reader, const Node* section, bool is_point) {
  const char* const kind = is_point ? "point" : "vector";
  if (section != nullptr && !reader.prefix.empty()) {
    return reader.report(
        section->offset, "model.wrong-kind",
        std::string(kind) + "s whose components are coordinates stand in the main file only.");
  }
  for (const Element& element : reader.elements(section, is_point ? "points" : "vectors")) {
    const Reader::Subject subject(reader, element.full_name);
    const std::string what = describe(kind, element.name);
    if (!reader.claim(element, "element", kind)) continue;
    if (element.value->is_map()) reader.check_keys(*element.value, what, keys_of<OwnPoint>());
    OwnPoint made;
    FieldReader(reader, *element.value, what).read(made);
    ModelWriter writer = reader.writer_for(element, what);
    if (const std::optional<int> index = made.add_as(writer, is_point)) {
      reader.names.elements.emplace(element.full_name, *index);
      name_components(reader, reader.model.elements[static_cast<std::size_t>(*index)]);
    }
  }
}

// Its points are places for joints and springs.
void place_by_frame(Reader& reader, int index) {
  for (const Body::Site& site : reader.model.bodies[static_cast<std::size_t>(index)].frame) {
    const PointOrVector& element = reader.model.elements[static_cast<std::size_t>(site.element)];
    if (!element.is_point) continue;
    reader.names.points.emplace(element.name, Point{index, site.local, {}, {}, false});
  }
}

}  // namespace koppel::yaml
