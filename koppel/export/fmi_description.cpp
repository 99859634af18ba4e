#include <koppel/export/fmi_description.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include <koppel/equations/units.hpp>
#include <koppel/export/event_code.hpp>
#include <koppel/version.hpp>

namespace koppel {
namespace {

// Exponents of the base units of FMI.
struct BaseUnit {
  int kg = 0, m = 0, s = 0, rad = 0;
};
struct Unit {
  const char* name;
  BaseUnit base;
};
constexpr Unit kUnits[] = {{"m", {0, 1, 0, 0}},  {"rad", {0, 0, 0, 1}}, {"s", {0, 0, 1, 0}},
                           {"N", {1, 1, -2, 0}}, {"J", {1, 2, -2, 0}},  {"kg", {1, 0, 0, 0}},
                           {"W", {1, 2, -3, 0}}};

// Of a unit of columns (equations/units.hpp): factors with powers, a slash before those that
// divide: "N m", "rad/s^2". Nothing where a factor is not known.
std::optional<BaseUnit> base_unit_of(const std::string& unit) {
  BaseUnit out;
  std::size_t at = 0;
  while (at < unit.size()) {
    const bool divides = unit[at] == '/';
    if (divides || unit[at] == ' ') ++at;
    const std::string factor = unit.substr(at, unit.find_first_of(" /", at) - at);
    at += factor.size();
    const std::size_t hat = factor.find('^');
    const std::string name = factor.substr(0, hat);
    const int power =
        (hat == factor.npos ? 1 : std::stoi(factor.substr(hat + 1))) * (divides ? -1 : 1);
    const auto known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                    [&](const Unit& u) { return u.name == name; });
    if (known == std::end(kUnits)) return {};
    out.kg += power * known->base.kg;
    out.m += power * known->base.m;
    out.s += power * known->base.s;
    out.rad += power * known->base.rad;
  }
  return out;
}

struct Variable {
  std::string name, description, unit;
  const char* causality;
  const char* variability;
  const char* initial;  // null: none
  unsigned reference;
  bool has_start;
  double start = 0;
  std::size_t derivative_of = 0;  // the index of the state, from 1
};

std::string number(double value) { return fmt::format("{}", value); }

class Description {
 public:
  Description(const StepModel& model, const FmiStructure& structure, FmiVersion version)
      : m_(model),
        depends_(structure),
        changes_(changed_by_events(model)),
        is_3_(version == FmiVersion::V3) {
    unsigned reference = 2;  // t and h come first
    if (is_3_) {
      add({unique("time", ""), "", "s", "independent", "continuous", nullptr, 0, false});
    }
    const std::vector<CVariable> states = fields({&m_.q, &m_.v, &m_.x});
    const auto first_output =
        static_cast<unsigned>(2 + m_.state_size() + m_.inputs.size() + m_.parameters.size());
    // Outputs have their names for themselves.
    for (std::size_t i = 0; i < m_.outputs.size(); ++i) {
      const CVariable& f = m_.outputs[i];
      add({unique(f.label, "output."), "", f.unit, "output", "continuous", "calculated",
           first_output + static_cast<unsigned>(i), false});
      outputs_.push_back(variables_.size());
    }
    const std::size_t first_state = variables_.size() + 1;
    for (const CVariable& f : states) {
      add({unique(f.label, "state."), "state", f.unit, "local", "continuous", "approx", reference++,
           true, f.start});
    }
    reference += static_cast<unsigned>(m_.multipliers.size());
    for (const CVariable& f : m_.inputs) {
      add({unique(f.label, "input."), "", f.unit, "input", "continuous", nullptr, reference++, true,
           f.start});
    }
    for (std::size_t i = 0; i < m_.parameters.size(); ++i) {
      add_parameter(i, reference++);
    }
    reference += static_cast<unsigned>(m_.outputs.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::string unit = unit_of_derivative(states[i].unit);
      add({"der(" + variables_[first_state - 1 + i].name + ")", "", unit, "local", "continuous",
           "calculated", reference++, false, 0, first_state + i});
      derivatives_.push_back(variables_.size());
      states_.push_back(first_state + i);
    }
    for (std::size_t i = 0; is_3_ && i < depends_.events.size(); ++i) {
      const std::string& name = m_.prepared.equations->events[i].name;
      add({unique(name, "event."), "event", "", "local", "continuous", "calculated", reference++,
           false});
      events_.push_back(variables_.size());
    }
  }

