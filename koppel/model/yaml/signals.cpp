// Signals: expressions of time under a name, and time laws. Paths are in paths.cpp.
#include <cmath>

#include <koppel/model/time_law.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

// Each may use those above it.
void Reader::read_signals(const Node* section) {
  for (const Element& element : elements(section, "signals")) {
    const std::string what = describe("signal", element.name);
    if (!claim(element, "plain", "signal")) continue;
    const Node* type = element.value->is_map() ? element.value->find("type") : nullptr;
    if (type == nullptr) {
      names_.signals.emplace(element.full_name,
                             expression(value_of(element, what), what, Allow::Time));
      continue;
    }
    switch (word(*type, "type of " + what,
                 {"rest-to-rest", "three-phase", "line", "arc", "spline", "file", "held"})) {
      case 0:
        names_.signals.emplace(element.full_name, time_law(*element.value, what, false));
        break;
      case 1:
        names_.signals.emplace(element.full_name, time_law(*element.value, what, true));
        break;
      case 2: read_line(element, what); break;
      case 3: read_arc(element, what); break;
      case 4: read_spline(element, what); break;
      case 5: read_recorded(element, what); break;
      case 6: read_held(element, what); break;
      default: names_.signals.emplace(element.full_name, 0); break;
    }
  }
}

int Reader::smoothness(const Node& node, const std::string& what, int most) {
  constexpr int kUsual = 4;  // what index 5 asks for
  const Node* value = node.find("smoothness");
  if (value == nullptr) return kUsual;
  const double n = plain_number(*value, "smoothness of " + what);
  if (n == std::floor(n) && n >= 1 && n <= most) return static_cast<int>(n);
  report(
      value->offset, "model.bad-value",
      "smoothness of " + what + " must be a whole number from 1 to " + std::to_string(most) + ".",
      "It is the number of derivatives that are continuous.");
  return kUsual;
}

Expr Reader::time_law(const Node& node, const std::string& what, bool has_ramp) {
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
  const int n = smoothness(node, what, kMaxSmoothness);
  const Node* start = node.find("start");
  const Expr t =
      start == nullptr ? model_.time : model_.time - number(*start, "start of " + what).e;
  return has_ramp ? three_phase(t, duration.e, ramp.e, n) : rest_to_rest(t, duration.e, n);
}

}  // namespace koppel::yaml
