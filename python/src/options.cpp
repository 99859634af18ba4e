#include "python/src/options.hpp"

#include <koppel/expr/code/native.hpp>

#include "apps/koppel/method_options.hpp"

namespace koppel::python {

Sampling sampling_of(const py::dict& given, Sampling sampling) {
  if (!given.contains("samples") || given["samples"].is_none()) return sampling;
  const py::object value = given["samples"];
  if (py::isinstance<py::str>(value)) {
    if (value.cast<std::string>() == "steps") {
      sampling.every_step = true;
      return sampling;
    }
  } else if (py::isinstance<py::int_>(value)) {
    sampling.count = value.cast<int>();
    return sampling;
  } else if (auto times = py::array_t<double, py::array::forcecast>::ensure(value);
             times && times.ndim() == 1) {
    for (py::ssize_t i = 0; i < times.size(); ++i) sampling.times.push_back(times.at(i));
    return sampling;
  }
  PyErr_Clear();
  throw Error("python.wrong-option",
              fmt::format("`samples = {}` is not known.", py::repr(value).cast<std::string>()),
              "Give the number of rows, 'steps' for a row at every step, or a list of times.");
}

HealthOptions health_of(const py::dict& given) {
  HealthOptions health;
  if (!given.contains("health") || given["health"].is_none()) return health;
  const py::object value = given["health"];
  if (py::isinstance<py::str>(value) && value.cast<std::string>() == "off") {
    health.is_watched = false;
    return health;
  }
  double factor = 0;
  if (!take(given, "health", factor) || !(factor > 0)) {
    throw Error("python.wrong-option",
                fmt::format("`health = {}` is not known.", py::repr(value).cast<std::string>()),
                "It is 'off', or a positive factor by which the limits are loosened, such as 10.");
  }
  health.loosen = factor;
  return health;
}

Projection projection_of(const py::dict& given) {
  std::string text;
  if (!take(given, "projection", text)) return Method{}.projection;
  if (const std::optional<Projection> read = read_projection(text)) return *read;
  throw Error("python.wrong-option", "`projection = " + text + "` is not known.",
              "It is one of: none, once, full.");
}

Native native_of(const py::dict& given) {
  std::string text;
  if (!take(given, "native", text)) return Native::Auto;
  const std::optional<Native> native = read_native(text);
  if (native) return *native;
  throw Error("python.wrong-option", "`native = " + text + "` is not known.",
              "It is one of: auto, jit, cc, off.");
}

SimulateOptions simulate_options(const py::dict& given, const Model& model) {
  SimulateOptions options = options_of(model);
  take(given, "end", options.end);
  double step = 0;
  const bool has_step = take(given, "step", step);
  if (take(given, "tolerance", options.tolerance) && !has_step) options.step.reset();
  if (has_step) options.step = step;
  take(given, "coordinates", options.coordinates);
  take_text(given, "formulation", options.formulation);
  take_text(given, "integrator", options.integrator);
  options.projection = projection_of(given);
  take(given, "order", options.order);
  take(given, "baumgarte", options.baumgarte);
  options.native = native_of(given);
  take(given, "derivatives", options.derivatives);
  if (std::string axes; take(given, "reactions", axes)) {
    if (axes != "world" && axes != "joint") {
      throw Error("python.wrong-option", "`reactions = " + axes + "` is not known.",
                  "It is 'world' or 'joint': the axes of the forces.");
    }
    options.reactions = axes == "joint" ? ReactionAxes::Joint : ReactionAxes::World;
  }
  options.sampling = sampling_of(given, options.sampling);
  options.health = health_of(given);
  options.validate();
  return options;
}

InverseOptions inverse_options(const py::dict& given, const Model& model) {
  InverseOptions options = inverse_options_of(model);
  take(given, "end", options.end);
  take(given, "coordinates", options.coordinates);
  take(given, "method", options.method);
  take_text(given, "integrator", options.integrator);
  if (double step = 0; take(given, "step", step)) options.step = step;
  take(given, "tolerance", options.tolerance);
  take(given, "verify", options.verify);
  options.native = native_of(given);
  take(given, "bounded", options.bounded);
  take(given, "across_jumps", options.across_jumps);
  options.sampling = sampling_of(given, options.sampling);
  options.health = health_of(given);
  options.validate();
  return options;
}

}  // namespace koppel::python
