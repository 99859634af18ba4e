// koppel run: simulates a model and writes trajectory.csv, summary.json and report.html.

#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/results/report.hpp>
#include <koppel/simulate/simulate.hpp>

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

struct RunOptions {
  ModelOptions model;
  RunRequest request;
  std::string folder;
  bool json = false, quiet = false, hdf5 = false, timing = false;

  static const OptionTable& options();
};

const OptionTable& RunOptions::options() {
  using O = RunOptions;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::request, without(RunRequest::options(), "coordinates")) +
      OptionTable{folder_option(&O::folder, "MODEL-run"),
                  json_option(&O::json, "summary"),
                  quiet_option(&O::quiet),
                  {{.name = "hdf5", .text = "Also write trajectory.h5"}, &O::hdf5},
                  {{.name = "timing", .text = "Print how long each stage took, on standard error"},
                   &O::timing}};
  return kOptions;
}

std::string describe_violation(const Summary& s) {
  std::string text = fmt::format("{:.2g} of positions, {:.2g} of velocities, at most",
                                 s.max_position_violation, s.max_velocity_violation);
  // Interpolation is worth a word where it is what a reader of the rows would see.
  if (s.max_position_violation_between > 10 * s.max_position_violation ||
      s.max_velocity_violation_between > 10 * s.max_velocity_violation) {
    text += fmt::format("; {:.2g} and {:.2g} in rows between steps",
                        s.max_position_violation_between, s.max_velocity_violation_between);
  }
  return text;
}

std::string describe_energy(const Summary& s) {
  if (!std::isfinite(s.energy_drift)) {
    return "no balance: the kinetic energy is not quadratic in the velocities";
  }
  return fmt::format("{} by {:.2g}, relative",
                     s.is_conservative ? "drifts" : "balance with work and impacts off",
                     s.energy_drift);
}

// What evaluated the equations.
std::string describe_taken(const Summary::Code& code) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, long operations) {
    if (operations > 0) parts.push_back(fmt::format("{} {}", operations, what));
  };
  add("in generated machine code", code.generated);
  add("compiled", code.compiled);
  add("interpreted", code.interpreted);
  return parts.empty() ? "none in loops" : fmt::format("operations: {}", fmt::join(parts, ", "));
}

}  // namespace

// What came out, for people: on standard output and at the head of the report.
Lines describe(const Simulation& simulation) {
  const Summary& s = simulation.summary;
  Lines lines;
  lines.emplace_back("method",
                     fmt::format("{} coordinates, {}, {}{}{}", s.coordinates, s.formulation,
                                 s.integrator, s.choice.empty() ? "" : ": ", s.choice));
  lines.emplace_back(
      "freedom",
      std::to_string(s.dof) +
          (s.redundant.empty() ? "" : fmt::format("; {} redundant equations", s.redundant.size())));
  lines.emplace_back("time",
                     fmt::format("{:.6g} s{} in {} ({:.3g} x real time), set-up {}", s.reached,
                                 s.status == "done" ? "" : fmt::format(" of {:.6g} s", s.end),
                                 short_time(s.wall_seconds), s.reached / s.wall_seconds,
                                 short_time(s.setup_seconds)));
  lines.emplace_back("code", describe_taken(s.native));
  lines.emplace_back("steps",
                     fmt::format("{}{}{}; {}", s.steps,
                                 s.rejected > 0 ? fmt::format(" and {} rejected", s.rejected) : "",
                                 s.order > 0 ? fmt::format(", order {}", s.order) : "",
                                 s.step > 0 ? fmt::format("step {:g} s", s.step)
                                            : fmt::format("tolerance {:g}", s.tolerance)));
  if (s.index > 1) {
    lines.emplace_back("violation", describe_violation(s));
  }
  lines.emplace_back("energy", simulation.equations->tracking.empty()
                                   ? describe_energy(s)
                                   : "not balanced: what follows a signal is pushed and pulled");
  constexpr std::size_t kMost = 12;
  if (!s.events.empty()) {
    std::string events;
    for (std::size_t i = 0; i < s.events.size() && i < kMost; ++i) {
      events += fmt::format("{}{} at {:.6g} s", i > 0 ? ", " : "", s.events[i].name, s.events[i].t);
    }
    if (s.events.size() > kMost) events += fmt::format(", … ({} in all)", s.events.size());
    lines.emplace_back("events", events);
  }
  std::string final;
  for (std::size_t i = 0; i < s.final.size() && i < kMost; ++i) {
    final += fmt::format("{}{} = {:.10g}", i > 0 ? ", " : "", s.final[i].first, s.final[i].second);
  }
  if (s.final.size() > kMost) final += ", …";
  lines.emplace_back("final", final);
  return lines;
}

