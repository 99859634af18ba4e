// Compiled expressions as Python callables. A call with numbers goes straight to machine code: the
// type has its own tp_call, since the general dispatch of pybind11 takes longer than most
// functions.
#include "python/src/module.hpp"

#include <array>
#include <optional>

#include <koppel/expr/code/function.hpp>

#include "python/src/options.hpp"

namespace koppel::python {
namespace {

struct Compiled {
  Function function;
  bool is_single;       // one expression was given, not a list: results come alone
  Workspace workspace;  // of calls with numbers, which keep the interpreter's lock
};

constexpr std::size_t kBlock = 512;  // points at a time, whose numbers stay in the cache

// A number of Python, float or int; nothing for all else.
std::optional<double> number_of(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyLong_Check(object)) {
    const double value = PyLong_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return value;
  }
  return std::nullopt;
}

PyObject* result_of(const Compiled& f, std::span<const double> out) {
  if (f.is_single) return PyFloat_FromDouble(out[0]);
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(out.size()));
  if (tuple == nullptr) throw py::error_already_set();
  for (std::size_t i = 0; i < out.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyFloat_FromDouble(out[i]));
  }
  return tuple;
}

// All arguments are numbers. Null: they are not.
PyObject* call_with_numbers(Compiled& f, PyObject* args) {
  constexpr std::size_t kFew = 32;
  std::array<double, kFew> few_in, few_out;
  std::vector<double> many_in, many_out;
  const std::size_t num_in = f.function.num_inputs(), num_out = f.function.num_outputs();
  if (num_in > kFew) many_in.resize(num_in);
  if (num_out > kFew) many_out.resize(num_out);
  double* const in = num_in > kFew ? many_in.data() : few_in.data();
  double* const out = num_out > kFew ? many_out.data() : few_out.data();
  for (std::size_t i = 0; i < num_in; ++i) {
    const auto value = number_of(PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i)));
    if (!value) return nullptr;
    in[i] = *value;
  }
  f.function.evaluate({in, num_in}, {out, num_out}, f.workspace);
  return result_of(f, {out, num_out});
}

// Arrays of one shape, or broadcast to one; gathered in blocks, without a copy of the whole.
py::object call_with_arrays(const Compiled& f, const py::tuple& args) {
  const py::module_ numpy = py::module_::import("numpy");
  using Array = py::array_t<double, py::array::forcecast>;
  py::list given;
  for (const py::handle& argument : args) {
    const Array array = Array::ensure(argument);
    if (!array) {
      throw py::type_error("'" + std::string(py::str(argument)) +
                           "' is neither a number nor an array of numbers");
    }
    given.append(array);
  }
  const py::list same = numpy.attr("broadcast_arrays")(*given);
  struct Input {
    py::array array;  // kept
    const char* data;
    py::ssize_t stride;
  };
  std::vector<Input> inputs;
  std::vector<py::ssize_t> shape;
  std::size_t count = 1;
  for (std::size_t i = 0; i < same.size(); ++i) {
    auto array = py::reinterpret_borrow<py::array>(same[i]);
    if (i == 0) {
      shape.assign(array.shape(), array.shape() + array.ndim());
      count = static_cast<std::size_t>(array.size());
    }
    py::ssize_t stride = 0;
    if (py::reinterpret_borrow<py::array>(given[i]).size() == 1) {
      stride = 0;  // one number for all points
    } else if (array.ndim() == 1) {
      stride = array.strides(0);
    } else {
      array = numpy.attr("ascontiguousarray")(array);
      stride = sizeof(double);
    }
    inputs.push_back({array, static_cast<const char*>(array.data()), stride});
  }
  std::vector<py::ssize_t> out_shape = shape;
  out_shape.insert(out_shape.begin(), static_cast<py::ssize_t>(f.function.num_outputs()));
  py::array_t<double> result(out_shape);
  double* const out = result.mutable_data();
  {
    const py::gil_scoped_release release;
    Workspace work = f.function.make_batch_workspace();
    std::vector<double> in(inputs.size() * kBlock), values(f.function.num_outputs() * kBlock);
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      const std::size_t n = std::min(kBlock, count - begin);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const char* from = inputs[i].data + static_cast<py::ssize_t>(begin) * inputs[i].stride;
        for (std::size_t p = 0; p < n; ++p, from += inputs[i].stride) {
          in[i * n + p] = *reinterpret_cast<const double*>(from);
        }
      }
      f.function.evaluate_batch({in.data(), inputs.size() * n},
                                {values.data(), f.function.num_outputs() * n}, n, work);
      for (std::size_t j = 0; j < f.function.num_outputs(); ++j) {
        std::copy_n(values.data() + j * n, n, out + j * count + begin);
      }
    }
  }
  if (f.is_single) return result[py::int_(0)];
  py::tuple parts(f.function.num_outputs());
  for (std::size_t j = 0; j < parts.size(); ++j) parts[j] = result[py::int_(j)];
  return parts;
}

