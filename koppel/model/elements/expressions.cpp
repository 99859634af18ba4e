#include <koppel/model/elements/expressions.hpp>

#include <koppel/model/orientation.hpp>

namespace koppel {
namespace {

template <typename E>
Field<E> value_field(std::string_view text, Allow allow) {
  return {{.key = "value", .text = text, .allow = allow, .alone = true, .called = kItself},
          &E::value};
}

// Whether there is a value.
template <typename E>
bool has_value(const E& element, ModelWriter& writer) {
  if (!element.value) writer.reject_missing(" needs a value.");
  return element.value.has_value();
}

}  // namespace

const std::vector<Field<ParameterElement>>& ParameterElement::fields() {
  static const std::vector<Field<ParameterElement>> kFields = {value_field<ParameterElement>(
      "a number, or an expression of other parameters", Allow::Parameters)};
  return kFields;
}

const std::vector<Field<ExpressionSignal>>& ExpressionSignal::fields() {
  static const std::vector<Field<ExpressionSignal>> kFields = {value_field<ExpressionSignal>(
      "an expression of time, parameters and signals above it", Allow::Time)};
  return kFields;
}

void ExpressionSignal::add_to(ModelWriter& writer) const {
  if (has_value(*this, writer)) writer.define("", *value);
}

const std::vector<Field<DefinitionElement>>& DefinitionElement::fields() {
  static const std::vector<Field<DefinitionElement>> kFields = {
      value_field<DefinitionElement>("an expression of all that is known", Allow::Everything)};
  return kFields;
}

const std::vector<Field<RotationElement>>& RotationElement::fields() {
  static const std::vector<Field<RotationElement>> kFields = {
      {{"between", "two bodies: the rotation of the second against the first"},
       &RotationElement::between}};
  return kFields;
}

void RotationElement::add_to(ModelWriter& writer) const {
  if (writer.model.is_planar) {
    return writer.reject_at("between", "model.wrong-dimension",
                            " is a rotation in space; in the plane bodies have an angle.");
  }
  if (!writer.check_ends(between)) return;
  const Marker a{between.a.body, between.a.at, between.a.axes};
  const Marker b{between.b.body, between.b.at, between.b.axes};
  for (int i = 0; i < 6; ++i) {
    writer.model.add_measure(writer.name, kOrientations[static_cast<std::size_t>(i)],
                             Quantity::Orientation{a, b, i});
  }
}

const std::vector<Field<OutputElement>>& OutputElement::fields() {
  static const std::vector<Field<OutputElement>> kFields = {
      value_field<OutputElement>("an expression of all that is known", Allow::Everything)};
  return kFields;
}

void OutputElement::add_to(ModelWriter& writer) const {
  if (has_value(*this, writer)) {
    writer.model.outputs.push_back({writer.name, *value, writer.where()});
  }
}

const std::vector<Field<PositiveElement>>& PositiveElement::fields() {
  static const std::vector<Field<PositiveElement>> kFields = {
      value_field<PositiveElement>("an expression of positions", Allow::Positions)};
  return kFields;
}

void PositiveElement::add_to(ModelWriter& writer) const {
  if (has_value(*this, writer)) {
    writer.model.positive.push_back({writer.name, *value, writer.where()});
  }
}

const std::vector<Field<GeneralizedForce>>& GeneralizedForce::fields() {
  static const std::vector<Field<GeneralizedForce>> kFields = {value_field<GeneralizedForce>(
      "its size: its power is that times the rate of the quantity", Allow::Everything)};
  return kFields;
}

const std::vector<Field<InitialElement>>& InitialElement::fields() {
  using E = InitialElement;
  static const std::vector<Field<E>> kFields = {
      value_field<E>("the value at the start", Allow::Parameters),
      {{"fixed", "whether it holds exactly", {}, "true"}, &E::fixed},
      {{"wish", "whether it only guides the choice, the opposite of `fixed`", {}, "false"},
       &E::wish}};
  return kFields;
}

}  // namespace koppel
