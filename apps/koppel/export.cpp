// koppel export: a model as code: C, CUDA, WebAssembly, a page, an FMU, functions for MATLAB and
// Octave.

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/cuda.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/export/mechanism_page.hpp>
#include <koppel/export/octave.hpp>
#include <koppel/export/wasm.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/report.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/load_origins.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/result_files.hpp"

namespace koppel::app {
namespace {

struct ExportOptions {
  ModelOptions model;
  MethodRequest method;
  std::string to, folder, name, fmi = "2";
  bool is_float = false;
  std::optional<double> tolerance;

  static const OptionTable& options();
};

const OptionTable& ExportOptions::options() {
  using O = ExportOptions;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::method) +
      OptionTable{
          {{.name = "to",
            .text = "What to write: c, cuda, wasm, html, fmu, octave",
            .value = "KIND",
            .is_required = true},
           &O::to},
          {{.name = "name",
            .text = "Prefix of all names",
            .value = "NAME",
            .unless_given = "the model's name"},
           &O::name},
          {{.name = "tolerance",
            .text = "Error tolerance of dop853 and of Octave's integrators",
            .value = "X",
            .unless_given = "1e-8",
            .typed = "tol"},
           &O::tolerance},
          {{.name = "fmi", .text = "FMI version: 2 (default) or 3", .value = "N"}, &O::fmi},
          {{.name = "float", .text = "Write C or CUDA in single precision"}, &O::is_float},
          {{.name = "out",
            .text = "Output folder (default: NAME-c, NAME-cuda, …), or file (default: NAME.html, "
                    "NAME.fmu)",
            .value = "DIR"},
           &O::folder}};
  return kOptions;
}

constexpr double kDefaultStep = 1e-3;  // seconds; what most rigs run at

void write(const std::filesystem::path& path, const std::string& text) {
  write_text(path, text);
  std::printf("%s\n", path.string().c_str());
}

void export_fmu(const ExportOptions& options, const StepModel& step, double end) {
  const std::filesystem::path path = options.folder.empty() ? step.name + ".fmu" : options.folder;
  write_fmu(path, step, end, options.fmi == "3" ? FmiVersion::V3 : FmiVersion::V2);
  std::printf("%s\n", path.string().c_str());
}

void export_c(const ExportOptions& options, const StepModel& step) {
  const CFiles files = write_c(step, options.is_float);
  const std::filesystem::path folder = make_folder(options.folder, step.name, options.to);
  write(folder / (step.name + ".h"), files.header);
  write(folder / (step.name + ".c"), files.source);
  write(folder / c_example_file(step.name), files.example);
  if (!files.start.empty()) write(folder / (step.name + "_start.c"), files.start);
}

void export_wasm(const ExportOptions& options, const StepModel& step) {
  const WasmFiles files = write_wasm(step);
  const std::filesystem::path folder = make_folder(options.folder, step.name, options.to);
  write(folder / (step.name + ".wasm"), files.module);
  write(folder / (step.name + ".js"), files.wrapper);
  write(folder / (step.name + ".d.ts"), files.types);
}

constexpr std::size_t kMostBytes = 1'000'000;  // of a page

std::string megabytes(const std::string& page) {
  return fmt::format("{:.2f} MB", static_cast<double>(page.size()) / 1e6);
}

// A step with hands is longer than one without, and some are shorter in joint coordinates: where
// the page would be too large with two hands it is made so, or with fewer.
StepModel export_html(const ExportOptions& options, const Model& model, const SimulateOptions& how,
                      const std::string& name, const std::vector<ParameterOrigin>& origins) {
  // Without the second step where it would be too large with it.
  const auto page_of = [&](PageStep& of) {
    std::string text = to_html(make_mechanism_page(model, of));
    if (text.size() > kMostBytes && of.unheld) {
      of.unheld = {};
      text = to_html(make_mechanism_page(model, of));
    }
    return text;
  };
  PageStep step = make_step_for_page(model, how, name, origins);
  std::string page = page_of(step);
  const auto improve = [&](const std::string& coordinates, int hands) {
    if (page.size() <= kMostBytes) return;
    SimulateOptions other = how;
    if (!coordinates.empty()) other.coordinates = coordinates;
    try {
      PageStep smaller = make_step_for_page(model, other, name, origins, hands);
      std::string of = page_of(smaller);
      if (of.size() >= page.size()) return;
      step = std::move(smaller);
      page = std::move(of);
    } catch (const Error&) {
      // Not in these coordinates.
    }
  };
  const bool is_open = how.coordinates.empty() && !model.bodies.empty();
  for (const int hands : {2, 1, 0}) {
    if (hands < 2) improve("", hands);
    if (is_open) improve("joint", hands);
  }
  const std::filesystem::path path =
      options.folder.empty() ? step.step.name + ".html" : options.folder;
  write(path, page);
  print_line("page",
             megabytes(page) + (page.size() > kMostBytes ? ", more than the 1 MB meant" : ""));
  if (model.bodies.size() > 1) {
    const int hands = step.num_hands();
    print_line("hands", hands > 0 ? fmt::format("{}", hands)
                                  : "none: bodies cannot be taken hold of, as the page says");
  }
  return std::move(step.step);
}

void export_cuda(const ExportOptions& options, const StepModel& step) {
  const CudaFiles files = write_cuda(step, options.is_float);
  const std::filesystem::path folder = make_folder(options.folder, step.name, options.to);
  write(folder / (step.name + ".h"), files.header);
  write(folder / (step.name + ".cu"), files.source);
  write(folder / c_example_file(step.name), files.example);
}

void export_octave(const ExportOptions& options, const Model& model, const SimulateOptions& how,
                   const std::string& name) {
  const auto files = write_octave(model, how, name);
  const std::filesystem::path folder =
      make_folder(options.folder, name.empty() ? c_identifier(model.name) : name, options.to);
  for (const auto& [file, text] : files) write(folder / file, text);
}

void print_choice(const StepModel& step) {
  const MethodTrial& trial = step.choice.trial;
  print_line("method", fmt::format("{}; step {:g} s", step.method, step.step));
  print_line("trial", describe(trial));
  for (const MethodTrial& other : step.choice.others) {
    print_line("beside it", fmt::format("{} in {} coordinates, {}", other.integrator.text(),
                                        other.coordinates, describe(other)));
  }
}

// An integrator that was asked for is exported though it does not hold; the exit code says so.
void refuse_to_vouch(const MethodTrial& trial) {
  if (trial.holds()) return;
  throw Failure{ExitCode::kNumericsFailed,
                fmt::format("warning: written, but {} does not hold at a step of {:g} s: {}",
                            trial.integrator.text(), trial.step, trial.text)};
}

void export_model(const ExportOptions& options) {
  const std::vector<std::string> kinds = {"c", "cuda", "wasm", "html", "fmu", "octave"};
  if (std::find(kinds.begin(), kinds.end(), options.to) == kinds.end()) {
    throw Error("arguments.wrong", "--to '" + options.to + "' is not known.",
                "It is one of: c, cuda, wasm, html, fmu, octave.");
  }
  if (options.fmi != "2" && options.fmi != "3") {
    throw Error("arguments.wrong", "--fmi '" + options.fmi + "' is not known.", "It is 2 or 3.");
  }
  std::vector<ParameterOrigin> origins;
  const Model model = load(options.model, origins);
  SimulateOptions how = simulate_options(options.method, options.model, model);
  if (options.tolerance) how.tolerance = *options.tolerance;
  if (options.is_float && options.to != "c" && options.to != "cuda") {
    throw Error("export.float",
                "--float belongs to --to c and cuda: what --to " + options.to +
                    " writes is in double precision.",
                "Leave out --float.");
  }
  const std::string name = options.name.empty() ? "" : c_identifier(options.name);
  if (options.to == "octave") return export_octave(options, model, how, name);
  if (!how.step && options.to != "html") how.step = kDefaultStep;
  const StepModel step =
      options.to == "html"
          ? export_html(options, model, how, name, origins)
          : make_step_model(model, how, name,
                            options.to == "fmu" ? StepKind::Accurate : StepKind::FixedCost,
                            origins);
  print_choice(step);
  if (options.to == "fmu") {
    export_fmu(options, step, model.run.end);
  } else if (options.to == "wasm") {
    export_wasm(options, step);
  } else if (options.to == "cuda") {
    export_cuda(options, step);
  } else if (options.to == "c") {
    export_c(options, step);
  }
  if (options.to != "html" || !step.choice.trial.only_damps) refuse_to_vouch(step.choice.trial);
}

}  // namespace

Command export_command() {
  return CommandOf<export_model>::make(
      "export",
      "Write a model as C, CUDA, WebAssembly, a page that runs it, an FMU, or functions for Octave",
      "Example:\n  koppel export car_axle --to c --step 1e-3 --out axle-c\n"
      "  koppel export slider_crank --to wasm --step 1e-3");
}

}  // namespace koppel::app
