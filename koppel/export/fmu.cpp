#include <koppel/export/fmu.hpp>

#include <zip.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/export/fmi_description.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/calculus.hpp>
#include <koppel/expr/emit_c.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/expr/native.hpp>
#include <koppel/integrate/rate_terms.hpp>
#include <koppel/results/csv.hpp>

namespace koppel {
namespace {

namespace fs = std::filesystem;
using Exprs = std::vector<Expr>;

// The functions that runtime/fmi_model.h asks for, and its constants.
class Source {
 public:
  explicit Source(const StepModel& model)
      : m_(model), e_(model.prepared.equations), inputs_(model.euler.inputs) {}

  std::string write(const std::string& guid) {
    const RateTerms rates = make_rate_terms(*m_.prepared.problem.descriptor);
    Exprs outputs;
    for (const NamedExpr& output : e_.outputs) outputs.push_back(output.value);
    add("model_advance", m_.advance);
    add("model_rates", lower(inputs_, rates.rate));
    add("model_project", lower(inputs_, rates.projected));
    add("model_violation", lower(inputs_, rates.violation));
    add("model_outputs", lower(inputs_, outputs));
    add_directional(rates.rate, outputs);
    return fmt::format("/* {}: {} */\n{}{}{}{}{}{}{}", m_.name, m_.method,
                       constants(guid, rates.violation.size()), "#include <math.h>\n\n", kStepText,
                       kernels_, functions_, kFmiModelText, kFmi2Text);
  }

 private:
  void add(const std::string& name, const Program& program) {
    CCode code = emit_c(program, name, {.is_static = true});
    functions_ += code.source + '\n';
    work_ = std::max(work_, code.work_size);
    if (kernels_.empty()) kernels_ = emit_c_kernels(program);
  }

  // (∂/∂(q, v, x, u)) of rates and outputs times seeds, which follow the other inputs.
  void add_directional(const Exprs& rates, const Exprs& outputs) {
    Exprs variables, seeds, values = rates, inputs = inputs_;
    for (const Exprs* part : std::initializer_list<const Exprs*>{&e_.q, &e_.v, &e_.x, &e_.u}) {
      variables.insert(variables.end(), part->begin(), part->end());
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      seeds.push_back(e_.graph->symbol(fmt::format("seed[{}]", i)));
    }
    values.insert(values.end(), outputs.begin(), outputs.end());
    inputs.insert(inputs.end(), seeds.begin(), seeds.end());
    add("model_directional", lower(inputs, jacobian_times_vector(values, variables, seeds)));
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
    define("STEP", c_number(m_.step));
    out += fmt::format("static const double model_start[] = {{{}, {}", c_number(m_.start_time),
                       c_number(m_.step));
    for (const auto& part : {m_.state(), m_.inputs, m_.parameters}) {
      for (const Field& field : part) out += ", " + c_number(field.start);
    }
    return out + "};\n\n";
  }

  const StepModel& m_;
  const Equations& e_;
  const Exprs& inputs_;
  std::string functions_, kernels_;
  std::size_t work_ = 0;
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

// An archive that is being written; kept only when close() was reached.
class Archive {
 public:
  explicit Archive(const fs::path& path) : path_(path) {
    int error = 0;
    zip_ = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (zip_ == nullptr) fail("cannot be made");
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
  }

  // The text must live until close().
  void add(const std::string& name, const std::string& text) {
    zip_source_t* source = zip_source_buffer(zip_, text.data(), text.size(), 0);
    if (source == nullptr || zip_file_add(zip_, name.c_str(), source, ZIP_FL_OVERWRITE) < 0) {
      fail("cannot be written");
    }
  }
  void close() {
    if (zip_close(zip_) != 0) fail("cannot be written");
    zip_ = nullptr;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw WriteError(path_.string() + " " + what + ".");
  }

  fs::path path_;
  zip_t* zip_ = nullptr;
};

}  // namespace

FmuFiles write_fmu_files(const StepModel& model, double end) {
  const std::string guid = guid_of(Source(model).write("") + describe_fmi2(model, "", end));
  return {describe_fmi2(model, guid, end), Source(model).write(guid)};
}

void write_fmu(const fs::path& path, const StepModel& model, double end) {
  const FmuFiles files = write_fmu_files(model, end);
  std::string folder = (fs::temp_directory_path() / "koppel-fmu-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw WriteError("no temporary folder can be made.");
  const fs::path source = fs::path(folder) / (model.name + ".c");
  const fs::path library = fs::path(folder) / (model.name + ".so");
  std::ofstream(source) << files.source;
  const std::string problem = build_library(source, library);
  const std::string binary = problem.empty() ? read_file(library) : "";
  fs::remove_all(folder);
  if (!problem.empty()) {
    throw Error("export.no-compiler", "the FMU's library cannot be made: " + problem + ".",
                "Install a C compiler, or name one in KOPPEL_CC.");
  }
  Archive archive(path);
  archive.add("modelDescription.xml", files.description);
  archive.add("sources/" + model.name + ".c", files.source);
  archive.add("binaries/linux64/" + model.name + ".so", binary);
  archive.close();
}

}  // namespace koppel
