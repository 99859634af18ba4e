// koppel compare: one model by many methods, as a table and plots.

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/results/report.hpp>
#include <koppel/simulate/compare.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/method_options.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct Options {
  std::shared_ptr<ModelOptions> model;
  std::optional<double> end, limit;
  double baumgarte = 0;
  std::string formulations, integrators, tolerances, steps, projection, folder;
  std::vector<std::string> beside;
  std::optional<int> samples;
  bool json = false, quiet = false;
  Native native = Native::Auto;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<double> read_numbers(const char* option, const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : split(text)) {
    double value = 0;
    const char* const end = part.data() + part.size();
    if (const auto [rest, error] = std::from_chars(part.data(), end, value);
        error != std::errc() || rest != end) {
      throw Error("arguments.wrong", fmt::format("{} '{}' is not a number.", option, part),
                  "Give numbers separated by commas, such as 1e-6,1e-8.");
    }
    out.push_back(value);
  }
  return out;
}

CompareOptions compare_options(const Options& given, const Model& model) {
  CompareOptions options;
  options.coordinates = split(given.model->coordinates);
  options.formulations = split(given.formulations);
  options.integrators = split(given.integrators);
  if (!given.tolerances.empty()) options.tolerances = read_numbers("--tol", given.tolerances);
  options.steps = read_numbers("--step", given.steps);
  options.end = given.end.value_or(model.run.end);
  options.projection = projection_of(given.projection);
  options.baumgarte = given.baumgarte;
  if (given.samples) options.samples = *given.samples;
  if (given.limit) options.max_seconds = *given.limit;
  options.native = given.native;
  return options;
}

// The page shows one set of columns: drift, and work over precision where there are several
// tolerances, are a page each.
void write_files(const std::filesystem::path& folder, const Model& model,
                 const Comparison& comparison) {
  write_text(folder / "compare.json", to_json(comparison) + "\n");
  Report report;
  report.title = model.name + ": comparison";
  report.description = model.description;
  for (const Compared& run : comparison.runs) {
    report.summary.emplace_back(
        full_label_of(run, comparison),
        fmt::format("{}{:.3g} ms, {} steps, violation {:.1e}, error {}",
                    run.status == Outcome::Status::Done
                        ? ""
                        : fmt::format("{} at {:g} s, ", name_of(run.status), run.reached),
                    1e3 * run.seconds, run.steps, run.position_drift,
                    run.error ? fmt::format("{:.1e}", *run.error) : "not known"));
    if (!run.text.empty()) {
      report.alarms.push_back(full_label_of(run, comparison) + ": " + run.text);
    }
  }
  if (comparison.recommended >= 0) {
    report.messages.push_back("Recommended: " + comparison.reason);
  } else if (!comparison.reason.empty()) {
    report.messages.push_back("Nothing is recommended: " + comparison.reason);
  }
  const Trajectory drift = drift_of(comparison), work = work_of(comparison);
  report.trajectory = &drift;
  write_report(folder / "drift.html", report);
  if (work.empty()) return;
  report.title = model.name + ": work and precision";
  report.trajectory = &work;
  write_report(folder / "work.html", report);
}

void run(const Options& given) {
  const Model model = load(*given.model);
  CompareOptions options = compare_options(given, model);
  std::vector<Model> others;
  for (const std::string& path : given.beside) {
    others.push_back(load({path, {}, given.model->settings}));
  }
  for (const Model& other : others) options.beside.push_back(&other);

  std::optional<InterruptGuard> guard(std::in_place);
  const bool is_shown = !given.quiet && isatty(fileno(stderr)) != 0;
  const Comparison comparison = compare(model, options, [&](const std::string& what) {
    if (is_shown) std::fprintf(stderr, "\r\033[K%s", what.c_str());
    return !is_interrupted();
  });
  guard.reset();
  if (is_shown) std::fprintf(stderr, "\r\033[K");
  if (given.json) {
    std::printf("%s\n", to_json(comparison).c_str());
  } else {
    std::printf("%s", with_flags(to_text(comparison)).c_str());
  }
  if (!given.folder.empty()) {
    write_files(make_folder(given.folder, given.model->path, "compare"), model, comparison);
  }
  if (comparison.is_stopped) {
    throw Failure{ExitCode::kNumericsFailed,
                  fmt::format("interrupted after {} runs.", comparison.runs.size())};
  }
  if (comparison.recommended < 0) {
    throw Failure{ExitCode::kNumericsFailed, "error[compare.failed]: " + comparison.reason};
  }
}

template <typename Items>
std::string names_of(const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + std::string(item.name);
  return out;
}

}  // namespace

void add_compare(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("compare", "Simulate a model with many methods and compare them");
  auto options = std::make_shared<Options>();
  options->model = add_model_options(*command);
  command->get_option("--coordinates")->type_name("A,B,...");
  command
      ->add_option("--formulations", options->formulations,
                   "Formulations (default: all): " + names_of(formulations()))
      ->type_name("A,B,...");
  command
      ->add_option("--integrators", options->integrators,
                   "Integrators (default: taylor, dop853, radau5, ida): " + names_of(integrators()))
      ->type_name("A,B,...");
  command->add_option("--end", options->end, "End time, in seconds (default: the model's)")
      ->type_name("T");
  command
      ->add_option("--tol", options->tolerances,
                   "Error tolerances (default: 1e-8); several give a work-precision diagram")
      ->type_name("X,Y,...");
  command->add_option("--step", options->steps, "Fixed steps, in seconds")->type_name("X,Y,...");
  command
      ->add_option("--projection", options->projection,
                   "Projection onto the constraints after each step: none, once, full (default)")
      ->type_name("P");
  command
      ->add_option("--baumgarte", options->baumgarte,
                   "Baumgarte parameter times the step, for fixed steps (default: 0.2)")
      ->type_name("EPS");
  command
      ->add_option("--beside", options->beside,
                   "Another model of the same mechanism, with the same outputs; may be repeated")
      ->type_name("MODEL")
      ->allow_extra_args(false);
  command
      ->add_option("--samples", options->samples,
                   "Number of times at which errors are evaluated (default: 501)")
      ->type_name("N");
  command->add_option("--limit", options->limit, "Time limit of each run, in seconds (default: 20)")
      ->type_name("S");
  command
      ->add_option("--out", options->folder,
                   "Folder for compare.json, drift.html and, with several tolerances, work.html")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print the comparison as JSON");
  command->add_flag("--quiet", options->quiet, "Do not show progress");
  add_native_option(*command, options->native);
  command->footer("Example:\n  koppel compare slider_crank --integrators taylor,radau5 --end 1");
  command->callback([options] { run(*options); });
}

}  // namespace koppel::app
