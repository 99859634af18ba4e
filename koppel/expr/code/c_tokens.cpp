#include <koppel/expr/code/c_tokens.hpp>

#include <algorithm>
#include <cassert>
#include <cctype>

namespace koppel::wasm {
namespace {

// Text without comments and directives. Nothing is defined: #ifdef is false, #ifndef true.
std::string plain_text(std::string_view text) {
  std::string without_comments, out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "/*") {
      at = text.find("*/", at + 2) + 1;
      without_comments += ' ';
    } else {
      without_comments += text[at];
    }
  }
  std::vector<bool> is_taken;  // by open condition
  std::string_view rest = without_comments;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    if (line.starts_with("#ifdef")) {
      is_taken.push_back(false);
    } else if (line.starts_with("#ifndef")) {
      is_taken.push_back(true);
    } else if (line.starts_with("#else")) {
      is_taken.back() = !is_taken.back();
    } else if (line.starts_with("#endif")) {
      is_taken.pop_back();
    } else if (!line.starts_with('#') &&
               std::all_of(is_taken.begin(), is_taken.end(), [](bool taken) { return taken; })) {
      out += line;
    }
  }
  return out;
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t length_of_word(std::string_view text) {
  std::size_t n = 1;
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {  // 1.5e-3, 0x1.8p-27
    const bool is_hex = text.starts_with("0x");
    for (; n < text.size(); ++n) {
      const char last = text[n - 1];
      const bool is_sign = (text[n] == '-' || text[n] == '+') && last == (is_hex ? 'p' : 'e');
      if (!is_of_name(text[n]) && text[n] != '.' && !is_sign) break;
    }
    return n;
  }
  if (is_of_name(text[0])) {
    while (n < text.size() && is_of_name(text[n])) ++n;
    return n;
  }
  for (const std::string_view two :
       {"<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "--", "++"}) {
    if (text.starts_with(two)) return 2;
  }
  return 1;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    if (std::isspace(static_cast<unsigned char>(text[0])) != 0) {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t n = length_of_word(text);
    out.emplace_back(text.substr(0, n));
    text.remove_prefix(n);
  }
  return out;
}

}  // namespace

CSource read_c(std::string_view text) {
  CSource out;
  out.words = words_of(plain_text(text));
  const std::vector<std::string>& words = out.words;
  std::size_t at = 0;
  while (at < words.size()) {
    if (words[at] == "typedef") {  // typedef struct { double a, b; int c; } name;
      at += 3;
      std::vector<CSource::Variable> members;
      while (words[at] != "}") {
        const std::string type = words[at++];
        do members.push_back({type, words[at]});
        while (words[(at += 2) - 1] == ",");
      }
      out.structs[words[at + 1]] = members;
      at += 3;
      continue;
    }
    assert(words[at] == "KOPPEL_INLINE" || words[at] == "KOPPEL_OUTLINE");
    CSource::Function function;
    function.is_inline = words[at] == "KOPPEL_INLINE";
    function.type = words[at + 1];
    const std::string name = words[at + 2];
    at += 4;  // behind the parenthesis
    while (words[at - 1] != ")") {
      function.parameters.push_back({words[at], words[at + 1]});
      at += 3;
    }
    function.begin = ++at;
    for (int depth = 1; depth > 0; ++at) depth += (words[at] == "{") - (words[at] == "}");
    out.functions[name] = function;
  }
  return out;
}

}  // namespace koppel::wasm
