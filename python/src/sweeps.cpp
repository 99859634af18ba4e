// Sweeps: what they compute, their journals and files. Where the work is done is decided in Python
// (python/koppel/_sweep.py).
#include <koppel/base/stop.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/study/sweep_files.hpp>
#include <koppel/study/sweep_journal.hpp>
#include <koppel/study/sweep_table.hpp>

#include "python/src/options.hpp"

namespace koppel::python {
namespace {

using Names = std::vector<std::string>;

SimulateOptions sweep_run_options(const py::dict& given, const Model& model) {
  SimulateOptions options = simulate_options(given, model);
  if (options.sampling.every_step && !options.step) {
    throw Error("python.wrong-option",
                "`samples = steps` is given without `step`: steps of their own length are few and "
                "far apart, and criteria computed from their ends are wrong.",
                "Give a number of rows, such as 10001, or a step.");
  }
  return options;
}

Design design_of(const std::string& kind, const Names& vary, std::size_t count,
                 std::optional<std::uint64_t> seed, const std::vector<std::vector<double>>& table) {
  Design design;
  design.count = count;
  design.seed = seed;
  design.table = table;
  for (int k = 0; k <= static_cast<int>(Design::Kind::Saltelli); ++k) {
    if (kind == name_of(static_cast<Design::Kind>(k))) design.kind = static_cast<Design::Kind>(k);
  }
  for (const std::string& text : vary) {
    if (design.kind == Design::Kind::Table) {
      design.ranges.push_back({.name = text});
    } else {
      design.ranges.push_back(parse_range(text));
    }
  }
  return design;
}

// A sweep that is prepared; the same in any process that is given the same.
class LoadedSweep {
 public:
  LoadedSweep(const std::string& text, const std::string& file, const Settings& set,
              const py::dict& given, const std::string& kind, const Names& vary, std::size_t count,
              std::optional<std::uint64_t> seed, const std::vector<std::vector<double>>& table,
              const Names& outputs, int num_band_times)
      : sweep_{[text, file, set](const Settings& settings) {
                 ReadOptions read{set};
                 read.set.insert(read.set.end(), settings.begin(), settings.end());
                 return read_model_text(text, file, read);
               },
               // Copies of this share the dictionary, which belongs to the interpreter.
               [shared = std::make_shared<py::dict>(given)](const Model& model) {
                 const py::gil_scoped_acquire acquire;
                 return sweep_run_options(*shared, model);
               },
               Samples(design_of(kind, vary, count, seed, table)),
               {}} {
    for (const std::string& output : outputs) sweep_.criteria.push_back(parse_criterion(output));
    sweep_.num_band_times = num_band_times;
    const py::gil_scoped_release release;
    prepare(sweep_);
    manifest_ = make_manifest(sweep_);
  }

  const Sweep& sweep() const { return sweep_; }
  const Manifest& manifest() const { return manifest_; }

  // The lines of variants; of points that are given by parameter, in place of the sweep's own.
  Names lines(const std::vector<std::size_t>& numbers,
              const std::vector<std::vector<double>>& points) const {
    const py::gil_scoped_release release;
    const Interrupts interrupts;
    std::optional<Sweep> with_points;
    if (!points.empty()) {
      Design design = sweep_.samples.design();
      design.table = points;
      with_points = sweep_;
      with_points->samples = Samples(design);
    }
    Names out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Sweep& of = with_points ? *with_points : sweep_;
      const std::size_t number = with_points ? i : numbers[i];
      const std::optional<SweepRow> row = run_variant(of, number);
      if (!row) throw Stopped();
      const std::string line = journal_line(of, number, *row);
      out.push_back(fmt::format("{}{}", numbers[i], line.substr(line.find(','))));
    }
    return out;
  }

  // The line of a variant that could not be computed.
  std::string failed_line(std::size_t number, const std::string& id,
                          const std::string& reason) const {
    return journal_line(sweep_, number, {SweepRow::Status::Failed, {}, id, reason, {}});
  }

