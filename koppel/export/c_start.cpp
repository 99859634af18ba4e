#include <koppel/export/c_start.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/export/names.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/code/emit_c.hpp>

namespace koppel {
namespace {

std::string declaration(const StepModel& m, std::size_t bytes) {
  return fmt::format(
      "/* After parameters were changed: those that follow from others, and the start for all of\n"
      " * them. Needs this many bytes of memory, aligned for double, during the call. 0: done. 1: "
      "no\n"
      " * positions, 2: no velocities satisfy the constraints. 3: other constraints are "
      "independent\n"
      " * than when this was written. In {0}_start.c. */\n"
      "#define {1}_START_BYTES {2}\n"
      "int {0}_start({0}_state* state, {0}_parameters* parameters, void* memory);\n\n",
      m.name, upper_case(m.name), bytes);
}

std::string function(const StepModel& m, const char* real) {
  std::string out = fmt::format(
      "typedef char {0}_start_fits[sizeof(koppel_start) <= {1}_START_BYTES ? 1 : -1];\n\n"
      "int {0}_start({0}_state* state, {0}_parameters* parameters, void* memory) {{\n"
      "  double in[{2}];\n  int reason;\n  in[0] = {3};\n  in[1] = {1}_STEP;\n",
      m.name, upper_case(m.name), m.layout.size(), c_number(m.start_time));
  std::size_t k = 2;
  for (const auto& part : {m.state(), m.inputs}) {
    for (const CVariable& f : part) out += fmt::format("  in[{}] = {};\n", k++, c_number(f.start));
  }
  const std::size_t first = k;
  for (const CVariable& f : m.parameters) {
    out += fmt::format("  in[{}] = parameters->{};\n", k++, f.name);
  }
  out +=
      "  reason = koppel_start_assemble((koppel_start*)memory, in);\n"
      "  if (reason != 0) return reason;\n"
      "  state->t = state->start_time = in[0];\n  state->count = 0;\n";
  if (m.tolerance) out += "  state->inner_step = in[1];\n";
  k = 2;
  for (const CVariable& f : m.state()) {
    out += fmt::format("  state->{} = ({})in[{}];\n", f.name, real, k++);
  }
  k = first;
  for (const CVariable& f : m.parameters) {
    out += fmt::format("  parameters->{} = ({})in[{}];\n", f.name, real, k++);
  }
  return out + "  return 0;\n}\n";
}

}  // namespace

std::string describe_kind(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Derived: return "follows from others";
    case ParameterKind::BuiltIn: return "constant: built into the code";
    default: return "";
  }
}

CStart write_c_start(const StepModel& model, bool is_float) {
  const StartCode code = make_start_code(model);
  if (code.functions.empty()) return {};
  CKernels kernels;
  std::string functions;
  std::size_t work = 0;
  for (const auto& [name, program] : code.functions) {
    const CCode part = emit_c(program, name, {.is_static = true});
    functions += part.source + '\n';
    work = std::max(work, part.work_size);
    kernels.add(program);
  }
  CStart out;
  out.declaration = declaration(model, 8 * (code.num_numbers + work));
  out.source = fmt::format(
      "/* The start of {0} for other parameters. Written by koppel. */\n{8}#include \"{0}.h\"\n\n"
      "#include <math.h>\n\n{1}\n{2}\n{3}#define START_WORK {4}\n{5}{6}\n{7}",
      model.name, kernels.text(), functions, code.tables, work, kLeastSquaresText, kStartText,
      function(model, is_float ? "float" : "double"), kNoFusedVectors);
  return out;
}

}  // namespace koppel
