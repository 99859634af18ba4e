// Small operations on text that readers and messages share.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace koppel {

// Of ASCII, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

// "a, b, c"
inline std::string joined(std::span<const std::string> texts) {
  std::string out;
  for (const std::string& text : texts) (out += out.empty() ? "" : ", ") += text;
  return out;
}

}  // namespace koppel