  std::string write(const std::string& token, double end) const {
    pugi::xml_document document;
    pugi::xml_node root = document.append_child("fmiModelDescription");
    set(root, {{"fmiVersion", is_3_ ? "3.0" : "2.0"},
               {"modelName", m_.name},
               {is_3_ ? "instantiationToken" : "guid", token},
               {"description", m_.title},
               {"generationTool", std::string("koppel ") + version()},
               {"variableNamingConvention", "flat"}});
    if (is_3_) {
      add_kind(root, "ModelExchange", {{"needsCompletedIntegratorStep", "true"}});
    } else {
      set(root, {{"numberOfEventIndicators", std::to_string(depends_.events.size())}});
      add_kind(root, "ModelExchange", {{"completedIntegratorStepNotNeeded", "false"}});
    }
    Attributes stepping = {{"canHandleVariableCommunicationStepSize", "true"}};
    if (!is_3_) stepping.emplace_back("canInterpolateInputs", m_.inputs.empty() ? "false" : "true");
    add_kind(root, "CoSimulation", stepping);
    add_units(root);
    pugi::xml_node log = root.append_child("LogCategories");
    for (const char* category : {"logStatusWarning", "logStatusDiscard", "logStatusError"}) {
      set(log.append_child("Category"), {{"name", category}});
    }
    pugi::xml_node experiment = root.append_child("DefaultExperiment");
    set(experiment, {{"startTime", number(m_.start_time)}, {"stopTime", number(end)}});
    set(experiment, {{"tolerance", number(m_.tolerance.value_or(m_.solver_tolerance))}});
    set(experiment, {{"stepSize", number(m_.step)}});
    add_variables(root);
    add_structure(root);
    std::ostringstream out;
    document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
    return out.str();
  }

 private:
  using Attributes = std::vector<std::pair<const char*, std::string>>;

  static void set(pugi::xml_node node, const Attributes& attributes) {
    for (const auto& [name, value] : attributes) node.append_attribute(name) = value.c_str();
  }

  static std::vector<CVariable> fields(std::initializer_list<const std::vector<CVariable>*> parts) {
    std::vector<CVariable> all;
    for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
    return all;
  }

