#include "python/src/module.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <iterator>

#include <koppel/base/stop.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/elements/list.hpp>
#include <koppel/version.hpp>

namespace koppel::python {
namespace {

struct sigaction before_interrupts;
bool is_noting = false;  // by note_interrupt; of the main thread

void note_interrupt(int) { request_stop(); }

bool is_main_thread() { return ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid)); }

// An instance of koppel.Error, from its class: Error(list of diagnostics).
void raise(const std::vector<Diagnostic>& diagnostics) {
  const py::module_ errors = py::module_::import("koppel._errors");
  py::list list;
  for (const Diagnostic& d : diagnostics) {
    list.append(errors.attr("Diagnostic")(d.id, d.message, d.hint, d.where.file, d.where.line,
                                          d.where.column, d.excerpt, d.subject));
  }
  const py::object error = errors.attr("Error")(list);
  PyErr_SetObject(errors.attr("Error").ptr(), error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error.diagnostics());
  } catch (const WriteError& error) {
    raise({Diagnostic{"results.not-written", error.what(), {}, {}, {}}});
  } catch (const Stopped&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

constexpr const char* kKinds[] = {
    "number",     "flag",         "word",        "point",           "ends",
    "axis",       "axes",         "world-point", "world-direction", "numbers",
    "matrix",     "joint",        "quantity",    "joint-value",     "assignments",
    "efforts",    "plain-number", "text",        "texts",           "plain-numbers",
    "way-points", "sample-file",  "spot",        "corners",         "named-points",
    "named-axes", "own-points",   "settings",    "axis-angle",      "orientation",
    "shapes"};
static_assert(std::size(kKinds) == static_cast<std::size_t>(FieldKind::Shapes) + 1);

template <typename E>
py::dict describe(const char* section) {
  py::list fields;
  for (const Field<E>& field : E::fields()) {
    const FieldInfo& info = field.info;
    py::dict entry;
    entry["key"] = std::string(info.key);
    entry["text"] = std::string(info.text);
    entry["unit"] = std::string(info.unit);
    entry["unless_given"] = std::string(info.unless_given);
    entry["kind"] = kKinds[static_cast<std::size_t>(field.kind())];
    entry["words"] = std::vector<std::string>(info.words.begin(), info.words.end());
    fields.append(entry);
  }
  py::dict out;
  out["section"] = section;
  out["type"] = std::string(E::kInfo.type);
  out["text"] = std::string(E::kInfo.text);
  out["in_plane"] = E::kInfo.in_plane;
  out["in_space"] = E::kInfo.in_space;
  out["fields"] = fields;
  return out;
}

// The tables of all elements (elements/field.hpp).
py::list elements() {
  py::list out;
  JointElements::for_each(
      [&](auto id) { out.append(describe<typename decltype(id)::type>("joints")); });
  ForceElements::for_each(
      [&](auto id) { out.append(describe<typename decltype(id)::type>("forces")); });
  out.append(describe<EventElement>("events"));
  out.append(describe<ConstraintElement>("constraints"));
  out.append(describe<CouplingElement>("couplings"));
  out.append(describe<NonholonomicElement>("nonholonomic"));
  return out;
}

}  // namespace

Interrupts::Interrupts() {
  if (!is_main_thread()) return;
  struct sigaction action = {};
  sigaction(SIGINT, nullptr, &before_interrupts);
  if (before_interrupts.sa_handler == SIG_IGN) return;
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, nullptr);
  is_installed_ = is_noting = true;
}

Interrupts::~Interrupts() {
  if (!is_installed_) return;
  sigaction(SIGINT, &before_interrupts, nullptr);
  is_noting = false;
  clear_stop();
}

PythonInterrupts::PythonInterrupts() {
  if (!is_main_thread() || !is_noting) return;
  sigaction(SIGINT, &before_interrupts, nullptr);
  is_installed_ = true;
}

PythonInterrupts::~PythonInterrupts() {
  if (!is_installed_) return;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace koppel::python

PYBIND11_MODULE(_koppel, m) {
  using namespace koppel::python;
  m.doc() = "The compiled half of koppel. Use `import koppel`.";
  py::register_exception_translator(&translate);
  m.attr("version") = koppel::version();
  m.attr("commit") = koppel::commit();
  m.def("elements", &elements, "The tables of joints, forces, events and constraints.");
  m.def(
      "suggest",
      [](const std::string& name, const std::vector<std::string>& candidates) {
        return koppel::suggest(name, candidates);
      },
      "The candidate that a misspelt name most likely meant; '' where none is near.");
  add_expressions(m);
  add_functions(m);
  add_models(m);
}
