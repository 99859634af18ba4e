// koppel export: a model as C, ready for a target.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <koppel/base/diagnostic.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/report.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/method_options.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/result_files.hpp"

namespace koppel::app {
namespace {

struct ExportOptions {
  std::shared_ptr<ModelOptions> model;
  std::shared_ptr<MethodOptions> method;
  std::string to, folder, name;
  bool is_float = false;
};

void write(const std::filesystem::path& path, const std::string& text) {
  try {
    write_text(path, text);
  } catch (const WriteError& error) {
    throw Failure{ExitCode::kNumericsFailed,
                  std::string("error[results.not-written]: ") + error.what()};
  }
  std::printf("%s\n", path.string().c_str());
}

void export_fmu(const ExportOptions& options, const StepModel& step, double end) {
  const std::filesystem::path path = options.folder.empty() ? step.name + ".fmu" : options.folder;
  try {
    write_fmu(path, step, end);
  } catch (const WriteError& error) {
    throw Failure{ExitCode::kNumericsFailed,
                  std::string("error[results.not-written]: ") + error.what()};
  }
  std::printf("%s\n", path.string().c_str());
}

void run(const ExportOptions& options) {
  if (options.to != "c" && options.to != "fmu") {
    throw Error("arguments.wrong", "--to '" + options.to + "' is not known.",
                "It is one of: c, fmu.");
  }
  const Model model = load(*options.model);
  const StepModel step =
      make_step_model(model, simulate_options(*options.method, *options.model, model),
                      options.name.empty() ? "" : c_identifier(options.name));
  if (options.to == "fmu") {
    export_fmu(options, step, model.run.end);
    return;
  }
  const CFiles files = write_c(step, options.is_float);
  const std::filesystem::path folder = make_folder(options.folder, step.name, options.to);
  write(folder / (step.name + ".h"), files.header);
  write(folder / (step.name + ".c"), files.source);
  write(folder / "example.c", files.example);
}

}  // namespace

void add_export(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("export", "Write a model as code for a target: steps of fixed cost");
  auto options = std::make_shared<ExportOptions>();
  options->model = add_model_options(*command);
  options->method = add_method_options(*command);
  command->add_option("--to", options->to, "What to write: c, fmu")->type_name("KIND")->required();
  command->add_option("--name", options->name, "The prefix of all names; else the model's name")
      ->type_name("NAME");
  command->add_flag("--float", options->is_float, "In single precision");
  command
      ->add_option("--out", options->folder, "The folder, NAME-c by default; or the file, NAME.fmu")
      ->type_name("DIR");
  command->callback([options] { run(*options); });
}

}  // namespace koppel::app
