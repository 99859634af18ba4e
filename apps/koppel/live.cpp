// koppel live: a model in real time, with inputs and outputs through files, UDP or shared memory.

#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/live/faulty_inputs.hpp>
#include <koppel/live/file_channel.hpp>
#include <koppel/live/live.hpp>
#include <koppel/live/shared_channel.hpp>
#include <koppel/live/udp_channel.hpp>
#include <koppel/results/report.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/progress_bar.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct LiveCommand {
  ModelOptions model;
  MethodRequest method;
  HealthRequest health;
  LiveOptions live;
  std::string late = "continue", folder;
  std::string signals, udp_in, udp_out, udp_key, shared, faults;
  std::string priority;  // of --realtime; empty: none
  std::optional<int> cpu;
  bool json = false, quiet = false;
  NativeRequest native;

  static const OptionTable& options();
};

OptionTable channel_options() {
  using O = LiveCommand;
  return {{{.name = "inputs",
            .text = "Read inputs from a CSV file (t, then inputs by name), held between rows",
            .value = "FILE"},
           &O::signals},
          {{.name = "udp_in",
            .text = "Receive inputs by UDP at this port, from this machine only; *:PORT: from "
                    "others too",
            .value = "[HOST:]PORT"},
           &O::udp_in},
          {{.name = "udp_out", .text = "Send outputs by UDP to this address", .value = "HOST:PORT"},
           &O::udp_out},
          {{.name = "udp_key",
            .text = "File with the key that signs packets, 32 hexadecimal digits",
            .value = "FILE"},
           &O::udp_key},
          {{.name = "faults",
            .text = "Disturb inputs on their way, for studies: noise=SIGMA, latency=S, jitter=S, "
                    "drop_every=S, drop_for=S, seed=N, separated by commas",
            .value = "LIST"},
           &O::faults},
          {{.name = "shared",
            .text = "Exchange inputs and outputs in POSIX shared memory of this name",
            .value = "NAME"},
           &O::shared}};
}

const OptionTable& LiveCommand::options() {
  using O = LiveCommand;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::method) + within(&O::health) +
      OptionTable{
          {{.name = "end",
            .text = "End time",
            .value = "T",
            .unit = "s",
            .unless_given = "until Ctrl-C"},
           OptionMember(&LiveOptions::end).within(&O::live)},
          {{.name = "speed",
            .text = "Simulated seconds per second (default: 1); 0: as fast as possible",
            .value = "S"},
           OptionMember(&LiveOptions::speed).within(&O::live)},
          {{.name = "late",
            .text = "After a missed deadline: continue (catch up, default), slip (the schedule "
                    "shifts; no catch-up) or stop",
            .value = "continue|slip|stop",
            .words = {"continue", "slip", "stop"}},
           &O::late}} +
      channel_options() +
      OptionTable{
          {{.name = "realtime",
            .text = "Use real-time scheduling (SCHED_FIFO) with this priority (default: 80) and "
                    "lock the memory",
            .value = "[=PRIORITY]",
            .alone = "80"},
           &O::priority},
          {{.name = "cpu", .text = "With --realtime: processor to run on", .value = "N"}, &O::cpu},
          {{.name = "every", .text = "Write a row every N steps", .value = "N"},
           OptionMember(&LiveOptions::every).within(&O::live)},
          folder_option(&O::folder, "MODEL-live")} +
      within(&O::native) + OptionTable{json_option(&O::json, "summary"), quiet_option(&O::quiet)};
  return kOptions;
}

using Channels = std::vector<std::unique_ptr<Channel>>;

Channels make_channels(const LiveCommand& options) {
  Channels out;
  if (!options.signals.empty()) out.push_back(std::make_unique<FileChannel>(options.signals));
  if (!options.shared.empty()) out.push_back(std::make_unique<SharedChannel>(options.shared));
  if (!options.udp_in.empty() || !options.udp_out.empty()) {
    const auto read = [](const std::string& text) {
      return text.empty() ? std::nullopt : std::optional(read_address(text));
    };
    std::optional<UdpKey> key;
    if (!options.udp_key.empty()) key = read_key(options.udp_key);
    out.push_back(std::make_unique<UdpChannel>(read(options.udp_in), read(options.udp_out), key));
  }
  if (options.faults.empty()) return out;
  if (options.signals.empty() && options.shared.empty() && options.udp_in.empty()) {
    throw Error("arguments.wrong", "--faults is for inputs, and none come from outside.",
                "Give --inputs, --udp-in or --shared too.");
  }
  out.push_back(std::make_unique<FaultyInputs>(parse_faults(options.faults)));  // behind them
  return out;
}

int read_priority(const std::string& text) {
  int out = 0;
  const char* const end = text.data() + text.size();
  if (const auto [rest, error] = std::from_chars(text.data(), end, out);
      error != std::errc() || rest != end) {
    throw Error("arguments.wrong", "--realtime '" + text + "' is not a priority.",
                "Give a whole number from 1 to 99.");
  }
  return out;
}