  std::string unique(const std::string& label, const char* prefix) {
    std::string name = label;
    if (names_.contains(name)) name = prefix + label;
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  void add_parameter(std::size_t i, unsigned reference) {
    const CVariable& f = m_.parameters[i];
    const std::string name = unique(f.label, "parameter.");
    switch (m_.start.kinds[i]) {
      case ParameterKind::Free:
        if (changes_[i]) {  // in events
          add({name, "", f.unit, "local", "discrete", "exact", reference, true, f.start});
          break;
        }
        add({name, "", f.unit, "parameter", "fixed", "exact", reference, true, f.start});
        break;
      case ParameterKind::Derived:
        if (changes_[i]) {
          add({name, "", f.unit, "local", "discrete", "calculated", reference, false});
          break;
        }
        add({name, "", f.unit, "calculatedParameter", "fixed", "calculated", reference, false});
        calculated_.emplace_back(variables_.size(), i);
        break;
      case ParameterKind::BuiltIn:
        add({name, "", f.unit, "local", changes_[i] ? "discrete" : "constant", "exact", reference,
             true, f.start});
        break;
    }
  }

  void add(Variable variable) { variables_.push_back(std::move(variable)); }

  void add_kind(pugi::xml_node root, const char* kind, const Attributes& more) const {
    pugi::xml_node node = root.append_child(kind);
    set(node, {{"modelIdentifier", m_.name}});
    set(node, more);
    if (is_3_) {
      set(node, {{"canGetAndSetFMUState", "true"},
                 {"canSerializeFMUState", "true"},
                 {"providesDirectionalDerivatives", "true"},
                 {"providesAdjointDerivatives", "true"}});
      return;
    }
    set(node, {{"canGetAndSetFMUstate", "true"},
               {"canSerializeFMUstate", "true"},
               {"providesDirectionalDerivative", "true"}});
    set(node.append_child("SourceFiles").append_child("File"), {{"name", m_.name + ".c"}});
  }

  void add_units(pugi::xml_node root) const {
    std::set<std::string> used;
    for (const Variable& v : variables_) {
      if (!v.unit.empty()) used.insert(v.unit);
    }
    if (used.empty()) return;
    pugi::xml_node units = root.append_child("UnitDefinitions");
    for (const std::string& name : used) {
      pugi::xml_node unit = units.append_child("Unit");
      set(unit, {{"name", name}});
      const std::optional<BaseUnit> known = base_unit_of(name);
      if (!known) continue;
      pugi::xml_node base = unit.append_child("BaseUnit");
      for (const auto& [symbol, power] : {std::pair{"kg", known->kg}, std::pair{"m", known->m},
                                          std::pair{"s", known->s}, std::pair{"rad", known->rad}}) {
        if (power != 0) base.append_attribute(symbol) = power;
      }
    }
  }

  void add_variables(pugi::xml_node root) const {
    pugi::xml_node list = root.append_child("ModelVariables");
    for (const Variable& v : variables_) {
      pugi::xml_node node = list.append_child(is_3_ ? "Float64" : "ScalarVariable");
      set(node, {{"name", v.name}, {"valueReference", std::to_string(v.reference)}});
      if (!v.description.empty()) set(node, {{"description", v.description}});
      set(node, {{"causality", v.causality}, {"variability", v.variability}});
      if (v.initial != nullptr) set(node, {{"initial", v.initial}});
      pugi::xml_node real = is_3_ ? node : node.append_child("Real");
      if (!v.unit.empty()) set(real, {{"unit", v.unit}});
      if (v.has_start) set(real, {{"start", number(v.start)}});
      // States are named by their places, or by their references.
      if (v.derivative_of > 0) set(real, {{"derivative", name_of(v.derivative_of)}});
      // Constraints that drift are restored in events.
      if (is_3_ && std::string_view(v.description) == "state") set(real, {{"reinit", "true"}});
    }
  }

  // How other elements name the variable at a place, from 1.
  std::string name_of(std::size_t index) const {
    return std::to_string(is_3_ ? variables_[index - 1].reference : index);
  }

  // An unknown, and the knowns that it depends on.
  struct Unknown {
    std::size_t index;  // from 1
    std::vector<unsigned> references;
  };

  // Time, where it is a variable, states and inputs; at the start, parameters in the place of
  // states, which follow from them.
  std::vector<unsigned> knowns(const std::vector<unsigned>& references, bool at_start) const {
    const auto first_input = static_cast<unsigned>(2 + m_.state_size());
    const auto first_parameter = first_input + static_cast<unsigned>(m_.inputs.size());
    std::set<unsigned> out;
    for (const unsigned r : references) {
      const bool is_state = r >= 2 && r < first_input, is_parameter = r >= first_parameter;
      if (is_state && at_start) {
        out.insert(depends_.start.begin(), depends_.start.end());
      } else if (r == 0 ? is_3_ : is_parameter ? at_start : r != 1) {
        out.insert(r);
      }
    }
    return {out.begin(), out.end()};
  }

  void add_structure(pugi::xml_node root) const {
    pugi::xml_node structure = root.append_child("ModelStructure");
    std::map<unsigned, std::size_t> index_of;
    for (std::size_t i = 0; i < variables_.size(); ++i) index_of[variables_[i].reference] = i + 1;
    const auto list = [&](const char* name, const char* name_3,
                          const std::vector<Unknown>& unknowns) {
      if (unknowns.empty()) return;
      pugi::xml_node node = is_3_ ? structure : structure.append_child(name);
      for (const Unknown& unknown : unknowns) {
        std::string on;
        for (const unsigned r : unknown.references) {
          on += (on.empty() ? "" : " ") + name_of(index_of.at(r));
        }
        set(node.append_child(is_3_ ? name_3 : "Unknown"),
            {{is_3_ ? "valueReference" : "index", name_of(unknown.index)}, {"dependencies", on}});
      }
    };
    const auto unknowns = [&](const std::vector<std::size_t>& indices, const Dependencies& on,
                              bool at_start) {
      std::vector<Unknown> out;
      for (std::size_t i = 0; i < indices.size(); ++i) {
        out.push_back({indices[i], knowns(on[i], at_start)});
      }
      return out;
    };
    list("Outputs", "Output", unknowns(outputs_, depends_.outputs, false));
    list("Derivatives", "ContinuousStateDerivative", unknowns(derivatives_, depends_.rates, false));
    std::vector<Unknown> initial = unknowns(outputs_, depends_.outputs, true);
    for (const auto& [index, parameter] : calculated_) {
      initial.push_back({index, depends_.parameters[parameter]});
    }
    for (const std::size_t index : states_) initial.push_back({index, depends_.start});
    const std::vector<Unknown> rates = unknowns(derivatives_, depends_.rates, true);
    initial.insert(initial.end(), rates.begin(), rates.end());
    // The standard asks for ascending order.
    std::stable_sort(initial.begin(), initial.end(),
                     [](const Unknown& a, const Unknown& b) { return a.index < b.index; });
    list("InitialUnknowns", "InitialUnknown", initial);
    list("", "EventIndicator", unknowns(events_, depends_.events, false));
  }

  const StepModel& m_;
  const FmiStructure& depends_;
  std::vector<char> changes_;  // for each parameter: an event changes it
  bool is_3_;
  std::vector<Variable> variables_;
  std::set<std::string> names_;
  std::vector<std::size_t> outputs_, states_, derivatives_, events_;  // indices, from 1
  std::vector<std::pair<std::size_t, std::size_t>> calculated_;       // and places among parameters
};

}  // namespace

std::string describe_fmi(const StepModel& model, FmiVersion version, const std::string& token,
                         double end) {
  const RateTerms rates = make_rate_terms(model.prepared.descriptor);
  return describe_fmi(model, find_structure(model, rates, make_start_code(model)), version, token,
                      end);
}

std::string describe_fmi(const StepModel& model, const FmiStructure& structure, FmiVersion version,
                         const std::string& token, double end) {
  return Description(model, structure, version).write(token, end);
}

std::string describe_build(const StepModel& model) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("fmiBuildDescription");
  root.append_attribute("fmiVersion") = "3.0";
  pugi::xml_node configuration = root.append_child("BuildConfiguration");
  configuration.append_attribute("modelIdentifier") = model.name.c_str();
  pugi::xml_node files = configuration.append_child("SourceFileSet");
  files.append_attribute("language") = "C99";
  files.append_child("SourceFile").append_attribute("name") = (model.name + ".c").c_str();
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace koppel
