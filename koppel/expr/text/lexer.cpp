#include <koppel/expr/text/lexer.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>

#include <koppel/base/text.hpp>
#include <koppel/base/utf8.hpp>

namespace koppel {
namespace {

// Longer ones before those they start with.
constexpr std::array<Infix, 11> kInfix = {{{"<=", Op::LessEqual},
                                           {">=", Op::LessEqual, true},
                                           {"==", Op::Equal},
                                           {"!=", Op::Equal, false, true},
                                           {"<", Op::Less},
                                           {">", Op::Less, true},
                                           {"+", Op::Add},
                                           {"-", Op::Sub},
                                           {"*", Op::Mul},
                                           {"/", Op::Div},
                                           {"^", Op::Pow}}};

// What people write that means something elsewhere.
struct Foreign {
  std::string_view text, hint;
};
constexpr Foreign kForeign[] = {
    {"**", "Write ^ for powers."},
    {"=", "Write == to compare."},
    {"&", "Write select(a, b, 0) for 'a and b'."},
    {"|", "Write select(a, 1, b) for 'a or b'."},
    {"!", "Write 1 - a for 'not a'."},
    {"[", "An index is a whole number after a name, as in q[3]."},
    {"?", "Write select(condition, a, b)."},
    {"'", "Quotes stand after a name: x' is its time derivative."},
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string hexadecimal(char c) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

Diagnostic make_diagnostic(std::string_view text, std::size_t offset, std::string_view id,
                           std::string message, std::string hint) {
  Diagnostic d{std::string(id), std::move(message), std::move(hint), {}, {}};
  locate(text, offset, d);
  return d;
}

std::string quoted(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  if (token.size() <= kLongest) return "'" + std::string(token) + "'";
  std::size_t end = kLongest;
  while ((static_cast<unsigned char>(token[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(token.substr(0, end)) + "…'";
}

Lexer::Lexer(std::string_view text) : text_(text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const bool control =
        (static_cast<unsigned char>(text[i]) < 0x20 && !is_space(text[i])) || text[i] == 0x7F;
    if (length == 0 || control) {
      // Shown up to the bad byte, which a terminal had better not see.
      const std::string shown = std::string(text.substr(0, i)) + "\uFFFD";
      const std::string what = control ? " is a control character." : " is not UTF-8.";
      throw Error(
          {make_diagnostic(shown, i, "expr.encoding", "byte " + hexadecimal(text[i]) + what)});
    }
    i += length;
  }
}

void Lexer::skip_spaces() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool Lexer::before_open() {
  skip_spaces();
  return at_ < text_.size() && text_[at_] == '(';
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  const Token token{kind, at_, text_.substr(at_, length)};
  at_ += length;
  return token;
}

Token Lexer::next() {
  skip_spaces();
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return take(Token::End, 0);
  if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1])))
    return number();
  if (is_letter(rest[0])) return name();
  if (rest[0] == '(') return take(Token::Open, 1);
  if (rest[0] == ')') return take(Token::Close, 1);
  if (rest[0] == ',') return take(Token::Comma, 1);
  if (rest.starts_with("**")) fail_at_character();
  for (const Infix& infix : kInfix) {
    if (!rest.starts_with(infix.text)) continue;
    Token token = take(Token::Operator, infix.text.size());
    token.infix = &infix;
    return token;
  }
  fail_at_character();
}

Token Lexer::number() {
  double value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  Token token = take(Token::Number, static_cast<std::size_t>(end - begin));
  token.number = value;
  if (error != std::errc{}) {
    throw Error({make_diagnostic(text_, token.offset, "expr.number-range",
                                 "the number " + quoted(token.text) + " is out of range.",
                                 "Numbers reach from 4.9e-324 to 1.8e308.")});
  }
  return token;
}

Token Lexer::name() {
  const std::string_view rest = text_.substr(at_);
  std::size_t end = 1;
  while (end < rest.size()) {
    std::size_t more = end;
    if (is_letter(rest[end]) || is_digit(rest[end])) {
      ++more;
    } else if (rest[end] == '.') {
      more = rest.find_first_not_of('.', end);
      if (more == rest.npos ||
          !(is_letter(rest[more]) || is_digit(rest[more]) || rest[more] == '['))
        break;
    } else if (rest[end] == '[') {
      more = std::min(rest.find_first_not_of("0123456789", end + 1), rest.size());
      if (more == end + 1 || more == rest.size() || rest[more] != ']') break;
      ++more;
    }
    if (more == end) break;
    end = more;
  }
  while (end < rest.size() && rest[end] == '\'') ++end;
  Token token = take(Token::Name, end);
  if (token.text == "pi") {
    token.kind = Token::Number;
    token.number = std::numbers::pi;
  }
  return token;
}

void Lexer::fail_at_character() const {
  const std::string_view rest = text_.substr(at_);
  std::string_view what = rest.substr(0, 1);
  std::string hint;
  for (const Foreign& foreign : kForeign) {
    if (!rest.starts_with(foreign.text)) continue;
    what = foreign.text;
    hint = foreign.hint;
    break;
  }
  throw Error({make_diagnostic(text_, at_, "expr.syntax",
                               "'" + std::string(what) + "' has no meaning here.", hint)});
}

}  // namespace koppel
