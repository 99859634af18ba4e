// Sections whose elements are read by their tables of fields (elements/field.hpp) alone.
#include <algorithm>

#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

// "revolute, prismatic and screw"
std::string list_of(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  }
  return out;
}

template <typename List>
std::vector<std::string_view> types_with(auto&& condition) {
  std::vector<std::string_view> types;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    if (condition(id)) types.push_back(E::kInfo.type);
  });
  return types;
}

// Keys that this type does not have, but others do.
template <typename List>
void report_keys_of_others(Reader& reader, const Node& node, const std::string& what,
                           const char* kind, std::span<const std::string_view> keys) {
  for (const Entry& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    const auto owners = types_with<List>([&](auto id) {
      const auto& others = keys_of<typename decltype(id)::type>();
      return std::find(others.begin(), others.end(), entry.key) != others.end();
    });
    if (owners.empty()) continue;
    reader.report(entry.offset, "model.unknown-key",
                  "key '" + entry.key + "' in " + what + " belongs to " + list_of(owners) + ' ' +
                      kind + "s.");
  }
}

// One of several types. Gives the writer that it was added with; nothing: it has no known type.
template <typename List>
std::optional<ModelWriter> read_one_of(Reader& reader, const Element& element, const char* kind,
                                       Add add = Add::WithoutMistakes) {
  const std::string what = describe(kind, element.name);
  const Node& node = *element.value;
  if (!reader.expect_map(node, what)) return {};
  const Node* type = node.find("type");
  if (type == nullptr) {
    reader.report_missing(element.offset, what + " has no type.");
    return {};
  }
  const auto all = types_with<List>([](auto) { return true; });
  if (reader.word(*type, "type of " + what, all) < 0) return {};
  std::optional<ModelWriter> writer;
  const bool is_planar = reader.model.is_planar;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    if (E::kInfo.type != type->text) return;
    if (is_planar ? E::kInfo.in_plane : E::kInfo.in_space) {
      std::vector<std::string_view> keys = keys_of<E>();
      keys.insert(keys.begin(), "type");
      report_keys_of_others<List>(reader, node, what, kind, keys);
      writer.emplace(read_element<E>(reader, element, what, add, keys));
      return;
    }
    const auto others = types_with<List>([&](auto other) {
      const ElementInfo& info = decltype(other)::type::kInfo;
      return is_planar ? info.in_plane : info.in_space;
    });
    reader.report(type->offset, "model.wrong-dimension",
                  what + " is " + type->text + "; " + (is_planar ? "planar" : "spatial") +
                      " models have " + list_of(others) + ' ' + kind + "s.",
                  type->text == Spherical::kInfo.type ? "Did you mean 'revolute'?" : "");
  });
  return writer;
}

// Elements of one type. `space`: where their names are taken; none: anywhere.
template <typename E>
void read_section(Reader& reader, const Node* section, const char* name, const char* kind,
                  const char* space, Add add = Add::WithoutMistakes) {
  for (const Element& element : reader.elements(section, name)) {
    const Reader::Subject subject(reader, element.full_name);
    if (space != nullptr && !reader.claim(element, space, kind)) continue;
    read_element<E>(reader, element, describe(kind, element.name), add);
  }
}

// A section that is a list of names, or names with more about them, or with nothing.
void for_each_named(Reader& reader, const Node* section, const char* name, const char* one,
                    const std::function<void(const Element&)>& read) {
  static const Node nothing = [] {
    Node node;
    node.kind = Node::Kind::Map;
    return node;
  }();
  if (section == nullptr || !section->is_sequence()) {
    for (Element element : reader.elements(section, name)) {
      const Reader::Subject subject(reader, element.full_name);
      if (element.value->is_null()) element.value = &nothing;
      read(element);
    }
    return;
  }
  for (const Node& item : section->items) {
    const std::string text = reader.with_indices(item.offset, reader.text(item, one));
    const Reader::Subject subject(reader, reader.full(text));
    read({text, reader.full(text), item.offset, &nothing});
  }
}

}  // namespace

void read_tables(Reader& reader, const Node* section) {
  read_section<TableElement>(reader, section, "tables", "table", "plain", Add::Always);
}

