#include <koppel/export/fmu.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/scratch_folder.hpp>
#include <koppel/export/archive.hpp>
#include <koppel/export/event_code.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/prepared_program.hpp>
#include <koppel/expr/code/split.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/formulation/fixed_cost/rate_terms.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/simulate/row_size.hpp>

namespace koppel {
namespace {

namespace fs = std::filesystem;
using Exprs = std::vector<Expr>;

// Where importers look for the library. FMI 2.0 has names for x86 only.
#ifdef __aarch64__
constexpr const char* kFmi3Folder = "binaries/aarch64-linux/";
#else
constexpr const char* kFmi3Folder = "binaries/x86_64-linux/";
#endif

// One file for importers that compile it; KOPPEL_PART selects a part, for compilers side by side.
constexpr const char* kParts =
    "#ifdef KOPPEL_PART\n"
    "#define KOPPEL_LINK __attribute__((visibility(\"hidden\")))\n"
    "#define KOPPEL_IS_PART(k) (KOPPEL_PART == (k))\n"
    "#else\n"
    "#define KOPPEL_LINK static\n"
    "#define KOPPEL_IS_PART(k) 1\n"
    "#endif\n";

// The functions that runtime/fmi_model.h asks for, and its constants.
class Source {
 public:
  Source(const StepModel& model, const RateTerms& rates, const StartCode& start,
         const EventCode& events, FmiVersion version)
      : m_(model),
        rates_(rates),
        start_(start),
        events_(events),
        is_3_(version == FmiVersion::V3),
        e_(model.prepared.equations),
        inputs_(model.layout) {}

  std::string write(const std::string& guid) {
    Exprs outputs;
    for (const NamedExpr& output : e_.outputs) outputs.push_back(output.value);
    if (!m_.tolerance) add_prepared("model_advance", m_.advance, true);
    if (m_.tolerance) add_prepared("model_rates", lowered(inputs_, rates_.rate));
    add_prepared("model_held", lowered(inputs_, rates_.held));
    add_prepared("model_project", lowered(inputs_, rates_.projected));
    add_prepared("model_violation", lowered(inputs_, rates_.violation));
    add_prepared("model_outputs", lower(inputs_, outputs));
    if (conserves()) add("model_energy", inputs_, {e_.kinetic, e_.potential});
    for (const auto* part : {&start_.functions, &events_.functions}) {
      for (const auto& [name, program] : *part) add(name, program);
    }
    add_directional(rates_.held, outputs);
    if (is_3_) add_adjoint(rates_.held, outputs);
    std::string out = fmt::format(
        "/* {}: {} */\n{}{}#include <math.h>\n#include <string.h>\n\n"
        "{}{}{}{}\n{}#if KOPPEL_IS_PART(0)\n",
        m_.name, m_.method, kNoFusedVectors, constants(guid, rates_.violation.size()), kStepText,
        kernels_.text(), kParts, prototypes_, functions_);
    if (!m_.inputs.empty()) out += kInputsText;
    if (m_.tolerance) out += std::string(kDop853Text) + kAccurateText;
    const bool has_start = !start_.functions.empty(), has_events = !events_.functions.empty();
    if (has_start || has_events) out += kLeastSquaresText;
    if (has_events) {
      out += events_.tables + "#define EVENT_WORK MODEL_WORK\n" + kEventsText +
             "#define MODEL_HAS_EVENTS\n";
    }
    if (has_start) {
      out += start_.tables + "#define START_WORK MODEL_WORK\n" + kStartText +
             "#define MODEL_HAS_START\n";
    }
    return out + kFmiModelText + (is_3_ ? kFmi3Text : kFmi2Text) + "#endif\n";
  }

  // Of the text, the first being what is left beside the functions.
  int num_parts() const { return num_parts_ + 1; }