Compiled& compiled_of(PyObject* self) {
  return *static_cast<Compiled*>(
      reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr());
}

PyObject* call(PyObject* self, PyObject* args, PyObject* keywords) {
  try {
    Compiled& f = compiled_of(self);
    const auto num_given = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
    if (num_given != f.function.num_inputs() || keywords != nullptr) {
      PyErr_Format(PyExc_TypeError, "the function has %zu arguments by position; %zu were given%s",
                   f.function.num_inputs(), num_given, keywords != nullptr ? ", and others" : "");
      return nullptr;
    }
    if (PyObject* result = call_with_numbers(f, args)) return result;
    return call_with_arrays(f, py::reinterpret_borrow<py::tuple>(args)).release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  }
  return nullptr;
}

// X[i, p] → Y[j, p], neither copied.
py::array_t<double> map(const Compiled& f, const py::array_t<double, py::array::c_style>& x,
                        std::optional<py::array_t<double, py::array::c_style>> out) {
  const auto num_in = static_cast<py::ssize_t>(f.function.num_inputs());
  const auto num_out = static_cast<py::ssize_t>(f.function.num_outputs());
  if (x.ndim() != 2 || x.shape(0) != num_in) {
    throw py::value_error("map() takes an array with a row for each of the " +
                          std::to_string(num_in) + " arguments and a column for each point");
  }
  const py::ssize_t count = x.shape(1);
  if (!out) out.emplace(std::vector<py::ssize_t>{num_out, count});
  if (out->ndim() != 2 || out->shape(0) != num_out || out->shape(1) != count) {
    throw py::value_error("out must have the shape (" + std::to_string(num_out) + ", " +
                          std::to_string(count) + ")");
  }
  const std::span<const double> from(x.data(), static_cast<std::size_t>(x.size()));
  const std::span<double> to(out->mutable_data(), static_cast<std::size_t>(out->size()));
  {
    const py::gil_scoped_release release;
    Workspace work = f.function.make_batch_workspace();
    f.function.evaluate_batch(from, to, static_cast<std::size_t>(count), work);
  }
  return *out;
}

Compiled compile(const std::vector<Expression>& inputs, const std::vector<Expression>& outputs,
                 bool is_single, const std::string& native) {
  std::vector<Expr> in, out;
  for (const Expression& e : inputs) in.push_back(e.e);
  for (const Expression& e : outputs) out.push_back(e.e);
  py::dict given;
  given["native"] = native;
  Function function(in, out, {.native = native_of(given)});
  Workspace work = function.make_workspace();
  return {std::move(function), is_single, std::move(work)};
}

}  // namespace

void add_functions(py::module_& m) {
  py::class_<Compiled>(
      m, "Function",
      "Expressions compiled to machine code, as a function: `koppel.compile`.\n\n"
      "Called with numbers it gives numbers, with arrays arrays.",
      py::custom_type_setup([](PyHeapTypeObject* type) { type->ht_type.tp_call = call; }))
      .def(
          "map", &map, py::arg("x").noconvert(), py::arg("out").noconvert() = py::none(),
          "The function at many points: x has a row for each argument and a column for each point\n"
          "(float64, C order), the result a row for each output. Nothing is copied.")
      .def_property_readonly(
          "num_inputs", [](const Compiled& f) { return f.function.num_inputs(); },
          "How many arguments it takes.")
      .def_property_readonly(
          "num_outputs", [](const Compiled& f) { return f.function.num_outputs(); },
          "How many results it has.")
      .def_property_readonly(
          "num_instructions", [](const Compiled& f) { return f.function.num_instructions(); },
          "How many operations it is.")
      .def_property_readonly(
          "is_machine_code", [](const Compiled& f) { return f.function.is_machine_code(); },
          "Whether it is generated machine code; else it is interpreted or was compiled.")
      .def("__repr__", [](const Compiled& f) {
        return "<koppel.Function of " + std::to_string(f.function.num_inputs()) +
               " arguments, with " + std::to_string(f.function.num_outputs()) + " results>";
      });
  m.def("compile", &compile, py::arg("inputs"), py::arg("outputs"), py::arg("is_single"),
        py::arg("native"));
}

}  // namespace koppel::python
