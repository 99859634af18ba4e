#include <koppel/model/elements/constraint.hpp>

namespace koppel {
namespace {

template <typename E>
Field<E> value_field(Allow allow) {
  return {{.key = "value", .text = "what is kept zero", .allow = allow, .alone = true}, &E::value};
}

template <typename E>
Field<E> jump_field() {
  return {{.key = "jump",
           .text = "where what is prescribed jumps, an impulse makes the mechanism follow",
           .unless_given = "a position that jumps is refused",
           .words = {"impulse"}},
          &E::jump};
}

// Nothing: rejected.
std::optional<Constraint> make(ModelWriter& writer, const std::optional<Expr>& value,
                               const Word& jump) {
  if (!value) {
    writer.reject_missing(" needs a value.");
    return {};
  }
  Constraint c{writer.name, *value, writer.where()};
  c.may_jump = jump.value == 0;
  return c;
}

}  // namespace

const std::vector<Field<ConstraintElement>>& ConstraintElement::fields() {
  using E = ConstraintElement;
  static const std::vector<Field<E>> kFields = {
      value_field<E>(Allow::Positions),
      {{"pulls", "a cable: its multiplier should not become negative", {}, "false"}, &E::pulls},
      jump_field<E>()};
  return kFields;
}

const std::vector<Field<CouplingElement>>& CouplingElement::fields() {
  using E = CouplingElement;
  static const std::vector<Field<E>> kFields = {value_field<E>(Allow::Positions), jump_field<E>()};
  return kFields;
}

const std::vector<Field<NonholonomicElement>>& NonholonomicElement::fields() {
  using E = NonholonomicElement;
  static const std::vector<Field<E>> kFields = {value_field<E>(Allow::Everything), jump_field<E>()};
  return kFields;
}

void ConstraintElement::add_to(ModelWriter& writer) const {
  std::optional<Constraint> c = make(writer, value, jump);
  if (!c) return;
  c->pulls = pulls;
  writer.model.constraints.push_back(std::move(*c));
}

void CouplingElement::add_to(ModelWriter& writer) const {
  if (auto c = make(writer, value, jump)) writer.model.constraints.push_back(std::move(*c));
}

void NonholonomicElement::add_to(ModelWriter& writer) const {
  if (auto c = make(writer, value, jump)) writer.model.nonholonomic.push_back(std::move(*c));
}

}  // namespace koppel
