// Studies of a model: derivatives, optima, fits, batches.
#include <koppel/base/stop.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/optimize.hpp>
#include <koppel/study/optimize_journal.hpp>
#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/sweep_manifest.hpp>

#include "python/src/options.hpp"

namespace koppel::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Derivatives go through few integrators: the model's own method is left aside. Settings that are
// not taken from the model are given, for `origins`.
SimulateOptions run_options(const py::dict& given, const Model& model,
                            std::vector<ParameterOrigin>& origins) {
  SimulateOptions options = simulate_options(given, model);
  const auto is_given = [&](const char* key) {
    return given.contains(key) && !given[key].is_none();
  };
  if (!is_given("step")) options.step.reset();
  if (!is_given("integrator")) options.integrator = {};
  if (!is_given("formulation")) options.formulation = {};
  for (const char* key : {"end", "tolerance"}) {
    if (is_given(key)) give_setting(origins, key);
  }
  for (const char* unused : {"step", "samples"}) give_setting(origins, unused);
  return options;
}

std::vector<Criterion> criteria(const std::vector<std::string>& texts) {
  std::vector<Criterion> out;
  for (const std::string& text : texts) out.push_back(parse_criterion(text));
  return out;
}

// Inputs that are sampled: name, values, times (none: at equal distances), and the parameter that
// they are spread over (none: the run).
using Controls =
    std::vector<std::tuple<std::string, std::vector<double>, std::vector<double>, std::string>>;

Model with_controls(Model model, const Controls& controls, double end) {
  for (const auto& [name, values, times, duration] : controls) {
    model = with_sampled_input(std::move(model), {name, values, times, duration}, end);
  }
  return model;
}

py::tuple sensitivity(LoadedModel& of, const py::dict& given, const std::vector<std::string>& what,
                      const std::vector<std::string>& over, const std::string& mode, bool second,
                      const std::vector<double>& times, const Controls& controls) {
  SensitivityOptions options;
  options.with_second = second;
  options.times = times;
  std::vector<ParameterOrigin> origins = of.origins;
  options.run = run_options(given, of.model, origins);
  options.of = criteria(what);
  check_labels(options.of);
  using Mode = SensitivityOptions::Mode;
  options.mode = mode == "forward" ? Mode::Forward : mode == "adjoint" ? Mode::Adjoint : Mode::Auto;
  const Sensitivity found = with_model(of, [&] {
    const Model model = with_controls(of.model, controls, options.run.end);
    return find_sensitivity(StudiedParameters(model, origins, expand(over, model)), options);
  });
  py::array_t<double> derivatives({found.derivatives.rows, found.derivatives.columns});
  for (int i = 0; i < found.derivatives.rows; ++i) {
    for (int j = 0; j < found.derivatives.columns; ++j) {
      derivatives.mutable_at(i, j) = found.derivatives(i, j);
    }
  }
  const auto n = static_cast<py::ssize_t>(found.parameters.size());
  py::array_t<double> seconds({static_cast<py::ssize_t>(found.second.size()), n, n});
  for (std::size_t i = 0; i < found.second.size(); ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) seconds.mutable_at(i, j, k) = found.second[i](j, k);
    }
  }
  py::dict course;
  for (std::size_t c = 0; c < found.course.num_columns(); ++c) {
    const std::span<const double> column = found.course.column(c);
    course[py::str(found.course.columns()[c].name)] =
        py::array_t<double>(static_cast<py::ssize_t>(column.size()), column.data());
  }
  return py::make_tuple(name_of(found.status), found.text, to_text(found), found.criteria,
                        found.parameters, found.values, derivatives, found.is_adjoint,
                        found.messages, seconds, course);
}

std::vector<Range> ranges(const std::vector<std::tuple<std::string, double, double>>& over) {
  std::vector<Range> out;
  for (const auto& [name, low, high] : over)
    out.push_back({.name = name, .low = low, .high = high});
  return out;
}

py::tuple optimize_model(LoadedModel& of, const py::dict& given,
                         const std::vector<std::string>& what, bool maximizes,
                         const std::vector<std::tuple<std::string, double, double>>& over,
                         const std::vector<std::string>& limits, const Controls& controls) {
  OptimizeOptions options;
  std::vector<ParameterOrigin> origins = of.origins;
  options.run = run_options(given, of.model, origins);
  options.minimize = criteria(what);
  options.maximizes = maximizes;
  options.over = ranges(over);
  for (const std::string& text : limits) options.limits.push_back(parse_limit(text));
  take(given, "starts", options.starts);
  take(given, "seed", options.seed);
  take(given, "evaluations", options.max_evaluations);
  take(given, "xtol", options.tolerance);
  std::string journal_path;
  take(given, "journal", journal_path);
  const Optimum found = with_model(of, [&] {
    const Model model = with_controls(of.model, controls, options.run.end);
    options.over = expand(options.over, model);
    const std::string model_hash = journal_path.empty() ? "" : fingerprint(model);
    check_question(model, origins, options);
    std::optional<OptimizeJournal> journal;
    OptimizeCallbacks callbacks;
    if (!journal_path.empty()) {
      journal.emplace(journal_path, model_hash, options);
      callbacks.known = [&](const std::vector<double>& at) { return journal->find(at); };
      callbacks.evaluated = [&](const Evaluation& evaluation, long) {
        journal->append(evaluation);
        return true;
      };
    }
    return optimize(model, origins, options, callbacks);
  });
  if (found.end == Optimum::End::Stopped) throw Stopped();
  return py::make_tuple(to_text(found, options), to_json(found, options));
}

