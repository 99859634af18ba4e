#include <koppel/model/elements/servo.hpp>

#include <koppel/model/attitude.hpp>
#include <koppel/model/elements/signal_fields.hpp>

namespace koppel {

const std::vector<Field<ServoElement>>& ServoElement::fields() {
  using E = ServoElement;
  static const std::vector<Field<E>> kFields = {
      {{.key = "output", .text = "an expression of quantities", .allow = Allow::Positions},
       &E::output},
      {{.key = "reference", .text = "desired value as a function of time", .allow = Allow::Time},
       &E::reference}};
  return kFields;
}

void ServoElement::add_to(ModelWriter& writer) const {
  if (!output || !reference) {
    return writer.reject_missing(" needs output and reference.");
  }
  writer.model.servos.push_back({writer.name, *output, *reference, writer.where()});
}

const std::vector<Field<AttitudeElement>>& AttitudeElement::fields() {
  using E = AttitudeElement;
  static const std::vector<Field<E>> kFields = {
      {{"attitude", "the body"}, &E::attitude},
      {{"from", "initial orientation, given as for a body", {}, "as placed"}, &E::from},
      {{"to", "final orientation, given as for a body"}, &E::to},
      law_field<E>()};
  return kFields;
}

void AttitudeElement::add_to(ModelWriter& writer) const {
  if (writer.model.is_planar) {
    return writer.reject_at("attitude", "model.wrong-dimension",
                            " is an attitude; the model is planar.",
                            "Prescribe an angle: {output: body.angle, reference: …}.");
  }
  if (!attitude || !to.is_given || !law) {
    return writer.reject_missing(" needs attitude, to and law.");
  }
  Mat3<double> start;
  if (from.is_given) {
    start = writer.value(writer.axes_of_model.R * turned(writer, from, "from"));
  } else {
    const Mat3e& R = writer.body(attitude->body).rotation;
    for (std::size_t j = 0; j < 3; ++j) start.column[j] = writer.model.number_at_start(R.column[j]);
  }
  const Mat3<double> end = writer.value(writer.axes_of_model.R * turned(writer, to, "to"));
  if (writer.is_rejected()) return;
  add_attitude_servo(writer, attitude->body, start, end, *law);
}

}  // namespace koppel
