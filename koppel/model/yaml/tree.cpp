#include <koppel/model/yaml/tree.hpp>

#include <algorithm>
#include <fstream>
#include <istream>
#include <streambuf>
#include <unordered_map>
#include <unordered_set>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <koppel/base/printable.hpp>
#include <koppel/base/utf8.hpp>

namespace koppel::yaml {
namespace {

constexpr const char* kFlowHint =
    "Inside [ ] and { }, a text that has brackets, braces, commas or ': ' stands in quotes.";

[[noreturn]] void fail(const Source& source, std::size_t offset, std::string_view id,
                       std::string message, std::string hint = {}) {
  throw Error(
      {Diagnostic{std::string(id), std::move(message), std::move(hint), source.at(offset), {}}});
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// yaml-cpp keeps all tokens of a line in flow style until the line ends: what is too large is found
// before. Quotes and comments are not told apart; nobody writes a million commas in them.
void check_size(const Source& source) {
  const std::string& text = source.text();
  std::size_t separators = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') depth = std::max(depth, 0);
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' || c == ':' || c == '[' || c == '{') ++separators;
    if (separators > kMostNodes || depth > 1000) {
      fail(source, i, "model.too-large",
           depth > 1000 ? "brackets and braces are nested too deep."
                        : "the file has more than a million values.");
    }
  }
}

// A stream over the text, without a copy.
struct View : std::streambuf {
  explicit View(const std::string& text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const Source& source) : source_(source) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Node::Kind::Null, mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    check_scalar(mark, text);
    Node node = make(Node::Kind::Scalar, mark);
    node.text = text;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) {
      fail(source_, offset(mark), "model.syntax", "this alias stands inside what it names.");
    }
    const std::size_t size = num_nodes(it->second);
    if (open_.size() + static_cast<std::size_t>(depth(it->second)) > kDeepest) too_deep(mark);
    count(size, mark);
    add(it->second, YAML::NullAnchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::Sequence, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::Map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    bool has_key = false;  // of a map: the last entry waits for its value
    std::unordered_set<std::string> keys;
  };

  static std::size_t offset(const YAML::Mark& mark) {
    return static_cast<std::size_t>(std::max(mark.pos, 0));
  }

  // By escapes a text in quotes can have what the file itself cannot.
  void check_scalar(const YAML::Mark& mark, const std::string& text) const {
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view rest = std::string_view(text).substr(i);
      if (const std::size_t length = control_length(rest); length > 0 && rest[0] != '\r') {
        fail(source_, offset(mark), "model.encoding",
             "the text has the control character '" + printable(rest.substr(0, length)) + "'.",
             "A model file is plain text.");
      }
      i += std::max<std::size_t>(utf8_length(rest), 1);
    }
  }

  static int depth(const Node& node) {
    int deepest = 0;
    for (const Node& item : node.items) deepest = std::max(deepest, depth(item));
    for (const Entry& entry : node.entries) deepest = std::max(deepest, depth(entry.value));
    return deepest + 1;
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    count(1, mark);
    Node node;
    node.kind = kind;
    node.offset = offset(mark);
    return node;
  }

  void count(std::size_t more, const YAML::Mark& mark) {
    num_nodes_ += more;
    if (num_nodes_ > kMostNodes) {
      fail(source_, offset(mark), "model.too-large", "the file has more than a million values.",
           "Check what its anchors and aliases repeat. A text counts as a value for every 64 "
           "characters.");
    }
  }

  [[noreturn]] void too_deep(const YAML::Mark& mark) {
    fail(source_, offset(mark), "model.too-large",
         "lists and maps are nested deeper than " + std::to_string(kDeepest) + " levels.");
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= static_cast<std::size_t>(kDeepest)) too_deep(mark);
    if (!open_.empty() && open_.back().node.is_map() && !open_.back().has_key) {
      fail(source_, offset(mark), "model.syntax", "a key is a text, not a list or a map.",
           kFlowHint);
    }
    open_.push_back({make(kind, mark), anchor, false, {}});
  }

  void close() {
    Open last = std::move(open_.back());
    open_.pop_back();
    add(std::move(last.node), last.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      num_nodes_ += num_nodes(node);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_sequence()) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.entries.back().value = std::move(node);
      parent.has_key = false;
    } else {
      add_key(parent, node);
    }
  }

