// Models: read from text, and what can be said about them as they are.
#include "python/src/module.hpp"

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/model/yaml/tree.hpp>

namespace koppel::python {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<LoadedModel> load(const std::string& text, const std::string& file,
                                  const Settings& set) {
  const py::gil_scoped_release release;
  auto out = std::make_shared<LoadedModel>();
  out->model = read_model_text(text, file, {.set = set}, out->origins);
  out->places = Places(out->model);
  return out;
}

// Mappings, lists and texts: what a number or an expression is shows where it is used.
py::object to_python(const yaml::Node& node) {
  using Kind = yaml::Node::Kind;
  switch (node.kind) {
    case Kind::Scalar: return py::str(node.text);
    case Kind::Sequence: {
      py::list out;
      for (const yaml::Node& item : node.items) out.append(to_python(item));
      return out;
    }
    case Kind::Map: {
      py::dict out;
      for (const yaml::Entry& entry : node.entries)
        out[py::str(entry.key)] = to_python(entry.value);
      return out;
    }
    default: return py::none();
  }
}

py::object parse_yaml(const std::string& text, const std::string& file) {
  return to_python(yaml::read_tree(yaml::Source(file, text)));
}

py::list remarks(const LoadedModel& of) {
  py::list out;
  for (const Diagnostic& d : of.model.remarks) out.append(py::make_tuple(d.message, d.where.line));
  return out;
}

py::dict parameters(const LoadedModel& of) {
  py::dict out;
  for (const Parameter& p : of.model.parameters)
    out[py::str(std::string(p.symbol.name()))] = p.value;
  return out;
}

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.emplace_back(item.name);
  return out;
}

std::vector<std::string> joints(const LoadedModel& of) {
  std::vector<std::string> out = names_of(of.model.joints);
  for (const Contact& contact : of.model.contacts) out.push_back(contact.name);
  return out;
}

// Names with which something of the model may be asked for: owner.member.
std::vector<std::string> quantities(const LoadedModel& of) {
  std::vector<std::string> out;
  for (const auto& [owner, member] : of.model.measures()) {
    out.push_back(member.empty() ? owner : owner + '.' + member);
  }
  return out;
}

}  // namespace

void add_models(py::module_& m) {
  py::class_<LoadedModel, std::shared_ptr<LoadedModel>> model(m, "Model", "A model that was read.");
  model.def(py::init(&load), py::arg("text"), py::arg("file"), py::arg("set"))
      .def_property_readonly("name", [](const LoadedModel& of) { return of.model.name; })
      .def_property_readonly("description",
                             [](const LoadedModel& of) { return of.model.description; })
      .def_property_readonly("is_planar", [](const LoadedModel& of) { return of.model.is_planar; })
      .def_property_readonly("parameters", &parameters)
      .def_property_readonly("remarks", &remarks)
      .def_property_readonly("bodies",
                             [](const LoadedModel& of) { return names_of(of.model.bodies); })
      .def_property_readonly("joints", &joints)
      .def_property_readonly("forces",
                             [](const LoadedModel& of) { return names_of(of.model.forces); })
      .def_property_readonly("outputs",
                             [](const LoadedModel& of) { return names_of(of.model.outputs); })
      .def_property_readonly("inputs",
                             [](const LoadedModel& of) {
                               std::vector<std::string> out;
                               for (const Expr& u : of.model.inputs) out.emplace_back(u.name());
                               return out;
                             })
      .def_property_readonly("quantities", &quantities)
      .def_property_readonly("end", [](const LoadedModel& of) { return of.model.run.end; })
      .def("has_symbol",
           [](LoadedModel& of, const std::string& name) {
             return with_model(of, [&] { return of.model.find_symbol(name).has_value(); });
           })
      .def("coordinate_sets", [](LoadedModel& of) {
        return with_model(of, [&] { return coordinate_sets(of.model); });
      });
  m.def("parse_yaml", &parse_yaml, py::arg("text"), py::arg("file"));
  m.def("formulations", [] { return names_of(formulations()); });
  m.def("integrators", [] { return names_of(integrators()); });
  add_runs(m, model);
  add_analyses(m, model);
  add_studies(m, model);
  add_sweeps(m);
}

}  // namespace koppel::python
