// The words of an expression's text. Internal to parse.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/op.hpp>

namespace koppel {

// An operator between two operands, and how it is made of the operations there are.
struct Infix {
  std::string_view text;
  Op op;
  bool swapped = false;  // a > b is b < a
  bool negated = false;  // a != b is 1 − (a == b)
};

struct Token {
  enum Kind : std::uint8_t { End, Number, Name, Open, Close, Comma, Operator };

  Kind kind = End;
  std::size_t offset = 0;  // in the text, in bytes
  std::string_view text;
  double number = 0;
  const Infix* infix = nullptr;
};

// A mistake at a byte of the text.
Diagnostic make_diagnostic(std::string_view text, std::size_t offset, std::string_view id,
                           std::string message, std::string hint = {});

// A token as it is quoted in a message: shortened when long.
std::string quoted(std::string_view token);

class Lexer {
 public:
  // Throws Error `expr.encoding` unless the text is UTF-8 without control characters.
  explicit Lexer(std::string_view text);

  // Throws Error `expr.syntax` and `expr.number-range`.
  Token next();

  // Whether the next token is an opening parenthesis.
  bool before_open();

 private:
  void skip_spaces();
  Token take(Token::Kind kind, std::size_t length);
  Token number();
  Token name();
  [[noreturn]] void fail_at_character() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace koppel
