// Runs, forward and inverse, and their results.
#include <chrono>
#include <tuple>

#include <koppel/base/stop.hpp>
#include <koppel/control/feedback/robustness.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/results/report.hpp>
#include <koppel/simulate/controllers.hpp>

#include "apps/koppel/describe.hpp"
#include "python/src/options.hpp"

namespace koppel::python {
namespace {

// What a run came to, of either direction.
struct Result {
  std::shared_ptr<LoadedModel> of;
  std::shared_ptr<const void> kept;  // the Simulation or Inverse that the rest is of
  const Trajectory* trajectory = nullptr;
  std::string status, text, summary;
  bool is_interrupted = false;  // by Ctrl-C
  std::vector<std::string> messages;
  app::Lines lines;
  std::function<std::vector<double>(const std::string&)> quantity;
  std::function<Report()> report;
  std::function<void(const std::string&)> write_hdf5;
};

// Calls back into Python, not more often than a person notices. What the callback throws ends the
// run and is thrown again when it has ended.
class Reporter {
 public:
  explicit Reporter(py::object call) : call_(std::move(call)) {}

  SimulateCallbacks callbacks() {
    SimulateCallbacks out;
    if (call_.is_none()) return out;
    out.progress = [this](const Progress& progress) { return tell(progress); };
    return out;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  bool tell(const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return true;
    last_ = now;
    const py::gil_scoped_acquire acquire;
    try {
      const py::object answer = call_(progress.t, progress.end);
      return answer.is_none() || answer.cast<bool>();
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  py::object call_;
  std::exception_ptr thrown_;
  std::chrono::steady_clock::time_point last_;
};

// Functions of Python as controllers and calls of events: f(t, *reads) gives values of states and
// whether the run goes on. What they throw ends the run, and is thrown again when it has ended;
// Ctrl-C in one of them is one of the run.
class PythonCalls {
 public:
  // (name, period or None for an event, texts that are read, function)
  explicit PythonCalls(const py::list& calls) {
    for (const py::handle& entry : calls) {
      const auto [name, every, reads, function] =
          entry.cast<std::tuple<std::string, py::object, std::vector<std::string>, py::object>>();
      functions_.push_back(function);
      const std::size_t number = functions_.size() - 1;
      const Call call = [this, number](double t, std::span<const double> values) {
        return ask(functions_[number], t, values);
      };
      if (every.is_none()) {
        controls_.events.push_back({name, reads, call});
      } else {
        controls_.controllers.push_back({name, every.cast<double>(), reads, call});
      }
    }
  }
  PythonCalls(const PythonCalls&) = delete;
  PythonCalls& operator=(const PythonCalls&) = delete;

  const Controls& controls() const { return controls_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Answer ask(const py::object& f, double t, std::span<const double> reads) {
    const py::gil_scoped_acquire acquire;
    const PythonInterrupts interrupts;
    try {
      py::tuple arguments(reads.size() + 1);
      arguments[0] = t;
      for (std::size_t i = 0; i < reads.size(); ++i) arguments[i + 1] = reads[i];
      const auto answer = f(*arguments).cast<std::pair<py::list, bool>>();
      Answer out;
      out.goes_on = answer.second;
      for (const py::handle& entry : answer.first) {
        out.states.push_back(entry.cast<std::pair<std::string, double>>());
      }
      return out;
    } catch (py::error_already_set& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) {
        request_stop();
      } else {
        thrown_ = std::current_exception();
      }
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return {.goes_on = false};
  }

  std::vector<py::object> functions_;
  Controls controls_;
  std::exception_ptr thrown_;
};

Result simulate_model(const std::shared_ptr<LoadedModel>& of, const py::dict& given,
                      const py::object& progress, const py::list& calls) {
  const SimulateOptions options = simulate_options(given, of->model);
  Reporter reporter(progress);
  PythonCalls python_calls(calls);
  const SimulateCallbacks callbacks = reporter.callbacks();
  Result out;
  out.of = of;
  with_model(*of, [&] {
    auto s = std::make_shared<Simulation>(
        simulate(of->model, options, callbacks, python_calls.controls()));
    out.is_interrupted = is_stop_requested();
    clear_stop();  // what was reached is told in full
    out.trajectory = &s->trajectory;
    out.status = s->summary.status;
    out.text = s->text;
    out.summary = to_json(s->summary);
    out.messages = s->summary.messages;
    out.lines = app::describe(*s);
    out.quantity = [s](const std::string& name) { return (*s)[name]; };
    out.report = [of, s] { return app::make_report(of->model, *s); };
    out.write_hdf5 = [s](const std::string& path) { write_hdf5(path, s->trajectory, s->summary); };
    out.kept = s;
  });
  reporter.rethrow();
  python_calls.rethrow();
  return out;
}

std::vector<Disturbance> disturbances_of(const py::dict& given) {
  std::vector<Disturbance> out;
  std::map<std::string, double> plant, disturb;
  take(given, "plant", plant);
  take(given, "disturb", disturb);
  for (const auto& [name, value] : plant) {
    out.push_back({Disturbance::Kind::Parameter, name, value});
  }
  for (const auto& [name, value] : disturb) {
    out.push_back({Disturbance::Kind::Start, name, value});
  }
  return out;
}

Result invert_model(const std::shared_ptr<LoadedModel>& of, const py::dict& given,
                    const py::object& progress) {
  const InverseOptions options = inverse_options(given, of->model);
  const std::vector<Disturbance> different = disturbances_of(given);
  FeedbackOptions feedback;
  const bool has_feedback = take(given, "feedback", feedback.kind);
  feedback.validate();
  Reporter reporter(progress);
  Result out;
  out.of = of;
  with_model(*of, [&] {
    auto r = std::make_shared<Inverse>(inverse(of->model, options, reporter.callbacks()));
    if (r->status == Outcome::Status::Done && (has_feedback || !different.empty())) {
      r->summary.feedback = feedback.kind;
      r->summary.robustness = find_robustness(of->model, *r, feedback, different);
    }
    out.is_interrupted = is_stop_requested();
    clear_stop();
    out.trajectory = &r->trajectory;
    out.status = r->summary.status;
    out.text = r->text;
    out.summary = to_json(r->summary);
    out.messages = r->summary.messages;
    out.lines = app::describe(*r);
    out.quantity = [r](const std::string& name) {
      const std::span<const double> column = r->trajectory[name];
      return std::vector<double>(column.begin(), column.end());
    };
    out.report = [of, r] { return app::make_report(of->model, *r); };
    out.kept = r;
  });
  reporter.rethrow();
  return out;
}

py::array read_only(py::array array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// A column where it stands: the array keeps the run alive.
py::array view(const py::object& self, std::size_t index) {
  const auto& result = self.cast<const Result&>();
  const std::span<const double> column = result.trajectory->column(index);
  return read_only(
      py::array_t<double>(static_cast<py::ssize_t>(column.size()), column.data(), self));
}

// Any quantity by name; a vector that the array owns.
py::array quantity(Result& result, const std::string& name) {
  auto values = with_model(
      *result.of, [&] { return std::make_unique<std::vector<double>>(result.quantity(name)); });
  const auto size = static_cast<py::ssize_t>(values->size());
  const double* const data = values->data();
  const py::capsule owner(values.release(),
                          [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return read_only(py::array_t<double>(size, data, owner));
}

py::list columns(const Result& result) {
  py::list out;
  for (const Column& c : result.trajectory->columns()) {
    out.append(py::make_tuple(c.name, c.unit, std::string(name_of(c.group))));
  }
  return out;
}

}  // namespace

void add_runs(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model) {
  py::class_<Result>(m, "Result", "What a run came to.")
      .def_readonly("status", &Result::status)
      .def_readonly("is_interrupted", &Result::is_interrupted)
      .def_readonly("text", &Result::text)
      .def_readonly("summary", &Result::summary)
      .def_readonly("messages", &Result::messages)
      .def_readonly("lines", &Result::lines)
      .def_property_readonly("columns", &columns)
      .def("view", &view)
      .def("quantity", &quantity)
      .def("html", [](Result& r) { return with_model(*r.of, [&] { return to_html(r.report()); }); })
      .def("write_csv",
           [](const Result& r, const std::string& path) { write_csv(path, *r.trajectory); })
      .def("write_hdf5", [](const Result& r, const std::string& path) {
        if (!r.write_hdf5) throw Error("results.no-hdf5", "inverse runs have no HDF5 file.");
        r.write_hdf5(path);
      });
  model.def("simulate", &simulate_model, py::arg("options"), py::arg("progress"), py::arg("calls"));
  model.def("inverse", &invert_model, py::arg("options"), py::arg("progress"));
}

}  // namespace koppel::python
