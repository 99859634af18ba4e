// What is given by expressions: inputs, coordinates, states, energies, constraints, initial values,
// outputs, servo constraints; and the run settings.
#include <cmath>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_inputs(const Node* section) {
  if (section == nullptr || section->is_null()) return;
  const auto add = [&](const Element& element) {
    if (!claim(element, "plain", "input")) return false;
    names_.plain.emplace(element.full_name, model_.add_input(element.full_name));
    return true;
  };
  if (section->is_map()) {
    for (const Element& element : elements(section, "inputs")) {
      if (add(element)) read_limits(element, model_.input_limits.back());
    }
    return;
  }
  if (!section->is_sequence()) {
    report(section->offset, "model.wrong-kind",
           "inputs must be a list of names, or names with their limits.");
    return;
  }
  for (const Node& item : section->items) {
    const std::string name = with_indices(item.offset, text(item, "an input"));
    add({name, full(name), item.offset, &item});
  }
}

void Reader::read_limits(const Element& element, InputLimits& limits) {
  const Node& node = *element.value;
  const std::string what = describe("input", element.name);
  if (node.is_null() || !check_keys(node, what, {"min", "max"})) return;
  if (const Node* min = node.find("min")) limits.min = number(*min, "min of " + what).value;
  if (const Node* max = node.find("max")) limits.max = number(*max, "max of " + what).value;
  if (limits.min > limits.max) {
    report(element.offset, "model.bad-value", what + " has a min above its max.");
  }
}

void Reader::read_coordinates(const Node* section) {
  const auto add = [&](const Element& element) {
    if (!claim(element, "plain", "coordinate")) return;
    model_.add_coordinate(element.full_name);
    FreeCoordinate& c = model_.coordinates.back();
    c.where = source_.at(element.offset);
    names_.plain.emplace(element.full_name, c.value);
    names_.plain.emplace(element.full_name + '\'', c.rate);
  };
  if (section != nullptr && section->is_sequence()) {
    for (const Node& item : section->items) {
      const std::string name = with_indices(item.offset, text(item, "a coordinate"));
      add({name, full(name), item.offset, &item});
    }
    return;
  }
  for (const Element& element : elements(section, "coordinates")) {
    const std::size_t before = model_.coordinates.size();
    add(element);
    const Node& node = *element.value;
    if (node.is_null() || model_.coordinates.size() == before) continue;
    const std::string what = describe("coordinate", element.name);
    const FreeCoordinate coordinate = model_.coordinates.back();
    if (node.is_scalar()) {
      model_.initial.push_back(
          {coordinate.value, number(node, what).e, false, source_.at(node.offset)});
      continue;
    }
    if (!check_keys(node, what, {"start", "rate", "fixed"})) continue;
    const Node* fixed = node.find("fixed");
    const bool is_fixed = fixed != nullptr && boolean(*fixed, "fixed of " + what);
    if (const Node* start = node.find("start")) {
      model_.initial.push_back({coordinate.value, number(*start, "start of " + what).e, is_fixed,
                                source_.at(start->offset)});
    }
    if (const Node* rate = node.find("rate")) {
      model_.initial.push_back({coordinate.rate, number(*rate, "rate of " + what).e, is_fixed,
                                source_.at(rate->offset)});
    }
  }
}

void Reader::read_states(const Node* section) {
  for (const Element& element : elements(section, "states")) {
    if (!claim(element, "plain", "state")) continue;
    names_.plain.emplace(element.full_name, graph().symbol(element.full_name));
  }
}

// After everything that the rates may depend on.
void Reader::read_state_rates(const Node* section) {
  for (const Element& element : elements(section, "states")) {
    const std::string what = describe("state", element.name);
    const Node& node = *element.value;
    const auto it = names_.plain.find(element.full_name);
    if (it == names_.plain.end() || !check_keys(node, what, {"rate", "start"})) continue;
    const Node* rate = node.find("rate");
    const Node* start = node.find("start");
    if (rate == nullptr) {
      report(element.offset, "model.missing-key", what + " needs its rate.");
      continue;
    }
    model_.first_order.push_back({element.full_name, it->second,
                                  expression(*rate, "rate of " + what, Allow::Everything),
                                  source_.at(element.offset)});
    const Expr value = start == nullptr ? Expr(0) : number(*start, "start of " + what).e;
    model_.initial.push_back({it->second, value, true, source_.at(element.offset)});
  }
}

// Elements that are an expression; those with `repeat` or other keys have it under `value`.
const Node& Reader::value_of(const Element& element, const std::string& what,
                             std::initializer_list<std::string_view> keys) {
  if (!element.value->is_map()) return *element.value;
  check_keys(*element.value, what, keys);
  if (const Node* value = element.value->find("value")) return *value;
  report(element.offset, "model.missing-key", what + " needs a value.");
  static const Node zero = [] {
    Node node;
    node.kind = Node::Kind::Scalar;
    node.text = "0";
    return node;
  }();
  return zero;
}

