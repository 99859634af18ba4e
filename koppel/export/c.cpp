#include <koppel/export/c.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/emit_c.hpp>
#include <koppel/expr/reciprocals.hpp>
#include <koppel/integrate/rate_terms.hpp>

namespace koppel {
namespace {

// Text for a comment: nothing in it may end the comment.
std::string comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text[at] = '+';
  for (std::size_t at = 0; (at = text.find("/*", at)) != std::string::npos;) text[at] = '|';
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

class Writer {
 public:
  Writer(const StepModel& model, bool is_float)
      : m_(model), is_float_(is_float), real_(is_float ? "float" : "double") {}

  CFiles write() const {
    CFiles files;
    files.header = header();
    files.source = source();
    files.example = example();
    return files;
  }

 private:
  std::string number(double value) const { return c_number(value, is_float_); }

  std::string members(const std::vector<Field>& fields) const {
    std::string out;
    for (const Field& f : fields) {
      out += fmt::format("  {} {}; /* {}{} */\n", real_, f.name, comment(f.label),
                         f.unit.empty() ? "" : ", " + comment(f.unit));
    }
    return out;
  }

  // C has no empty structs.
  std::string structure(const char* what, const char* about,
                        const std::vector<Field>& fields) const {
    return fmt::format("/* {} */\ntypedef struct {{\n{}}} {}_{};\n\n", about,
                       fields.empty() ? "  char none;\n" : members(fields), m_.name, what);
  }

  std::string header() const {
    const std::string guard = upper(m_.name) + "_H";
    std::string out = fmt::format(
        "/* {}\n * {}\n *\n * Written by koppel. C99, no allocation, no globals; link with libm.\n "
        "*/\n"
        "#ifndef {}\n#define {}\n\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        "/* The step, in seconds. */\n#define {}_STEP {}\n\n",
        comment(m_.title), comment(m_.method), guard, guard, upper(m_.name), number(m_.step));
    out += structure("parameters", "What does not change while stepping.", m_.parameters);
    out += structure("inputs", "Read at the start of a step and held during it.", m_.inputs);
    out += fmt::format(
        "/* Time, positions, velocities, further states{}. */\n"
        "typedef struct {{\n  {} t; /* start_time + count steps, in seconds */\n  {} start_time;\n"
        "  uint64_t count; /* of steps */\n{}{}}} {}_state;\n\n",
        m_.tolerance ? "" : ", and multipliers of the last step", real_, real_,
        m_.tolerance ? "  double inner_step; /* to try next */\n" : "", members(m_.state()),
        m_.name);
    out += structure("outputs", "What the model gives out.", m_.outputs);
    out += fmt::format(
        "/* The start, and the parameters it belongs to. */\n"
        "void {0}_init({0}_state* state, {0}_parameters* parameters);\n\n"
        "/* One step. 0: done. {1} The state is then left as it was. */\n"
        "int {0}_step({0}_state* state, const {0}_inputs* inputs, const {0}_parameters* "
        "parameters);\n\n"
        "void {0}_observe(const {0}_state* state, const {0}_inputs* inputs,\n"
        "    const {0}_parameters* parameters, {0}_outputs* outputs);\n\n"
        "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        m_.name,
        m_.tolerance ? "1: no rates. 2: constraints cannot be met. 3: not accurate at any step."
                     : "1: a value would not be finite.");
    return out;
  }

  // in[k++] = owner->name for all fields.
  static std::string load(const std::vector<Field>& fields, const char* owner, std::size_t& k) {
    std::string out;
    for (const Field& f : fields) out += fmt::format("  in[{}] = {}->{};\n", k++, owner, f.name);
    return out;
  }

