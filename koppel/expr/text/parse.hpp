// Expressions from text.
//
//   Expr f = parse(graph, "m*x'' + d*x' + k*x - 2e-3*sin(2*pi*t)");
//   Expr g = parse(graph, "select(x < 0, 0, road'(x)^2)", {.names = {{"x", position}}});
//
// From loose to tight: comparisons < <= > >= == != (which do not chain), + -, * /, a sign, and ^
// (from right to left: a^b^c is a^(b^c), −x^2 is −(x²), and x^-2 may be written). Functions are
// those of operations.hpp; tables are called like functions, with quotes for derivatives. `pi` is
// the only constant. A product is never implied: 2 x is an error. Line breaks are spaces.
//
// Takes time and memory linear in the text, whatever its nesting: no recursion.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// What the names in a text mean. A name that is not here is a symbol of the graph.
struct Scope {
  std::map<std::string, Expr, std::less<>> names = {};  // parameters, aliases
  bool make_symbols = false;  // whether an unknown name becomes a new symbol
};

// The expression that the text says, as a node of the graph. Throws Error with the place of each
// mistake:
//   expr.syntax            the text is not an expression
//   expr.encoding          it is not UTF-8, or has control characters
//   expr.unknown-name      a name, function or table that is not known
//   expr.argument-count    a function has too few or too many arguments
//   expr.number-range      a number beyond the range of double precision
//   expr.division-by-zero  a divisor that is the number 0
//   expr.not-finite        a table at a number where its value overflows
// All of a text's unknown names and wrong argument counts are reported together.
Expr parse(Graph& graph, std::string_view text, const Scope& scope = {});

}  // namespace koppel
