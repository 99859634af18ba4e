// Sub-assemblies: another file's model under a prefix, at a place, with its own parameters.
//
// Names in the other file are its own: `crank` there is `front.crank` here. Its ground, and the
// world coordinates of its joints, are the frame that the place gives. What it says about gravity
// and runs is left aside. The other file may be a robot in URDF.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include <koppel/model/urdf/read_urdf.hpp>
#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/sections.hpp>

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

std::optional<Source> read_included(Reader& reader, const Node& key, const std::string& what) {
  const std::filesystem::path path = std::filesystem::path(reader.source.file()).parent_path() /
                                     reader.text(key, "file of " + what);
  // Plain files only: others may never end.
  std::error_code error;
  std::optional<std::string> content;
  if (std::filesystem::is_regular_file(path, error)) content = read_file(path);
  if (!content) {
    reader.report(key.offset, "model.no-file",
                  what + ": cannot read the file '" + path.string() + "'.");
    return {};
  }
  return Source(path.string(), std::move(*content));
}

bool count_values(Reader& reader, const Node& file, std::size_t more) {
  constexpr std::size_t kCost = 1000;  // of reading a file, so that there are not too many
  reader.names.num_nodes += kCost + more;
  if (reader.names.num_nodes <= kMostNodes) return true;
  reader.report(file.offset, "model.too-large",
                "the model with its files has more than a million values.");
  return false;
}

namespace {

// Where the file is to be read from: the value of `file` or of `urdf`. Nothing: reported.
const Node* find_file(Reader& reader, const Element& element, const std::string& what) {
  const Node& node = *element.value;
  const Node* robot = node.find("urdf");
  const Node* file = robot != nullptr ? robot : node.find("file");
  if (file == nullptr) {
    reader.report_missing(element.offset, what + " needs the name of its file.");
    return nullptr;
  }
  const auto needless = [&](const char* key, const char* whose) {
    if (const Node* n = node.find(key)) {
      reader.report(n->offset, "model.unknown-key",
                    std::string("key '") + key + "' in " + what + " belongs to " + whose + ".");
    }
  };
  if (robot == nullptr) {
    needless("floating", "robot files");
  } else {
    needless("file", "sub-assemblies that are model files");
    needless("parameters", "sub-assemblies that are model files");
    if (reader.model.is_planar) {
      reader.report(file->offset, "model.wrong-dimension",
                    what + " is a robot file, which has dimension 3; the model has 2.");
      return nullptr;
    }
  }
  constexpr int kDeepestFiles = 8;
  if (reader.depth >= kDeepestFiles) {
    reader.report(
        file->offset, "model.too-large",
        "files include each other deeper than " + std::to_string(kDeepestFiles) + " levels.");
    return nullptr;
  }
  const std::filesystem::path name = reader.text(*file, "file of " + what);
  if (is_named_as_model(name)) return file;
  const std::filesystem::path path =
      std::filesystem::path(reader.source.file()).parent_path() / name;
  reader.report(file->offset, "model.no-file",
                what + ": '" + path.string() + "' is not named as a model file is.",
                "Model files end in .yaml or .yml, robots in .urdf or .xml.");
  return nullptr;
}

// Values of the other file's parameters are numbers by the time they are handed over: they are
// expressions of ours.
ReadOptions hand_over(Reader& reader, const Element& element, const Settings& parameters) {
  ReadOptions options;
  for (const Settings::Setting& parameter : parameters.values) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, parameter.number).ptr;
    options.set.emplace_back(parameter.name, std::string(digits, end));
    if (parameter.value.is_constant()) continue;
    reader.names.origins[element.full_name + '.' + parameter.name].definition = parameter.value;
  }
  return options;
}

void read_include(Reader& reader, const Element& element) {
  const Reader::Subject subject(reader, element.full_name);
  const std::string what = describe("sub-assembly", element.name);
  if (!reader.claim(element, "element", "sub-assembly")) return;
  const Node& node = *element.value;
  if (!reader.check_keys(node, what, keys_of<IncludeElement>())) return;
  const Node* file = find_file(reader, element, what);
  if (file == nullptr) return;
  const std::optional<Source> source = read_included(reader, *file, what);
  if (!source) return;
  IncludeElement made;
  FieldReader(reader, node, what).read(made);
  const ReadOptions options = hand_over(reader, element, made.parameters);
  ModelWriter writer = reader.writer_for(element, what);
  Reader inner(reader, *source, element.full_name + '.', reader.frame.then(placed(writer, made)));
  if (made.urdf) {
    std::vector<Diagnostic> mistakes;
    const urdf::Robot robot = urdf::read_robot(*source, mistakes);
    if (!mistakes.empty()) reader.report(Error(std::move(mistakes)));
    constexpr std::size_t kNumbers = 20;  // of a link with its joint
    if (count_values(reader, *file, kNumbers * robot.links.size())) {
      inner.values.emplace(reader.model);
      add_robot(inner, robot, made.floating);
    }
    return;
  }
  Node root;
  try {
    root = read_tree(*source);
  } catch (const Error& wrong) {
    return reader.report(wrong);
  }
  if (count_values(reader, *file, num_nodes(root))) read_sections(inner, root, options);
}

}  // namespace

void read_includes(Reader& reader, const Node* section) {
  for (const Element& element : reader.elements(section, "include")) read_include(reader, element);
}

}  // namespace koppel::yaml
