// koppel compare: one model by many methods, as a table and plots.

#include <unistd.h>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/results/report.hpp>
#include <koppel/simulate/compare.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

template <typename Items>
std::string names_of(const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + std::string(item.name);
  return out;
}

struct CompareCommand {
  ModelOptions model;
  std::optional<double> end, limit;
  double baumgarte = 0;
  std::string formulations, integrators, tolerances, steps, projection, folder;
  std::vector<std::string> beside;
  std::optional<int> samples;
  bool json = false, quiet = false;
  NativeRequest native;

  static const OptionTable& options();
};

OptionTable model_with_sets() {
  OptionTable out = ModelOptions::options();
  option_named(out, "coordinates").info.value = "A,B,...";
  return out;
}

const OptionTable& CompareCommand::options() {
  using O = CompareCommand;
  static const OptionTable kOptions =
      within(&O::model, model_with_sets()) +
      OptionTable{
          {{.name = "formulations",
            .text = "Formulations (default: all): " + names_of(koppel::formulations()),
            .value = "A,B,..."},
           &O::formulations},
          {{.name = "integrators",
            .text = "Integrators (default: taylor, dop853, radau5, ida): " +
                    names_of(koppel::integrators()),
            .value = "A,B,..."},
           &O::integrators},
          end_option(&O::end, "the model's"),
          {{.name = "tolerances",
            .text = "Error tolerances (default: 1e-8); several give a work-precision diagram",
            .value = "X,Y,...",
            .typed = "tol"},
           &O::tolerances},
          {{.name = "steps",
            .text = "Fixed steps",
            .value = "X,Y,...",
            .unit = "s",
            .typed = "step"},
           &O::steps},
          option_named(MethodRequest::options(), "projection").kept_in(&O::projection),
          {{.name = "baumgarte",
            .text = "Baumgarte parameter times the step, for fixed steps",
            .value = "EPS",
            .unless_given = "0.2"},
           &O::baumgarte},
          {{.name = "beside",
            .text = "Another model of the same mechanism, with the same outputs; may be repeated",
            .value = "MODEL"},
           &O::beside},
          {{.name = "samples",
            .text = "Number of times at which errors are evaluated",
            .value = "N",
            .unless_given = "501"},
           &O::samples},
          {{.name = "limit",
            .text = "Time limit of each run",
            .value = "S",
            .unit = "s",
            .unless_given = "20"},
           &O::limit},
          {{.name = "out",
            .text = "Folder for compare.json, drift.html and, with several tolerances, work.html",
            .value = "DIR"},
           &O::folder},
          json_option(&O::json, "comparison"),
          {{.name = "quiet", .text = "Do not show progress"}, &O::quiet}} +
      within(&O::native);
  return kOptions;
}

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

CompareOptions compare_options(const CompareCommand& given, const Model& model) {
  CompareOptions options;
  options.coordinates = split(given.model.coordinates);
  options.formulations = split(given.formulations);
  options.integrators = split(given.integrators);
  if (!given.tolerances.empty()) options.tolerances = read_numbers("--tol", given.tolerances);
  options.steps = read_numbers("--step", given.steps);
  options.end = given.end.value_or(model.run.end);
  options.projection = read_projection(given.projection).value_or(Projection::Full);
  options.baumgarte = given.baumgarte;
  if (given.samples) options.samples = *given.samples;
  if (given.limit) options.max_seconds = *given.limit;
  options.native = use_native(given.native);
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

void compare_methods(const CompareCommand& given) {
  use_native(given.native);
  const Model model = load(given.model);
  CompareOptions options = compare_options(given, model);
  std::vector<Model> others;
  for (const std::string& path : given.beside) {
    others.push_back(load({path, {}, given.model.settings}));
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
    write_files(make_folder(given.folder, given.model.path, "compare"), model, comparison);
  }
  if (comparison.is_stopped) {
    throw Failure{ExitCode::kNumericsFailed,
                  fmt::format("interrupted after {} runs.", comparison.runs.size())};
  }
  if (comparison.recommended < 0) {
    throw Failure{ExitCode::kNumericsFailed, "error[compare.failed]: " + comparison.reason};
  }
}

}  // namespace

Command compare_command() {
  return CommandOf<compare_methods>::make(
      "compare", "Simulate a model with many methods and compare them",
      "Example:\n  koppel compare slider_crank --integrators taylor,radau5 --end 1");
}

}  // namespace koppel::app
