// koppel_reference [--check] ROOT: writes what follows from tables. From those of elements: ROOT/
// schemas/koppel-model.schema.json and what stands between the marks of ROOT/docs/model-format.md;
// from those of options ROOT/docs/options.md; from those of results a schema for each, and what
// stands between the marks of ROOT/docs/results.md, and the methods of Python that take options.
// With --check nothing is written; exit code 1 where a file would change.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/elements/sections.hpp>
#include <koppel/results/value_json.hpp>
#include <koppel/version.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/reference.hpp"
#include "apps/reference/python_methods.hpp"

namespace koppel {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

Json list_of(const Json& items, int size) {
  Json list = {{"type", "array"}, {"items", items}};
  if (size > 0) list["minItems"] = list["maxItems"] = size;
  return list;
}

Json any_of(const std::vector<Json>& choices) { return {{"anyOf", choices}}; }

// Names with values, or nothing.
Json map_of(const Json& values) {
  return {{"type", {"object", "null"}}, {"additionalProperties", values}};
}

template <typename E>
Json make_object(bool may_repeat);

// What a value of this kind looks like in a file.
Json schema_of(const FieldInfo& info, FieldKind kind) {
  const Json number = reference("number"), point = reference("point");
  const Json text = {{"type", "string"}}, vector = reference("vector");
  const Json axis = any_of({reference("vector"), {{"type", "string"}}});
  switch (kind) {
    case FieldKind::Number: return number;
    case FieldKind::Flag: return {{"type", "boolean"}};
    case FieldKind::Word: return {{"enum", info.words}};
    case FieldKind::Point: return point;
    case FieldKind::Ends: return list_of(point, 2);
    case FieldKind::Axis: return axis;
    case FieldKind::Axes: return list_of(axis, 2);
    case FieldKind::WorldPoint:
    case FieldKind::WorldDirection: return reference("vector");
    case FieldKind::Numbers:
      return info.size > 0 ? list_of(number, info.size) : any_of({number, list_of(number, 0)});
    case FieldKind::Matrix: return list_of(any_of({number, list_of(number, 0)}), 0);
    case FieldKind::Joint:
    case FieldKind::Quantity: return {{"type", "string"}};
    case FieldKind::JointValue:
      return any_of({number,
                     {{"type", "object"},
                      {"properties", {{"angle", number}, {"position", number}}},
                      {"additionalProperties", false}}});
    case FieldKind::Assignments:
    case FieldKind::Efforts: return {{"type", "object"}, {"additionalProperties", number}};
    case FieldKind::Value: return number;
    case FieldKind::SampleFile:
    case FieldKind::Text: return text;
    case FieldKind::Texts: return list_of(text, 0);
    case FieldKind::PlainNumbers: return list_of(number, 0);
    case FieldKind::WayPoints: return any_of({list_of(number, 0), list_of(vector, 0)});
    case FieldKind::Spot: return vector;
    case FieldKind::Corners: return {{"type", "array"}, {"items", vector}, {"minItems", 2}};
    case FieldKind::NamedPoints:
    case FieldKind::NamedAxes: return map_of(vector);
    case FieldKind::OwnPoints:
      return {{"type", "array"}, {"items", text}, {"minItems", 1}, {"maxItems", 4}};
    case FieldKind::Settings: return map_of(number);
    case FieldKind::AxisAngle: return make_object<AxisAngle>(false);
    case FieldKind::Orientation: return make_object<Orientation>(false);
    case FieldKind::Shapes: return any_of({reference("shape"), list_of(reference("shape"), 0)});
  }
  return {};
}

std::string describe(const FieldInfo& info) {
  std::string text(info.text);
  if (!info.unit.empty()) text += ", " + std::string(info.unit);
  if (!info.unless_given.empty()) text += "; default: " + std::string(info.unless_given);
  return text;
}

template <typename E>
Json properties_of(bool may_repeat) {
  Json properties = Json::object();
  if (may_repeat) properties["repeat"] = reference("repeat");
  for (const Field<E>& field : E::fields()) {
    Json value = schema_of(field.info, field.kind());
    value["description"] = describe(field.info);
    properties[std::string(field.info.key)] = std::move(value);
  }
  return properties;
}

// Whether each of two fields stands in for the other.
bool is_either(const FieldInfo& a, const FieldInfo& b) {
  return a.unless_given == '`' + std::string(b.key) + '`' &&
         b.unless_given == '`' + std::string(a.key) + '`';
}

// Adds which keys must be there: those without a value unless given, and one of two.
template <typename E>
void add_required(Json& object) {
  for (const Field<E>& a : E::fields()) {
    if (a.info.unless_given.empty()) object["required"].push_back(a.info.key);
    for (const Field<E>& b : E::fields()) {
      if (!is_either(a.info, b.info) || object.contains("oneOf")) continue;
      object["oneOf"] = {{{"required", {a.info.key}}}, {{"required", {b.info.key}}}};
    }
  }
}

template <typename E>
Json make_object(bool may_repeat) {
  Json object = {{"type", "object"},
                 {"properties", properties_of<E>(may_repeat)},
                 {"additionalProperties", false}};
  add_required<E>(object);
  return object;
}

// An element of one type, which may be one of its values alone.
template <typename E>
std::vector<Json> choices_of() {
  std::vector<Json> choices;
  for (const Field<E>& field : E::fields()) {
    if (field.info.alone) choices.push_back(schema_of(field.info, field.kind()));
  }
  choices.push_back(make_object<E>(true));
  return choices;
}

template <typename... E>
Json make_section() {
  std::vector<Json> choices;
  const auto add = [&](const std::vector<Json>& more) {
    choices.insert(choices.end(), more.begin(), more.end());
  };
  (add(choices_of<E>()), ...);
  return map_of(choices.size() == 1 ? choices[0] : any_of(choices));
}

template <typename... E>
Json make_section_of(ElementList<E...> /*list*/) {
  return make_section<E...>();
}

// Names in a list, or with more about them, or with nothing.
template <typename E>
Json make_names() {
  std::vector<Json> choices = choices_of<E>();
  choices.push_back({{"type", "null"}});
  return any_of({list_of({{"type", "string"}}, 0), map_of(any_of(choices))});
}

// One object for each type: an editor completes and checks the keys of the type that is chosen.
template <typename List>
Json make_schema() {
  Json types = Json::array(), choices = Json::array();
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    Json properties = properties_of<E>(true);
    properties["type"] = {{"const", E::kInfo.type}, {"description", E::kInfo.text}};
    types.push_back(E::kInfo.type);
    Json then = {{"properties", properties}, {"additionalProperties", false}};
    add_required<E>(then);
    choices.push_back(
        {{"if", {{"properties", {{"type", {{"const", E::kInfo.type}}}}}}}, {"then", then}});
  });
  return {{"type", "object"},
          {"properties", {{"type", {{"enum", types}}}}},
          {"required", {"type"}},
          {"allOf", choices}};
}

