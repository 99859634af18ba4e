// koppel optimize: parameters that make a criterion of a run as small as possible.

#include <unistd.h>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/results/report.hpp>
#include <koppel/study/optimize.hpp>
#include <koppel/study/optimize_journal.hpp>
#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/sweep_manifest.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/study_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct OptimizeCommand {
  StudyOptions study;
  std::vector<std::string> minimize, maximize, over, limits;
  std::uint64_t starts = 1;
  std::uint64_t seed = 1;
  int evaluations = 200;
  double parameter_tolerance = 1e-6;
  std::string folder;
  bool json = false, quiet = false;

  static const OptionTable& options();
};

const OptionTable& OptimizeCommand::options() {
  using O = OptimizeCommand;
  static const OptionTable kOptions =
      within(&O::study) +
      OptionTable{
          {{.name = "minimize",
            .text = "QUANTITY:final, or :min, :max, :mean, :integral; several are added up",
            .value = "WHAT"},
           &O::minimize},
          {{.name = "maximize", .text = "The same, to maximize", .value = "WHAT"}, &O::maximize},
          {{.name = "over",
            .text = "Parameters with bounds; start.NAME is the initial value of NAME",
            .value = "A=LOW:HIGH,...",
            .has_commas = true},
           &O::over},
          {{.name = "subject_to",
            .text = "A limit, as in \"rod.angle:max <= 0.5\"; may be repeated",
            .value = "LIMIT"},
           &O::limits},
          {{.name = "starts",
            .text = "Number of starts: the model's values, then random ones",
            .value = "N",
            .unless_given = "1",
            .bound = OptionBound::Count,
            .counted = "number of starts: at least 1 is needed"},
           &O::starts},
          {{.name = "seed", .text = "Seed of random starts", .value = "S", .unless_given = "1"},
           &O::seed},
          {{.name = "evaluations",
            .text = "Maximum number of runs per start",
            .value = "N",
            .unless_given = "200"},
           &O::evaluations},
          {{.name = "xtol",
            .text = "Tolerance of parameters, relative to their ranges",
            .value = "X",
            .unless_given = "1e-6"},
           &O::parameter_tolerance},
          folder_option(&O::folder, "MODEL-optimize"),
          json_option(&O::json, "optimum"),
          quiet_option(&O::quiet)};
  return kOptions;
}

OptimizeOptions options_of(const OptimizeCommand& given, const Model& model,
                           const SimulateOptions& run) {
  OptimizeOptions options;
  options.run = run;
  if (!given.minimize.empty() && !given.maximize.empty()) {
    throw Error("arguments.wrong", "--minimize and --maximize are both given.");
  }
  options.maximizes = !given.maximize.empty();
  for (const std::string& text : options.maximizes ? given.maximize : given.minimize) {
    options.minimize.push_back(parse_criterion(text));
  }
  for (const std::string& text : given.limits) options.limits.push_back(parse_limit(text));
  for (const std::string& text : given.over) {
    if (text.find('=') == text.npos) {
      throw Error("study.bad-range", fmt::format("'{}' has no bounds to look within.", text),
                  fmt::format("Give them: {}=low:high.", text));
    }
    options.over.push_back(parse_range(text));
  }
  options.over = expand(options.over, model);
  options.starts = given.starts;
  options.seed = given.seed;
  options.max_evaluations = given.evaluations;
  options.tolerance = given.parameter_tolerance;
  return options;
}

// The outputs and the mechanism as it moves, before and after, one beside the other.
void write_comparison(const std::filesystem::path& path, const Model& model,
                      const std::vector<ParameterOrigin>& origins, const OptimizeOptions& options,
                      const Optimum& optimum) {
  const StudiedParameters space(model, origins, optimum.parameters);
  const Model after_model = space.at(optimum.best.at);
  const Simulation after = simulate(after_model, options.run);
  std::optional<Simulation> before;
  const Model before_model = space.at(optimum.first.at);
  if (optimum.first.is_good()) before = simulate(before_model, options.run);
  // An event may end one of them early: then it has gaps.
  const bool is_shorter = before && before->trajectory.num_rows() > after.trajectory.num_rows();
  const Simulation& longer = is_shorter ? *before : after;
  std::vector<Column> columns = {longer.trajectory.columns()[0]};
  std::vector<std::span<const double>> values = {longer.trajectory.time()};
  for (std::size_t i = 1; i < after.trajectory.num_columns(); ++i) {
    const Column& column = after.trajectory.columns()[i];
    if (column.group != Group::Outputs) continue;
    if (before) {
      columns.push_back({column.name + " before", column.unit, column.group});
      values.push_back(before->trajectory[column.name]);
    }
    columns.push_back({column.name + " after", column.unit, column.group});
    values.push_back(after.trajectory.column(i));
  }
  Trajectory both(columns);
  for (std::size_t row = 0; row < values[0].size(); ++row) {
    std::vector<double> line;
    for (const auto& column : values)
      line.push_back(row < column.size() ? column[row] : std::nan(""));
    both.append(line);
  }
  Report report;
  report.title = model.name + ": optimum";
  report.description = model.description;
  for (std::size_t i = 0; i < optimum.parameters.size(); ++i) {
    report.summary.emplace_back(
        optimum.parameters[i],
        fmt::format("{:.8g}, before {:.8g}", optimum.best.at[i], optimum.first.at[i]));
  }
  report.trajectory = &both;
  report.scene = make_scene(after_model, after, kMaxFrames);
  if (before) report.beside = make_scene(before_model, *before, kMaxFrames);
  report.beside_label = "before";
  report.scene_label = "after";
  write_report(path, report);
}

