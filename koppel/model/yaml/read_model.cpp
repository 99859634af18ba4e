#include <koppel/model/yaml/read_model.hpp>

#include <algorithm>
#include <set>

#include <koppel/base/printable.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/model/elements/sections.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {

Reader::Reader(Model& model_in, Names& names_in, const Source& source_in,
               std::vector<Diagnostic>& mistakes)
    : model(model_in), names(names_in), source(source_in), mistakes_(mistakes) {}

Reader::Reader(Reader& outer, const Source& source_in, std::string prefix_in,
               const Placement& frame_in)
    : model(outer.model),
      names(outer.names),
      source(source_in),
      prefix(std::move(prefix_in)),
      frame(frame_in),
      depth(outer.depth + 1),
      mistakes_(outer.mistakes_),
      subject_(outer.subject_) {}

namespace {

void read_dimension(Reader& reader, const Node& root) {
  const bool is_main = reader.prefix.empty();
  bool& is_planar = reader.model.is_planar;
  const Node* node = root.find("dimension");
  if (node == nullptr) {
    if (!is_main && is_planar) {
      reader.report(root.offset, "model.wrong-dimension",
                    "a sub-assembly has the dimension of its model; this one has none, so 3.");
    }
    return;
  }
  constexpr std::string_view kDimensions[] = {"2", "3"};
  const int chosen = reader.word(*node, "dimension", kDimensions);
  if (is_main) {
    is_planar = chosen == 0;
  } else if (chosen >= 0 && is_planar != (chosen == 0)) {
    reader.report(node->offset, "model.wrong-dimension",
                  "a sub-assembly has the dimension of its model.");
  }
}

// What sub-assemblies do not say.
void read_head(Reader& reader, const Node& root) {
  Model& model = reader.model;
  if (const Node* node = root.find("name")) model.name = reader.text(*node, "name");
  if (const Node* node = root.find("description")) {
    model.description = reader.text(*node, "description");
  }
  if (const Node* node = root.find("gravity")) model.gravity = reader.vector(*node, "gravity");
  read_run(reader, root.find("run"));
}

// Values from outside for parameters that neither the model nor a sub-assembly has. One of a
// sub-assembly is not missed where a mistake may have kept that from being read.
void report_unknown_set(Reader& reader) {
  std::vector<std::string> known;
  for (const Parameter& parameter : reader.model.parameters) {
    known.emplace_back(parameter.symbol.name());
  }
  const bool is_whole = reader.num_mistakes() == 0;
  for (const auto& [name, value] : reader.names.set) {
    if (!is_whole && name.find('.') != name.npos) continue;
    reader.report(Location{reader.source.file(), 0, 0}, "model.unknown-parameter",
                  "there is no parameter '" + name + "' to be set.",
                  list_choices(name, "parameters", known));
  }
}

}  // namespace

void read_sections(Reader& reader, const Node& root, const ReadOptions& options) {
  std::vector<std::string_view> keys;
  for (const SectionInfo& section : model_sections()) keys.push_back(section.key);
  if (!reader.check_keys(root, "the model", keys)) return;
  read_dimension(reader, root);
  // What others refer to comes first.
  read_parameters(reader, root.find("parameters"), options);
  reader.values.emplace(reader.model);
  read_tables(reader, root.find("tables"));
  read_signals(reader, root.find("signals"));
  read_inputs(reader, root.find("inputs"));
  read_coordinates(reader, root.find("coordinates"));
  read_states(reader, root.find("states"));
  read_own_points(reader, root.find("points"), true);
  read_own_points(reader, root.find("vectors"), false);
  if (reader.prefix.empty()) read_head(reader, root);
  read_bodies(reader, root.find("bodies"));
  read_includes(reader, root.find("include"));
  read_definitions(reader, root.find("definitions"));
  read_joints(reader, root.find("joints"));
  read_forces(reader, root.find("forces"));
  read_constraints(reader, root);
  read_energies(reader, root);
  read_tracking(reader, root.find("tracking"));
  read_state_rates(reader, root.find("states"));
  read_initial(reader, root.find("initial"));
  read_outputs(reader, root.find("outputs"));
  read_drawing(reader, root.find("drawing"));
  read_servo(reader, root.find("servo"));
  read_events(reader, root.find("events"));
  read_positive(reader, root.find("positive"));
  // Those that nothing used have mistakes too; and other files may use all of them.
  for (const auto& [name, unused] : reader.definitions) {
    reader.names.plain.emplace(name, *reader.definition(name, Allow::Everything));
    if (const auto rate = reader.definition(name + '\'', Allow::Everything)) {
      reader.names.plain.emplace(name + '\'', *rate);
    }
  }
  if (reader.prefix.empty()) report_unknown_set(reader);
}

}  // namespace koppel::yaml

namespace koppel {
namespace {

// Leaves out names that are unknown because what should make them has a mistake itself: 'j.angle',
// where joint 'j' has an unknown type.
void leave_out_unknown(std::vector<Diagnostic>& mistakes) {
  std::set<std::string, std::less<>> wrong;
  for (const Diagnostic& d : mistakes) {
    if (d.cause != Cause::UnknownName && !d.subject.empty()) wrong.insert(d.subject);
  }
  std::erase_if(mistakes, [&](const Diagnostic& d) {
    if (d.cause != Cause::UnknownName) return false;
    const std::string_view name = d.named;
    for (std::size_t end = name.find('.');; end = name.find('.', end + 1)) {
      if (wrong.contains(name.substr(0, end))) return true;
      if (end == name.npos) return false;
    }
  });
}

// Leaves out what is missing because a key is misspelt.
void leave_out_misspelt(std::vector<Diagnostic>& mistakes) {
  std::set<std::string, std::less<>> misspelt;
  for (const Diagnostic& d : mistakes) {
    if (d.cause == Cause::UnknownKey && !d.named.empty()) misspelt.insert(d.subject);
  }
  std::erase_if(mistakes, [&](const Diagnostic& d) {
    return d.cause == Cause::MissingPart && misspelt.contains(d.subject);
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
  for (const auto& [name, value] : options.set) names.set[name] = value;
  std::vector<Diagnostic> mistakes;
  yaml::Reader reader(model, names, source, mistakes);
  yaml::read_sections(reader, root, {});
  if (mistakes.empty()) {
    model.validate();
    origins.clear();
    for (Parameter& parameter : model.parameters) {
      const std::string name(parameter.symbol.name());
      parameter = names.parameters.at(name);  // with what came to be known since
      origins.push_back(names.origins[name]);
    }
    return model;
  }
  leave_out_unknown(mistakes);
  leave_out_misspelt(mistakes);
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
