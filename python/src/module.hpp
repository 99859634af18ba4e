// The compiled half of the Python package: the library's nouns, thin. What makes them pleasant
// (signatures, names, plots) is Python, in python/koppel.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>

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

// Calls f with the interpreter's lock released and the model's taken. Errors get the places of what
// they name in the model.
template <typename F>
auto with_model(LoadedModel& of, F&& f) {
  const py::gil_scoped_release release;
  const std::lock_guard lock(of.mutex);
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
void add_runs(py::module_& m, py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model);

}  // namespace koppel::python