// The keys of an element with their units and defaults.
template <typename E>
std::string make_table() {
  std::string out = "| key | meaning | unit | default |\n| --- | --- | --- | --- |\n";
  for (const Field<E>& field : E::fields()) {
    const FieldInfo& info = field.info;
    std::string text(info.text);
    for (std::size_t i = 0; i < info.words.size(); ++i) {
      text += (i == 0 ? ": `" : " or `") + std::string(info.words[i]) + '`';
    }
    out += "| `" + std::string(info.key) + "` | " + text + " | " + std::string(info.unit) + " | " +
           std::string(info.unless_given) + " |\n";
  }
  return out;
}

// Of elements that are told apart by their type, or by the first key of their tables.
template <typename List>
std::string make_tables(bool by_type = true) {
  std::string out;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    out += "\n**`" + std::string(by_type ? E::kInfo.type : E::fields()[0].info.key) +
           "`**: " + std::string(E::kInfo.text) + (E::kInfo.in_plane ? "" : " (not in the plane)") +
           ".\n\n";
    out += make_table<E>();
  });
  return out;
}

std::string make_keys() {
  std::string out = "\n| key | meaning |\n| --- | --- |\n";
  for (const SectionInfo& section : model_sections()) {
    out += "| `" + std::string(section.key) + "` | " + std::string(section.text) + " |\n";
  }
  return out;
}

// What stands under each key of a model.
Json make_properties() {
  const Json number = reference("number"), text = {{"type", "string"}};
  Json signal =
      any_of({number, make_object<ExpressionSignal>(true), make_schema<SignalElements>()});
  Json bodies = map_of(reference("body"));
  bodies["properties"]["ground"] = make_object<GroundElement>(false);
  const std::map<std::string_view, Json> known = {
      {"name", text},
      {"description", text},
      {"dimension", {{"enum", {2, 3}}}},
      {"parameters", make_section<ParameterElement>()},
      {"tables", make_section<TableElement>()},
      {"gravity", reference("vector")},
      {"inputs", make_names<InputElement>()},
      {"include", make_section<IncludeElement>()},
      {"points", make_section<OwnPoint>()},
      {"vectors", make_section<OwnPoint>()},
      {"bodies", bodies},
      {"joints", map_of(reference("joint"))},
      {"coordinates", make_names<CoordinateElement>()},
      {"states", make_section<StateElement>()},
      {"forces", map_of(reference("force"))},
      {"constraints", make_section<ConstraintElement>()},
      {"couplings", make_section<CouplingElement>()},
      {"nonholonomic", make_section<NonholonomicElement>()},
      {"kinetic", number},
      {"potential", number},
      {"dissipation", number},
      {"generalized_forces", make_section<GeneralizedForce>()},
      {"initial", make_section<InitialElement>()},
      {"outputs", make_section<OutputElement>()},
      {"servo", make_section<ServoElement, AttitudeElement>()},
      {"signals", map_of(signal)},
      {"events", make_section<EventElement>()},
      {"tracking", make_section<TrackingElement>()},
      {"positive", make_section<PositiveElement>()},
      {"definitions", make_section<DefinitionElement, RotationElement>()},
      {"drawing", make_section_of(DrawingElements{})},
      {"run", make_object<RunElement>(false)}};
  Json properties = Json::object();
  for (const SectionInfo& section : model_sections()) {
    Json value = known.at(section.key);
    value["description"] = section.text;
    properties[std::string(section.key)] = std::move(value);
  }
  return properties;
}