Report make_report(const Model& model, const Simulation& simulation) {
  Report report{model.name,
                model.description,
                describe(simulation),
                simulation.summary.messages,
                &simulation.trajectory,
                make_scene(model, simulation, kMaxFrames)};
  if (!simulation.text.empty()) report.alarms.push_back(simulation.text);
  return report;
}

namespace {

void write_files(const Model& model, const RunOptions& options, Simulation& simulation,
                 Files& files) {
  Summary& summary = simulation.summary;
  summary.files = {{"trajectory", "trajectory.csv"}, {"report", "report.html"}};
  if (options.hdf5) {
    summary.files["hdf5"] = "trajectory.h5";
    files.attempt([&] { write_hdf5(files.path("trajectory.h5"), simulation.trajectory, summary); });
  }
  files.attempt([&] { write_text(files.path("summary.json"), to_json(summary) + "\n"); });
  const Report report = with_flags(make_report(model, simulation));
  files.attempt([&] { write_report(files.path("report.html"), report); });
}

void print_result(const Simulation& simulation, const Lines& lines, const Files& files) {
  std::printf("%s\n", simulation.summary.model.c_str());
  for (const auto& [label, text] : lines) print_line(label, text);
  if (!files.is_good()) return;  // told with the reasons
  print_line("files",
             fmt::format("{}, summary.json, report.html{}", files.path("trajectory.csv").string(),
                         simulation.summary.files.contains("hdf5") ? ", trajectory.h5" : ""));
}

void print_timing(const Simulation& simulation, double files_seconds) {
  for (const Stage& stage : simulation.stages) {
    std::fprintf(stderr, "  %-12s %9.3f ms\n", stage.name.c_str(), 1e3 * stage.seconds);
  }
  std::fprintf(stderr, "  %-12s %9.3f ms\n", "files", 1e3 * files_seconds);
}

void run_model(const RunOptions& options) {
  use_native(options.request.native);
  if (options.hdf5) require_hdf5();
  const Model model = load(options.model);
  RunRequest request = options.request;
  request.coordinates = options.model.coordinates;
  const SimulateOptions simulate_with = request.options_for(model);
  simulate_with.validate();

  Attendant attendant([&] { return make_folder(options.folder, options.model.path, "run"); },
                      options.quiet);
  Simulation simulation = simulate(model, simulate_with, attendant.callbacks());
  Files& files = attendant.end();
  if (files.num_rows() < simulation.trajectory.num_rows()) {  // what is not in the file is not told
    simulation.trajectory.keep_first(files.num_rows());
    koppel::describe(simulation.trajectory, simulation.summary);
  }

  const auto before = std::chrono::steady_clock::now();
  const Lines lines = describe(simulation);
  write_files(model, options, simulation, files);
  if (options.timing) {
    print_timing(simulation,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
  if (options.json) {
    std::printf("%s\n", to_json(simulation.summary).c_str());
  } else if (!options.quiet) {
    print_result(simulation, lines, files);
  }
  const bool is_doubtful = simulation.status == Outcome::Status::Doubtful;
  report_end(simulation.status, is_doubtful ? "simulate.doubtful" : "simulate.failed",
             simulation.summary.reached, simulation.text, files);
}

}  // namespace

Command run_command() {
  return CommandOf<run_model>::make(
      "run", "Simulate a model and write trajectory, summary and report",
      "Example:\n  koppel run slider_crank --end 5 --out crank", "simulate");
}

}  // namespace koppel::app
