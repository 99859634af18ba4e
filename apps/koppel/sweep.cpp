// koppel sweep: many variants of a model, a row of numbers each; goes on where it was killed.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/study/batch_sweep.hpp>
#include <koppel/study/mpi_sweep.hpp>
#include <koppel/study/sweep_files.hpp>
#include <koppel/study/sweep_parts.hpp>
#include <koppel/study/sweep_table.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/load_origins.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/progress_bar.hpp"
#include "apps/koppel/result_files.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

struct SweepCommand {
  ModelOptions model;
  MethodRequest method;
  std::vector<std::string> vary, outputs;
  std::optional<std::uint64_t> random, latin, sobol, morris, indices;
  std::string from;
  std::optional<std::uint64_t> seed;
  std::optional<double> end, tolerance;
  std::string samples, folder, part;
  std::optional<int> jobs, bands;
  bool json = false, quiet = false, mpi = false, collect = false, hdf5 = false, batch = false,
       gpu = false;

  static const OptionTable& options();
};

Option count_option(OptionMember member, std::string name, std::string text) {
  return {{.name = std::move(name),
           .text = std::move(text),
           .value = "N",
           .bound = OptionBound::Count,
           .counted = "number of points"},
          member};
}

Option sweep_samples(OptionMember member) {
  Option out = samples_option(member);
  out.info.text =
      "Number of equally spaced rows for computing criteria (default: 1001), or 'steps' for one "
      "per --step";
  return out;
}

OptionTable points_options() {
  using O = SweepCommand;
  return {{{.name = "vary",
            .text = "Vary a parameter: NAME=LOW:HIGH:N or NAME=A,B,C for a grid, NAME=LOW:HIGH for "
                    "other points; ':log' behind it for equal ratios; may be repeated",
            .value = "RANGE"},
           &O::vary},
          count_option(&O::random, "random", "Number of random points"),
          count_option(&O::latin, "latin", "Number of points of a Latin hypercube"),
          count_option(&O::sobol, "sobol", "Number of points of a Sobol' sequence"),
          count_option(&O::morris, "morris",
                       "Number of paths for elementary effects of the parameters [Morris 1991]"),
          count_option(&O::indices, "indices",
                       "Number of pairs of points for Sobol' indices of the parameters"),
          {{.name = "from",
            .text = "Read the points from a CSV file with a column for each parameter",
            .value = "FILE"},
           &O::from},
          {{.name = "seed",
            .text = "Seed of random and Latin points (default: 1); shifts Sobol' points",
            .value = "S"},
           &O::seed}};
}

OptionTable sweep_work_options() {
  using O = SweepCommand;
  return {{{.name = "jobs",
            .text = "Number of threads",
            .value = "N",
            .unless_given = "one for each core"},
           &O::jobs},
          {{.name = "mpi",
            .text = "Share the work among the processes of mpirun or srun, one thread each unless "
                    "--jobs says otherwise"},
           &O::mpi},
          {{.name = "part",
            .text = "Compute only a part of the variants, such as 2/4, as a task of a batch array; "
                    "--collect puts the parts together",
            .value = "I/N"},
           &O::part},
          {{.name = "collect",
            .text = "Write the results from the parts that --part computed in the output folder"},
           &O::collect},
          {{.name = "batch",
            .text = "Step several variants at once in vector registers, with --step (fixed-cost, "
                    "rk4, dop853); criteria use the ends of steps"},
           &O::batch},
          {{.name = "gpu", .text = "The same on a graphics card, with the same bits; needs nvcc"},
           &O::gpu}};
}

const OptionTable& SweepCommand::options() {
  using O = SweepCommand;
  static const OptionTable kOptions =
      within(&O::model) + points_options() +
      OptionTable{{{.name = "output",
                    .text = "Criterion to tabulate: QUANTITY:final, or :min, :max, :mean, "
                            ":integral; may be repeated",
                    .value = "WHAT",
                    .unless_given = "the model's outputs at the end"},
                   &O::outputs},
                  end_option(&O::end)} +
      within(&O::method) +
      OptionTable{tolerance_option(&O::tolerance), sweep_samples(&O::samples)} +
      sweep_work_options() +
      OptionTable{folder_option(&O::folder, "MODEL-sweep"),
                  {{.name = "bands",
                    .text = "Number of times at which the distribution of the quantities is "
                            "written, to bands.csv and the report",
                    .value = "N"},
                   &O::bands},
                  {{.name = "hdf5", .text = "Also write sweep.h5"}, &O::hdf5},
                  json_option(&O::json, "manifest"),
                  quiet_option(&O::quiet)};
  return kOptions;
}