  std::string source() const {
    const CStyle style{.is_static = true, .is_float = is_float_};
    const std::string advance = m_.name + "_advance", observe = m_.name + "_outputs_of";
    std::string kernels = emit_c_kernels(m_.observe, is_float_);
    std::size_t work = 0;
    std::string functions;
    const auto add = [&](const Program& program, const std::string& name) {
      const CCode code = emit_c(program, name, style);
      functions += code.source + '\n';
      work = std::max(work, code.work_size);
      if (kernels.empty()) kernels = emit_c_kernels(program, is_float_);
    };
    if (m_.tolerance) {
      const RateTerms rates = make_rate_terms(*m_.prepared.problem.descriptor);
      add(lower(m_.layout, share_reciprocals(rates.rate)), "model_rates");
      add(lower(m_.layout, share_reciprocals(rates.projected)), "model_project");
      functions =
          accurate_constants(rates.violation.size()) + functions + kDop853Text + kAccurateText;
    } else {
      add(m_.advance, advance);
    }
    const CCode outputs = emit_c(m_.observe, observe, style);
    std::string out = fmt::format("/* {}\n * {}\n */\n#include \"{}.h\"\n\n#include <math.h>\n\n",
                                  comment(m_.title), comment(m_.method), m_.name);
    if (is_float_) out += "#define KOPPEL_REAL float\n";
    out += kStepText;
    out += '\n' + kernels + '\n' + functions + '\n' + outputs.source + '\n';
    out += init_function();
    out += m_.tolerance ? accurate_step_function(work) : step_function(advance, work);
    out += observe_function(observe, outputs.work_size);
    return out;
  }

  // What runtime/accurate.h asks for.
  std::string accurate_constants(std::size_t num_rows) const {
    return fmt::format(
        "#define MODEL_NUM_Q {}\n#define MODEL_NUM_V {}\n#define MODEL_NUM_X {}\n"
        "#define MODEL_NUM_ROWS {}\n#define MODEL_TOLERANCE {}\n\n",
        m_.q.size(), m_.v.size(), m_.x.size(), num_rows, c_number(*m_.tolerance));
  }

  std::string init_function() const {
    std::string out = fmt::format(
        "void {0}_init({0}_state* state, {0}_parameters* parameters) {{\n"
        "  state->t = state->start_time = {1};\n  state->count = 0;\n",
        m_.name, number(m_.start_time));
    if (m_.tolerance) out += fmt::format("  state->inner_step = {}_STEP;\n", upper(m_.name));
    for (const Field& f : m_.state()) {
      out += fmt::format("  state->{} = {};\n", f.name, number(f.start));
    }
    for (const Field& f : m_.parameters) {
      out += fmt::format("  parameters->{} = {};\n", f.name, number(f.start));
    }
    if (m_.parameters.empty()) out += "  parameters->none = 0;\n";
    return out + "}\n\n";
  }

  std::string buffers(std::size_t in, std::size_t out, std::size_t work) const {
    return fmt::format("  {0} in[{1}], out[{2}], work[{3}];\n  (void)inputs; (void)parameters;\n",
                       real_, in, std::max<std::size_t>(out, 1), std::max<std::size_t>(work, 1));
  }

  std::string step_function(const std::string& advance, std::size_t work) const {
    std::size_t k = 2;
    std::string out = fmt::format(
        "int {0}_step({0}_state* state, const {0}_inputs* inputs, const {0}_parameters* "
        "parameters) {{\n{1}  in[0] = state->t;\n  in[1] = {2}_STEP;\n",
        m_.name, buffers(m_.advance.num_inputs(), m_.state_size(), work), upper(m_.name));
    out += load(m_.state(), "state", k);
    out += load(m_.inputs, "inputs", k);
    out += load(m_.parameters, "parameters", k);
    out += fmt::format("  {}(in, out, work);\n  if (!koppel_all_finite(out, {})) return 1;\n",
                       advance, m_.state_size());
    const std::vector<Field> state = m_.state();
    for (std::size_t i = 0; i < state.size(); ++i) {
      out += fmt::format("  state->{} = out[{}];\n", state[i].name, i);
    }
    out += fmt::format(
        "  state->count += 1;\n"
        "  state->t = koppel_time(state->start_time, {}_STEP, state->count);\n  return 0;\n}}\n\n",
        upper(m_.name));
    return out;
  }

