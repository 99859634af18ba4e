// Sub-assemblies: another file's model under a prefix, at a place, with its own parameters.
//
// Names in the other file are its own: `crank` there is `front.crank` here. Its ground, and the
// world coordinates of its joints, are the frame that the place gives. What it says about gravity
// and runs is left aside.
#include <charconv>
#include <filesystem>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_includes(const Node* section) {
  for (const Element& element : elements(section, "include")) read_include(element);
}

void Reader::read_include(const Element& element) {
  const std::string what = describe("sub-assembly", element.name);
  if (!claim(element, "element", "sub-assembly")) return;
  const Node& node = *element.value;
  if (!check_keys(
          node, what,
          {"file", "parameters", "position", "angle", "rotation", "quaternion", "cardan"})) {
    return;
  }
  const Node* file = node.find("file");
  if (file == nullptr) {
    report(element.offset, "model.missing-key", what + " needs the name of its file.");
    return;
  }
  constexpr int kDeepestFiles = 8;
  if (depth_ >= kDeepestFiles) {
    report(file->offset, "model.too-large",
           "files include each other deeper than " + std::to_string(kDeepestFiles) + " levels.");
    return;
  }
  const std::filesystem::path path =
      std::filesystem::path(source_.file()).parent_path() / text(*file, "file of " + what);
  // Plain files only: others may never end.
  std::error_code error;
  std::optional<std::string> content;
  if (std::filesystem::is_regular_file(path, error)) content = read_file(path);
  if (!content) {
    report(file->offset, "model.no-file", what + ": cannot read the file '" + path.string() + "'.");
    return;
  }
  // Values of its parameters are numbers by the time they are handed over: they are expressions
  // of ours.
  ReadOptions options;
  for (const Element& parameter : elements(node.find("parameters"), "parameters of " + what)) {
    const Number value = number(*parameter.value, describe("parameter", parameter.name));
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value.value).ptr;
    options.set.emplace_back(parameter.name, std::string(digits, end));
  }
  const Placement place = placement_.then(placement(node, what));
  const Source source(path.string(), *content);
  Node root;
  try {
    root = read_tree(source);
  } catch (const Error& wrong) {
    for (const Diagnostic& d : wrong.diagnostics()) report(d.where, d.id, d.message, d.hint);
    return;
  }
  constexpr std::size_t kCost = 1000;  // of reading a file, so that there are not too many
  names_.num_nodes += kCost + num_nodes(root);
  if (names_.num_nodes > kMostNodes) {
    report(file->offset, "model.too-large",
           "the model with its files has more than a million values.");
    return;
  }
  Reader reader(model_, names_, source, mistakes_);
  reader.prefix_ = element.full_name + '.';
  reader.placement_ = place;
  reader.depth_ = depth_ + 1;
  reader.read(root, options);
}

}  // namespace koppel::yaml
