#include <koppel/export/c.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/runtime/dop853.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/export/c_start.hpp>
#include <koppel/export/names.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/split.hpp>
#include <koppel/simulate/length.hpp>

namespace koppel {
namespace {

// Outputs in one statement that prints: a literal of C may have 4095 characters.
constexpr std::size_t kInARow = 8;

class CWriter {
 public:
  CWriter(const StepModel& model, bool is_float, bool is_for_card = false)
      : m_(model),
        is_float_(is_float),
        is_for_card_(is_for_card),
        real_(is_float ? "float" : "double") {
    make_parts();
  }

  CStep write_step() const { return {types(), functions()}; }

  CFiles write() {
    start_ = write_c_start(m_, is_float_);
    CFiles files;
    files.header = header();
    files.source = source();
    files.example = example();
    files.start = start_.source;
    return files;
  }

 private:
  std::string number(double value) const { return c_number(value, is_float_); }

  std::string members(const std::vector<CVariable>& fields) const {
    std::string out;
    for (const CVariable& f : fields) {
      out += fmt::format("  {} {}; /* {}{} */\n", real_, f.name, c_comment(f.label),
                         f.unit.empty() ? "" : ", " + c_comment(f.unit));
    }
    return out;
  }

  // C has no empty structs.
  std::string structure(const char* what, const char* about,
                        const std::vector<CVariable>& fields) const {
    return fmt::format("/* {} */\ntypedef struct {{\n{}}} {}_{};\n\n", about,
                       fields.empty() ? "  char none;\n" : members(fields), m_.name, what);
  }

  std::string header() const {
    const std::string guard = upper_case(m_.name) + "_H";
    std::string out = fmt::format(
        "/* {}\n * {}\n *\n * Written by koppel. C99, no allocation, no globals; link with libm.\n "
        "*/\n"
        "#ifndef {}\n#define {}\n\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
        c_comment(m_.title), c_comment(m_.method), guard, guard);
    return out + types() + declarations();
  }

  std::string types() const {
    std::string out = fmt::format("/* The step, in seconds. */\n#define {}_STEP {}\n\n",
                                  upper_case(m_.name), number(m_.step));
    std::vector<CVariable> parameters = m_.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string kind = describe_kind(m_.start.kinds[i]);
      if (!kind.empty()) parameters[i].label += ": " + kind;
    }
    out += structure("parameters", "What the model is made of.", parameters);
    out += fmt::format(
        "/* What a step needs of the parameters, computed once: by {0}_prepare. */\n"
        "typedef struct {{\n  {1} value[{2}];\n}} {0}_prepared;\n\n",
        m_.name, real_, std::max<std::size_t>(num_prepared_, 1));
    out += structure("inputs", "Read at the start of a step and held during it.", m_.inputs);
    out += fmt::format(
        "/* Time, positions, velocities, further states{}. */\n"
        "typedef struct {{\n  {} t; /* start_time + count steps, in seconds */\n  {} start_time;\n"
        "  uint64_t count; /* of steps */\n{}{}}} {}_state;\n\n",
        m_.multipliers.empty() ? "" : ", and multipliers of the last step", real_, real_,
        m_.tolerance ? "  " + real_ + " inner_step; /* to try next */\n" : "", members(m_.state()),
        m_.name);
    return out + structure("outputs", "What the model gives out.", m_.outputs);
  }

  std::string declarations() const {
    return fmt::format(
        "/* The start, and the parameters it belongs to, prepared. */\n"
        "void {0}_init({0}_state* state, {0}_parameters* parameters, {0}_prepared* prepared);\n\n"
        "{2}"
        "/* Parameters have been changed: they count from now on. */\n"
        "void {0}_prepare(const {0}_parameters* parameters, {0}_prepared* prepared);\n\n"
        "/* One step. 0: done. {1} The state is then left as it was. */\n"
        "int {0}_step({0}_state* state, const {0}_inputs* inputs, const {0}_prepared* "
        "prepared);\n\n"
        "void {0}_observe(const {0}_state* state, const {0}_inputs* inputs,\n"
        "    const {0}_prepared* prepared, {0}_outputs* outputs);\n\n"
        "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        m_.name, m_.tolerance ? describe_accurate_failures() : "1: a value would not be finite.",
        start_.declaration);
  }

  // A program, split: what it needs of the parameters stands in prepared->value from `first` on.
  struct Part {
    std::string name;  // of its function
    SplitProgram programs;
    std::size_t first;
  };

  // The last inputs are the parameters. A step of fixed cost has always the same length, its input
  // 1.
  void add_part(const std::string& name, const Program& program, bool has_fixed_step = false) {
    const std::size_t first_parameter = program.num_inputs() - m_.parameters.size();
    const auto is_static = [&](std::size_t i) {
      return i >= first_parameter || (has_fixed_step && i == 1);
    };
    parts_.push_back({name, split(program, is_static), num_prepared_});
    num_prepared_ += parts_.back().programs.prepare.outputs.size();
    kernels_.add(program);
  }

