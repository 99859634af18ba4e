#include "python/src/options.hpp"

#include <koppel/control/inverse_request.hpp>
#include <koppel/simulate/run_request.hpp>

namespace koppel::python {
namespace {

std::string repr_of(const py::handle& value) { return py::repr(value).cast<std::string>(); }

// The list of times, where `samples` is one.
std::optional<std::vector<double>> times_of(const py::dict& given) {
  if (!given.contains("samples")) return {};
  const py::object value = given["samples"];
  if (value.is_none() || py::isinstance<py::int_>(value)) return {};
  const OptionInfo& info = option_named(RunRequest::options(), "samples").info;
  const bool is_text = py::isinstance<py::str>(value);
  if (is_text && info.is_known(value.cast<std::string>())) return {};
  auto times = py::array_t<double, py::array::forcecast>::ensure(value);
  if (!is_text && times && times.ndim() == 1)
    return std::vector(times.data(), times.data() + times.size());
  PyErr_Clear();
  throw Error("python.wrong-option", fmt::format("`samples = {}` is not known.", repr_of(value)),
              "Give the number of rows, 'steps' for a row at every step, or a list of times.");
}

// Of one option. A text may stand for a number.
template <typename T>
void take_into(const py::dict& given, const Option& option, T& out) {
  const char* const key = option.info.name.c_str();
  if constexpr (std::is_same_v<T, std::string>) {
    const py::object value = given[key];
    const bool is_number = py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value);
    if (is_number && !option.info.python_type.empty()) {
      out = py::str(value).cast<std::string>();
      return;
    }
  }
  take(given, key, out);
}

template <typename Request>
Request request_of(const py::dict& given) {
  Request request;
  take_options(given, Request::options(), &request);
  return request;
}

// Of a request with samples, which may be times here.
template <typename Request>
auto options_with_times(py::dict given, const Model& model) {
  const std::optional<std::vector<double>> times = times_of(given);
  if (times) {
    given = py::dict(given.attr("copy")());
    given["samples"] = py::none();
  }
  auto options = request_of<Request>(given).options_for(model);
  if (times) options.sampling.times = *times;
  options.validate();
  return options;
}

}  // namespace

void take_options(const py::dict& given, const OptionTable& table, void* into) {
  for (const Option& option : table) {
    const char* const key = option.info.name.c_str();
    if (!given.contains(key) || given[key].is_none()) continue;
    std::visit([&](auto* out) { take_into(given, option, *out); }, option.member.in(into));
  }
  check_texts(table, into, "python.wrong-option",
              [](const Option& option, const std::string& text) {
                return fmt::format("`{} = '{}'`", option.info.name, text);
              });
}

Projection projection_of(const py::dict& given) {
  const auto request = request_of<MethodRequest>(given);
  return read_projection(request.projection).value_or(Method{}.projection);
}

Native native_of(const py::dict& given) { return request_of<NativeRequest>(given).native(); }

SimulateOptions simulate_options(const py::dict& given, const Model& model) {
  return options_with_times<RunRequest>(given, model);
}

InverseOptions inverse_options(const py::dict& given, const Model& model) {
  return options_with_times<InverseRequest>(given, model);
}

}  // namespace koppel::python
