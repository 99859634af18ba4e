#include <koppel/expr/text/writer.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {

void Writer::append(std::string_view text) {
  if (text.size() > max_bytes_ - out_.size()) {
    throw Error("expr.text-too-long",
                "an expression is longer than " + std::to_string(max_bytes_) + " bytes as text.",
                "A listing, which names common parts, is shorter.");
  }
  out_ += text;
}

void Writer::write(Expr e) {
  stack_.clear();
  expand(e, kAny);
  while (!stack_.empty()) {
    const Piece piece = stack_.back();
    stack_.pop_back();
    if (piece.literal.data() != nullptr) {
      append(piece.literal);
    } else if (is_named(piece.operand)) {
      append(names.find(piece.operand.id())->second);
    } else {
      expand(piece.operand, piece.need);
    }
  }
}

void Writer::expand(Expr e, int need) {
  const bool inside = precedence(e) < need;
  if (inside) {
    append(parentheses()[0]);
    stack_.push_back({parentheses()[1], 0, kAny});
    need = kAny;
  }
  if (e.is_constant()) return append(number(e.value()));
  if (e.is_symbol()) return append(symbol(e.name()));
  pieces_.clear();
  lay_out(arrange(e), need);
  stack_.insert(stack_.end(), pieces_.rbegin(), pieces_.rend());
}

bool Writer::is_named(Expr e) const {
  return !names.empty() && e.graph() != nullptr && names.contains(e.id());
}

std::string_view Writer::table_name(Expr e) const {
  const Graph& graph = *e.graph();
  const std::string& name = graph.table_name(graph.node(e.id()).operand[1]);
  const auto it = table_names.find(name);
  return it == table_names.end() ? name : it->second;
}

std::size_t Writer::table_derivative(Expr e) { return e.graph()->node(e.id()).operand[2]; }

int Writer::precedence(Expr e) const {
  if (is_named(e) || e.is_symbol()) return kAtom;
  return e.is_constant() ? number_precedence(e.value()) : form_precedence(arrange(e));
}

Form Writer::arrange(Expr e) const {
  const Op op = e.op();
  const int n = operation(op).arity;
  std::array<Expr, 3> x;
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = e.operand(i);
  auto& [a, b, c] = x;

  if (op == Op::Add) {
    // A number stands last; then a sum stands first, so that it needs no parentheses.
    if (a.is_constant() && !b.is_constant()) std::swap(a, b);
    if (b.is_constant() && b.value() < 0) return {e, Op::Sub, {a, -b.value(), 0}};
    const auto is_sum = [&](Expr s) { return !is_named(s) && (s.is(Op::Add) || s.is(Op::Sub)); };
    if (!b.is_constant() && is_sum(b) && !is_sum(a)) std::swap(a, b);
  } else if (op == Op::Equal) {
    if (a.is_constant() && !b.is_constant()) std::swap(a, b);
  } else if (op == Op::Mul) {
    if (a == b) return {e, Op::Pow, {a, 2, 0}};
    // A product, or else a quotient, stands first for the same reason.
    const auto rank = [&](Expr f) {
      return shows_product(f) ? 2 : f.is(Op::Div) && !is_named(f) ? 1 : 0;
    };
    if (!a.is_constant() && rank(b) > rank(a)) std::swap(a, b);
  }
  return {e, op, x};
}

bool Writer::shows_product(Expr e) const {
  return e.is(Op::Mul) && !is_named(e) && !(e.operand(0) == e.operand(1));
}

bool Writer::starts_with_number(Expr e) const {
  while (shows_product(e) || (!is_named(e) && e.is(Op::Div))) e = arrange(e).operand[0];
  if (is_named(e)) return false;
  if (e.is(Op::Pow) || e.is(Op::Mul)) e = e.operand(0);
  return e.is_constant();
}

std::string shortest(double value) {
  char buffer[32];
  const auto scientific_end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string text(buffer, scientific_end);

  // 1e-05 and 1e+22 as 1e-5 and 1e22.
  const std::size_t exponent = text.find('e') + 1;
  const bool negative = text[exponent] == '-';
  const std::size_t digits = std::min(text.find_first_not_of('0', exponent + 1), text.size() - 1);
  text = text.substr(0, exponent) + (negative ? "-" : "") + text.substr(digits);

  // With a plain point where that is hardly longer.
  if (value == 0 || (std::abs(value) > 1e-6 && std::abs(value) < 1e18)) {
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
    if (end.ec == std::errc{} && static_cast<std::size_t>(end.ptr - buffer) <= text.size() + 2) {
      return {buffer, end.ptr};
    }
  }
  return text;
}

}  // namespace koppel