void optimize_model(const OptimizeCommand& given) {
  std::vector<ParameterOrigin> origins;
  Model model = load(given.study.model, origins);
  const SimulateOptions each = run_options(given.study, model, origins);
  model = with_controls(std::move(model), given.study, each.end);
  const OptimizeOptions options = options_of(given, model, each);
  const std::string model_hash = fingerprint(model);  // as it was read
  check_question(model, origins, options);
  const std::filesystem::path folder =
      make_folder(given.folder, given.study.model.path, "optimize");
  const FolderLock lock(folder);
  OptimizeJournal journal(folder / "journal.txt", model_hash, options);
  const bool is_shown = !given.quiet && isatty(fileno(stderr)) != 0;
  OptimizeCallbacks callbacks;
  callbacks.known = [&](const std::vector<double>& at) { return journal.find(at); };
  callbacks.evaluated = [&](const Evaluation& evaluation, long number) {
    journal.append(evaluation);
    if (is_shown) {
      std::fprintf(
          stderr, "\r\033[Krun %ld: %s", number,
          evaluation.is_good() ? fmt::format("{:.8g}", evaluation.value).c_str() : "failed");
    }
    return !is_interrupted();
  };
  std::optional<InterruptGuard> guard(std::in_place);
  const Optimum optimum = optimize(model, origins, options, callbacks);
  guard.reset();
  clear_stop();
  if (is_shown) std::fprintf(stderr, "\r\033[K");
  write_text(folder / "optimum.json", to_json(optimum, options) + "\n");
  const bool is_compared = !optimum.best.at.empty() && optimum.end != Optimum::End::Stopped;
  if (is_compared) {
    write_comparison(folder / "optimum.html", model, origins, options, optimum);
  }
  if (given.json) {
    std::printf("%s\n", to_json(optimum, options).c_str());
  } else if (!given.quiet) {
    std::printf("%s", with_flags(to_text(optimum, options)).c_str());
    std::printf("files: %s%s, journal.txt\n", (folder / "optimum.json").c_str(),
                is_compared ? ", optimum.html" : "");
  }
  const auto fail = [](std::string text) {
    throw Failure{ExitCode::kNumericsFailed, with_flags(text)};
  };
  switch (optimum.end) {
    case Optimum::End::Nothing:
      fail("error[study.no-optimum]: no run came to its end; the first: " + optimum.failure);
      break;
    case Optimum::End::Stopped:
      fail(fmt::format("interrupted after {} runs.\n  Give the same command again to continue.",
                       optimum.evaluations));
      break;
    case Optimum::End::TooManyEvaluations:
      fail(
          fmt::format("error[study.not-converged]: the optimum was not found within {} runs from "
                      "a start; the best point so far is shown.\n  Allow more with --evaluations, "
                      "or loosen --xtol.",
                      options.max_evaluations));
      break;
    case Optimum::End::Converged: break;
  }
  if (!optimum.is_feasible) {
    std::string missed;
    for (const std::string& text : optimum.missed) missed += (missed.empty() ? "" : ", ") + text;
    fail(
        fmt::format("error[study.infeasible]: no point was found that satisfies all limits; the "
                    "nearest misses {}.",
                    missed));
  }
}

}  // namespace

Command optimize_command() {
  return CommandOf<optimize_model>::make(
      "optimize", "Find the parameters that minimize or maximize a criterion",
      "Example:\n  koppel optimize slider_crank --maximize Bx:final --over a=0.3:0.5,b=0.9:1.1 "
      "--end 0.5");
}

}  // namespace koppel::app