py::tuple fit_model(LoadedModel& of, const py::dict& given, const std::vector<std::string>& names,
                    const std::vector<Array>& columns,
                    const std::vector<std::tuple<std::string, double, double>>& over,
                    const std::map<std::string, double>& noise, const Controls& controls) {
  FitOptions options;
  std::vector<ParameterOrigin> origins = of.origins;
  options.run = run_options(given, of.model, origins);
  give_setting(origins, "end");  // that of the data
  options.over = ranges(over);
  for (const auto& [column, sigma] : noise) options.noise.push_back({column, sigma});
  if (double until = 0; take(given, "end", until)) options.until = until;
  take(given, "profiles", options.with_profiles);
  take(given, "iterations", options.max_iterations);
  std::vector<Column> heads;
  for (const std::string& name : names) {
    heads.push_back({name, "", heads.empty() ? Group::Time : Group::Outputs});
  }
  Trajectory data(heads);
  std::vector<double> row(columns.size());
  for (py::ssize_t i = 0; i < columns.at(0).size(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) row[k] = columns[k].at(i);
    data.append(row);
  }
  const Fit found = with_model(of, [&] {
    const double end = data.empty() ? options.run.end : end_of(data);
    const Model model =
        with_controls(of.model, controls, std::min(end, options.until.value_or(end)));
    options.over = expand(options.over, model);
    return fit(model, origins, data, options);
  });
  if (found.end == Fit::End::Stopped) throw Stopped();
  return py::make_tuple(to_text(found), to_json(found));
}

// Whoever steps it holds the interpreter's lock no longer; one thread at a time.
struct LoadedBatch {
  LoadedBatch(std::shared_ptr<LoadedModel> from, std::size_t count, const py::dict& given,
              const std::vector<std::string>& observed, int jobs, bool on_card)
      : model(std::move(from)) {
    LoadedModel& of = *model;
    BatchOptions options;
    std::vector<ParameterOrigin> origins = of.origins;
    options.run = run_options(given, of.model, origins);
    give_setting(origins, "end");  // copies have none
    options.observed = observed;
    options.jobs = jobs;
    options.on_card = on_card;
    batch =
        with_model(of, [&] { return std::make_unique<Batch>(of.model, origins, count, options); });
  }

  std::span<const double> view(const std::optional<Array>& values) const {
    if (!values) return {};
    return {values->data(), static_cast<std::size_t>(values->size())};
  }

  void advance(const std::optional<Array>& inputs, int steps) {
    const std::span<const double> u = view(inputs);
    const py::gil_scoped_release release;
    batch->advance(u, steps);
  }

  py::array_t<double> observe() const {
    py::array_t<double> out({batch->size(), batch->observed().size()});
    const std::span<double> to(out.mutable_data(), static_cast<std::size_t>(out.size()));
    const py::gil_scoped_release release;
    batch->observe(to);
    return out;
  }

  std::map<std::size_t, std::string> failures() const {
    std::map<std::size_t, std::string> out;
    for (std::size_t copy = 0; copy < batch->size(); ++copy) {
      const Batch::Failure failure = batch->failure(copy);
      if (failure.reason != 0) out.emplace(copy, batch->describe(failure));
    }
    return out;
  }

  py::array_t<double> times() const {
    py::array_t<double> out(static_cast<py::ssize_t>(batch->size()));
    batch->times({out.mutable_data(), batch->size()});
    return out;
  }

  void reset(
      const std::optional<py::array_t<bool, py::array::c_style | py::array::forcecast>>& marked) {
    if (!marked) return batch->reset();
    const std::vector<std::uint8_t> marks(marked->data(), marked->data() + marked->size());
    batch->reset(marks);
  }

  std::shared_ptr<LoadedModel> model;  // its equations are in the same graph
  std::unique_ptr<Batch> batch;
};

}  // namespace

void add_studies(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model) {
  model.def("sensitivity", &sensitivity).def("optimize", &optimize_model).def("fit", &fit_model);
  py::class_<LoadedBatch>(m, "Batch", "Copies of a model that step together.")
      .def(py::init<std::shared_ptr<LoadedModel>, std::size_t, const py::dict&,
                    const std::vector<std::string>&, int, bool>(),
           py::arg("model"), py::arg("count"), py::arg("given"), py::arg("observed"),
           py::arg("jobs"), py::arg("gpu"))
      .def_property_readonly("size", [](const LoadedBatch& b) { return b.batch->size(); })
      .def_property_readonly("step_size", [](const LoadedBatch& b) { return b.batch->step(); })
      .def_property_readonly("method", [](const LoadedBatch& b) { return b.batch->method(); })
      .def_property_readonly("inputs", [](const LoadedBatch& b) { return b.batch->inputs(); })
      .def_property_readonly("observed", [](const LoadedBatch& b) { return b.batch->observed(); })
      .def_property_readonly("failures", &LoadedBatch::failures)
      .def("set",
           [](LoadedBatch& b, const std::vector<std::string>& names, const Array& values) {
             const std::span<const double> all = b.view(values);
             with_model(*b.model, [&] { b.batch->set_all(names, all); });
           })
      .def("advance", &LoadedBatch::advance, py::arg("inputs"), py::arg("steps"))
      .def("observe", &LoadedBatch::observe)
      .def("times", &LoadedBatch::times)
      .def("reset", &LoadedBatch::reset, py::arg("marked"));
}

}  // namespace koppel::python
