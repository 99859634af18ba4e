#include <koppel/model/yaml/read_model.hpp>

#include <algorithm>
#include <set>

#include <koppel/base/printable.hpp>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

Reader::Reader(Model& model, Names& names, const Source& source, std::vector<Diagnostic>& mistakes)
    : model_(model), names_(names), source_(source), mistakes_(mistakes) {}

void Reader::read(const Node& root, const ReadOptions& options) {
  if (!check_keys(root, "the model", {"name",        "description",
                                      "dimension",   "parameters",
                                      "tables",      "gravity",
                                      "inputs",      "include",
                                      "points",      "vectors",
                                      "bodies",      "joints",
                                      "coordinates", "states",
                                      "forces",      "constraints",
                                      "couplings",   "nonholonomic",
                                      "kinetic",     "potential",
                                      "dissipation", "generalized_forces",
                                      "initial",     "outputs",
                                      "servo",       "signals",
                                      "events",      "tracking",
                                      "positive",    "definitions",
                                      "drawing",     "run"})) {
    return;
  }
  const bool is_main = prefix_.empty();
  if (const Node* node = root.find("dimension")) {
    const int chosen = word(*node, "dimension", {"2", "3"});
    if (is_main) {
      model_.is_planar = chosen == 0;
    } else if (chosen >= 0 && model_.is_planar != (chosen == 0)) {
      report(node->offset, "model.wrong-dimension",
             "a sub-assembly has the dimension of its model.");
    }
  } else if (!is_main && model_.is_planar) {
    report(root.offset, "model.wrong-dimension",
           "a sub-assembly has the dimension of its model; this one has none, so 3.");
  }
  // What others refer to comes first.
  read_parameters(root.find("parameters"), options);
  values_.emplace(model_);
  read_tables(root.find("tables"));
  read_signals(root.find("signals"));
  read_inputs(root.find("inputs"));
  read_coordinates(root.find("coordinates"));
  read_states(root.find("states"));
  read_elements(root.find("points"), true);
  read_elements(root.find("vectors"), false);
  if (is_main) {
    if (const Node* node = root.find("name")) model_.name = text(*node, "name");
    if (const Node* node = root.find("description"))
      model_.description = text(*node, "description");
    if (const Node* node = root.find("gravity")) {
      model_.gravity = vector(*node, "gravity").e;
    }
    read_run(root.find("run"));
  }
  read_bodies(root.find("bodies"));
  read_includes(root.find("include"));
  read_definitions(root.find("definitions"));
  read_joints(root.find("joints"));
  read_forces(root.find("forces"));
  read_constraints(root);
  read_energies(root);
  read_tracking(root.find("tracking"));
  read_state_rates(root.find("states"));
  read_initial(root.find("initial"));
  read_outputs(root.find("outputs"));
  read_drawing(root.find("drawing"));
  read_servo(root.find("servo"));
  read_events(root.find("events"));
  read_positive(root.find("positive"));
  // Those that nothing used have mistakes too; and other files may use all of them.
  for (const auto& [name, unused] : definitions_) {
    names_.plain.emplace(name, *definition(name, Allow::Everything));
    if (const auto rate = definition(name + '\'', Allow::Everything)) {
      names_.plain.emplace(name + '\'', *rate);
    }
  }
}

}  // namespace koppel::yaml

