// Definitions: expressions of the motion under a name, and the rotation between two bodies.
#include <algorithm>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/orientation.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

// `name: expression`, in any order, or `name: {between: [body, body]}`, whose quantities are
// name.roll, name.pitch, name.yaw and the rotation vector name.rx, name.ry, name.rz.
void Reader::read_definitions(const Node* section) {
  for (const Element& element : elements(section, "definitions")) {
    const std::string what = describe("definition", element.name);
    const Node& node = *element.value;
    const Node* between = node.is_map() ? node.find("between") : nullptr;
    if (between == nullptr) {
      if (claim(element, "plain", "definition")) {
        definitions_.emplace(element.full_name, Definition{element, {}, false});
      }
      continue;
    }
    if (!claim(element, "element", "definition")) continue;
    check_keys(node, what, {"between"});
    if (model_.is_planar) {
      report(between->offset, "model.wrong-dimension",
             what + " is a rotation in space; in the plane bodies have an angle.");
      continue;
    }
    if (!between->is_sequence() || between->items.size() != 2) {
      report(between->offset, "model.missing-key", what + " needs between: [first, second].",
             "Two bodies: the rotation of the second against the first.");
      continue;
    }
    const std::optional<Point> a = point(between->items[0], what);
    const std::optional<Point> b = point(between->items[1], what);
    if (!a || !b) continue;
    for (int i = 0; i < 6; ++i) {
      model_.add_measure(
          element.full_name, kOrientations[static_cast<std::size_t>(i)],
          Quantity::Orientation{
              {a->body, a->at.e, a->frame.R.e}, {b->body, b->at.e, b->frame.R.e}, i});
    }
  }
}

std::optional<Expr> Reader::definition(const std::string& full_name, Allow allow) {
  const bool is_rate = full_name.ends_with('\'');
  const auto it = definitions_.find(full_name.substr(0, full_name.size() - (is_rate ? 1 : 0)));
  if (it == definitions_.end()) return {};
  Definition& d = it->second;
  const std::string what = describe("definition", d.element.name);
  if (d.is_open) {
    report(d.element.offset, "model.cyclic-definition", what + " is defined by itself.");
    d.value = 1;
  }
  if (!d.value) {
    d.is_open = true;
    const Expr e = expression(value_of(d.element, what), what, Allow::Everything);
    d.is_open = false;
    d.value = e;
    model_.definitions.push_back({it->first, e, source_.at(d.element.offset)});
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
      if (symbol == model_.time) {
        moving.push_back(symbol);
        rate.emplace_back(1);
      } else if (!values_->is_parameter(symbol)) {
        const int quantity = model_.find_quantity(symbol.name());
        if (quantity < 0 || model_.quantities[static_cast<std::size_t>(quantity)].value != symbol) {
          return {};  // a rate, an input, a state
        }
        moving.push_back(symbol);
        rate.push_back(model_.quantities[static_cast<std::size_t>(quantity)].rate);
      }
    }
  }
  return time_derivative(std::vector<Expr>{e}, moving, rate)[0];
}

}  // namespace koppel::yaml
