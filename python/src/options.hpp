// Options of runs from keyword arguments: what is given goes before what the model says.
#pragma once

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/option.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/simulate/simulate.hpp>

#include "python/src/module.hpp"

namespace koppel::python {

// out = given[key], where that is there and not None. Throws Error `python.wrong-option`.
template <typename T>
bool take(const py::dict& given, const char* key, T& out) {
  if (!given.contains(key)) return false;
  const py::object value = given[key];
  if (value.is_none()) return false;
  try {
    out = value.cast<T>();
  } catch (const py::cast_error&) {
    throw Error("python.wrong-option",
                fmt::format("`{} = {}` is not of the kind that is expected.", key,
                            py::repr(value).cast<std::string>()),
                std::is_convertible_v<double, T> ? "Give a number." : "Give a text.");
  }
  return true;
}

// Those of a table that are given. Throws Error `python.wrong-option`.
void take_options(const py::dict& given, const OptionTable& table, void* into);

SimulateOptions simulate_options(const py::dict& given, const Model& model);
InverseOptions inverse_options(const py::dict& given, const Model& model);
Projection projection_of(const py::dict& given);
Native native_of(const py::dict& given);

}  // namespace koppel::python
