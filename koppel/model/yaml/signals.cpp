// Signals: expressions of time under a name, and time laws.
#include <cmath>

#include <koppel/model/time_law.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

// Each may use those above it.
void Reader::read_signals(const Node* section) {
  for (const Element& element : elements(section, "signals")) {
    const std::string what = describe("signal", element.name);
    if (!claim(element, "plain", "signal")) continue;
    const bool is_law = element.value->is_map() && element.value->find("type") != nullptr;
    names_.signals.emplace(element.full_name,
                           is_law ? time_law(*element.value, what)
                                  : expression(value_of(element, what), what, Allow::Time));
  }
}

Expr Reader::time_law(const Node& node, const std::string& what) {
  const int type = word(*node.find("type"), "type of " + what, {"rest-to-rest", "three-phase"});
  if (type < 0) return 0;
  const bool has_ramp = type == 1;
  if (!(has_ramp ? check_keys(node, what, {"type", "duration", "ramp", "smoothness", "start"})
                 : check_keys(node, what, {"type", "duration", "smoothness", "start"}))) {
    return 0;
  }
  const auto positive = [&](const char* key) -> Number {
    const Node* value = node.find(key);
    if (value == nullptr) {
      report(node.offset, "model.missing-key", what + " needs its " + key + ".");
      return {1, 1};
    }
    const Number n = number(*value, std::string(key) + " of " + what);
    if (n.value > 0) return n;
    report(value->offset, "model.bad-value",
           std::string(key) + " of " + what + " must be positive.");
    return {1, 1};
  };
  const Number duration = positive("duration");
  const Number ramp = has_ramp ? positive("ramp") : Number{};
  if (has_ramp && 2 * ramp.value > duration.value) {
    report(node.offset, "model.bad-value", what + " has ramps that are longer than half of it.");
  }
  int smoothness = 4;
  if (const Node* value = node.find("smoothness")) {
    const double n = plain_number(*value, "smoothness of " + what);
    if (n != std::floor(n) || n < 1 || n > kMaxSmoothness) {
      report(value->offset, "model.bad-value",
             "smoothness of " + what + " must be a whole number from 1 to " +
                 std::to_string(kMaxSmoothness) + ".",
             "It is the number of derivatives that are continuous.");
    } else {
      smoothness = static_cast<int>(n);
    }
  }
  const Node* start = node.find("start");
  const Expr t =
      start == nullptr ? model_.time : model_.time - number(*start, "start of " + what).e;
  return has_ramp ? three_phase(t, duration.e, ramp.e, smoothness)
                  : rest_to_rest(t, duration.e, smoothness);
}

}  // namespace koppel::yaml
