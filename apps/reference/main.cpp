// koppel_reference [--check] ROOT: writes what follows from the tables of elements into
// ROOT/schemas/koppel-model.schema.json and between the marks of ROOT/docs/model-format.md. With
// --check nothing is written; exit code 1 where a file would change.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <koppel/model/elements/list.hpp>

namespace koppel {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

Json list_of(const Json& items, int size) {
  Json list = {{"type", "array"}, {"items", items}};
  if (size > 0) list["minItems"] = list["maxItems"] = size;
  return list;
}

Json any_of(std::initializer_list<Json> choices) { return {{"anyOf", choices}}; }

// What a value of this kind looks like in a file.
Json schema_of(const FieldInfo& info, FieldKind kind) {
  const Json number = reference("number"), point = reference("point");
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
    case FieldKind::Numbers: return any_of({number, list_of(number, 0)});
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
  }
  return {};
}

std::string describe(const FieldInfo& info) {
  std::string text(info.text);
  if (!info.unit.empty()) text += ", " + std::string(info.unit);
  if (!info.unless_given.empty()) text += "; unless given: " + std::string(info.unless_given);
  return text;
}

template <typename E>
Json properties_of() {
  Json properties = {{"repeat", reference("repeat")}};
  for (const Field<E>& field : E::fields()) {
    Json value = schema_of(field.info, field.kind());
    value["description"] = describe(field.info);
    properties[std::string(field.info.key)] = std::move(value);
  }
  return properties;
}

// Elements of one type; with a `value` they may be it alone.
template <typename E>
Json make_section() {
  Json object = {
      {"type", "object"}, {"properties", properties_of<E>()}, {"additionalProperties", false}};
  if (object["properties"].contains("value")) object = any_of({reference("number"), object});
  return {{"type", {"object", "null"}}, {"additionalProperties", object}};
}

// One object for each type: an editor completes and checks the keys of the type that is chosen.
template <typename List>
Json make_schema() {
  Json types = Json::array(), choices = Json::array();
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    Json properties = properties_of<E>();
    properties["type"] = {{"const", E::kInfo.type}, {"description", E::kInfo.text}};
    types.push_back(E::kInfo.type);
    choices.push_back({{"if", {{"properties", {{"type", {{"const", E::kInfo.type}}}}}}},
                       {"then", {{"properties", properties}, {"additionalProperties", false}}}});
  });
  return {{"type", "object"},
          {"properties", {{"type", {{"enum", types}}}}},
          {"required", {"type"}},
          {"allOf", choices}};
}

// The keys of an element with their units and defaults.
template <typename E>
std::string make_table() {
  std::string out = "| key | is | unit | unless given |\n| --- | --- | --- | --- |\n";
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

template <typename List>
std::string make_tables() {
  std::string out;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    out += "\n**`" + std::string(E::kInfo.type) + "`**: " + std::string(E::kInfo.text) +
           (E::kInfo.in_plane ? "" : " (not in the plane)") + ".\n\n";
    out += make_table<E>();
  });
  return out;
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
    return text;
  }
  return text.replace(begin + first.size(), end - begin - first.size(), part + '\n');
}

int run(const std::string& root, bool only_check) {
  const std::string schema_path = root + "/schemas/koppel-model.schema.json";
  const std::string format_path = root + "/docs/model-format.md";
  std::map<std::string, std::string> files;
  Json schema = Json::parse(read(schema_path));
  schema["$defs"]["joint"] = make_schema<JointElements>();
  schema["$defs"]["force"] = make_schema<ForceElements>();
  schema["properties"]["events"] = make_section<EventElement>();
  schema["properties"]["tracking"] = make_section<TrackingElement>();
  schema["properties"]["constraints"] = make_section<ConstraintElement>();
  schema["properties"]["couplings"] = make_section<CouplingElement>();
  schema["properties"]["nonholonomic"] = make_section<NonholonomicElement>();
  files[schema_path] = schema.dump(2) + '\n';
  std::string format = read(format_path);
  format = with_part(format, "joints by their tables", make_tables<JointElements>());
  format = with_part(format, "forces by their tables", make_tables<ForceElements>());
  format = with_part(format, "events by their table", '\n' + make_table<EventElement>());
  format = with_part(format, "tracking by its table", '\n' + make_table<TrackingElement>());
  files[format_path] = format;
  bool differs = false;
  for (const auto& [path, text] : files) {
    if (read(path) == text) continue;
    differs = true;
    if (only_check) {
      std::fprintf(stderr, "%s is not what the elements say; run koppel_reference.\n",
                   path.c_str());
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
