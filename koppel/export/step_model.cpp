#include <koppel/export/step_model.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/results/observe.hpp>

namespace koppel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words that C takes for itself, and names that generated code uses.
bool is_taken(std::string_view word) {
  constexpr std::array kWords = {
      "auto",     "break",  "case",   "char",       "const",  "continue", "default",  "do",
      "double",   "else",   "enum",   "extern",     "float",  "for",      "goto",     "if",
      "inline",   "int",    "long",   "register",   "return", "short",    "signed",   "sizeof",
      "static",   "struct", "switch", "typedef",    "union",  "unsigned", "restrict", "void",
      "volatile", "while",  "t",      "start_time", "count"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Distinct identifiers for the fields of one struct.
class Names {
 public:
  std::string add(std::string_view label, const std::string& prefix = "") {
    std::string name = prefix + c_identifier(label);
    if (is_taken(name)) name += '_';
    const std::string base = name;
    for (int k = 2; !used_.insert(name).second; ++k) name = base + '_' + std::to_string(k);
    return name;
  }

 private:
  std::set<std::string> used_;
};

class Maker {
 public:
  Maker(const Model& model, const SimulateOptions& options, std::string name) {
    out_.prepared = prepare(model, options);
    const Equations& e = out_.prepared.equations;
    const State& state = out_.prepared.state;
    out_.name = std::move(name);
    out_.title = model.name + (model.description.empty() ? "" : ": " + model.description);
    out_.method = fmt::format("{} coordinates, {}, {}", out_.prepared.choice.coordinates,
                              out_.prepared.choice.formulation, out_.prepared.choice.integrator);
    out_.start_time = state.t;
    out_.step = *options.step;
    read_units(model);

    Names names;
    out_.q = fields(names, e.q, state.q);
    out_.v = fields(names, e.v, state.v);
    out_.x = fields(names, e.x, state.x);
    add_multipliers(names);
    Names inputs, parameters, outputs;
    out_.inputs = fields(inputs, e.u, state.u);
    out_.parameters = fields(parameters, e.p, state.p);
    for (const NamedExpr& output : e.outputs) {
      out_.outputs.push_back({outputs.add(output.name), output.name, units_[output.name], 0});
    }
    make_programs(options);
  }

  StepModel take() { return std::move(out_); }

 private:
  void read_units(const Model& model) {
    const Observation observation(out_.prepared.equations, model, out_.prepared.state);
    for (const Column& column : observation.columns()) units_[column.name] = column.unit;
  }

  std::vector<Field> fields(Names& names, const std::vector<Expr>& symbols,
                            const std::vector<double>& values) {
    std::vector<Field> out;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::string label(symbols[i].name());
      out.push_back({names.add(label), label, units_[label], values[i]});
    }
    return out;
  }

  void add_multipliers(Names& names) {
    const Problem& problem = out_.prepared.problem;
    const Equations& e = out_.prepared.equations;
    const auto first = static_cast<std::size_t>(problem.num_differential());
    std::size_t next = first;
    for (const int row : problem.descriptor->kept) {
      const auto i = static_cast<std::size_t>(row);
      const bool is_g = i < e.num_g();
      const std::string label =
          (is_g ? "lambda." : "mu.") + (is_g ? e.lambda[i] : e.mu[i - e.num_g()]);
      out_.multipliers.push_back(
          {names.add(label), label, units_[label], out_.prepared.start.y[next++]});
    }
  }

  void make_programs(const SimulateOptions& options) {
    const Equations& e = out_.prepared.equations;
    const std::string& integrator = out_.prepared.choice.integrator;
    const std::size_t colon = integrator.find(':');
    EulerOptions euler = EulerOptions::read(
        colon == std::string::npos ? "" : std::string_view(integrator).substr(colon + 1),
        find_integrator(integrator).name == "linear-implicit");
    euler.projects = options.projection != Projection::None;
    out_.euler = make_euler_step(*out_.prepared.problem.descriptor, euler);
    const EulerTerms& terms = out_.euler;
    std::vector<Expr> after, values;
    for (const auto* part : {&terms.q, &terms.v, &terms.x, &terms.lambda}) {
      after.insert(after.end(), part->begin(), part->end());
    }
    out_.advance = lower(terms.inputs, after);
    for (const NamedExpr& output : e.outputs) values.push_back(output.value);
    out_.observe = lower(symbols_of_state(e), values);
  }

  StepModel out_;
  std::map<std::string, std::string> units_;
};

}  // namespace

std::vector<Field> StepModel::state() const {
  std::vector<Field> all = q;
  for (const auto* part : {&v, &x, &multipliers}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

std::string c_identifier(std::string_view label) {
  std::string out;
  while (!label.empty() && label.back() == '\'') {
    out += "d_";
    label.remove_suffix(1);
  }
  for (const char c : label) {
    if (is_letter(c) || is_digit(c)) {
      if (out.empty() && is_digit(c)) out += '_';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      out += fmt::format("x{:02x}", static_cast<unsigned char>(c));
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  return out.empty() ? "_" : out;
}

StepModel make_step_model(const Model& model, SimulateOptions options, std::string name) {
  if (!options.step) {
    throw Error("export.needs-step", "code of fixed cost needs a step, and none is given.",
                "Give one, such as --step 1e-3.");
  }
  if (options.integrator.empty() || options.integrator == "auto") {
    options.integrator = "linear-implicit";
  }
  if (find_integrator(options.integrator).form != IntegratorInfo::Form::Descriptor) {
    throw Error("export.wrong-integrator",
                "integrator '" + options.integrator + "' has no steps of fixed cost to export.",
                "Those that have: explicit-euler, linear-implicit.");
  }
  if (name.empty()) name = c_identifier(model.name);
  return Maker(model, options, std::move(name)).take();
}

}  // namespace koppel
