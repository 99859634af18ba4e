#include <koppel/model/urdf/document.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <koppel/base/suggest.hpp>

namespace koppel::urdf {
namespace {

constexpr std::size_t kMostMistakes = 100;
constexpr std::string_view kSpace = " \t\r\n";

// Finds the deepest element, without recursion.
struct Depth : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    if (depth() < yaml::kDeepest) return true;
    too_deep = node;
    return false;
  }
  pugi::xml_node too_deep;
};

std::string shortened(std::string_view text) { return std::string(text.substr(0, 60)); }

}  // namespace

Document::Document(const yaml::Source& source, std::vector<Diagnostic>& mistakes)
    : source_(source), mistakes_(mistakes) {}

pugi::xml_node Document::open() {
  try {
    yaml::check_text(source_);
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics()) mistakes_.push_back(d);
    return {};
  }
  const std::string& text = source_.text();
  // A bound on what the tree takes, before it is built: every value has an equals sign or a tag.
  const auto count =
      std::count(text.begin(), text.end(), '<') + std::count(text.begin(), text.end(), '=');
  if (static_cast<std::size_t>(count) > yaml::kMostNodes) {
    report(0, "model.too-large", "the file has more than a million values.");
    return {};
  }
  const pugi::xml_parse_result result =
      xml_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    std::string reason = result.description();
    if (!reason.empty())
      reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
    report(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), "model.syntax",
           "this is not XML: " + reason + ".");
    return {};
  }
  Depth depth;
  xml_.traverse(depth);
  if (depth.too_deep) {
    report(offset_of(depth.too_deep), "model.too-large",
           "elements are nested deeper than " + std::to_string(yaml::kDeepest) + " levels.");
    return {};
  }
  const pugi::xml_node root = xml_.document_element();
  if (std::string_view(root.name()) == "robot") return root;
  report(offset_of(root), "model.syntax",
         "a robot file has the element <robot>, found <" + shortened(root.name()) + ">.");
  return {};
}

void Document::report(std::size_t offset, std::string_view id, std::string message,
                      std::string hint) {
  mistakes_.push_back(
      {std::string(id), std::move(message), std::move(hint), source_.at(offset), {}});
  if (mistakes_.size() >= kMostMistakes) throw Error(std::move(mistakes_));
}

std::size_t Document::offset_of(pugi::xml_node element) const {
  const std::ptrdiff_t name = element.offset_debug();  // after the <
  return name > 0 ? static_cast<std::size_t>(name) - 1 : 0;
}

// The parser keeps no places of attributes; the tag is read again. It is known to be well-formed.
std::size_t Document::offset_of(pugi::xml_node element, std::string_view attribute) const {
  const std::string_view text = source_.text();
  const std::size_t start = offset_of(element);
  std::size_t i = text.find_first_of(" \t\r\n/>", start);
  while (i < text.size()) {
    const std::size_t name = text.find_first_not_of(kSpace, i);
    if (name >= text.size() || text[name] == '/' || text[name] == '>') break;
    const std::size_t quote = text.find_first_of("\"'", name);
    if (quote >= text.size()) break;
    const std::string_view found = text.substr(name, text.find_first_of(" \t\r\n=", name) - name);
    if (found == attribute) return quote + 1;
    i = text.find(text[quote], quote + 1);
    if (i < text.size()) ++i;
  }
  return start;
}

void Document::check_attributes(pugi::xml_node element, const std::string& what,
                                std::initializer_list<std::string_view> known) {
  for (const pugi::xml_attribute& attribute : element.attributes()) {
    const std::string_view name = attribute.name();
    if (std::find(known.begin(), known.end(), name) != known.end() ||
        name.find(':') != name.npos) {  // of another namespace
      continue;
    }
    constexpr std::size_t kLongest = 60;
    std::string hint = "attributes: ";
    for (const std::string_view k : known) {
      hint += (k == *known.begin() ? "" : ", ") + std::string(k);
    }
    hint += '.';
    const std::vector<std::string> names(known.begin(), known.end());
    if (const std::string near = suggest(name.substr(0, kLongest), names); !near.empty()) {
      hint += " Did you mean '" + near + "'?";
    }
    report(offset_of(element, name), "model.unknown-key",
           "unknown attribute '" + shortened(name) + "' in " + what + ".", hint);
  }
}

void Document::check_elements(pugi::xml_node element, const std::string& what,
                              std::initializer_list<std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const pugi::xml_node& inner : element.children()) {
    const std::string_view name = inner.name();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    constexpr std::size_t kLongest = 60;
    const std::string near = name.size() <= kLongest ? suggest(name, names) : "";
    if (near.empty()) continue;
    report(offset_of(inner), "model.unknown-key",
           "unknown element <" + std::string(name) + "> in " + what + ".",
           "Did you mean '" + near + "'?");
  }
}

std::vector<double> Document::numbers(pugi::xml_node element, const char* attribute,
                                      std::size_t count, const std::string& what) {
  const std::string_view text = element.attribute(attribute).value();
  std::vector<double> out;
  bool is_right = true;
  for (std::size_t i = text.find_first_not_of(kSpace); i < text.size() && is_right;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, i), text.size());
    std::string_view word = text.substr(i, end - i);
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    is_right = error == std::errc() && stop == word.data() + word.size() && std::isfinite(value) &&
               out.size() < count;
    out.push_back(value);
    i = text.find_first_not_of(kSpace, end);
  }
  if (is_right && out.size() == count) return out;
  report(offset_of(element, attribute), "model.wrong-kind",
         std::string(attribute) + " of " + what + " must be " +
             (count == 1 ? "a number" : "three numbers") + ", found '" + shortened(text) + "'.",
         text.find("${") != text.npos ? "The file is a template; expand it with xacro first." : "");
  return {};
}

std::optional<double> Document::number(pugi::xml_node element, const char* attribute,
                                       const std::string& what) {
  if (!element.attribute(attribute)) return {};
  const std::vector<double> read = numbers(element, attribute, 1, what);
  return read.empty() ? std::nullopt : std::optional(read[0]);
}

std::optional<Vec3<double>> Document::vector(pugi::xml_node element, const char* attribute,
                                             const std::string& what) {
  if (!element.attribute(attribute)) return {};
  const std::vector<double> read = numbers(element, attribute, 3, what);
  if (read.empty()) return {};
  return Vec3<double>{read[0], read[1], read[2]};
}

std::optional<double> Document::required_number(pugi::xml_node element, const char* attribute,
                                                const std::string& what) {
  if (!element.attribute(attribute)) {
    report(offset_of(element), "model.missing-key",
           what + " needs the attribute " + std::string(attribute) + ".");
    return {};
  }
  return number(element, attribute, what);
}

std::optional<std::string> Document::required_text(pugi::xml_node element, const char* attribute,
                                                   const std::string& what) {
  const std::string text = element.attribute(attribute).value();
  if (!text.empty()) return text;
  report(offset_of(element), "model.missing-key",
         what + " needs the attribute " + std::string(attribute) + ".");
  return {};
}

}  // namespace koppel::urdf
