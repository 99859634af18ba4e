#include <koppel/model/yaml/names.hpp>

#include <koppel/base/text.hpp>

#include <algorithm>

namespace koppel::yaml {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Where the number that starts at `i` ends: 2.5e-3.
std::size_t end_of_number(std::string_view text, std::size_t i) {
  const auto skip_digits = [&] {
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  };
  skip_digits();
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t exponent = i + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      i = exponent;
      skip_digits();
    }
  }
  return i;
}

// Where the plain word that starts at `i` ends: without dots and indices.
std::size_t end_of_word(std::string_view text, std::size_t i) {
  while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) ++i;
  return i;
}

}  // namespace

std::vector<Name> names_in(std::string_view text) {
  std::vector<Name> names;
  bool after_operand = false;  // where a unit may stand, which is no name: 60 deg
  for (std::size_t i = 0; i < text.size();) {
    if (is_digit(text[i])) {
      i = end_of_number(text, i);
      after_operand = true;
    } else if (!is_letter(text[i])) {
      if (!is_space(text[i])) after_operand = text[i] == ')' || text[i] == '.';
      ++i;
    } else {
      std::size_t end = end_of_word(text, i);
      for (;;) {
        if (end + 1 < text.size() && text[end] == '.' &&
            (is_letter(text[end + 1]) || is_digit(text[end + 1]))) {
          end = end_of_word(text, end + 1);
        } else if (end < text.size() && text[end] == '[') {
          const std::size_t close = text.find_first_not_of("0123456789", end + 1);
          if (close == text.npos || text[close] != ']' || close == end + 1) break;
          end = close + 1;
        } else {
          break;
        }
      }
      while (end < text.size() && text[end] == '\'') ++end;
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      const bool is_call = next != text.npos && text[next] == '(';
      const std::string_view word = text.substr(i, end - i);
      if (!after_operand || (word != "deg" && word != "rad")) names.push_back({word, i, is_call});
      after_operand = !is_call;
      i = end;
    }
  }
  return names;
}

std::string with_numbers(std::string_view text,
                         const std::map<std::string, long, std::less<>>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_digit(text[i])) {
      end = end_of_number(text, i);
    } else if (is_letter(text[i])) {
      end = end_of_word(text, i);
      const bool is_member = i > 0 && text[i - 1] == '.';
      const bool goes_on = end < text.size() && (text[end] == '(' || text[end] == '.' ||
                                                 text[end] == '[' || text[end] == '\'');
      const bool is_range = end + 1 < text.size() && text[end] == '.' && text[end + 1] == '.';
      const auto it = is_member || (goes_on && !is_range) ? numbers.end()
                                                          : numbers.find(text.substr(i, end - i));
      if (it != numbers.end()) {
        const std::string number = std::to_string(it->second);
        out += it->second < 0 ? "(" + number + ")" : number;
        i = end;
        continue;
      }
    }
    out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

std::string with_indices(std::string_view text,
                         const std::function<long(std::string_view)>& evaluate) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t open = std::min(text.find('[', i), text.size());
    const std::size_t close = text.find(']', open);
    if (close == text.npos) return out += text.substr(i);
    out += text.substr(i, open + 1 - i);
    const std::string_view index = text.substr(open + 1, close - open - 1);
    const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == index.npos;
    out += is_number || index.empty() ? std::string(index) : std::to_string(evaluate(index));
    out += ']';
    i = close + 1;
  }
  return out;
}

}  // namespace koppel::yaml
