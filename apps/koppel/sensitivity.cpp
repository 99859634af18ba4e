// koppel sensitivity: exact derivatives of what a run gives, by parameters and initial values.

#include <cstdio>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/sensitivity.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/study_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct SensitivityCommand {
  StudyOptions study;
  std::vector<std::string> of, over;
  std::string mode, course;
  int samples = 101;
  bool json = false, second = false;

  static const OptionTable& options();
};

const OptionTable& SensitivityCommand::options() {
  using O = SensitivityCommand;
  static const OptionTable kOptions =
      within(&O::study) +
      OptionTable{
          {{.name = "of",
            .text = "Quantity to differentiate: QUANTITY:final, or :min, :max, :mean, :integral, "
                    "or EVENT:time; may be repeated",
            .value = "WHAT",
            .unless_given = "the model's outputs at the end"},
           &O::of},
          {{.name = "over",
            .text = "Parameters; start.NAME is the initial value of NAME",
            .value = "A,B,...",
            .unless_given = "all parameters",
            .has_commas = true},
           &O::over},
          {{.name = "mode",
            .text = "forward: a cost for each parameter; adjoint: for each criterion; auto "
                    "(default)",
            .value = "M"},
           &O::mode},
          {{.name = "second",
            .text = "Also compute second derivatives, of values at the end, means and integrals"},
           &O::second},
          {{.name = "course",
            .text = "Also write the quantities and their derivatives over time, as CSV",
            .value = "FILE"},
           &O::course},
          {{.name = "samples", .text = "Rows of --course", .value = "N", .unless_given = "101"},
           &O::samples},
          json_option(&O::json, "derivatives")};
  return kOptions;
}

SensitivityOptions::Mode mode_of(const std::string& text) {
  using Mode = SensitivityOptions::Mode;
  if (text.empty() || text == "auto") return Mode::Auto;
  if (text == "forward") return Mode::Forward;
  if (text == "adjoint") return Mode::Adjoint;
  throw Error("arguments.wrong", fmt::format("there is no mode '{}'.", text),
              "Use forward, adjoint or auto.");
}

void differentiate(const SensitivityCommand& given) {
  std::vector<ParameterOrigin> origins;
  Model model = load(given.study.model, origins);
  SensitivityOptions options;
  options.run = run_options(given.study, model, origins);
  model = with_controls(std::move(model), given.study, options.run.end);
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

Command sensitivity_command() {
  return CommandOf<differentiate>::make(
      "sensitivity", "Compute derivatives of results by parameters and initial values",
      "Example:\n  koppel sensitivity slider_crank --of Bx:final --over a,b,m --end 1");
}

}  // namespace koppel::app