  void make_parts() {
    const Equations& e = m_.prepared.equations;
    if (m_.tolerance) {
      add_part("model_rates", m_.rates);
      add_part("model_project", m_.project);
    } else {
      add_part(m_.name + "_advance", m_.advance, true);
    }
    num_of_step_ = num_prepared_;
    // In double precision outputs have the bits of the library, which takes the functions of libm;
    // on a card those have other bits.
    std::vector<Expr> outputs;
    for (const NamedExpr& output : e.outputs) outputs.push_back(output.value);
    add_part(m_.name + "_outputs_of",
             is_float_ || is_for_card_ ? lower(symbols_of_state(e), outputs, true) : m_.observe);
  }

  // How the inputs of a part are written: what changes, then what is prepared.
  std::vector<std::string> names_of(const Part& part, bool with_multipliers) const {
    std::vector<std::string> out = {"state->t"};
    const auto add = [&](const std::vector<CVariable>& fields, const char* owner) {
      for (const CVariable& f : fields) out.push_back(owner + f.name);
    };
    for (const auto* fields : {&m_.q, &m_.v, &m_.x}) add(*fields, "state->");
    if (with_multipliers) add(m_.multipliers, "state->");
    add(m_.inputs, "inputs->");
    for (std::size_t k = 0; k < part.programs.prepare.outputs.size(); ++k) {
      out.push_back(fmt::format("prepared->value[{}]", part.first + k));
    }
    return out;
  }

  CCode emit_part(const Part& part, bool with_multipliers) const {
    return emit_c(part.programs.rest, part.name,
                  {.is_static = true,
                   .is_float = is_float_,
                   .is_for_card = is_for_card_,
                   .fuses_scaled = is_for_card_,
                   .inputs = names_of(part, with_multipliers),
                   .in = {{"const " + m_.name + "_state*", "state"},
                          {"const " + m_.name + "_inputs*", "inputs"},
                          {"const " + m_.name + "_prepared*", "prepared"}}});
  }

  // For runtime/accurate.h all inputs stand in `in`, what is prepared behind what changes.
  CCode emit_accurate_part(const Part& part) const {
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < num_changing(); ++i) inputs.push_back(fmt::format("in[{}]", i));
    for (std::size_t k = 0; k < part.programs.prepare.outputs.size(); ++k) {
      inputs.push_back(fmt::format("in[{}]", num_changing() + part.first + k));
    }
    return emit_c(part.programs.rest, part.name,
                  {.is_static = true,
                   .is_float = is_float_,
                   .is_for_card = is_for_card_,
                   .fuses_scaled = is_for_card_,
                   .inputs = inputs,
                   .in = {{"const " + real_ + "*", "in"}}});
  }

  std::size_t num_changing() const { return m_.layout.size() - m_.parameters.size(); }

  std::string source() const {
    return fmt::format("/* {}\n * {}\n */\n{}#include \"{}.h\"\n\n#include <math.h>\n\n",
                       c_comment(m_.title), c_comment(m_.method), kNoFusedVectors, m_.name) +
           functions();
  }

  // Of a function that is seen outside of a file of C.
  std::string marked(const char* type) const {
    return is_for_card_ ? std::string("static KOPPEL_CARD ") + type : type;
  }