std::string title_of(const SweepCommand& options) {
  return std::filesystem::path(options.model.path).stem().string();
}

Design design_of(const SweepCommand& options) {
  const int num_kinds = int{options.random.has_value()} + int{options.latin.has_value()} +
                        int{options.sobol.has_value()} + int{options.morris.has_value()} +
                        int{options.indices.has_value()} + int{!options.from.empty()};
  if (num_kinds > 1) {
    throw Error("arguments.wrong",
                "more than one of --random, --latin, --sobol, --morris, --indices and --from is "
                "given.",
                "Leave all but one of them out; without any the points are a grid.");
  }
  if (!options.from.empty()) {
    if (!options.vary.empty()) {
      throw Error("arguments.wrong", "--vary and --from are both given.",
                  "The columns of the file say which parameters are varied.");
    }
    return design_from_csv(options.from);
  }
  Design design;
  for (const std::string& text : options.vary) design.ranges.push_back(parse_range(text));
  for (const auto& [name, value] : settings_of(options.model)) {
    for (const Range& range : design.ranges) {
      if (range.name != name) continue;
      throw Error("arguments.wrong", fmt::format("'{}' is both varied and set to {}.", name, value),
                  "Leave out --set or --vary for it.");
    }
  }
  design.seed = options.seed;
  const auto take = [&](Design::Kind kind, const std::optional<std::uint64_t>& count) {
    if (!count) return;
    design.kind = kind;
    design.count = *count;
  };
  take(Design::Kind::Random, options.random);
  take(Design::Kind::Latin, options.latin);
  take(Design::Kind::Sobol, options.sobol);
  take(Design::Kind::Morris, options.morris);
  take(Design::Kind::Saltelli, options.indices);
  if (!design.seed && num_kinds == 1 && !options.sobol) design.seed = 1;
  if (design.kind == Design::Kind::Grid && design.seed) {
    throw Error("arguments.wrong", "--seed is given, and the points are a grid.",
                "Use it with --random, --latin, --sobol, --morris or --indices.");
  }
  return design;
}

SimulateOptions options_for(const SweepCommand& sweep, const Model& model) {
  SimulateOptions options = simulate_options(sweep.method, sweep.model, model);
  if (sweep.end) options.end = *sweep.end;
  if (sweep.tolerance) options.tolerance = *sweep.tolerance;
  if (sweep.tolerance && !sweep.method.step) options.step.reset();
  options.sampling = sampling_of(sweep.samples, options.sampling);
  if (options.sampling.every_step && !options.step) {
    throw Error(
        "arguments.wrong",
        "--samples steps is given without --step: steps of their own length are few and far "
        "apart, and criteria computed from their ends are wrong.",
        "Give a number of rows, such as --samples 10001, or a --step.");
  }
  return options;
}

Sweep sweep_of(const SweepCommand& options, bool speaks) {
  if (speaks) load(options.model);  // with its remarks, and for the places of errors
  const std::filesystem::path path = find_model(options.model.path);
  Sweep sweep{[path, given = settings_of(options.model)](const Settings& settings) {
                ReadOptions read{given};
                read.set.insert(read.set.end(), settings.begin(), settings.end());
                return read_model(path, read);
              },
              [&options](const Model& of) { return options_for(options, of); },
              Samples(design_of(options)),
              {}};
  for (const std::string& text : options.outputs) sweep.criteria.push_back(parse_criterion(text));
  if (options.bands) {
    constexpr int kMost = 10'000;
    if (*options.bands < 2 || *options.bands > kMost) {
      throw Error("arguments.wrong",
                  fmt::format("--bands {} is no number of times: 2 to {} are possible.",
                              *options.bands, kMost));
    }
    sweep.num_band_times = *options.bands;
  }
  prepare(sweep);
  return sweep;
}

void report_rows(const SweepCounts& counts, const std::filesystem::path& table) {
  if (counts.failed + counts.doubtful == 0) return;
  std::string text = "error[study.failed-variants]: " + count_bad(counts);
  text += fmt::format("\n  Their rows in {} say why; the others are complete.", table.string());
  for (const std::string& line : counts.first) text += "\n  " + with_flags(line);
  if (counts.first.size() < counts.failed + counts.doubtful) text += "\n  …";
  throw Failure{ExitCode::kNumericsFailed, text};
}

