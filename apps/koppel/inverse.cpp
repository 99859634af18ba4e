// koppel inverse: computes the inputs for the prescribed motion of outputs and writes inputs.csv,
// trajectory.csv, summary.json and report.html.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/control/feedback/robustness.hpp>
#include <koppel/control/inverse_request.hpp>
#include <koppel/results/report.hpp>

#include "apps/koppel/attendant.hpp"
#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct InverseCommand {
  ModelOptions model;
  InverseRequest request;
  std::optional<std::string> feedback;
  FeedbackOptions tuning;  // its kind is `feedback`
  std::vector<std::string> plant, disturb;
  std::string folder;
  bool json = false, quiet = false;

  static const OptionTable& options();
};

OptionTable feedback_options() {
  using O = InverseCommand;
  const auto tuned = [](double FeedbackOptions::*member) {
    return OptionMember(member).within(&O::tuning);
  };
  return {{{.name = "feedback",
            .text = "Also simulate with tracking feedback: lqr or pd",
            .value = "F"},
           &O::feedback},
          {{.name = "plant",
            .text = "Simulate with this parameter changed, unknown to the inputs, and report the "
                    "tracking error; may be repeated",
            .value = "NAME=VALUE"},
           &O::plant},
          {{.name = "disturb",
            .text = "The same with a coordinate or velocity that starts off by this much; may be "
                    "repeated",
            .value = "NAME=CHANGE"},
           &O::disturb},
          {{.name = "accuracy",
            .text = "Feedback: tolerated error, as a part of an output's range",
            .value = "X",
            .unless_given = "0.01"},
           tuned(&FeedbackOptions::accuracy)},
          {{.name = "effort",
            .text = "Feedback: tolerated correction, as a part of an input's size",
            .value = "X",
            .unless_given = "0.1"},
           tuned(&FeedbackOptions::effort)},
          {{.name = "response",
            .text = "Feedback: time in which deviations should die out",
            .value = "T",
            .unit = "s",
            .unless_given = "duration/20"},
           tuned(&FeedbackOptions::response)}};
}

const OptionTable& InverseCommand::options() {
  using O = InverseCommand;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::request, without(InverseRequest::options(), "coordinates")) +
      feedback_options() +
      OptionTable{folder_option(&O::folder, "MODEL-inverse"), json_option(&O::json, "summary"),
                  quiet_option(&O::quiet)};
  return kOptions;
}

// The whole text as a number.
std::optional<double> number_in(const std::string& text) {
  if (text.empty()) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

// "name=value" of --plant and --disturb.
void add_disturbances(const std::vector<std::string>& texts, Disturbance::Kind kind,
                      const char* option, std::vector<Disturbance>& out) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::optional<double> value = equals == 0 || equals == std::string::npos
                                            ? std::nullopt
                                            : number_in(text.substr(equals + 1));
    if (!value) {
      throw Error("arguments.wrong",
                  fmt::format("{} '{}' is not of the form name=number.", option, text));
    }
    out.push_back({kind, text.substr(0, equals), *value});
  }
}

std::vector<Disturbance> disturbances(const InverseCommand& options) {
  std::vector<Disturbance> all;
  add_disturbances(options.plant, Disturbance::Kind::Parameter, "--plant", all);
  add_disturbances(options.disturb, Disturbance::Kind::Start, "--disturb", all);
  return all;
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

void compute_inputs(const InverseCommand& options) {
  use_native(options.request.native);
  const Model model = load(options.model);
  InverseRequest request = options.request;
  request.coordinates = options.model.coordinates;
  const InverseOptions inverse_with = request.options_for(model);
  inverse_with.validate();
  const std::vector<Disturbance> different = disturbances(options);
  FeedbackOptions feedback = options.tuning;
  if (options.feedback) feedback.kind = *options.feedback;
  feedback.validate();

  Attendant attendant([&] { return make_folder(options.folder, options.model.path, "inverse"); },
                      options.quiet);
  Inverse result = inverse(model, inverse_with, attendant.callbacks());
  Files& files = attendant.end();
  if (files.num_rows() < result.trajectory.num_rows()) {  // what is not in the file is not told
    result.trajectory.keep_first(files.num_rows());
    koppel::describe(result.trajectory, result.equations, result.summary);
  }
  if (result.status == Outcome::Status::Done && (options.feedback || !different.empty())) {
    result.summary.feedback = feedback.kind;
    try {
      result.summary.robustness = find_robustness(model, result, feedback, different);
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

Command inverse_command() {
  return CommandOf<compute_inputs>::make(
      "inverse", "Compute the inputs that make the outputs follow their references",
      "Example:\n  koppel inverse overhead_crane --verify");
}

}  // namespace koppel::app
