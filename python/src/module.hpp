// The compiled half of the Python package: the library's nouns, thin. What makes them pleasant
// (signatures, names, plots) is Python, in python/koppel.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/model/places.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

namespace koppel::python {

namespace py = pybind11;

// An expression that keeps its graph alive; a plain number has none.
struct Expression {
  std::shared_ptr<Graph> graph;
  Expr e;
};

// A model as it was read. Its graph belongs to one thread at a time: whoever works with it holds
// the mutex, and not the interpreter's lock.
struct LoadedModel {
  Model model;
  std::vector<ParameterOrigin> origins;
  Places places;
  std::mutex mutex;
  std::atomic<std::thread::id> user = {};  // who holds the mutex
};

// Ctrl-C while it lives, in the main thread, asks the library to stop (koppel/base/stop.hpp) in
// place of ending the interpreter's next instruction.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  bool is_installed_ = false;
};

// While a callback of Python runs: Ctrl-C is the interpreter's again.
class PythonInterrupts {
 public:
  PythonInterrupts();
  PythonInterrupts(const PythonInterrupts&) = delete;
  PythonInterrupts& operator=(const PythonInterrupts&) = delete;
  ~PythonInterrupts();

 private:
  bool is_installed_ = false;
};

// Notes the thread that uses a model.
class InUse {
 public:
  explicit InUse(LoadedModel& of) : of_(of) { of_.user = std::this_thread::get_id(); }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() { of_.user = std::thread::id(); }

 private:
  LoadedModel& of_;
};

// Calls f with the interpreter's lock released and the model's taken. Errors get the places of what
// they name in the model.
template <typename F>
auto with_model(LoadedModel& of, F&& f) {
  if (of.user == std::this_thread::get_id()) {
    throw Error("python.model-busy", "a callback asks the model that is running.",
                "Give it a copy(), made before the run.");
  }
  const py::gil_scoped_release release;
  const std::lock_guard lock(of.mutex);
  const InUse in_use(of);
  const Interrupts interrupts;
  try {
    return f();
  } catch (const Error& error) {
    throw of.places.locate(error);
  }
}

void add_expressions(py::module_& m);
void add_functions(py::module_& m);
void add_models(py::module_& m);
void add_analyses(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model);
void add_studies(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model);
void add_sweeps(py::module_& m);
void add_runs(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model);

}  // namespace koppel::python