  std::string functions() const {
    std::string out;
    if (is_float_) out += "#define KOPPEL_REAL float\n";
    out += kStepText + ('\n' + kernels_.text(is_float_, is_for_card_)) + '\n';
    if (m_.tolerance) out += accurate_constants();
    std::size_t work = 0;
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
      const CCode code = m_.tolerance ? emit_accurate_part(parts_[i]) : emit_part(parts_[i], true);
      out += code.source + '\n';
      work = std::max(work, code.work_size);
    }
    if (m_.tolerance && is_for_card_) out += "#define KOPPEL_ODE_BY_NAME\n";
    if (m_.tolerance) out += std::string(kDop853Text) + kAccurateText;
    const CCode outputs = emit_part(parts_.back(), false);
    out += outputs.source + '\n';
    out += prepare_function();
    if (!is_for_card_) out += init_function();
    out += m_.tolerance ? accurate_step_function(work) : step_function(work);
    return out + observe_function(outputs.work_size);
  }

  std::string prepare_function() const {
    std::string functions, calls;
    std::size_t work = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Program& program = parts_[i].programs.prepare;
      if (program.outputs.empty()) continue;
      const std::string name = fmt::format("{}_prepare_{}", m_.name, i);
      std::vector<std::string> inputs;
      if (program.num_inputs() > m_.parameters.size())
        inputs.push_back(upper_case(m_.name) + "_STEP");
      for (const CVariable& f : m_.parameters) inputs.push_back("parameters->" + f.name);
      const CCode code = emit_c(program, name,
                                {.is_static = true,
                                 .is_float = is_float_,
                                 .is_for_card = is_for_card_,
                                 .inputs = inputs,
                                 .in = {{"const " + m_.name + "_parameters*", "parameters"}}});
      functions += code.source + '\n';
      work = std::max(work, code.work_size);
      calls +=
          fmt::format("  {}(parameters, prepared->value + {}, work);\n", name, parts_[i].first);
    }
    if (calls.empty()) calls = "  prepared->value[0] = 0;\n";
    return functions +
           fmt::format(
               "{4} {0}_prepare(const {0}_parameters* parameters, {0}_prepared* prepared) {{\n"
               "  {1} work[{2}];\n  (void)parameters; (void)work;\n{3}}}\n\n",
               m_.name, real_, std::max<std::size_t>(work, 1), calls, marked("void"));
  }

  // What runtime/accurate.h asks for.
  std::string accurate_constants() const {
    return fmt::format(
        "#define MODEL_NUM_Q {}\n#define MODEL_NUM_V {}\n#define MODEL_NUM_X {}\n"
        "#define MODEL_NUM_ROWS {}\n#define MODEL_TOLERANCE {}\n#define MODEL_SCALE {}\n\n",
        m_.q.size(), m_.v.size(), m_.x.size(), m_.num_rows, c_number(*m_.tolerance),
        c_number(absolute_scale_for(m_.prepared.equations, m_.prepared.state)));
  }

  std::string init_function() const {
    std::string out = fmt::format(
        "void {0}_init({0}_state* state, {0}_parameters* parameters, {0}_prepared* prepared) {{\n"
        "  state->t = state->start_time = {1};\n  state->count = 0;\n",
        m_.name, number(m_.start_time));
    if (m_.tolerance) out += fmt::format("  state->inner_step = {}_STEP;\n", upper_case(m_.name));
    for (const CVariable& f : m_.state()) {
      out += fmt::format("  state->{} = {};\n", f.name, number(f.start));
    }
    for (const CVariable& f : m_.parameters) {
      out += fmt::format("  parameters->{} = {};\n", f.name, number(f.start));
    }
    if (m_.parameters.empty()) out += "  parameters->none = 0;\n";
    return out + fmt::format("  {}_prepare(parameters, prepared);\n}}\n\n", m_.name);
  }

  std::string buffers(std::size_t out, std::size_t work) const {
    return fmt::format("  {} out[{}], work[{}];\n", real_, std::max<std::size_t>(out, 1),
                       std::max<std::size_t>(work, 1));
  }

  std::string step_signature() const {
    return fmt::format(
        "{1} {0}_step({0}_state* state, const {0}_inputs* inputs, const {0}_prepared* prepared) "
        "{{\n",
        m_.name, marked("int"));
  }

  std::string step_function(std::size_t work) const {
    std::string out = step_signature() + buffers(m_.state_size(), work);
    out += fmt::format(
        "  {}_advance(state, inputs, prepared, out, work);\n"
        "  if (!koppel_all_finite(out, {})) return 1;\n",
        m_.name, m_.state_size());
    const std::vector<CVariable> state = m_.state();
    for (std::size_t i = 0; i < state.size(); ++i) {
      out += fmt::format("  state->{} = out[{}];\n", state[i].name, i);
    }
    out += fmt::format(
        "  state->count += 1;\n"
        "  state->t = koppel_time(state->start_time, {}_STEP, state->count);\n  return 0;\n}}\n\n",
        upper_case(m_.name));
    return out;
  }

  std::string accurate_step_function(std::size_t work) const {
    std::string out =
        step_signature() +
        fmt::format(
            "  {5} in[{0}], work[{1}];\n"
            "  const {5} t_end = koppel_time(state->start_time, {2}_STEP, state->count + 1);\n"
            "  int i, reason;\n  (void)inputs;\n"
            "  {6}for (i = 0; i < {3}; ++i) in[{4} + i] = prepared->value[i];\n"
            "  in[0] = state->t;\n  in[1] = state->inner_step;\n",
            num_changing() + num_of_step_, std::max<std::size_t>(work, 1), upper_case(m_.name),
            num_of_step_, num_changing(), real_, is_for_card_ ? "KOPPEL_UNROLL\n  " : "");
    const std::vector<CVariable> state = m_.state();
    std::size_t k = 2;
    for (const CVariable& f : state) out += fmt::format("  in[{}] = state->{};\n", k++, f.name);
    for (const CVariable& f : m_.inputs)
      out += fmt::format("  in[{}] = inputs->{};\n", k++, f.name);
    out +=
        "  reason = koppel_accurate_advance(in, work, t_end, MODEL_TOLERANCE);\n  if (reason != 0) "
        "return reason;\n";
    k = 2;
    for (const CVariable& f : state) out += fmt::format("  state->{} = in[{}];\n", f.name, k++);
    return out +
           "  state->inner_step = in[1];\n  state->count += 1;\n  state->t = t_end;\n"
           "  return 0;\n}\n\n";
  }

  std::string observe_function(std::size_t work) const {
    std::string out = fmt::format(
        "{2} {0}_observe(const {0}_state* state, const {0}_inputs* inputs,\n"
        "    const {0}_prepared* prepared, {0}_outputs* outputs) {{\n{1}"
        "  {0}_outputs_of(state, inputs, prepared, out, work);\n",
        m_.name, buffers(m_.outputs.size(), work), marked("void"));
    for (std::size_t i = 0; i < m_.outputs.size(); ++i) {
      out += fmt::format("  outputs->{} = out[{}];\n", m_.outputs[i].name, i);
    }
    if (m_.outputs.empty()) out += "  outputs->none = 0;\n";
    return out + "}\n";
  }

  std::string print_values() const {
    std::string out = "      printf(\"%.17g\", (double)state.t);\n";
    for (std::size_t first = 0; first < m_.outputs.size(); first += kInARow) {
      std::string formats, values;
      for (std::size_t i = first; i < std::min(first + kInARow, m_.outputs.size()); ++i) {
        formats += ",%.17g";
        values += fmt::format(", (double)outputs.{}", m_.outputs[i].name);
      }
      out += fmt::format("      printf(\"{}\"{});\n", formats, values);
    }
    return out + "      puts(\"\");\n";
  }

  // Prints time and outputs as CSV: example [STEPS [EVERY]].
  std::string example() const {
    return fmt::format(
        "/* Runs {1} and prints its outputs: example [STEPS [EVERY]] */\n"
        "#include <stdio.h>\n#include <stdlib.h>\n\n#include \"{0}.h\"\n\n"
        "int main(int argc, char** argv) {{\n"
        "  const long steps = argc > 1 ? atol(argv[1]) : 1000;\n"
        "  const long every = argc > 2 ? atol(argv[2]) : 1;\n"
        "  {0}_state state;\n  {0}_parameters parameters;\n  {0}_prepared prepared;\n"
        "  {0}_inputs inputs = {{0}};\n  {0}_outputs outputs;\n  long k;\n"
        "  {0}_init(&state, &parameters, &prepared);\n"
        "{4}{2}"
        "  for (k = 0; k <= steps; ++k) {{\n"
        "    if (every > 0 && k % every == 0) {{\n"
        "      {0}_observe(&state, &inputs, &prepared, &outputs);\n"
        "{3}"
        "    }}\n"
        "    if (k == steps) break;\n"
        "    if ({0}_step(&state, &inputs, &prepared) != 0) {{\n"
        "      fprintf(stderr, \"the step at t = %g failed\\n\", (double)state.t);\n      return "
        "1;\n"
        "    }}\n  }}\n  return 0;\n}}\n",
        m_.name, c_comment(m_.title), print_names_in_c(m_.outputs), print_values(), start_inputs());
  }

  std::string start_inputs() const {
    std::string out;
    for (const CVariable& f : m_.inputs) {
      if (f.start != 0) out += fmt::format("  inputs.{} = {};\n", f.name, number(f.start));
    }
    return out;
  }

  const StepModel& m_;
  bool is_float_, is_for_card_;
  std::string real_;
  std::vector<Part> parts_;                         // those of a step, and last the outputs
  std::size_t num_prepared_ = 0, num_of_step_ = 0;  // values that are prepared: all, of a step
  CKernels kernels_;
  CStart start_;
};

}  // namespace

std::string describe_accurate_failures() {
  return fmt::format(
      "1: no rates. 2: constraints cannot be met. 3: not accurate at any step.\n"
      " * 4: more than {} inner steps.",
      static_cast<int>(KOPPEL_DOP853_MOST_TRIES));
}

std::string c_example_file(const std::string& name) {
  return upper_case(name) == "EXAMPLE" ? "run_example.c" : "example.c";
}

std::string print_names_in_c(const std::vector<CVariable>& outputs) {
  std::string out = "  fputs(\"t";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0 && i % kInARow == 0) out += "\", stdout);\n  fputs(\"";
    out += ',' + outputs[i].name;
  }
  return out + "\\n\", stdout);\n";
}

CStep write_c_step_for_card(const StepModel& model, bool is_float) {
  return CWriter(model, is_float, true).write_step();
}

CFiles write_c(const StepModel& model, bool is_float) {
  refuse_events(model.prepared.equations);
  return CWriter(model, is_float).write();
}

}  // namespace koppel
