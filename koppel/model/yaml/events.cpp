// Events: conditions on the motion, and what happens when they are met.
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_events(const Node* section) {
  for (const Element& element : elements(section, "events")) {
    if (claim(element, "event", "event")) read_event(element);
  }
}

void Reader::read_event(const Element& element) {
  const std::string what = describe("event", element.name);
  const Node& node = *element.value;
  if (!check_keys(node, what, {"when", "direction", "stop", "set", "bounce", "impulse"})) return;
  Event event;
  event.name = element.full_name;
  event.where = source_.at(element.offset);
  const Node* when = node.find("when");
  if (when == nullptr) {
    report(element.offset, "model.missing-key", what + " needs its condition: when.",
           "Such as `when: ball.y - r`, which happens where that passes through zero.");
    return;
  }
  const Node* bounce = node.find("bounce");
  event.when = expression(*when, "when of " + what,
                          bounce != nullptr ? Allow::Positions : Allow::Everything);
  if (const Node* direction = node.find("direction")) {
    constexpr EventDirection kDirections[] = {EventDirection::Both, EventDirection::Falling,
                                              EventDirection::Rising};
    const int chosen = word(*direction, "direction of " + what, {"both", "falling", "rising"});
    if (chosen >= 0) event.direction = kDirections[chosen];
  } else if (bounce != nullptr) {
    event.direction = EventDirection::Falling;
  }
  if (const Node* stop = node.find("stop")) event.stops = boolean(*stop, "stop of " + what);
  if (bounce != nullptr) {
    const Number restitution = number(*bounce, "bounce of " + what);
    if (!(restitution.value >= 0 && restitution.value <= 1)) {
      report(bounce->offset, "model.bad-value",
             "bounce of " + what + " must lie between 0 and 1: the part of the rate that is left.");
    }
    event.restitution = restitution.e;
  }
  for (const Element& change : elements(node.find("set"), "set of " + what)) {
    const auto it = names_.parameters.find(change.full_name);
    if (it == names_.parameters.end()) {
      report(change.offset, "model.unknown-name",
             what + " sets '" + change.name + "'; there is no such parameter.");
      continue;
    }
    event.changes.push_back(
        {it->second.symbol, expression(*change.value, "set of " + what, Allow::Everything)});
  }
  for (const Element& impulse : elements(node.find("impulse"), "impulse of " + what)) {
    Node name;
    name.kind = Node::Kind::Scalar;
    name.offset = impulse.offset;
    name.text = impulse.name;
    const int on = quantity(name, "impulse of " + what);
    const Expr effort = expression(*impulse.value, "impulse of " + what, Allow::Everything);
    if (on >= 0) event.impulses.push_back({on, effort});
  }
  model_.events.push_back(std::move(event));
}

}  // namespace koppel::yaml