 private:
  static Program lowered(const Exprs& inputs, const Exprs& values) {
    return lower(inputs, share_reciprocals(values));
  }
  void add(const std::string& name, const Exprs& inputs, const Exprs& values) {
    add(name, lowered(inputs, values));
  }
  void add(const std::string& name, const Program& program) {
    CCode code = emit_c(program, name);
    const std::string definition = "void " + name + "(";
    code.source.insert(code.source.rfind(definition), "KOPPEL_LINK ");
    add_part(name, code.source, code.work_size);
    kernels_.add(program);
  }
  // Each function is a part that can be compiled by itself.
  void add_part(const std::string& name, const std::string& source, std::size_t work) {
    prototypes_ +=
        fmt::format("KOPPEL_LINK void {}(const double* in, double* out, double* work);\n", name);
    functions_ += fmt::format("#if KOPPEL_IS_PART({})\n{}#endif\n\n", ++num_parts_, source);
    work_ = std::max(work_, work);
  }
  // A function of the layout that is called again and again: what follows from parameters alone
  // (and from the step, in[1], where it has always the same length) is kept behind `work`, with
  // those that it belongs to.
  void add_prepared(const std::string& name, const Program& program, bool has_fixed_step = false) {
    const std::size_t count = m_.parameters.size(), first = program.num_inputs() - count;
    RareInputs rare{first, count, {}};
    if (has_fixed_step) rare.also = 1;
    if (!PreparedProgram::pays(program, rare)) return add(name, program);
    const SplitProgram parts = split(program, [&](std::size_t i) { return rare[i]; });
    std::vector<std::string> of_prepare, of_rest;
    for (std::size_t i = 0; i < program.num_inputs(); ++i) {
      (rare[i] ? of_prepare : of_rest).push_back(fmt::format("in[{}]", i));
    }
    const std::size_t values = parts.prepare.outputs.size();
    for (std::size_t k = 0; k < values; ++k) of_rest.push_back(fmt::format("prepared[{}]", k));
    const CArgument in{"const double*", "in"}, prepared{"const double*", "prepared"};
    const CCode prepare = emit_c(parts.prepare, name + "_prepare",
                                 {.is_static = true, .inputs = of_prepare, .in = {in}});
    const CCode rest = emit_c(parts.rest, name + "_rest",
                              {.is_static = true, .inputs = of_rest, .in = {in, prepared}});
    // kept: whether there is something, the step, the parameters, the values
    const std::string text = fmt::format(
        "KOPPEL_LINK void {0}(const double* in, double* out, double* work) {{\n"
        "  double* kept = work + MODEL_WORK + {1};\n"
        "  if (kept[0] == 0{2} || memcmp(kept + 2, in + {3}, {4} * sizeof *in) != 0) {{\n"
        "    kept[0] = 1;\n    kept[1] = in[1];\n"
        "    memcpy(kept + 2, in + {3}, {4} * sizeof *in);\n"
        "    {0}_prepare(in, kept + {5}, work);\n  }}\n"
        "  {0}_rest(in, kept + {5}, out, work);\n}}\n",
        name, prepared_, has_fixed_step ? " || kept[1] != in[1]" : "", first, count, 2 + count);
    add_part(name, prepare.source + rest.source + text,
             std::max(prepare.work_size, rest.work_size));
    prepared_ += 2 + count + values;
    kernels_.add(program);
  }

  static Exprs joined(std::initializer_list<const Exprs*> parts) {
    Exprs all;
    for (const Exprs* part : parts) all.insert(all.end(), part->begin(), part->end());
    return all;
  }
  Exprs make_seeds(std::size_t count) const {
    Exprs seeds;
    for (std::size_t i = 0; i < count; ++i) {
      seeds.push_back(e_.graph->symbol(fmt::format("seed[{}]", i)));
    }
    return seeds;
  }

  // J = ∂(rates, outputs)/∂(q, v, x, u), times seeds that follow the other inputs: J s, and sᵀJ.
  void add_directional(const Exprs& rates, const Exprs& outputs) {
    const Exprs variables = joined({&e_.q, &e_.v, &e_.x, &e_.u});
    const Exprs seeds = make_seeds(variables.size());
    add("model_directional", joined({&inputs_, &seeds}),
        jacobian_times_vector(joined({&rates, &outputs}), variables, seeds));
  }
  void add_adjoint(const Exprs& rates, const Exprs& outputs) {
    const Exprs variables = joined({&e_.q, &e_.v, &e_.x, &e_.u}),
                values = joined({&rates, &outputs});
    const Exprs seeds = make_seeds(values.size());
    add("model_adjoint", joined({&inputs_, &seeds}),
        vector_times_jacobian(seeds, values, variables));
  }

