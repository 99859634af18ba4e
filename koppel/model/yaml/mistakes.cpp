#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

constexpr std::size_t kMostMistakes = 100;

}  // namespace

std::string describe(std::string_view what, std::string_view name) {
  return std::string(what) + " '" + std::string(name) + "'";
}

Node make_scalar(std::string_view text, std::size_t offset) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.offset = offset;
  node.text = text;
  return node;
}

bool Reader::is_reported(const Location& where, std::string_view id) const {
  return where.line > 0 &&
         std::any_of(mistakes_.begin(), mistakes_.end(), [&](const Diagnostic& d) {
           return d.id == id && d.where.line == where.line && d.where.column == where.column &&
                  d.where.file == where.file;
         });
}

void Reader::report(Diagnostic mistake) {
  if (is_reported(mistake.where, mistake.id)) return;  // a repeated element has its mistake once
  if (mistake.subject.empty()) mistake.subject = subject_;
  mistakes_.push_back(std::move(mistake));
  if (mistakes_.size() >= kMostMistakes) throw Error(std::move(mistakes_));
}

void Reader::report(Location where, std::string_view id, std::string message, std::string hint) {
  report(Diagnostic{std::string(id), std::move(message), std::move(hint), std::move(where), {}});
}

void Reader::report(std::size_t offset, std::string_view id, std::string message,
                    std::string hint) {
  report(source.at(offset), id, std::move(message), std::move(hint));
}

void Reader::report(const Error& error) {
  for (Diagnostic d : error.diagnostics()) {
    d.excerpt.clear();
    report(std::move(d));
  }
}

void Reader::report_missing(std::size_t offset, std::string message, std::string hint) {
  report({"model.missing-key",
          std::move(message),
          std::move(hint),
          source.at(offset),
          {},
          Cause::MissingPart});
}

void Reader::report_unknown(Location where, std::string_view id, std::string_view named,
                            std::string message, std::string hint) {
  report({std::string(id),
          std::move(message),
          std::move(hint),
          std::move(where),
          {},
          Cause::UnknownName,
          {},
          std::string(named)});
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
    Diagnostic mistake = d;
    mistake.where = source.at(scalar, offset);
    if (!d.named.empty()) mistake.named = full(d.named);
    report(std::move(mistake));
  }
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
    if (is_reported(source.at(entry.offset), "model.unknown-key")) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    report({"model.unknown-key",
            "unknown key '" + entry.key.substr(0, 60) + "' in " + what + ".",
            list_choices(entry.key, "keys", known),
            source.at(entry.offset),
            {},
            Cause::UnknownKey,
            {},
            suggest(entry.key, known)});
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
         list_choices(node.text, "choices", {words.begin(), words.end()}));
  return -1;
}

bool Reader::claim(const Element& element, std::string_view space, const std::string& kind) {
  if (!is_valid_name(element.full_name) || element.name.ends_with('\'')) {
    report(
        element.offset, "model.bad-name",
        "'" + element.name.substr(0, 60) + "' cannot name " +
            (std::string_view("aeiou").find(kind[0]) != std::string_view::npos ? "an " : "a ") +
            kind + ".",
        "A name is a letter, then letters, digits, underscores or an index like [3]; it is not a "
        "function or a constant.");
    return false;
  }
  const bool reserved =
      (space == "plain" && element.name == "t") || (space == "element" && element.name == "ground");
  const auto [it, is_new] = names.kind.emplace(std::string(space) + ' ' + element.full_name, kind);
  if (is_new && !reserved) return true;
  report(element.offset, "model.duplicate-name",
         kind + " '" + element.name + "' has the name of " +
             (!reserved             ? "another " + it->second + "."
              : element.name == "t" ? "the time."
                                    : "the ground."));
  return false;
}

ModelWriter Reader::writer_for(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  const std::size_t offset = element.offset;
  const auto find = [&node, offset](std::string_view key) {
    if (!node.is_map()) return key.empty() ? offset : node.offset;
    const std::size_t bracket = key.find('[');
    const Node* value = key.empty() ? nullptr : node.find(key.substr(0, bracket));
    if (value == nullptr) return offset;
    if (bracket == key.npos) return value->offset;
    return value->items[std::stoul(std::string(key.substr(bracket + 1)))].offset;
  };
  ModelWriter writer(model, *values, element.full_name, what, source.at(offset),
                     [this, find](std::string_view key, Diagnostic d) {
                       d.where = source.at(find(key));
                       d.excerpt.clear();
                       report(std::move(d));
                     });
  writer.locate = [this, find](std::string_view key) { return source.at(find(key)); };
  writer.note_built_in = [this](Expr e) { build_in(e); };
  writer.axes_of_model = frame;
  return writer;
}

}  // namespace koppel::yaml
