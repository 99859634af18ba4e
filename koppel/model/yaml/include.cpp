// Sub-assemblies: another file's model under a prefix, at a place, with its own parameters.
//
// Names in the other file are its own: `crank` there is `front.crank` here. Its ground, and the
// world coordinates of its joints, are the frame that the place gives. What it says about gravity
// and runs is left aside. The other file may be a robot in URDF.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include <koppel/model/urdf/read_urdf.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

// Whether a file is named as a model file or a robot. Others are not included: messages about them
// would show what they hold.
bool is_named_as_model(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::initializer_list<std::string_view> endings = {".yaml", ".yml", ".urdf", ".xml"};
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

void Reader::read_includes(const Node* section) {
  for (const Element& element : elements(section, "include")) read_include(element);
}

std::optional<Source> Reader::read_included(const Node& key, const std::string& what) {
  const std::filesystem::path path =
      std::filesystem::path(source_.file()).parent_path() / text(key, "file of " + what);
  // Plain files only: others may never end.
  std::error_code error;
  std::optional<std::string> content;
  if (std::filesystem::is_regular_file(path, error)) content = read_file(path);
  if (!content) {
    report(key.offset, "model.no-file", what + ": cannot read the file '" + path.string() + "'.");
    return {};
  }
  return Source(path.string(), std::move(*content));
}

bool Reader::count_values(const Node& file, std::size_t more) {
  constexpr std::size_t kCost = 1000;  // of reading a file, so that there are not too many
  names_.num_nodes += kCost + more;
  if (names_.num_nodes <= kMostNodes) return true;
  report(file.offset, "model.too-large",
         "the model with its files has more than a million values.");
  return false;
}

void Reader::read_include(const Element& element) {
  const std::string what = describe("sub-assembly", element.name);
  if (!claim(element, "element", "sub-assembly")) return;
  const Node& node = *element.value;
  if (!check_keys(node, what,
                  {"file", "urdf", "floating", "parameters", "position", "angle", "rotation",
                   "quaternion", "cardan"})) {
    return;
  }
  const Node* robot_file = node.find("urdf");
  const Node* file = robot_file != nullptr ? robot_file : node.find("file");
  if (file == nullptr) {
    report(element.offset, "model.missing-key", what + " needs the name of its file.");
    return;
  }
  const auto needless = [&](const char* key, const char* whose) {
    if (const Node* n = node.find(key)) {
      report(n->offset, "model.unknown-key",
             std::string("key '") + key + "' in " + what + " belongs to " + whose + ".");
    }
  };
  if (robot_file != nullptr) {
    needless("file", "sub-assemblies that are model files");
    needless("parameters", "sub-assemblies that are model files");
    if (model_.is_planar) {
      report(file->offset, "model.wrong-dimension",
             what + " is a robot file, which has dimension 3; the model has 2.");
      return;
    }
  } else {
    needless("floating", "robot files");
  }
  constexpr int kDeepestFiles = 8;
  if (depth_ >= kDeepestFiles) {
    report(file->offset, "model.too-large",
           "files include each other deeper than " + std::to_string(kDeepestFiles) + " levels.");
    return;
  }
  if (const std::filesystem::path name = text(*file, "file of " + what); !is_named_as_model(name)) {
    const std::filesystem::path path = std::filesystem::path(source_.file()).parent_path() / name;
    report(file->offset, "model.no-file",
           what + ": '" + path.string() + "' is not named as a model file is.",
           "Model files end in .yaml or .yml, robots in .urdf or .xml.");
    return;
  }
  const std::optional<Source> source = read_included(*file, what);
  if (!source) return;
  // Values of its parameters are numbers by the time they are handed over: they are expressions
  // of ours.
  ReadOptions options;
  for (const Element& parameter : elements(node.find("parameters"), "parameters of " + what)) {
    const Number value = number(*parameter.value, describe("parameter", parameter.name));
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value.value).ptr;
    options.set.emplace_back(parameter.name, std::string(digits, end));
    if (value.e.is_constant()) continue;
    names_.origins[element.full_name + '.' + parameter.name].definition = value.e;
  }
  Reader reader(model_, names_, *source, mistakes_);
  reader.prefix_ = element.full_name + '.';
  reader.placement_ = placement_.then(placement(node, what));
  reader.depth_ = depth_ + 1;
  if (robot_file != nullptr) {
    const Node* floating = node.find("floating");
    const bool is_floating = floating != nullptr && boolean(*floating, "floating of " + what);
    const urdf::Robot robot = urdf::read_robot(*source, mistakes_);
    constexpr std::size_t kNumbers = 20;  // of a link with its joint
    if (count_values(*file, kNumbers * robot.links.size())) reader.add_robot(robot, is_floating);
    return;
  }
  Node root;
  try {
    root = read_tree(*source);
  } catch (const Error& wrong) {
    for (const Diagnostic& d : wrong.diagnostics()) report(d.where, d.id, d.message, d.hint);
    return;
  }
  if (count_values(*file, num_nodes(root))) reader.read(root, options);
}

}  // namespace koppel::yaml