Json make_shape() {
  Json properties = Json::object();
  ShapeElements::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    properties[std::string(E::kInfo.type)] = make_object<E>(false);
  });
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text between `<!-- NAME -->` and `<!-- end of NAME -->` replaced.
std::string with_part(std::string text, const std::string& name, const std::string& part) {
  const std::string first = "<!-- " + name + " -->\n", last = "<!-- end of " + name + " -->";
  const std::size_t begin = text.find(first), end = text.find(last);
  if (begin == text.npos || end == text.npos) {
    std::fprintf(stderr, "no marks of '%s'\n", name.c_str());
    std::exit(1);
  }
  return text.replace(begin + first.size(), end - begin - first.size(), part + '\n');
}

int run(const std::string& root, bool only_check) {
  const std::string schema_path = root + "/schemas/koppel-model.schema.json";
  const std::string format_path = root + "/docs/model-format.md";
  std::map<std::string, std::string> files;
  Json schema = Json::parse(read(schema_path));
  schema["properties"] = make_properties();
  Json& definitions = schema["$defs"];
  definitions["joint"] = make_schema<JointElements>();
  definitions["force"] = make_schema<ForceElements>();
  definitions["shape"] = make_shape();
  definitions["body"] = make_object<BodyElement>(true);
  files[schema_path] = schema.dump(2) + '\n';
  std::string format = read(format_path);
  const auto set_part = [&](const char* name, const std::string& part) {
    format = with_part(format, name, part);
  };
  set_part("keys of a model", make_keys());
  set_part("bodies by their table", '\n' + make_table<BodyElement>());
  set_part("shapes by their tables", make_tables<ShapeElements>());
  set_part("joints by their tables", make_tables<JointElements>());
  set_part("forces by their tables", make_tables<ForceElements>());
  set_part("events by their table", '\n' + make_table<EventElement>());
  set_part("tracking by its table", '\n' + make_table<TrackingElement>());
  set_part("tables by their table", '\n' + make_table<TableElement>());
  set_part("coordinates by their table", '\n' + make_table<CoordinateElement>());
  set_part("states by their table", '\n' + make_table<StateElement>());
  set_part("points by their table", '\n' + make_table<OwnPoint>());
  set_part("initial by its table", '\n' + make_table<InitialElement>());
  set_part("inputs by their table", '\n' + make_table<InputElement>());
  set_part("servo by its tables", make_tables<ElementList<ServoElement, AttitudeElement>>(false));
  set_part("signals by their tables", make_tables<SignalElements>());
  set_part("drawing by its tables", make_tables<DrawingElements>(false));
  set_part("include by its table", '\n' + make_table<IncludeElement>());
  set_part("run by its table", '\n' + make_table<RunElement>());
  files[format_path] = format;
  if (left_out()[0] == '\0') {  // other builds have fewer integrators to list
    files[root + "/python/koppel/_operation_methods.py"] = python_methods();
    files[root + "/docs/options.md"] = app::options_page(app::commands());
  }
  const std::string results_path = root + "/docs/results.md";
  std::string all_results;
  for (const NamedResult& result : app::written_results()) {
    const std::string name = std::string(result.name) + "-result";
    files[root + "/schemas/koppel-" + name + ".schema.json"] =
        to_json(app::schema_of(name, result.text, result.fields())) + '\n';
    if (result.name == "run") continue;
    all_results += "\n### koppel " + std::string(result.name) + "\n\n" + std::string(result.text) +
                   ".\n\n" + app::fields_text(result.fields());
  }
  std::string results_text = with_part(read(results_path), "summary by its table",
                                       '\n' + app::fields_text(app::written_results()[0].fields()));
  files[results_path] = with_part(results_text, "results by their tables", all_results);
  bool differs = false;
  for (const auto& [path, text] : files) {
    if (read(path) == text) continue;
    differs = true;
    if (only_check) {
      std::fprintf(stderr, "%s is not what the tables say; run koppel_reference.\n", path.c_str());
    } else {
      std::ofstream(path, std::ios::binary) << text;
    }
  }
  return only_check && differs ? 1 : 0;
}

}  // namespace
}  // namespace koppel

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !only_check) {
    std::fputs("koppel_reference [--check] ROOT\n", stderr);
    return 1;
  }
  return koppel::run(argv[argc - 1], only_check);
}
