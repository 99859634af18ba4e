// Servo constraints for the attitude of a body (model/attitude.hpp).
#include <koppel/model/attitude.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_attitude(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what, {"attitude", "from", "to", "law"})) return;
  const Node &of = *node.find("attitude"), *from = node.find("from"), *to = node.find("to"),
             *law = node.find("law");
  if (model_.is_planar) {
    report(of.offset, "model.wrong-dimension", what + " is an attitude; the model is planar.",
           "Prescribe an angle: {output: body.angle, reference: …}.");
    return;
  }
  if (to == nullptr || law == nullptr) {
    report(element.offset, "model.missing-key", what + " needs attitude, to and law.");
    return;
  }
  const std::optional<Point> body = point(of, what);
  if (!body) return;
  const auto orientation = [&](const Node& given, const char* key) {
    const std::string name = std::string(key) + " of " + what;
    if (!check_keys(given, name, {"rotation", "quaternion", "cardan"})) return Rotation{};
    return placement(given, name).R;
  };
  const Rotation start = from == nullptr ? names_.poses[static_cast<std::size_t>(body->body)].R
                                         : orientation(*from, "from");
  ModelWriter writer = writer_for(element, what);
  add_attitude_servo(writer, body->body, start.value, orientation(*to, "to").value,
                     expression(*law, "law of " + what, Allow::Time));
}

}  // namespace koppel::yaml