 private:
  Sweep sweep_;
  Manifest manifest_;
};

// The rows of a sweep in a file; with those of before, if it is there.
class LoadedJournal {
 public:
  LoadedJournal(std::shared_ptr<const LoadedSweep> of, const std::string& path)
      : of_(std::move(of)), journal_(path, of_->manifest(), of_->sweep().samples.size()) {}

  std::size_t num_done() const { return journal_.num_done(); }

  std::vector<std::size_t> missing() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < journal_.is_done().size(); ++i) {
      if (!journal_.is_done()[i]) out.push_back(i);
    }
    return out;
  }

  void append(std::size_t number, const std::string& line) { journal_.append(number, line); }

  // All that is missing, with threads. `progress` is told after each row how many there are.
  void fill(int jobs, const py::object& progress) {
    SweepQueue queue(journal_.is_done());
    const bool is_told = !progress.is_none();
    const py::gil_scoped_release release;
    const Interrupts interrupts;
    const bool is_whole =
        run_sweep(of_->sweep(), queue, jobs, [&](std::size_t number, const SweepRow& row) {
          journal_.append(number, journal_line(of_->sweep(), number, row));
          if (!is_told) return;
          const py::gil_scoped_acquire acquire;
          const PythonInterrupts python_interrupts;
          progress(journal_.num_done());
        });
    if (!is_whole) throw Stopped();
  }

  // sweep.csv, manifest.json, report.html and what else was asked for.
  py::tuple write_files(const std::string& folder, const std::string& title, bool hdf5, int jobs) {
    SweepCounts counts;
    {
      const py::gil_scoped_release release;
      counts =
          write_sweep_files(title, hdf5, of_->sweep(), of_->manifest(), journal_, folder, jobs);
    }
    return py::make_tuple(counts.failed, counts.doubtful, count_bad(counts));
  }

 private:
  std::shared_ptr<const LoadedSweep> of_;
  SweepJournal journal_;
};

}  // namespace

void add_sweeps(py::module_& m) {
  py::class_<LoadedSweep, std::shared_ptr<LoadedSweep>>(m, "Sweep", "Variants of a model.")
      .def(py::init<const std::string&, const std::string&, const Settings&, const py::dict&,
                    const std::string&, const Names&, std::size_t, std::optional<std::uint64_t>,
                    const std::vector<std::vector<double>>&, const Names&, int>(),
           py::arg("text"), py::arg("file"), py::arg("set"), py::arg("given"), py::arg("kind"),
           py::arg("vary"), py::arg("count"), py::arg("seed"), py::arg("table"), py::arg("outputs"),
           py::arg("bands"))
      .def("__len__", [](const LoadedSweep& of) { return of.sweep().samples.size(); })
      .def_property_readonly("manifest",
                             [](const LoadedSweep& of) { return to_json(of.manifest()); })
      .def(
          "differences",
          [](const LoadedSweep& of, const std::string& other) {
            return differences(of.manifest(), other);
          },
          py::arg("other"))
      .def("lines", &LoadedSweep::lines, py::arg("numbers"), py::arg("points"))
      .def("failed_line", &LoadedSweep::failed_line, py::arg("number"), py::arg("id"),
           py::arg("reason"));
  py::class_<LoadedJournal>(m, "SweepJournal", "Rows of a sweep, in a file that only grows.")
      .def(py::init<std::shared_ptr<LoadedSweep>, const std::string&>(), py::arg("sweep"),
           py::arg("path"))
      .def_property_readonly("num_done", &LoadedJournal::num_done)
      .def("missing", &LoadedJournal::missing)
      .def("append", &LoadedJournal::append, py::arg("number"), py::arg("line"))
      .def("fill", &LoadedJournal::fill, py::arg("jobs"), py::arg("progress"))
      .def("write_files", &LoadedJournal::write_files, py::arg("folder"), py::arg("title"),
           py::arg("hdf5"), py::arg("jobs"));
}

}  // namespace koppel::python