namespace koppel {
namespace {

// The names in quotes: "joint 'k' names body 'rod'; there is none." has two.
std::vector<std::string> names_in_quotes(const std::string& message) {
  std::vector<std::string> names;
  for (std::size_t open = message.find('\''); open != message.npos;) {
    // A name may end in primes.
    std::size_t close = message.find('\'', open + 1);
    while (close != message.npos && close + 1 < message.size() && message[close + 1] == '\'')
      ++close;
    if (close == message.npos) break;
    names.push_back(message.substr(open + 1, close - open - 1));
    open = message.find('\'', close + 1);
  }
  return names;
}

bool is_about_unknown(const Diagnostic& d) {
  return d.id == "model.unknown-name" || d.id == "model.unknown-body" ||
         d.id == "model.unknown-point" || d.id == "expr.unknown-name";
}

// What is not there because what should make it has a mistake itself: 'j.angle', where joint 'j'
// has an unknown type.
void leave_out_unknown(std::vector<Diagnostic>& mistakes) {
  std::set<std::string, std::less<>> wrong;
  for (const Diagnostic& d : mistakes) {
    if (is_about_unknown(d)) continue;
    for (std::string& name : names_in_quotes(d.message)) wrong.insert(std::move(name));
  }
  std::erase_if(mistakes, [&](const Diagnostic& d) {
    const std::vector<std::string> names = names_in_quotes(d.message);
    if (!is_about_unknown(d) || names.empty()) return false;
    const std::string_view name = names.back();
    for (std::size_t end = name.find('.');; end = name.find('.', end + 1)) {
      if (wrong.contains(name.substr(0, end))) return true;
      if (end == name.npos) return false;
    }
  });
}

// What is only wrong because of another mistake: a key that is missing because it is misspelt, and
// names of what has a mistake itself. Messages name the element first: "body 'bar' has no mass."
void leave_out_consequences(std::vector<Diagnostic>& mistakes) {
  leave_out_unknown(mistakes);
  std::vector<std::string> misspelt;  // "body 'bar' "
  for (const Diagnostic& d : mistakes) {
    const std::size_t in = d.message.find("' in ");
    if (d.id != "model.unknown-key" || in == d.message.npos) continue;
    if (d.hint.find("Did you mean") == d.hint.npos) continue;
    misspelt.push_back(d.message.substr(in + 5, d.message.size() - in - 6) + ' ');
  }
  std::erase_if(mistakes, [&](const Diagnostic& d) {
    return d.id.starts_with("model.missing-") &&
           std::any_of(misspelt.begin(), misspelt.end(),
                       [&](const std::string& what) { return d.message.starts_with(what); });
  });
}

}  // namespace

Model read_model(const std::filesystem::path& path, const ReadOptions& options) {
  std::vector<ParameterOrigin> origins;
  return read_model(path, options, origins);
}

Model read_model(const std::filesystem::path& path, const ReadOptions& options,
                 std::vector<ParameterOrigin>& origins) {
  const std::optional<std::string> text = yaml::read_file(path);
  if (!text) {
    throw Error(
        {Diagnostic{"model.no-file", "cannot read the file.", {}, {path.string(), 0, 0}, {}}});
  }
  return read_model_text(*text, path.string(), options, origins);
}

namespace {

Model read_source(std::string_view text, const std::string& file, const ReadOptions& options,
                  std::vector<ParameterOrigin>& origins) {
  const yaml::Source source(file, std::string(text));
  const yaml::Node root = yaml::read_tree(source);
  Model model;
  model.file = file;
  model.name = printable(std::filesystem::path(file).stem().string());
  yaml::Names names;
  std::vector<Diagnostic> mistakes;
  yaml::Reader(model, names, source, mistakes).read(root, options);
  if (mistakes.empty()) {
    model.validate();
    origins.clear();
    for (const Parameter& parameter : model.parameters) {
      origins.push_back(names.origins[std::string(parameter.symbol.name())]);
    }
    return model;
  }
  leave_out_consequences(mistakes);
  std::stable_sort(mistakes.begin(), mistakes.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.where.line != b.where.line ? a.where.line < b.where.line
                                        : a.where.column < b.where.column;
  });
  throw Error(std::move(mistakes));
}

}  // namespace

Model read_model_text(std::string_view text, const std::string& file, const ReadOptions& options) {
  std::vector<ParameterOrigin> origins;
  return read_model_text(text, file, options, origins);
}

Model read_model_text(std::string_view text, const std::string& file, const ReadOptions& options,
                      std::vector<ParameterOrigin>& origins) {
  try {
    return read_source(text, file, options, origins);
  } catch (const Error& error) {  // what has no place of its own is at least in this file
    std::vector<Diagnostic> mistakes = error.diagnostics();
    for (Diagnostic& d : mistakes) {
      if (d.where.file.empty()) d.where.file = file;
    }
    throw Error(std::move(mistakes));
  }
}

}  // namespace koppel