LiveOptions live_options(const LiveCommand& options) {
  LiveOptions out = options.live;
  out.late = options.late == "slip"   ? Late::Slip
             : options.late == "stop" ? Late::Stop
                                      : Late::Continue;
  if (options.cpu && options.priority.empty()) {
    throw Error("arguments.wrong", "--cpu belongs to --realtime.");
  }
  if (!options.priority.empty()) {
    out.real_time.emplace();
    out.real_time->priority = read_priority(options.priority);
    out.real_time->cpu = options.cpu;
  }
  return out;
}

std::string text_of(const Durations& d) {
  return fmt::format("median {}, 99.9 % {}, maximum {}", short_time(d.median()),
                     short_time(d.quantile(0.999)), short_time(d.max()));
}

void print_begin(const LiveInfo& info) {
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
  };
  std::fprintf(stderr, "inputs: %s\noutputs: %s\nrunning; Ctrl-C ends it.\n",
               list(info.ports.inputs).c_str(), list(info.ports.outputs).c_str());
}

void print_result(const LiveResult& r, const std::string& model, const Files& files) {
  std::printf("%s\n", model.c_str());
  const Choice& choice = r.info.choice;
  print_line("method", fmt::format("{} coordinates, {}, {}; step {:g} s", choice.coordinates,
                                   choice.formulation.text(), choice.integrator.text(), r.h));
  print_line("time", fmt::format("{:.6g} s in {}, {} steps", r.reached, short_time(r.wall_seconds),
                                 r.steps));
  print_line("steps", text_of(r.step));
  if (r.period > 0) {
    print_line("wake-up", text_of(r.wake));
    print_line("deadlines",
               r.missed == 0 ? fmt::format("none missed, of {} each", short_time(r.period))
                             : fmt::format("{} of {} missed, of {} each; by {} at most{}", r.missed,
                                           r.steps, short_time(r.period), short_time(r.latest),
                                           r.slipped > 0 ? fmt::format("; slipped by {} in all",
                                                                       short_time(r.slipped))
                                                         : ""));
  }
  if (!r.info.scheduling.empty()) print_line("scheduling", r.info.scheduling);
  std::string final;
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < r.final.size() && i < kMost; ++i) {
    final += fmt::format("{}{} = {:.10g}", i > 0 ? ", " : "", r.final[i].first, r.final[i].second);
  }
  print_line("final", final + (r.final.size() > kMost ? ", …" : ""));
  if (!files.is_good()) return;  // told with the reasons
  print_line("files", fmt::format("{}, summary.json", files.path("trajectory.csv").string()));
}

void report_live_end(const LiveResult& r, const Files& files) {
  std::string message;
  if (!files.is_good()) {
    message = "error[results.not-written]: " + files.problems()[0];
  } else if (r.status == LiveResult::Status::Doubtful) {
    message = fmt::format("error[live.doubtful]: {}.\n  All {} rows are in {}.", r.text,
                          files.num_rows(), files.path("trajectory.csv").string());
  } else if (r.status == LiveResult::Status::Failed || r.status == LiveResult::Status::Late) {
    const bool has_failed = r.status == LiveResult::Status::Failed;
    message = fmt::format("{} at t = {:.8g} s: {}.\n  All {} rows up to there are in {}.",
                          has_failed ? "error[live.failed]:" : "error[live.late]:", r.reached,
                          r.text, files.num_rows(), files.path("trajectory.csv").string());
  } else {
    return;
  }
  throw Failure{ExitCode::kNumericsFailed, message};
}

void run_in_real_time(const LiveCommand& options) {
  use_native(options.native);
  const Model model = load(options.model);
  const LiveOptions live = live_options(options);
  SimulateOptions simulate = simulate_options(options.method, options.model, model);
  simulate.health = options.health.health();
  simulate.native = use_native(options.native);
  const Channels channels = make_channels(options);
  std::vector<Channel*> open;
  for (const auto& channel : channels) open.push_back(channel.get());

  std::optional<Files> files;
  std::optional<InterruptGuard> guard;
  std::optional<ProgressBar> bar;
  LiveCallbacks callbacks;
  callbacks.begin = [&](const LiveInfo& info) {
    files.emplace(make_folder(options.folder, options.model.path, "live"));
    files->begin(info.columns);
    if (!options.quiet) print_begin(info);
    guard.emplace();
    bar.emplace(!options.quiet && std::isfinite(live.end));
  };
  callbacks.row = [&](std::span<const double> row) {
    files->add_row(row);
    bar->show(row[0], live.end);
  };
  callbacks.is_stopped = [] { return is_interrupted(); };
  LiveResult result = run_live(model, simulate, live, open, callbacks);
  bar.reset();
  files->end_rows();

  result.rows = files->num_rows();
  const std::string json = to_json(result, model.name) + "\n";
  files->attempt([&] { write_text(files->path("summary.json"), json); });
  for (const std::string& note : result.notes) {
    if (!options.quiet) std::fprintf(stderr, "note: %s\n", with_flags(note).c_str());
  }
  if (options.json) {
    std::fputs(json.c_str(), stdout);
  } else if (!options.quiet) {
    print_result(result, model.name, *files);
  }
  report_live_end(result, *files);
}

}  // namespace

Command live_command() {
  return CommandOf<run_in_real_time>::make(
      "live", "Run a model in real time, with inputs and outputs from outside",
      "Example:\n  koppel live car_axle --step 1e-3 --end 1");
}

}  // namespace koppel::app