// How the work is shared: at most one of three ways.
void check_sharing(const SweepCommand& options) {
  std::string given;
  for (const auto& [flag, is_given] :
       {std::pair("--mpi", options.mpi), std::pair("--part", !options.part.empty()),
        std::pair("--collect", options.collect)}) {
    if (!is_given) continue;
    if (!given.empty()) {
      throw Error("arguments.wrong", fmt::format("{} and {} are both given.", given, flag),
                  "Leave out one of them.");
    }
    given = flag;
  }
  if (options.mpi && !num_launched()) {
    throw Error("arguments.wrong",
                "--mpi is given, and neither mpirun nor srun started this program.",
                "Start it as `mpirun -n 4 koppel sweep … --mpi`.");
  }
}

int jobs_of(const SweepCommand& options) {
  if (!options.jobs && options.mpi) return 1;
  if (!options.jobs) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  constexpr int kMost = 4096;
  if (*options.jobs < 1 || *options.jobs > kMost) {
    throw Error("arguments.wrong",
                fmt::format("--jobs {} is no number of threads: 1 to {} are possible.",
                            *options.jobs, kMost));
  }
  return *options.jobs;
}

// Keeps the rows of variants that step together: their lines are made by all threads, and written
// while the next are made or computed.
class RowKeeper {
 public:
  // `size`: of all rows that the journal will have.
  RowKeeper(const Sweep& sweep, SweepJournal& journal, std::size_t size, ProgressBar& bar, int jobs)
      : sweep_(sweep), journal_(journal), size_(size), bar_(bar), jobs_(jobs) {}

  void keep(std::span<const std::size_t> numbers, const BatchRows& rows) {
    constexpr std::size_t kLines = 8192;  // of a thread: what the caches hold
    const std::size_t most = kLines * static_cast<std::size_t>(jobs_);
    for (std::size_t begin = 0; begin < rows.size(); begin += most) {
      const std::size_t count = std::min(most, rows.size() - begin);
      made_.resize(num_parts(count, {.jobs = jobs_}));
      for_parts(count, {.jobs = jobs_}, [&](std::size_t part, std::size_t i, std::size_t last) {
        make_lines(numbers, rows, begin + i, begin + last, made_[part]);
      });
      finish();
      std::swap(made_, leaving_);
      numbers_.assign(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                      numbers.begin() + static_cast<std::ptrdiff_t>(begin + count));
      written_ = std::async([this] { journal_.append(numbers_, leaving_); });
    }
  }

  // All that was kept is in the journal. Throws WriteError.
  void finish() {
    if (written_.valid()) written_.get();
    bar_.show_count(journal_.num_done(), size_);
  }

 private:
  void make_lines(std::span<const std::size_t> numbers, const BatchRows& rows, std::size_t first,
                  std::size_t last, JournalLines& lines) const {
    LineWriter writer(sweep_);
    SweepRow row;
    lines.clear();
    for (std::size_t i = first; i < last; ++i) {
      rows.get(i, row);
      lines.add([&](std::string& text) { writer.append(numbers[i], row, text); });
    }
  }

  const Sweep& sweep_;
  SweepJournal& journal_;
  std::size_t size_;
  ProgressBar& bar_;
  int jobs_;
  std::vector<JournalLines> made_, leaving_;
  std::vector<std::size_t> numbers_;  // of those that are leaving
  std::future<void> written_;
};

// What took part in the work.
struct Crew {
  int jobs = 1;
  std::optional<Mpi> mpi;
  MpiLoad load = {};
  std::optional<BatchSweepOptions> together = {};  // variants step in lanes, or on a card
  BatchSweepLoad steps = {};
  Model model = {};  // as it is, with its origins
  std::vector<ParameterOrigin> origins = {};
};

// What variants cannot do together they can one by one.
template <typename Keep>
bool run_together(const Sweep& sweep, SweepQueue& queue, Crew& crew, const Keep& keep) {
  try {
    return run_batch_sweep(sweep, crew.model, crew.origins, queue, *crew.together, keep,
                           crew.steps);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    const char* const flag = crew.together->on_card ? "--gpu" : "--batch";
    if (first.cause == Cause::HasEvents) {
      throw Error(first.id, fmt::format("variants that step together ({}) have no events.", flag),
                  fmt::format("Leave out {}.", flag));
    }
    if (first.cause == Cause::BuiltIn) {
      const std::string why =
          first.named.empty()
              ? fmt::format("'{}' is built into the model, as a count, a table or a path.",
                            first.subject)
              : fmt::format(
                    "run.{} of the model follows '{}', and is the same for all runs of a "
                    "study.",
                    first.named, first.subject);
      throw Error(first.id,
                  fmt::format("{} Variants that step together ({}) are of one model.", why, flag),
                  fmt::format("Leave out {}.", flag));
    }
    throw;
  }
}

