// koppel sensitivity: exact derivatives of what a run gives, by parameters and initial values.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/sensitivity.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/study_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct SensitivityCommand : StudyOptions {
  std::vector<std::string> of, over;
  std::string mode, course;
  int samples = 101;
  bool json = false, second = false;
};

SensitivityOptions::Mode mode_of(const std::string& text) {
  using Mode = SensitivityOptions::Mode;
  if (text.empty() || text == "auto") return Mode::Auto;
  if (text == "forward") return Mode::Forward;
  if (text == "adjoint") return Mode::Adjoint;
  throw Error("arguments.wrong", fmt::format("there is no mode '{}'.", text),
              "Use forward, adjoint or auto.");
}

void run(const SensitivityCommand& given) {
  std::vector<ParameterOrigin> origins;
  Model model = load(*given.model, origins);
  SensitivityOptions options;
  options.run = run_options(given, model, origins);
  model = with_controls(std::move(model), given, options.run.end);
  options.mode = mode_of(given.mode);
  for (const std::string& text : given.of) options.of.push_back(parse_criterion(text));
  check_labels(options.of);
  if (options.of.empty()) options.of = criteria_of(model);
  if (options.of.empty()) {
    throw Error("arguments.wrong", "the model has no outputs, and no criterion is given.",
                "Say with --of what the derivatives are of: rod.angle:final, for example.");
  }
  std::vector<std::string> names = expand(given.over, model);
  if (names.empty()) {
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const Parameter& parameter = model.parameters[i];
      const bool follows = i < origins.size() &&
                           (origins[i].definition.has_value() || !origins[i].run_settings.empty());
      if (!parameter.is_built_in && !follows) names.emplace_back(parameter.symbol.name());
    }
  }
  options.with_second = given.second;
  if (!given.course.empty()) {
    if (given.samples < 2) throw Error("arguments.wrong", "--samples must be 2 or more.");
    for (int i = 0; i < given.samples; ++i) {
      options.times.push_back(i + 1 == given.samples ? options.run.end
                                                     : options.run.end * i / (given.samples - 1));
    }
  }
  const StudiedParameters over(model, origins, names);
  const InterruptGuard guard;
  const Sensitivity found = find_sensitivity(over, options);
  for (const std::string& message : found.messages) {
    fmt::print(stderr, "note: {}\n", with_flags(message));
  }
  const bool is_there =
      found.status == Outcome::Status::Done || found.status == Outcome::Status::Doubtful;
  if (is_there && !given.course.empty()) write_csv(given.course, found.course);
  if (given.json) {
    std::printf("%s\n", to_json(found).c_str());
  } else if (is_there) {
    std::printf("%s", to_text(found).c_str());
  }
  if (found.status == Outcome::Status::Done) return;
  const std::string text = found.status == Outcome::Status::Stopped && found.text.empty()
                               ? "it was stopped before the end of the run."
                               : with_flags(found.text);
  throw Failure{ExitCode::kNumericsFailed,
                (is_there ? "error[study.doubtful]: " : "error[study.failed]: ") + text};
}

}  // namespace

void add_sensitivity(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "sensitivity", "Compute derivatives of results by parameters and initial values");
  auto options = std::make_shared<SensitivityCommand>();
  add_study_options(*command, *options);
  command
      ->add_option("--of", options->of,
                   "Quantity to differentiate: QUANTITY:final, or :min, :max, :mean, :integral, or "
                   "EVENT:time; may be repeated (default: the model's outputs at the end)")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  command
      ->add_option("--over", options->over,
                   "Parameters; start.NAME is the initial value of NAME (default: all parameters)")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option(
          "--mode", options->mode,
          "forward: a cost for each parameter; adjoint: for each criterion; auto (default)")
      ->type_name("M");
  command->add_flag("--second", options->second,
                    "Also compute second derivatives, of values at the end, means and integrals");
  command
      ->add_option("--course", options->course,
                   "Also write the quantities and their derivatives over time, as CSV")
      ->type_name("FILE");
  command->add_option("--samples", options->samples, "Rows of --course (default: 101)")
      ->type_name("N");
  command->add_flag("--json", options->json, "Print the derivatives as JSON");
  command->footer("Example:\n  koppel sensitivity slider_crank --of Bx:final --over a,b,m --end 1");
  command->callback([options] { run(*options); });
}

}  // namespace koppel::app
