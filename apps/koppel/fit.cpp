// koppel fit: parameters from measurements.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/sampled_inputs.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/study_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct FitCommand : StudyOptions {
  std::string data;
  std::vector<std::string> over, columns, noise;
  int iterations = 50;
  bool profiles = false, json = false;
};

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

void run(const FitCommand& given) {
  std::vector<ParameterOrigin> origins;
  Model model = load(*given.model, origins);
  const Trajectory data = read_csv(given.data);
  FitOptions options;
  options.run = run_options(given, model, origins);
  give_setting(origins, "end");  // that of the data
  options.until = given.end;
  double end = data.empty() ? options.run.end : end_of(data);
  if (given.end) end = std::min(end, *given.end);
  model = with_controls(std::move(model), given, end);
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

void add_fit(CLI::App& program) {
  CLI::App* command = program.add_subcommand("fit", "Fit parameters of a model to measurements");
  auto options = std::make_shared<FitCommand>();
  add_study_options(*command, *options);
  command->get_option("--end")->description(
      "Leave out measurements after this time, in seconds (default: none)");
  command
      ->add_option("--data", options->data,
                   "CSV file: times, then columns named as outputs or quantities of the model; "
                   "empty fields are gaps")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--over", options->over,
                   "Parameters, with bounds where there are some; start.NAME is the initial value "
                   "of NAME")
      ->type_name("A,B=LOW:HIGH,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--columns", options->columns,
                   "Columns to fit (default: all that the model knows)")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--noise", options->noise,
                   "Standard deviation of a column's noise, COLUMN=SIGMA (default: estimated); may "
                   "be repeated")
      ->type_name("NOISE")
      ->allow_extra_args(false);
  command->add_flag(
      "--profile", options->profiles,
      "Also compute intervals by profile likelihood, with several fits per parameter");
  command
      ->add_option("--iterations", options->iterations,
                   "Maximum number of iterations (default: 50)")
      ->type_name("N");
  command->add_flag("--json", options->json, "Print the fit as JSON");
  command->footer("Example:\n  koppel fit pendulum --data swing.csv --over l=0.5:2,g");
  command->callback([options] { run(*options); });
}

}  // namespace koppel::app
