// A YAML text as a tree that remembers its places. Internal to the reader.
//
// Built from the events of yaml-cpp rather than from its nodes: those are shared where a text uses
// anchors, so that a short text can mean a tree of any size. Here size and depth are bounded while
// the text is read, and nothing recurses deeper than the bound.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/base/diagnostic.hpp>

namespace koppel::yaml {

inline constexpr std::size_t kMostBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostNodes = 1'000'000;  // anchors and repetitions expanded
inline constexpr std::size_t kBytesOfNode = 64;  // a text counts as a node for each so many bytes
inline constexpr int kDeepest = 64;

struct Entry;

struct Node {
  enum class Kind { Null, Scalar, Sequence, Map };

  Kind kind = Kind::Null;
  std::size_t offset = 0;  // in the source, in bytes
  std::string text;        // of a scalar
  std::vector<Node> items;
  std::vector<Entry> entries;

  bool is_null() const { return kind == Kind::Null; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_sequence() const { return kind == Kind::Sequence; }
  bool is_map() const { return kind == Kind::Map; }
  const Node* find(std::string_view key) const;  // in a map; null: none
};

struct Entry {
  std::string key;
  std::size_t offset = 0;
  Node value;
};

std::size_t num_nodes(const Node& node);  // long texts count as several

// A text with its name, and places in it.
class Source {
 public:
  Source(std::string file, std::string text);

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  Location at(std::size_t offset) const;
  // Of a byte in a scalar's text, where that stands in the source as it is; else of the scalar.
  Location at(const Node& scalar, std::size_t offset) const;

 private:
  static constexpr std::size_t kStride = 1024;
  std::size_t characters_before(std::size_t offset) const;

  std::string file_, text_;
  std::vector<std::size_t> lines_;       // where each starts
  std::vector<std::size_t> characters_;  // how many stand before each kStride-th byte
};

// The text of a file; one that is too long is not read to its end. Nothing: it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Throws Error unless the text is of a bearable size and UTF-8 without control characters:
//   model.too-large, model.encoding
void check_text(const Source& source);

// The tree of the only document in the source. Throws Error
//   model.too-large   more than kMostBytes, kMostNodes or kDeepest
//   model.encoding    not UTF-8, or control characters
//   model.syntax      not YAML, no document or more than one, a key that is no text
//   model.duplicate-name  a key twice in the same map
Node read_tree(const Source& source);

}  // namespace koppel::yaml
