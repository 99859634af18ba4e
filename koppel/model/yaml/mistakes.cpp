#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

constexpr std::size_t kMostMistakes = 100;

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::string describe(std::string_view what, std::string_view name) {
  return std::string(what) + " '" + std::string(name) + "'";
}

bool Reader::is_reported(const Location& where, std::string_view id) const {
  return where.line > 0 &&
         std::any_of(mistakes_.begin(), mistakes_.end(), [&](const Diagnostic& d) {
           return d.id == id && d.where.line == where.line && d.where.column == where.column &&
                  d.where.file == where.file;
         });
}

void Reader::report(Location where, std::string_view id, std::string message, std::string hint) {
  if (is_reported(where, id)) return;  // a repeated element has its mistake once
  mistakes_.push_back({std::string(id), std::move(message), std::move(hint), std::move(where), {}});
  if (mistakes_.size() >= kMostMistakes) throw Error(std::move(mistakes_));
}

void Reader::report(std::size_t offset, std::string_view id, std::string message,
                    std::string hint) {
  report(source_.at(offset), id, std::move(message), std::move(hint));
}

void Reader::report(const Node& scalar, const Error& error) {
  for (const Diagnostic& d : error.diagnostics()) {
    // The place is known where the text is one line; its excerpt shows the place in any case.
    const bool one_line = scalar.text.find('\n') == scalar.text.npos && d.where.line == 1;
    std::size_t offset = 0;
    for (int column = 1; one_line && column < d.where.column && offset < scalar.text.size();) {
      ++offset;
      if ((static_cast<unsigned char>(scalar.text[offset]) & 0xC0) != 0x80) ++column;
    }
    const std::size_t before = mistakes_.size();
    report(source_.at(scalar, offset), d.id, d.message, d.hint);
    if (mistakes_.size() > before) mistakes_.back().excerpt = d.excerpt;
  }
}

std::string Reader::one_of(std::string_view wrong, std::string_view what,
                           std::vector<std::string> known) const {
  constexpr std::size_t kFew = 40;
  std::string hint;
  if (known.size() <= kFew && !known.empty()) {
    hint = std::string(what) + ": " + list(known) + ".";
  }
  if (const std::string near = suggest(wrong, known); !near.empty()) {
    hint += (hint.empty() ? "" : " ") + ("Did you mean '" + near + "'?");
  }
  return hint;
}

bool Reader::expect_map(const Node& node, std::string_view what) {
  if (node.is_map()) return true;
  report(node.offset, "model.wrong-kind",
         std::string(what) + " must be a map of keys and values" +
             (node.is_scalar() ? ", found '" + node.text.substr(0, 40) + "'." : "."));
  return false;
}

bool Reader::check_keys(const Node& node, const std::string& what,
                        std::span<const std::string_view> keys) {
  if (!expect_map(node, what)) return false;
  for (const Entry& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    if (is_reported(source_.at(entry.offset), "model.unknown-key")) continue;
    report(entry.offset, "model.unknown-key",
           "unknown key '" + entry.key.substr(0, 60) + "' in " + what + ".",
           one_of(entry.key, "keys", {keys.begin(), keys.end()}));
  }
  return true;
}

int Reader::word(const Node& node, std::string_view what, std::span<const std::string_view> words) {
  if (node.is_scalar()) {
    const auto it = std::find(words.begin(), words.end(), node.text);
    if (it != words.end()) return static_cast<int>(it - words.begin());
  }
  const std::string found =
      node.is_scalar() ? "'" + node.text.substr(0, 60) + "'" : "a list or map";
  report(node.offset, "model.unknown-type", std::string(what) + " cannot be " + found + ".",
         one_of(node.text, "choices", {words.begin(), words.end()}));
  return -1;
}

bool Reader::claim(const Element& element, std::string_view space, const std::string& kind) {
  if (!is_valid_name(element.full_name) || element.name.ends_with('\'')) {
    report(
        element.offset, "model.bad-name",
        "'" + element.name.substr(0, 60) + "' cannot name a " + kind + ".",
        "A name is a letter, then letters, digits, underscores or an index like [3]; it is not a "
        "function or a constant.");
    return false;
  }
  const bool reserved =
      (space == "plain" && element.name == "t") || (space == "element" && element.name == "ground");
  const auto [it, is_new] = names_.kind.emplace(std::string(space) + ' ' + element.full_name, kind);
  if (is_new && !reserved) return true;
  report(element.offset, "model.duplicate-name",
         kind + " '" + element.name + "' has the name of " +
             (!reserved             ? "another " + it->second + "."
              : element.name == "t" ? "the time."
                                    : "the ground."));
  return false;
}

}  // namespace koppel::yaml
