// Definitions: expressions of the motion under a name, and the rotation between two bodies.
#include <algorithm>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {

// `name: expression`, in any order, or `name: {between: [body, body]}`, whose quantities are
// name.roll, name.pitch, name.yaw and the rotation vector name.rx, name.ry, name.rz.
void read_definitions(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "definitions")) {
    const Reader::Subject subject(reader, element.full_name);
    const Node& node = *element.value;
    if (!node.is_map() || node.find("between") == nullptr) {
      if (reader.claim(element, "plain", "definition")) {
        reader.definitions.emplace(element.full_name, Definition{element, {}, false});
      }
    } else if (reader.claim(element, "element", "definition")) {
      read_element<RotationElement>(reader, element, describe("definition", element.name));
    }
  }
}

std::optional<Expr> Reader::definition(const std::string& full_name, Allow allow) {
  const bool is_rate = full_name.ends_with('\'');
  const auto it = definitions.find(full_name.substr(0, full_name.size() - (is_rate ? 1 : 0)));
  if (it == definitions.end()) return {};
  Definition& d = it->second;
  const Subject subject(*this, d.element.full_name);
  const std::string what = describe("definition", d.element.name);
  if (d.is_open) {
    report(d.element.offset, "model.cyclic-definition", what + " is defined by itself.");
    d.value = 1;
  }
  if (!d.value) {
    d.is_open = true;
    const Expr e =
        expression(value_of<DefinitionElement>(*this, d.element, what), what, Allow::Everything);
    d.is_open = false;
    d.value = e;
    model.definitions.push_back({it->first, e, source.at(d.element.offset)});
  }
  if (is_rate) return allow == Allow::Everything ? rate_of(*d.value) : std::nullopt;
  if (allow == Allow::Positions && !rate_of(*d.value)) return {};
  return *d.value;
}

// With ∂e/∂q of the quantities q in e and their rates q': ∂e/∂q q' + ∂e/∂t.
std::optional<Expr> Reader::rate_of(Expr e) const {
  std::vector<Expr> moving, rate;
  if (!e.is_constant()) {
    for (const Expr& symbol : symbols_of(e)) {
      if (symbol == model.time) {
        moving.push_back(symbol);
        rate.emplace_back(1);
      } else if (!values->is_parameter(symbol)) {
        const int quantity = model.find_quantity(symbol.name());
        if (quantity < 0 || model.quantities[static_cast<std::size_t>(quantity)].value != symbol) {
          return {};  // a rate, an input, a state
        }
        moving.push_back(symbol);
        rate.push_back(model.quantities[static_cast<std::size_t>(quantity)].rate);
      }
    }
  }
  return time_derivative(std::vector<Expr>{e}, moving, rate)[0];
}

}  // namespace koppel::yaml
