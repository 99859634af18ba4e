#include <koppel/model/elements/free_coordinates.hpp>

namespace koppel {

const std::vector<Field<InputElement>>& InputElement::fields() {
  static const std::vector<Field<InputElement>> kFields = {
      {{"min", "smallest value that the actuator can apply", {}, "no limit"}, &InputElement::min},
      {{"max", "largest value that the actuator can apply", {}, "no limit"}, &InputElement::max}};
  return kFields;
}

void InputElement::add_to(ModelWriter& writer) const {
  writer.model.add_input(writer.name);
  InputLimits& limits = writer.model.input_limits.back();
  if (min) limits.min = writer.value(*min);
  if (max) limits.max = writer.value(*max);
  if (limits.min > limits.max) writer.reject("model.bad-value", " has a min above its max.");
}

const std::vector<Field<CoordinateElement>>& CoordinateElement::fields() {
  using E = CoordinateElement;
  static const std::vector<Field<E>> kFields = {
      {{.key = "start", .text = "expected value at the start", .unless_given = "0", .alone = true},
       &E::start},
      {{"rate", "its rate at the start", {}, "0"}, &E::rate},
      {{"fixed", "whether both hold exactly", {}, "false"}, &E::fixed}};
  return kFields;
}

void CoordinateElement::add_to(ModelWriter& writer) const {
  Model& model = writer.model;
  model.add_coordinate(writer.name);
  FreeCoordinate& c = model.coordinates.back();
  c.where = writer.where();
  if (start) model.initial.push_back({c.value, *start, fixed, writer.where("start")});
  if (rate) model.initial.push_back({c.rate, *rate, fixed, writer.where("rate")});
}

const std::vector<Field<StateElement>>& StateElement::fields() {
  static const std::vector<Field<StateElement>> kFields = {
      {{.key = "rate",
        .text = "expression of anything known, including the state itself",
        .allow = Allow::Everything},
       &StateElement::rate},
      {{"start", "its value at the start", {}, "0"}, &StateElement::start}};
  return kFields;
}

void StateElement::add_to(ModelWriter& writer) const {
  if (!rate) return writer.reject_missing(" needs its rate.");
  const Expr state = writer.model.graph->symbol(writer.name);
  writer.model.first_order.push_back({writer.name, state, *rate, writer.where()});
  writer.model.initial.push_back({state, start.value_or(0), true, writer.where()});
}

}  // namespace koppel