// The variants of a part, or all.
struct Share {
  std::optional<SweepPart> part;
  std::size_t size;

  std::vector<bool> is_settled(const SweepJournal& journal) const {
    std::vector<bool> out = journal.is_done();
    for (std::size_t i = 0; part && i < out.size(); ++i) out[i] = out[i] || !part->has(i);
    return out;
  }
};

// All that is missing in the journal.
void compute(const Sweep& sweep, const Manifest& manifest, const std::filesystem::path& path,
             const Share& share, SweepJournal& journal, Crew& crew, ProgressBar& bar) {
  const auto keep = [&](std::size_t number, std::string_view text) {
    journal.append(number, text);
    bar.show_count(journal.num_done(), share.size);
  };
  SweepQueue queue(share.is_settled(journal));
  const auto keep_row = [&](std::size_t number, const SweepRow& row) {
    keep(number, journal_line(sweep, number, row));
  };
  RowKeeper keeper(sweep, journal, share.size, bar, crew.jobs);
  const auto keep_rows = [&](std::span<const std::size_t> numbers, const BatchRows& rows) {
    keeper.keep(numbers, rows);
  };
  const bool is_whole =
      crew.together ? run_together(sweep, queue, crew, keep_rows)
      : crew.mpi    ? lead_ranks(*crew.mpi, sweep, manifest, queue, crew.jobs, keep, crew.load)
                    : run_sweep(sweep, queue, crew.jobs, keep_row);
  keeper.finish();
  clear_stop();
  if (is_whole) return;
  throw Failure{
      ExitCode::kNumericsFailed,
      fmt::format("interrupted after {} of {} variants.\n  They are in {}; the same command "
                  "continues from there.",
                  journal.num_done(), share.size, path.string())};
}

void print_result(const SweepCommand& options, const Sweep& sweep, const SweepCounts& counts,
                  const std::filesystem::path& folder, const std::string& time) {
  std::printf("%s\n", title_of(options).c_str());
  print_line("variants",
             fmt::format("{}, {}", counts.variants, name_of(sweep.samples.design().kind)));
  print_line("time", time);
  print_line("files", fmt::format("{}, {}report.html, manifest.json, journal.txt",
                                  (folder / "sweep.csv").string(),
                                  std::string(counts.has_indices ? "indices.csv, " : "") +
                                      (counts.has_hdf5 ? "sweep.h5, " : "")));
}

std::string describe_work(double seconds, std::size_t computed, const Crew& crew) {
  std::string out = fmt::format("{} for {} of them with {} {}", short_time(seconds), computed,
                                crew.jobs, crew.jobs == 1 ? "thread" : "threads");
  if (crew.steps.seconds > 0) {
    out += fmt::format("; {:.3g} steps, {:.3g} a second", crew.steps.steps,
                       crew.steps.steps / crew.steps.seconds);
  }
  if (!crew.mpi) return out;
  out += fmt::format(" on each of {} ranks", crew.mpi->size());
  if (crew.load.num_messages == 0) return out;
  return out + fmt::format("; rank 0 took {} messages, {} each", crew.load.num_messages,
                           short_time(crew.load.busy_seconds /
                                      static_cast<double>(crew.load.num_messages)));
}

// Continues a journal, or begins it, until all of its share is there.
void fill(const SweepCommand& options, const Sweep& sweep, const Manifest& manifest,
          const std::filesystem::path& path, const Share& share, SweepJournal& journal,
          Crew& crew) {
  if (journal.num_done() > 0 && !options.quiet) {
    fmt::print(stderr, "note: {} of {} variants are in {} already.\n", journal.num_done(),
               share.size, path.string());
  }
  ProgressBar bar(!options.quiet);
  compute(sweep, manifest, path, share, journal, crew, bar);
}

