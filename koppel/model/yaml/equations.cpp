// What is given by expressions: states, energies, initial values; and the run settings.
#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {

void read_states(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "states")) {
    const Reader::Subject subject(reader, element.full_name);
    if (!reader.claim(element, "plain", "state")) continue;
    reader.names.plain.emplace(element.full_name, reader.model.graph->symbol(element.full_name));
  }
}

void read_state_rates(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "states")) {
    const Reader::Subject subject(reader, element.full_name);
    if (!reader.names.plain.contains(element.full_name)) continue;
    read_element<StateElement>(reader, element, describe("state", element.name), Add::Always);
  }
}

void read_energies(Reader& reader, const Node& root) {
  Model& model = reader.model;
  const auto read = [&](const char* key, Allow allow, Expr& into) {
    if (const Node* node = root.find(key)) into += reader.expression(*node, key, allow);
  };
  read("kinetic", Allow::Everything, model.kinetic);
  read("potential", Allow::Positions, model.potential);
  read("dissipation", Allow::Everything, model.dissipation);
  for (const Element& element :
       reader.elements(root.find("generalized_forces"), "generalized_forces")) {
    const Reader::Subject subject(reader, element.full_name);
    const std::string what = "generalized force on '" + element.name + "'";
    const int on = reader.quantity(make_scalar(element.name, element.offset), what);
    const Expr effort = reader.expression(value_of<GeneralizedForce>(reader, element, what), what,
                                          Allow::Everything);
    if (on < 0) continue;
    model.add_force({.name = element.full_name + ".force",
                     .actions = {{on, effort}},
                     .where = reader.source.at(element.offset)});
  }
}

void read_initial(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "initial")) {
    const Reader::Subject subject(reader, element.full_name);
    const std::string what = "initial value of '" + element.name + "'";
    std::optional<Expr> symbol = reader.resolve(element.name, Allow::Everything);
    const bool is_parameter = reader.names.parameters.contains(element.full_name);
    // Of a body's angle in the frame of a sub-assembly: that against the ground.
    const std::optional<Reader::Member> member = reader.member(element.name);
    const Expr zero = member ? member->zero : Expr(0);
    if (!zero.is_constant(0)) symbol = reader.model.symbol_of(member->quantity, member->is_rate);
    if (symbol && !symbol->is_constant() && !symbol->is_symbol()) {
      reader.report(
          element.offset, "model.wrong-kind",
          "'" + element.name + "' is given by others; it has no initial value of its own.");
      continue;
    }
    if (!symbol || is_parameter || element.name == "t" || symbol->is_constant()) {
      if (symbol) {
        reader.report(
            element.offset, "model.wrong-kind",
            "'" + element.name + "' does not change during the motion; it has no initial value.");
      } else {
        reader.report_unknown(reader.source.at(element.offset), element.name, Allow::Everything);
      }
      continue;
    }
    const Node& node = *element.value;
    if (node.is_map()) reader.check_keys(node, what, keys_of<InitialElement>());
    const Node* value = node.is_map() ? node.find("value") : &node;
    if (value == nullptr) {
      reader.report_missing(element.offset, what + " needs a value.");
      continue;
    }
    InitialElement made;
    FieldReader(reader, node, node.is_map() ? "the " + what : what).read(made);
    if (node.is_map() && node.find("wish") != nullptr) made.fixed = !made.wish;
    if (element.name.ends_with(".angle")) reader.angle(*value, what);  // reports degrees
    reader.model.initial.push_back(
        {*symbol, *made.value + zero, made.fixed, reader.source.at(element.offset)});
  }
}

void read_run(Reader& reader, const Node* section) {
  if (section == nullptr || section->is_null()) return;
  if (!reader.check_keys(*section, "run", keys_of<RunElement>())) return;
  RunElement made;
  FieldReader(reader, *section, "").read(made);
  ModelWriter writer = reader.writer_for({"run", "run", section->offset, section}, "");
  add_element(made, writer);
  const auto note = [&](std::string_view key, const std::optional<Expr>& value) {
    if (value) reader.build_in(*value, key);
  };
  note("end", made.end);
  note("step", made.step);
  note("tolerance", made.tolerance);
  note("samples", made.samples);
}

}  // namespace koppel::yaml
