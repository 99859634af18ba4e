// koppel inverse: computes the inputs for the prescribed motion of outputs and writes inputs.csv,
// trajectory.csv, summary.json and report.html.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/control/feedback/robustness.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/results/report.hpp>

#include "apps/koppel/attendant.hpp"
#include "apps/koppel/commands.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/health_option.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/method_options.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct Options {
  std::shared_ptr<ModelOptions> model;
  std::optional<double> end, step;
  std::string method, integrator, samples, folder;
  bool json = false, quiet = false, across_jumps = false, verify = false;
  Native native = Native::Auto;
  FeedbackOptions feedback;
  bool has_feedback = false;
  std::vector<std::string> plant, disturb;
  bool bounded = false;
  std::shared_ptr<HealthOptions> health;
};

// "name=value" of --plant and --disturb.
void add_disturbances(const std::vector<std::string>& texts, Disturbance::Kind kind,
                      const char* option, std::vector<Disturbance>& out) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double value = 0;
    if (equals == 0 || equals == std::string::npos ||
        !CLI::detail::lexical_cast(text.substr(equals + 1), value)) {
      throw Error("arguments.wrong",
                  fmt::format("{} '{}' is not of the form name=number.", option, text));
    }
    out.push_back({kind, text.substr(0, equals), value});
  }
}

std::vector<Disturbance> disturbances(const Options& options) {
  std::vector<Disturbance> all;
  add_disturbances(options.plant, Disturbance::Kind::Parameter, "--plant", all);
  add_disturbances(options.disturb, Disturbance::Kind::Start, "--disturb", all);
  return all;
}

// What the command line says goes before what the model says.
InverseOptions inverse_options(const Options& given, const Model& model) {
  InverseOptions options = inverse_options_of(model);
  if (given.end) options.end = *given.end;
  if (!given.model->coordinates.empty()) options.coordinates = given.model->coordinates;
  if (!given.method.empty()) options.method = given.method;
  if (!given.integrator.empty()) options.integrator = given.integrator;
  if (given.step) options.step = given.step;
  options.sampling = read_samples(given.samples, options.sampling);
  options.native = given.native;
  options.across_jumps = given.across_jumps;
  options.verify = given.verify;
  options.bounded = given.bounded;
  options.health = *given.health;
  return options;
}

}  // namespace

Lines describe(const Inverse& result) {
  const InverseSummary& s = result.summary;
  Lines lines;
  lines.emplace_back("method",
                     fmt::format("{}{}, {} coordinates", s.method,
                                 s.integrator.empty() ? "" : " by " + s.integrator, s.coordinates));
  lines.emplace_back(
      "index", fmt::format("{}; {}", s.index,
                           s.internal_dynamics == 0 ? "no internal dynamics"
                                                    : fmt::format("internal dynamics of order {}",
                                                                  s.internal_dynamics)));
  lines.emplace_back("time",
                     fmt::format("{:.6g} s to {:.6g} s{} in {}, set-up {}", s.begun, s.reached,
                                 s.status == "done" ? "" : fmt::format(" of {:.6g} s", s.end),
                                 short_time(s.wall_seconds), short_time(s.setup_seconds)));
  lines.emplace_back("residuals", fmt::format("{:.2g} of outputs, {:.2g} of all equations, at most",
                                              s.max_servo_error, s.max_residual));
  for (const InputSummary& input : s.inputs) {
    lines.emplace_back(input.name, fmt::format("{:.6g} (at {:.6g} s) to {:.6g} (at {:.6g} s)",
                                               input.min, input.at_min, input.max, input.at_max));
  }
  if (s.verification) {
    const Verification& v = *s.verification;
    lines.emplace_back(v.is_verified ? "verified" : "not verified",
                       v.is_done ? v.describe() : v.text);
  }
  if (!s.robustness.empty()) {
    lines.emplace_back("feedback",
                       s.feedback + "; tracking error of the outputs, largest and final:");
  }
  for (const RobustnessCase& c : s.robustness) {
    const auto error = [](const Verification& v) {
      return v.is_done ? fmt::format("{:.2g} and {:.2g}", v.max_error, v.end_error)
                       : fmt::format("fails at t = {:.6g} s", v.reached);
    };
    lines.emplace_back(to_text(c.disturbance),
                       fmt::format("{}; with feedback {}", error(c.open), error(c.closed)));
  }
  return lines;
}

Report make_report(const Model& model, const Inverse& result) {
  Report report{model.name,         model.description,
                describe(result),   result.summary.messages,
                &result.trajectory, {}};
  if (Scene scene = make_scene(model); !scene.is_empty()) {
    add_frames(result.equations, *result.observation, result.trajectory, kMaxFrames, scene);
    report.scene = std::move(scene);
  }
  if (!result.text.empty()) report.alarms.push_back(result.text);
  return report;
}