  std::string accurate_step_function(std::size_t work) const {
    std::size_t k = 2;
    std::string out = fmt::format(
        "int {0}_step({0}_state* state, const {0}_inputs* inputs, const {0}_parameters* "
        "parameters) {{\n  double in[{1}], work[{2}];\n"
        "  const double t_end = koppel_time(state->start_time, {3}_STEP, state->count + 1);\n"
        "  int reason;\n  (void)inputs; (void)parameters;\n"
        "  in[0] = state->t;\n  in[1] = state->inner_step;\n",
        m_.name, m_.layout.size(), std::max<std::size_t>(work, 1), upper(m_.name));
    out += load(m_.state(), "state", k);
    out += load(m_.inputs, "inputs", k);
    out += load(m_.parameters, "parameters", k);
    out +=
        "  reason = koppel_accurate_advance(in, work, t_end);\n  if (reason != 0) return reason;\n";
    k = 2;
    for (const Field& f : m_.state()) out += fmt::format("  state->{} = in[{}];\n", f.name, k++);
    return out +
           "  state->inner_step = in[1];\n  state->count += 1;\n  state->t = t_end;\n"
           "  return 0;\n}\n\n";
  }

  std::string observe_function(const std::string& observe, std::size_t work) const {
    std::size_t k = 1;
    std::string out = fmt::format(
        "void {0}_observe(const {0}_state* state, const {0}_inputs* inputs,\n"
        "    const {0}_parameters* parameters, {0}_outputs* outputs) {{\n{1}"
        "  in[0] = state->t;\n",
        m_.name, buffers(m_.observe.num_inputs(), m_.outputs.size(), work));
    for (const auto* part : {&m_.q, &m_.v, &m_.x}) out += load(*part, "state", k);
    out += load(m_.inputs, "inputs", k);
    out += load(m_.parameters, "parameters", k);
    out += fmt::format("  {}(in, out, work);\n", observe);
    for (std::size_t i = 0; i < m_.outputs.size(); ++i) {
      out += fmt::format("  outputs->{} = out[{}];\n", m_.outputs[i].name, i);
    }
    if (m_.outputs.empty()) out += "  outputs->none = 0;\n";
    return out + "}\n";
  }

  // Prints time and outputs as CSV: example [STEPS [EVERY]].
  std::string example() const {
    std::string names = "t", formats = "%.17g", values = "(double)state.t";
    for (const Field& f : m_.outputs) {
      names += ',' + f.name;
      formats += ",%.17g";
      values += fmt::format(", (double)outputs.{}", f.name);
    }
    return fmt::format(
        "/* Runs {1} and prints its outputs: example [STEPS [EVERY]] */\n"
        "#include <stdio.h>\n#include <stdlib.h>\n\n#include \"{0}.h\"\n\n"
        "int main(int argc, char** argv) {{\n"
        "  const long steps = argc > 1 ? atol(argv[1]) : 1000;\n"
        "  const long every = argc > 2 ? atol(argv[2]) : 1;\n"
        "  {0}_state state;\n  {0}_parameters parameters;\n  {0}_inputs inputs = {{0}};\n"
        "  {0}_outputs outputs;\n  long k;\n"
        "  {0}_init(&state, &parameters);\n"
        "{5}"
        "  puts(\"{2}\");\n"
        "  for (k = 0; k <= steps; ++k) {{\n"
        "    if (every > 0 && k % every == 0) {{\n"
        "      {0}_observe(&state, &inputs, &parameters, &outputs);\n"
        "      printf(\"{3}\\n\", {4});\n"
        "    }}\n"
        "    if (k == steps) break;\n"
        "    if ({0}_step(&state, &inputs, &parameters) != 0) {{\n"
        "      fprintf(stderr, \"the step at t = %g failed\\n\", (double)state.t);\n      return "
        "1;\n"
        "    }}\n  }}\n  return 0;\n}}\n",
        m_.name, comment(m_.title), names, formats, values, start_inputs());
  }

  std::string start_inputs() const {
    std::string out;
    for (const Field& f : m_.inputs) {
      if (f.start != 0) out += fmt::format("  inputs.{} = {};\n", f.name, number(f.start));
    }
    return out;
  }

  const StepModel& m_;
  bool is_float_;
  std::string real_;
};

}  // namespace

CFiles write_c(const StepModel& model, bool is_float) {
  if (is_float && model.tolerance) {
    throw Error("export.float", "dop853 is not written in single precision.",
                "Leave out --float, or take linear-implicit or explicit-euler.");
  }
  return Writer(model, is_float).write();
}

}  // namespace koppel
