// koppel fit: parameters from measurements.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/sampled_inputs.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/study_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct FitCommand {
  StudyOptions study;
  std::string data;
  std::vector<std::string> over, columns, noise;
  int iterations = 50;
  bool profiles = false, json = false;

  static const OptionTable& options();
};

OptionTable study_of_data() {
  OptionTable out = StudyOptions::options();
  OptionInfo& end = option_named(out, "end").info;
  end.text = "Leave out measurements after this time";
  end.unless_given = "none";
  return out;
}

const OptionTable& FitCommand::options() {
  using O = FitCommand;
  static const OptionTable kOptions =
      within(&O::study, study_of_data()) +
      OptionTable{
          {{.name = "data",
            .text = "CSV file: times, then columns named as outputs or quantities of the model; "
                    "empty fields are gaps",
            .value = "FILE",
            .is_required = true},
           &O::data},
          {{.name = "over",
            .text = "Parameters, with bounds where there are some; start.NAME is the initial value "
                    "of NAME",
            .value = "A,B=LOW:HIGH,...",
            .has_commas = true},
           &O::over},
          {{.name = "columns",
            .text = "Columns to fit",
            .value = "A,B,...",
            .unless_given = "all that the model knows",
            .has_commas = true},
           &O::columns},
          {{.name = "noise",
            .text = "Standard deviation of a column's noise, COLUMN=SIGMA (default: estimated); "
                    "may be repeated",
            .value = "NOISE"},
           &O::noise},
          {{.name = "profiles",
            .text = "Also compute intervals by profile likelihood, with several fits per parameter",
            .typed = "profile"},
           &O::profiles},
          {{.name = "iterations",
            .text = "Maximum number of iterations",
            .value = "N",
            .unless_given = "50"},
           &O::iterations},
          json_option(&O::json, "fit")};
  return kOptions;
}

FitOptions::Noise read_noise(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  try {
    if (equals != text.npos) {
      std::size_t end = 0;
      const double sigma = std::stod(text.substr(equals + 1), &end);
      const bool is_all = end == text.size() - equals - 1;
      if (is_all && std::isfinite(sigma)) return {text.substr(0, equals), sigma};
    }
  } catch (const std::exception&) {
  }
  throw Error("arguments.wrong", fmt::format("--noise '{}' cannot be read.", text),
              "Write COLUMN=SIGMA, the standard deviation in the column's unit.");
}

void fit_model(const FitCommand& given) {
  std::vector<ParameterOrigin> origins;
  Model model = load(given.study.model, origins);
  const Trajectory data = read_csv(given.data);
  FitOptions options;
  options.run = run_options(given.study, model, origins);
  give_setting(origins, "end");  // that of the data
  options.until = given.study.end;
  double end = data.empty() ? options.run.end : end_of(data);
  if (given.study.end) end = std::min(end, *given.study.end);
  model = with_controls(std::move(model), given.study, end);
  for (const std::string& text : given.over) options.over.push_back(parse_fitted(text));
  options.over = expand(options.over, model);
  options.columns = given.columns;
  for (const std::string& text : given.noise) options.noise.push_back(read_noise(text));
  options.with_profiles = given.profiles;
  if (given.iterations < 1) {
    throw Error(
        "arguments.wrong",
        fmt::format("--iterations {} is no limit: a fit needs at least one.", given.iterations));
  }
  options.max_iterations = given.iterations;
  std::optional<InterruptGuard> guard(std::in_place);
  const Fit found = fit(model, origins, data, options);
  guard.reset();
  clear_stop();
  if (given.json) {
    std::printf("%s\n", to_json(found).c_str());
  } else if (found.end != Fit::End::Failed) {
    std::printf("%s", to_text(found).c_str());
  }
  switch (found.end) {
    case Fit::End::Converged: break;
    case Fit::End::Failed:
      throw Failure{ExitCode::kNumericsFailed,
                    "error[study.fit-failed]: the model does not run with these parameters: " +
                        with_flags(found.text)};
    case Fit::End::Stopped:
      throw Failure{ExitCode::kNumericsFailed,
                    fmt::format("interrupted after {} runs.", found.runs)};
    case Fit::End::TooManyIterations:
      throw Failure{ExitCode::kNumericsFailed,
                    fmt::format("error[study.not-converged]: the fit did not converge within {} "
                                "iterations; allow more with --iterations.",
                                options.max_iterations)};
  }
  if (found.doubt.empty()) return;
  throw Failure{
      ExitCode::kNumericsFailed,
      "error[study.doubtful]: in the run with these parameters, " + with_flags(found.doubt)};
}

}  // namespace

Command fit_command() {
  return CommandOf<fit_model>::make(
      "fit", "Fit parameters of a model to measurements",
      "Example:\n  koppel fit pendulum --data swing.csv --over l=0.5:2,g");
}

}  // namespace koppel::app