namespace {

void write_files(const Model& model, Inverse& result, Files& files) {
  InverseSummary& summary = result.summary;
  summary.files = {
      {"inputs", "inputs.csv"}, {"trajectory", "trajectory.csv"}, {"report", "report.html"}};
  files.attempt([&] { write_text(files.path("summary.json"), to_json(summary) + "\n"); });
  const Report report = with_flags(make_report(model, result));
  files.attempt([&] { write_report(files.path("report.html"), report); });
}

void run(const Options& options) {
  const Model model = load(*options.model);
  const InverseOptions inverse_with = inverse_options(options, model);
  inverse_with.validate();
  const std::vector<Disturbance> different = disturbances(options);
  options.feedback.validate();

  Attendant attendant([&] { return make_folder(options.folder, options.model->path, "inverse"); },
                      options.quiet);
  Inverse result = inverse(model, inverse_with, attendant.callbacks());
  Files& files = attendant.end();
  if (files.num_rows() < result.trajectory.num_rows()) {  // what is not in the file is not told
    result.trajectory.keep_first(files.num_rows());
    koppel::describe(result.trajectory, result.equations, result.summary);
  }
  if (result.status == Outcome::Status::Done && (options.has_feedback || !different.empty())) {
    result.summary.feedback = options.feedback.kind;
    try {
      result.summary.robustness = find_robustness(model, result, options.feedback, different);
    } catch (const Error&) {
      write_files(model, result, files);  // the inputs are there all the same
      throw;
    } catch (const Stopped&) {
      clear_stop();
      write_files(model, result, files);
      throw Failure{ExitCode::kNumericsFailed,
                    "interrupted; the inputs are complete, what the feedback does is not known."};
    }
  }

  const Lines lines = describe(result);
  write_files(model, result, files);
  if (options.json) {
    std::printf("%s\n", to_json(result.summary).c_str());
  } else if (!options.quiet) {
    std::printf("%s\n", result.summary.model.c_str());
    for (const auto& [label, text] : lines) print_line(label, text);
    if (files.is_good()) {
      print_line("files", fmt::format("{}, trajectory.csv, summary.json, report.html",
                                      files.path("inputs.csv").string()));
    }
  }
  const bool is_doubtful = result.status == Outcome::Status::Doubtful;
  report_end(result.status, is_doubtful ? "control.doubtful" : "control.failed",
             result.summary.reached, result.text, files);
}

}  // namespace

void add_inverse(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "inverse", "Compute the inputs that make the outputs follow their references");
  auto options = std::make_shared<Options>();
  options->model = add_model_options(*command);
  command
      ->add_option(
          "--method", options->method,
          "Method: auto (default), flat, projection, projection:null-space, minimal-extension, "
          "minimal-extension:twice")
      ->type_name("M");
  command
      ->add_option(
          "--integrator", options->integrator,
          "Integrator of projection and minimal-extension: implicit-euler (default), bdf2, bdf3, "
          "bdf4, bdf5, radau5, midpoint; of internal dynamics: taylor (default), radau5")
      ->type_name("I");
  command->add_option("--step", options->step, "Fixed step, in seconds (default: duration/100)")
      ->type_name("H");
  command->add_option("--end", options->end, "End time, in seconds (default: the model's, or 10)")
      ->type_name("T");
  command
      ->add_option("--samples", options->samples, "Number of equally spaced rows (default: 1001)")
      ->type_name("N");
  command->add_flag("--verify", options->verify,
                    "Simulate with the computed inputs and compare the outputs");
  CLI::Option* feedback = command
                              ->add_option("--feedback", options->feedback.kind,
                                           "Also simulate with tracking feedback: lqr or pd")
                              ->type_name("F");
  command
      ->add_option(
          "--plant", options->plant,
          "Simulate with this parameter changed, unknown to the inputs, and report the tracking "
          "error; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--disturb", options->disturb,
          "The same with a coordinate or velocity that starts off by this much; may be repeated")
      ->type_name("NAME=CHANGE")
      ->allow_extra_args(false);
  command
      ->add_option("--accuracy", options->feedback.accuracy,
                   "Feedback: tolerated error, as a part of an output's range (default: 0.01)")
      ->type_name("X");
  command
      ->add_option("--effort", options->feedback.effort,
                   "Feedback: tolerated correction, as a part of an input's size (default: 0.1)")
      ->type_name("X");
  command
      ->add_option(
          "--response", options->feedback.response,
          "Feedback: time in which deviations should die out, in seconds (default: duration/20)")
      ->type_name("T");
  command->add_flag("--bounded", options->bounded,
                    "Compute the bounded solution of unstable internal dynamics");
  options->health = add_health_option(*command);
  command->add_flag("--across-jumps", options->across_jumps,
                    "Continue where a reference is not smooth enough to be followed");
  command->add_option("--out", options->folder, "Output folder (default: MODEL-inverse)")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Print the summary as JSON");
  command->add_flag("--quiet", options->quiet, "Print errors only (and JSON, where asked for)");
  add_native_option(*command, options->native);
  command->footer("Example:\n  koppel inverse overhead_crane --verify");
  command->callback([options, feedback] {
    options->has_feedback = feedback->count() > 0;
    run(*options);
  });
}

}  // namespace koppel::app
