#include <koppel/base/printable.hpp>

#include <algorithm>

#include <koppel/base/utf8.hpp>

namespace koppel {
namespace {

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

}  // namespace

std::size_t control_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x20) return first == '\t' || first == '\n' ? 0 : 1;
  if (first == 0x7F) return 1;
  if (first == 0xC2 && text.size() > 1 && byte(1) < 0xA0) return 2;  // U+0080 … U+009F
  if (first == 0xE2 && text.size() > 2) {
    // U+200E, U+200F, U+2028 … U+202E, U+2066 … U+2069
    const unsigned char second = byte(1), third = byte(2);
    const bool is_first =
        second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE));
    if (is_first || (second == 0x81 && third >= 0xA6 && third <= 0xA9)) return 3;
  }
  return 0;
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = control_length(text);
    const bool is_line = text[0] == '\n' || text[0] == '\t';
    const bool is_shown = length == 0 && (!is_line || keep_lines) && utf8_length(text) > 0;
    length = std::max<std::size_t>(length > 0 ? length : utf8_length(text), 1);
    if (is_shown) {
      out += text.substr(0, length);
    } else {
      append_escaped(out, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string with_short_words(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end <= most) {
      out += text.substr(0, end);
    } else {
      std::size_t kept = most;
      while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;
      out += text.substr(0, kept);
      out += "…";
    }
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace koppel