  std::string constants(const std::string& guid, std::size_t num_rows) const {
    std::string out;
    const auto define = [&](const char* name, const std::string& value) {
      out += fmt::format("#define MODEL_{} {}\n", name, value);
    };
    define("GUID", '"' + guid + '"');
    define("NUM_Q", std::to_string(m_.q.size()));
    define("NUM_V", std::to_string(m_.v.size()));
    define("NUM_X", std::to_string(m_.x.size()));
    define("NUM_MULTIPLIERS", std::to_string(m_.multipliers.size()));
    define("NUM_INPUTS", std::to_string(m_.inputs.size()));
    define("NUM_PARAMETERS", std::to_string(m_.parameters.size()));
    define("NUM_OUTPUTS", std::to_string(m_.outputs.size()));
    define("NUM_ROWS", std::to_string(num_rows));
    define("WORK", std::to_string(work_));
    define("PREPARED", std::to_string(prepared_));
    const std::vector<double> sizes =
        row_sizes(m_.prepared.problem, m_.prepared.start.t, m_.prepared.start.y);
    define("NUM_G", std::to_string(sizes.size()));
    if (conserves()) define("CONSERVES", "1");
    define("STEP", c_number(m_.step));
    if (m_.tolerance) {
      define("TOLERANCE", c_number(*m_.tolerance));
      define("SCALE", c_number(absolute_scale_for(m_.prepared.equations, m_.prepared.state)));
    }
    out += fmt::format("static const double model_start[] = {{{}, {}", c_number(m_.start_time),
                       c_number(m_.step));
    for (const auto& part : {m_.state(), m_.inputs, m_.parameters}) {
      for (const CVariable& field : part) out += ", " + c_number(field.start);
    }
    out += "};\nstatic const char model_parameter_kinds[] = {";
    for (const ParameterKind kind : m_.start.kinds) {
      out += std::to_string(static_cast<int>(kind)) + ", ";
    }
    out += "0};\n";
    if (sizes.empty()) return out + '\n';
    // What the library's own watch calls doubtful (health_watch.hpp).
    constexpr double kViolation = 1e-3;
    out += "static const double model_row_limit[] = {";
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      out += (i == 0 ? "" : ", ") + c_number(kViolation * sizes[i]);
    }
    return out + "};\n\n";
  }

  // Inputs may give energy.
  bool conserves() const {
    const auto& energy = m_.prepared.problem.energy;
    return energy && energy->is_known() && energy->is_conservative() && m_.inputs.empty() &&
           e_.events.empty();
  }

  const StepModel& m_;
  const RateTerms& rates_;
  const StartCode& start_;
  const EventCode& events_;
  bool is_3_;
  const Equations& e_;
  const Exprs& inputs_;
  std::string functions_, prototypes_;
  CKernels kernels_;
  int num_parts_ = 0;
  std::size_t work_ = 0, prepared_ = 0;
};

// An identifier of the contents, in the form of a GUID (FNV-1a, twice).
std::string guid_of(const std::string& text) {
  const auto hash = [&](std::uint64_t state) {
    for (const char c : text) {
      state ^= static_cast<unsigned char>(c);
      state *= 0x100000001B3u;
    }
    return state;
  };
  const std::uint64_t a = hash(0xCBF29CE484222325u), b = hash(0x84222325CBF29CE4u);
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", a >> 32, (a >> 16) & 0xFFFF,
                     a & 0xFFFF, b >> 48, b & 0xFFFFFFFFFFFF);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

FmuFiles write_fmu_files(const StepModel& model, double end, FmiVersion version) {
  const RateTerms rates = make_rate_terms(model.prepared.descriptor);
  const StartCode start = make_start_code(model);
  const EventCode events = make_event_code(model, rates, end);
  const FmiStructure structure = find_structure(model, rates, start);
  // The identifier follows from the contents, in which it stands itself.
  const std::string nobody = "{00000000-0000-0000-0000-000000000000}";
  Source source(model, rates, start, events, version);
  FmuFiles files{describe_fmi(model, structure, version, nobody, end), source.write(nobody),
                 source.num_parts()};
  const std::string guid = guid_of(files.source + files.description);
  for (std::string* text : {&files.description, &files.source}) {
    text->replace(text->find(nobody), nobody.size(), guid);
  }
  return files;
}

void write_fmu(const fs::path& path, const StepModel& model, double end, FmiVersion version) {
  const FmuFiles files = write_fmu_files(model, end, version);
  const bool is_3 = version == FmiVersion::V3;
  const std::string build = describe_build(model);
  const ScratchFolder scratch;
  const fs::path& folder = scratch.path();
  if (folder.empty()) throw WriteError("no temporary folder can be made.");
  const fs::path source = folder / (model.name + ".c");
  const fs::path library = folder / (model.name + ".so");
  write_text(source, files.source);
  const std::string problem = build_library(source, library, files.num_parts);
  const std::string binary = problem.empty() ? read_file(library) : "";
  if (!problem.empty()) {
    throw Error("export.no-compiler", "the FMU's library cannot be made: " + problem + ".",
                "Install a C compiler, or name one in KOPPEL_CC.");
  }
  Archive archive(path);
  archive.add("modelDescription.xml", files.description);
  archive.add("sources/" + model.name + ".c", files.source);
  if (is_3) archive.add("sources/buildDescription.xml", build);
  archive.add((is_3 ? kFmi3Folder : "binaries/linux64/") + model.name + ".so", binary);
  archive.close();
}

}  // namespace koppel
