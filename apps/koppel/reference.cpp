#include "apps/koppel/reference.hpp"

#include <fmt/format.h>

#include <koppel/control/inverse_fields.hpp>
#include <koppel/live/live_fields.hpp>
#include <koppel/results/summary_fields.hpp>
#include <koppel/simulate/result_fields.hpp>
#include <koppel/study/result_fields.hpp>

namespace koppel::app {
namespace {

// For a cell of a table in Markdown.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != text.npos; i += 2) text.replace(i, 1, "\\|");
  return text;
}

std::string option_row(const Option& option) {
  const OptionInfo& info = option.info;
  std::string typed = option.typed();
  if (!info.value.empty()) typed += (info.value.starts_with("[=") ? "" : " ") + info.value;
  return fmt::format("| `{}` | {} | {} | {} | `{}` |\n", cell(typed), cell(info.text), info.unit,
                     cell(info.is_required ? "must be given" : info.unless_given), info.name);
}

using Kind = ResultType::Kind;

std::string words_for(const ResultType& type, bool many = false) {
  switch (type.kind) {
    case Kind::Any: return many ? "values" : "any";
    case Kind::Flag: return many ? "flags" : "true or false";
    case Kind::Whole: return many ? "whole numbers" : "whole number";
    case Kind::Number: return many ? "numbers" : "number";
    case Kind::Text: return many ? "texts" : "text";
    case Kind::List: return (many ? "lists of " : "list of ") + words_for(*type.items, true);
    case Kind::Map: return "by name: " + words_for(*type.items);
    case Kind::Struct: return many ? "objects" : "object";
  }
  return {};
}

// The fields of a struct that a type holds, directly or in a list or by name.
const ResultTable* fields_within(const ResultType& type) {
  if (type.kind == Kind::Struct) return &type.fields();
  return type.items != nullptr ? fields_within(*type.items) : nullptr;
}

void add_rows(const ResultTable& fields, const std::string& prefix, std::string& out) {
  for (const ResultField& field : fields) {
    const std::string key = prefix + std::string(field.key);
    out += fmt::format("| `{}` | {} | {} | {} |\n", key, cell(std::string(field.text)), field.unit,
                       words_for(field.type));
    const ResultTable* const inner = fields_within(field.type);
    if (inner == nullptr) continue;
    const bool is_list = field.type.kind == Kind::List, is_map = field.type.kind == Kind::Map;
    add_rows(*inner, key + (is_list ? "[]." : is_map ? ".NAME." : "."), out);
  }
}

Value::Entries object_schema(const ResultTable& fields);

Value schema_of_type(const ResultType& type) {
  const auto of = [&](const char* name) -> Value {
    if (!type.may_be_null) return name;
    return Value::List{name, "null"};
  };
  switch (type.kind) {
    case Kind::Any: return Value::Entries{};
    case Kind::Flag: return Value::Entries{{"type", of("boolean")}};
    case Kind::Whole: return Value::Entries{{"type", of("integer")}};
    case Kind::Number: return Value::Entries{{"type", of("number")}};
    case Kind::Text: return Value::Entries{{"type", of("string")}};
    case Kind::List:
      return Value::Entries{{"type", of("array")}, {"items", schema_of_type(*type.items)}};
    case Kind::Map:
      return Value::Entries{{"type", of("object")},
                            {"additionalProperties", schema_of_type(*type.items)}};
    case Kind::Struct: {
      Value::Entries out = {{"type", of("object")}};
      for (Entry& entry : object_schema(type.fields())) out.push_back(std::move(entry));
      return out;
    }
  }
  return {};
}

Value::Entries object_schema(const ResultTable& fields) {
  Value::Entries properties;
  Value::List required;
  for (const ResultField& field : fields) {
    Value schema = schema_of_type(field.type);
    auto& entries = std::get<Value::Entries>(schema.of);
    const std::string unit = field.unit.empty() ? "" : fmt::format(" ({})", field.unit);
    entries.push_back({"description", std::string(field.text) + unit});
    properties.push_back({std::string(field.key), std::move(schema)});
    if (field.if_nothing == IfNothing::Null) required.emplace_back(std::string(field.key));
  }
  return {{"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

}  // namespace

std::string options_page(std::span<const Command> commands) {
  std::string out =
      "# Options\n\n"
      "Every option of every command, from the tables that the command line itself goes by; this "
      "page is written by\n`koppel_reference`, and a test says when it is out of date. Numbers are "
      "in SI units. The last column is the name of\nthe option in messages (`tolerance = 1e-9`) "
      "and "
      "of the argument in [Python](python.md), where the operation has it.\n";
  for (const Command& command : commands) {
    out += fmt::format("\n## koppel {}\n\n{}.\n\n", command.name, command.text);
    out +=
        "| option | what it does | unit | unless given | name |\n| --- | --- | --- | --- | --- |\n";
    for (const Option& option : command.options()) out += option_row(option);
  }
  return out;
}

std::string fields_text(const ResultTable& fields) {
  std::string out = "| key | is | unit | holds |\n| --- | --- | --- | --- |\n";
  add_rows(fields, "", out);
  return out;
}

Value schema_of(std::string_view name, std::string_view title, const ResultTable& fields) {
  Value::Entries out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"$id", fmt::format("koppel-{}.schema.json", name)},
                        {"title", std::string(title)},
                        {"type", "object"}};
  for (Entry& entry : object_schema(fields)) out.push_back(std::move(entry));
  return out;
}

const std::vector<NamedResult>& written_results() {
  using koppel::results::fields_of;
  static const std::vector<NamedResult> kResults = {
      {"run", "Summary of a run", &fields_of<Summary>},
      {"inverse", "Summary of an inverse simulation", &fields_of<InverseSummary>},
      {"live", "Summary of a run in real time", &fields_of<LiveSummary>},
      {"compare", "Methods side by side", &fields_of<Comparison>},
      {"budget", "The cost of a real-time step", &fields_of<Budget>},
      {"sensitivity", "Derivatives of results", &fields_of<Sensitivity>},
      {"optimize", "An optimum", &fields_of<OptimumSummary>},
      {"fit", "Parameters from measurements", &fields_of<Fit>}};
  return kResults;
}

}  // namespace koppel::app