void Reader::read_energies(const Node& root) {
  const auto read = [&](const char* key, Allow allow, Expr& into) {
    if (const Node* node = root.find(key)) into += expression(*node, key, allow);
  };
  read("kinetic", Allow::Everything, model_.kinetic);
  read("potential", Allow::Positions, model_.potential);
  read("dissipation", Allow::Everything, model_.dissipation);
  for (const Element& element : elements(root.find("generalized_forces"), "generalized_forces")) {
    const std::string what = "generalized force on '" + element.name + "'";
    Node name;
    name.kind = Node::Kind::Scalar;
    name.offset = element.offset;
    name.text = element.name;
    const int on = quantity(name, what);
    const Expr effort = expression(value_of(element, what), what, Allow::Everything);
    if (on >= 0) {
      Force force;
      force.name = element.full_name + ".force";
      force.actions = {{on, effort}};
      force.where = source_.at(element.offset);
      model_.add_force(std::move(force));
    }
  }
}

void Reader::read_initial(const Node* section) {
  for (const Element& element : elements(section, "initial")) {
    const std::string what = "initial value of '" + element.name + "'";
    const std::optional<Expr> symbol = resolve(element.name, Allow::Everything);
    const bool is_parameter = names_.parameters.contains(element.full_name);
    if (symbol && !symbol->is_constant() && !symbol->is_symbol()) {
      report(element.offset, "model.wrong-kind",
             "'" + element.name + "' is given by others; it has no initial value of its own.");
      continue;
    }
    if (!symbol || is_parameter || element.name == "t" || symbol->is_constant()) {
      if (symbol) {
        report(
            element.offset, "model.wrong-kind",
            "'" + element.name + "' does not change during the motion; it has no initial value.");
      } else {
        report_unknown(source_.at(element.offset), element.name, Allow::Everything);
      }
      continue;
    }
    const Node* value = element.value;
    bool fixed = true;
    if (value->is_map()) {
      check_keys(*value, what, {"value", "fixed", "wish"});
      if (const Node* node = value->find("fixed")) fixed = boolean(*node, "fixed of the " + what);
      if (const Node* node = value->find("wish")) fixed = !boolean(*node, "wish of the " + what);
      value = value->find("value");
      if (value == nullptr) {
        report(element.offset, "model.missing-key", what + " needs a value.");
        continue;
      }
    }
    const Number at = element.name.ends_with(".angle") ? angle(*value, what) : number(*value, what);
    model_.initial.push_back({*symbol, at.e, fixed, source_.at(element.offset)});
  }
}

void Reader::read_outputs(const Node* section) {
  for (const Element& element : elements(section, "outputs")) {
    const std::string what = describe("output", element.name);
    model_.outputs.push_back({element.full_name,
                              expression(value_of(element, what), what, Allow::Everything),
                              source_.at(element.offset)});
  }
}

void Reader::read_positive(const Node* section) {
  for (const Element& element : elements(section, "positive")) {
    const std::string what = "the positive expression '" + element.name + "'";
    model_.positive.push_back({element.full_name,
                               expression(value_of(element, what), what, Allow::Positions),
                               source_.at(element.offset)});
  }
}

void Reader::read_servo(const Node* section) {
  for (const Element& element : elements(section, "servo")) {
    const std::string what = describe("servo constraint", element.name);
    if (!claim(element, "servo", "servo constraint")) continue;
    if (element.value->is_map() && element.value->find("attitude") != nullptr) {
      read_attitude(element, what);
      continue;
    }
    if (!check_keys(*element.value, what, {"output", "reference"})) continue;
    const Node* output = element.value->find("output");
    const Node* reference = element.value->find("reference");
    if (output == nullptr || reference == nullptr) {
      report(element.offset, "model.missing-key", what + " needs output and reference.");
      continue;
    }
    model_.servos.push_back(
        {element.full_name, expression(*output, "output of " + what, Allow::Positions),
         expression(*reference, "reference of " + what, Allow::Time), source_.at(element.offset)});
  }
}

void Reader::read_run(const Node* section) {
  if (section == nullptr || section->is_null()) return;
  if (!check_keys(
          *section, "run",
          {"end", "step", "tolerance", "samples", "coordinates", "formulation", "integrator"})) {
    return;
  }
  RunSettings& run = model_.run;
  const auto positive = [&](const char* key) -> std::optional<double> {
    const Node* node = section->find(key);
    if (node == nullptr) return {};
    const double value = number(*node, key).value;
    if (value > 0) return value;
    report(node->offset, "model.bad-value", std::string(key) + " must be positive.");
    return {};
  };
  if (const auto end = positive("end")) run.end = *end;
  if (const auto step = positive("step")) run.step = step;
  if (const auto tolerance = positive("tolerance")) run.tolerance = tolerance;
  if (const auto samples = positive("samples")) {
    if (*samples == std::floor(*samples) && *samples <= 1e9) {
      run.samples = static_cast<int>(*samples);
    } else {
      report(section->find("samples")->offset, "model.bad-value",
             "samples must be a whole number.");
    }
  }
  const auto word_of = [&](const char* key, std::string& into) {
    if (const Node* node = section->find(key)) into = text(*node, key);
  };
  word_of("coordinates", run.coordinates);
  word_of("formulation", run.formulation);
  word_of("integrator", run.integrator);
}

}  // namespace koppel::yaml