// Each may use those above it.
void read_signals(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "signals")) {
    const Reader::Subject subject(reader, element.full_name);
    if (!reader.claim(element, "plain", "signal")) continue;
    const bool has_type = element.value->is_map() && element.value->find("type") != nullptr;
    const std::optional<ModelWriter> writer =
        has_type ? read_one_of<SignalElements>(reader, element, "signal", Add::Always)
                 : std::optional(read_element<ExpressionSignal>(
                       reader, element, describe("signal", element.name), Add::Always));
    if (writer) reader.names.signals.insert(writer->signals.begin(), writer->signals.end());
    if (writer && !writer->signals.empty()) continue;
    for (const char* component : {"", ".x", ".y", ".z"}) {  // its users have no mistake
      for (const char* rate : {"", "'"}) {
        reader.names.signals.emplace(element.full_name + component + rate, 1);
      }
    }
  }
}

void read_inputs(Reader& reader, const Node* section) {
  if (section != nullptr && section->is_scalar()) {
    return reader.report(section->offset, "model.wrong-kind",
                         "inputs must be a list of names, or names with their limits.");
  }
  for_each_named(reader, section, "inputs", "an input", [&](const Element& element) {
    if (!reader.claim(element, "plain", "input")) return;
    const std::size_t before = reader.model.inputs.size();
    read_element<InputElement>(reader, element, describe("input", element.name), Add::Always);
    if (reader.model.inputs.size() == before) return;
    reader.names.plain.emplace(element.full_name, reader.model.inputs.back());
  });
}

void read_coordinates(Reader& reader, const Node* section) {
  for_each_named(reader, section, "coordinates", "a coordinate", [&](const Element& element) {
    if (!reader.claim(element, "plain", "coordinate")) return;
    for (const std::string& name : {element.full_name, element.full_name + '\''}) {
      reader.names.plain.emplace(name, reader.model.graph->symbol(name));
    }
    read_element<CoordinateElement>(reader, element, describe("coordinate", element.name),
                                    Add::Always);
  });
}

void read_joints(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "joints")) {
    const Reader::Subject subject(reader, element.full_name);
    const std::size_t first = reader.model.joints.size();
    if (!reader.claim(element, "element", "joint")) continue;
    read_one_of<JointElements>(reader, element, "joint");
    if (reader.model.joints.size() > first) {
      reader.names.joints.emplace(element.full_name, static_cast<int>(first));
    }
  }
}

void read_forces(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "forces")) {
    const Reader::Subject subject(reader, element.full_name);
    if (reader.claim(element, "element", "force")) {
      read_one_of<ForceElements>(reader, element, "force");
    }
  }
}

void read_constraints(Reader& reader, const Node& root) {
  read_section<CouplingElement>(reader, root.find("couplings"), "couplings", "constraint",
                                "constraint");
  read_section<ConstraintElement>(reader, root.find("constraints"), "constraints", "constraint",
                                  "constraint");
  read_section<NonholonomicElement>(reader, root.find("nonholonomic"), "nonholonomic", "constraint",
                                    "constraint");
}

void read_tracking(Reader& reader, const Node* section) {
  read_section<TrackingElement>(reader, section, "tracking", "tracking", "tracking");
  for (const Tracking& tracking : reader.model.tracking) {
    for (const Expr& force : tracking.forces) {
      reader.names.plain.emplace(std::string(force.name()), force);
    }
  }
}

void read_outputs(Reader& reader, const Node* section) {
  read_section<OutputElement>(reader, section, "outputs", "output", nullptr, Add::Always);
}

void read_drawing(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "drawing")) {
    const Reader::Subject subject(reader, element.full_name);
    const std::string what = describe("drawing", element.name);
    if (!reader.expect_map(*element.value, what)) continue;
    bool is_read = false;
    DrawingElements::for_each([&](auto id) {
      using E = typename decltype(id)::type;
      if (is_read || element.value->find(keys_of<E>()[0]) == nullptr) return;
      is_read = true;
      read_element<E>(reader, element, what, Add::Always);
    });
    if (is_read) continue;
    reader.report_missing(element.offset, what + " does not say what is drawn.",
                          "Give one of point, line, cable, circle, box, label, with where it is.");
  }
}

void read_servo(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "servo")) {
    const Reader::Subject subject(reader, element.full_name);
    if (!reader.claim(element, "servo", "servo constraint")) continue;
    const std::string what = describe("servo constraint", element.name);
    if (element.value->is_map() && element.value->find("attitude") != nullptr) {
      read_element<AttitudeElement>(reader, element, what);
    } else {
      read_element<ServoElement>(reader, element, what, Add::Always);
    }
  }
}

void read_events(Reader& reader, const Node* section) {
  read_section<EventElement>(reader, section, "events", "event", "event");
}

void read_positive(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "positive")) {
    const Reader::Subject subject(reader, element.full_name);
    read_element<PositiveElement>(reader, element, "the positive expression '" + element.name + "'",
                                  Add::Always);
  }
}

}  // namespace koppel::yaml
