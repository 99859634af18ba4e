#include <koppel/export/wasm_text.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace koppel {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// In one line, and nothing in it ends a comment.
std::string comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text[at] = '+';
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string heading(const StepModel& m) {
  return fmt::format("// {}\n// {}. Written by koppel.\n\n", comment(m.title), comment(m.method));
}

std::string kind_of(const StepModel& m, std::size_t parameter) {
  switch (m.start.kinds[parameter]) {
    case ParameterKind::Derived: return "derived";
    case ParameterKind::BuiltIn: return "constant";
    default: return "free";
  }
}

std::string list(const StepModel& m, const char* name, const std::vector<CVariable>& variables) {
  std::string out = fmt::format("  {}: [\n", name);
  const bool are_parameters = &variables == &m.parameters;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const CVariable& v = variables[i];
    out += fmt::format("    {{ name: {}, label: {}, unit: {}, start: {}{} }},\n", quoted(v.name),
                       quoted(v.label), quoted(v.unit), v.start,
                       are_parameters ? fmt::format(", kind: \"{}\"", kind_of(m, i)) : "");
  }
  return out + "  ],\n";
}

std::string interface(const char* name, const std::vector<CVariable>& variables, auto&& is_fixed) {
  std::string out = fmt::format("export interface {} {{\n", name);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const CVariable& v = variables[i];
    out += fmt::format("  /** {}{}{} */\n  {}{}: number;\n", comment(v.label),
                       v.unit.empty() ? "" : ", ", comment(v.unit), is_fixed(i) ? "readonly " : "",
                       v.name);
  }
  return out + "}\n\n";
}

}  // namespace

std::string wasm_wrapper(const StepModel& m) {
  return heading(m) +
         fmt::format(
             "export const title = {};\nexport const method = {};\n"
             "export const step_size = {}; // seconds\n\n"
             "// In the order in which they stand in the module's memory.\n"
             "export const variables = {{\n{}{}{}{}}};\n",
             quoted(m.title), quoted(m.method), m.step, list(m, "state", m.state()),
             list(m, "inputs", m.inputs), list(m, "parameters", m.parameters),
             list(m, "outputs", m.outputs)) +
         kWasmWrapperText;
}

std::string wasm_types(const StepModel& m) {
  const auto never = [](std::size_t) { return false; };
  const auto always = [](std::size_t) { return true; };
  const auto is_not_free = [&](std::size_t i) { return m.start.kinds[i] != ParameterKind::Free; };
  return heading(m) + interface("State", m.state(), never) + interface("Inputs", m.inputs, never) +
         interface("Parameters", m.parameters, is_not_free) +
         interface("Outputs", m.outputs, always) + kWasmTypesText;
}

}  // namespace koppel