  void add_key(Open& map, const Node& key) {
    if (!key.is_scalar()) {
      fail(source_, key.offset, "model.syntax", "a key is a text, not empty.", kFlowHint);
    }
    if (!map.keys.insert(key.text).second) {
      const auto first = std::find_if(map.node.entries.begin(), map.node.entries.end(),
                                      [&](const Entry& e) { return e.key == key.text; });
      fail(source_, key.offset, "model.duplicate-name",
           "'" + key.text + "' stands here twice; first in line " +
               std::to_string(source_.at(first->offset).line) + ".");
    }
    map.node.entries.push_back({key.text, key.offset, {}});
    map.node.entries.back().value.offset = key.offset;
    map.has_key = true;
  }

  const Source& source_;
  Node root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  std::size_t num_nodes_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::size_t num_nodes(const Node& node) {
  std::size_t count = 1 + node.text.size() / kBytesOfNode;
  for (const Node& item : node.items) count += num_nodes(item);
  for (const Entry& entry : node.entries) {
    count += 1 + entry.key.size() / kBytesOfNode + num_nodes(entry.value);
  }
  return count;
}

Source::Source(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);  // the mark that some editors write
  std::size_t count = 0;
  for (std::size_t i = 0; i <= text_.size(); ++i) {
    if (i % kStride == 0) characters_.push_back(count);
    if (i < text_.size()) count += starts_character(text_[i]);
  }
  lines_.push_back(0);
  for (std::size_t i = text_.find('\n'); i != text_.npos; i = text_.find('\n', i + 1)) {
    lines_.push_back(i + 1);
  }
}

std::size_t Source::characters_before(std::size_t offset) const {
  std::size_t count = characters_[offset / kStride];
  for (std::size_t i = offset / kStride * kStride; i < offset; ++i)
    count += starts_character(text_[i]);
  return count;
}

Location Source::at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - 1;
  const std::size_t column = characters_before(offset) - characters_before(*line);
  return {file_, static_cast<int>(line - lines_.begin()) + 1, static_cast<int>(column) + 1};
}

Location Source::at(const Node& scalar, std::size_t offset) const {
  const std::string_view rest =
      std::string_view(text_).substr(std::min(scalar.offset, text_.size()));
  for (const std::size_t quote : {0, 1}) {
    if (rest.size() > quote && rest.substr(quote).starts_with(scalar.text)) {
      return at(scalar.offset + quote + offset);
    }
  }
  return at(scalar.offset);
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {};
  // In pieces: what is not a plain file does not tell its size.
  std::string text;
  char piece[1 << 16];
  while (text.size() <= kMostBytes && (stream.read(piece, sizeof piece), stream.gcount() > 0)) {
    text.append(piece, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

void check_text(const Source& source) {
  const std::string_view text = source.text();
  if (text.size() > kMostBytes) {
    throw Error({Diagnostic{"model.too-large",
                            "the file has more than 16 MB.",
                            "Recorded signals belong in files of their own.",
                            {source.file(), 0, 0},
                            {}}});
  }
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const bool control = c != '\r' && control_length(text.substr(i)) > 0;
    if (length == 0 || control) {
      fail(source, i, "model.encoding",
           control ? "the text has a control character here." : "the text is not UTF-8 here.",
           "A model file is plain text.");
    }
    i += length;
  }
}

Node read_tree(const Source& source) {
  check_text(source);
  check_size(source);
  Builder builder(source);
  try {
    View view(source.text());
    std::istream stream(&view);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw Error({Diagnostic{"model.syntax",
                              "the file is empty.",
                              "A model has bodies, or coordinates.",
                              {source.file(), 0, 0},
                              {}}});
    }
    Builder second(source);
    if (parser.HandleNextDocument(second)) {
      fail(source, second.take().offset, "model.syntax",
           "a second document starts here; a file is one model.");
    }
  } catch (const YAML::Exception& e) {
    fail(source, static_cast<std::size_t>(std::max(e.mark.pos, 0)), "model.syntax",
         "this is not YAML: " + e.msg + ".", kFlowHint);
  }
  return builder.take();
}

}  // namespace koppel::yaml