// What cannot even begin does not stand in the way of another sweep.
template <typename Work>
void begin_journal(const SweepJournal& journal, const std::filesystem::path& path, Work&& work) {
  try {
    work();
  } catch (const Error&) {
    if (journal.num_done() == 0) std::filesystem::remove(path);
    throw;
  }
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void run_part(const SweepCommand& options, const SweepPart& part, const Sweep& sweep,
              const Manifest& manifest, const std::filesystem::path& folder, Crew& crew) {
  const Stopwatch stopwatch;
  const std::filesystem::path path = journal_of(part, folder);
  const PartLock lock(path);
  SweepJournal journal(path, manifest, sweep.samples.size());
  const std::size_t num_before = journal.num_done();
  const Share share{part, part.size(sweep.samples.size())};
  begin_journal(journal, path, [&] { fill(options, sweep, manifest, path, share, journal, crew); });
  if (options.json) {
    std::printf("{\"part\": %zu, \"parts\": %zu, \"variants\": %zu, \"of\": %zu}\n", part.number,
                part.count, share.size, sweep.samples.size());
  } else if (!options.quiet) {
    std::printf("%s\n", title_of(options).c_str());
    print_line("part", fmt::format("{} of {}: {} of {} variants", part.number, part.count,
                                   share.size, sweep.samples.size()));
    print_line("time", describe_work(stopwatch.seconds(), share.size - num_before, crew));
    print_line("file", path.string());
    print_line("next", fmt::format("when all parts are there, the same command with --collect in "
                                   "place of --part {}/{} writes the results",
                                   part.number, part.count));
  }
}

void run_whole(const SweepCommand& options, const Sweep& sweep, const Manifest& manifest,
               const std::filesystem::path& folder, Crew& crew) {
  const FolderLock lock(folder);
  const Stopwatch stopwatch;
  const std::filesystem::path path = folder / "journal.txt";
  SweepJournal journal(path, manifest, sweep.samples.size());
  const std::size_t num_before = journal.num_done();
  begin_journal(journal, path, [&] {
    if (options.collect) return collect_parts(folder, manifest, journal);
    fill(options, sweep, manifest, path, {{}, sweep.samples.size()}, journal, crew);
  });
  const SweepCounts counts = write_sweep_files(title_of(options), options.hdf5, sweep, manifest,
                                               journal, folder, crew.jobs);
  if (options.collect) remove_parts(folder);
  if (options.json) {
    std::printf("%s", summary_json(manifest, counts).c_str());
  } else if (!options.quiet) {
    const double seconds = stopwatch.seconds();
    print_result(options, sweep, counts, folder,
                 options.collect ? short_time(seconds) + " to collect"
                                 : describe_work(seconds, counts.variants - num_before, crew));
  }
  report_rows(counts, folder / "sweep.csv");
}

void run_variants(const SweepCommand& options) {
  if (options.hdf5) require_hdf5();
  check_sharing(options);
  Crew crew{jobs_of(options), {}};
  if (options.batch || options.gpu) {
    if (options.mpi) {
      throw Error("arguments.wrong", "--batch and --gpu run on one machine, without --mpi.");
    }
    if (options.bands) {
      throw Error("arguments.wrong",
                  "--bands is given with --batch or --gpu, which keep no series.",
                  "Leave out one of them.");
    }
    crew.together = {options.gpu, crew.jobs};
    crew.model = load(options.model, crew.origins);
    if (options.end) give_setting(crew.origins, "end");
    if (options.tolerance) give_setting(crew.origins, "tolerance");
    if (options.method.step) give_setting(crew.origins, "step");
    give_setting(crew.origins, "samples");  // every step counts
  }
  std::optional<SweepPart> part;
  if (!options.part.empty()) part = parse_part(options.part);
  if (options.mpi) crew.mpi.emplace();
  const bool leads = !crew.mpi || crew.mpi->rank() == 0;
  Sweep sweep = sweep_of(options, leads);
  sweep.steps_together = crew.together.has_value();
  const Manifest manifest = make_manifest(sweep);
  const InterruptGuard guard;
  if (!leads) return follow_leader(*crew.mpi, sweep, manifest, crew.jobs);
  const std::filesystem::path folder = make_folder(options.folder, options.model.path, "sweep");
  try {
    part ? run_part(options, *part, sweep, manifest, folder, crew)
         : run_whole(options, sweep, manifest, folder, crew);
  } catch (const WriteError& error) {
    throw Failure{ExitCode::kNumericsFailed,
                  fmt::format("error[results.not-written]: {}\n  The same command continues "
                              "from there once there is room.",
                              error.what())};
  }
}

}  // namespace

Command sweep_command() {
  return CommandOf<run_variants>::make(
      "sweep", "Simulate many variants of a model and tabulate the results",
      "Example:\n  koppel sweep pendulum --vary l=0.5:1.5:5 --vary g=1,9.81 --output y:min --end "
      "2");
}

}  // namespace koppel::app
