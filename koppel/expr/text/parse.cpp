// An operator-precedence parser with explicit stacks (Dijkstra's shunting yard).
#include <koppel/expr/text/parse.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include <koppel/base/suggest.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/lexer.hpp>

namespace koppel {
namespace {

constexpr int kComparison = operation(Op::Less).precedence;
constexpr int kSum = operation(Op::Add).precedence;
constexpr int kProduct = operation(Op::Mul).precedence;
constexpr int kSign = operation(Op::Neg).precedence;
constexpr int kPower = operation(Op::Pow).precedence;

constexpr std::size_t kMostMistakes = 20;
constexpr const char* kProductHint = "Products are written with '*'.";
constexpr const char* kLogicHint =
    "Comparisons are 1 or 0: write (a > 1)*(b > 0) for and, max(a > 1, b > 0) for or.";

// An operand, and where it starts.
struct Value {
  Expr e;
  std::size_t offset;
};

// What waits for its last operand or for its closing parenthesis.
struct Pending {
  enum Kind : std::uint8_t { Sign, Binary, Group, Call };

  Kind kind;
  int precedence;      // of Sign and Binary; 0: an open parenthesis
  const Infix* infix;  // of Binary
  std::size_t offset;
};

// A function or a table whose arguments are being read; neither: its name is unknown.
struct Call {
  std::string_view name;
  const Operation* function = nullptr;
  const Table* table = nullptr;
  int order = 0;  // of the table's derivative
  std::size_t offset;
  std::size_t num_arguments = 1;

  std::size_t arity() const {
    return function != nullptr ? static_cast<std::size_t>(function->arity) : 1;
  }
};

std::string_view without_quotes(std::string_view name) { return name.substr(0, name.find('\'')); }

// Signs of printed mathematics count as letters; pasted in, they are not meant so.
std::string lookalike_hint(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kLookalikes[] = {
      {"−", "-"},  {"–", "-"}, {"·", "*"}, {"×", "*"},  {"÷", "/"},  {"²", "^2"},
      {"³", "^3"}, {"′", "'"}, {"’", "'"}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="}};
  for (const auto& [sign, ascii] : kLookalikes) {
    if (name.find(sign) == name.npos) continue;
    return "'" + std::string(sign) + "' is taken for a letter; write " + std::string(ascii) + ".";
  }
  return {};
}

bool is_angle_unit(std::string_view word) { return word == "deg" || word == "rad"; }

class Parser {
 public:
  Parser(Graph& graph, std::string_view text, const Scope& scope)
      : graph_(graph), text_(text), scope_(scope), lexer_(text), next_(lexer_.next()) {}

  Expr parse() {
    try {
      bool wants_operand = true;
      while (advance()) wants_operand = wants_operand ? take_operand() : take_operator();
      if (wants_operand) fail_without_operand();
      reduce_to_parenthesis();
      if (!pending_.empty()) fail(pending_.back().offset, "this '(' is never closed.");
    } catch (const Error& error) {
      mistakes_.insert(mistakes_.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
    if (!mistakes_.empty()) throw Error(std::move(mistakes_));
    return values_.back().e;
  }

 private:
  bool advance() {
    previous_ = token_;
    token_ = next_;
    if (token_.kind == Token::End) return false;
    next_ = lexer_.next();
    return true;
  }

  // Takes the token where an operand should start, or one ended; says whether an operand is to
  // come next.
  bool take_operand() {
    if (token_.kind == Token::Number) {
      values_.push_back({graph_.constant(token_.number), token_.offset});
      return false;
    }
    if (token_.kind == Token::Name) {
      if (next_.kind == Token::Open) return open_call();
      values_.push_back({resolve(token_.text), token_.offset});
      return false;
    }
    if (token_.kind == Token::Open) {
      pending_.push_back({Pending::Group, 0, nullptr, token_.offset});
      return true;
    }
    if (token_.text == "-") return take_sign();
    if (token_.text == "+") return true;
    if (token_.kind == Token::Close && previous_.kind == Token::Open &&
        pending_.back().kind == Pending::Call) {
      calls_.back().num_arguments = 0;
      return close();
    }
    fail_without_operand();
  }

  // An angle's unit behind an operand is a factor: 60 deg, (a + b) deg, also of a power: 2^2 deg is
  // 4 deg.
  bool take_unit() {
    if (previous_.kind == Token::Name && is_angle_unit(previous_.text)) {
      fail(token_.offset, "two units follow each other.");
    }
    while (!pending_.empty() && pending_.back().precedence == kPower) reduce();
    if (token_.text == "deg") values_.back().e = values_.back().e * (std::numbers::pi / 180);
    return false;
  }

  bool take_operator() {
    if (token_.kind == Token::Name && is_angle_unit(token_.text)) return take_unit();
    switch (token_.kind) {
      case Token::Operator: return take_infix();
      case Token::Comma: return take_comma();
      case Token::Close: return close();
      default:
        fail(token_.offset,
             "an operator is missing between " + quoted(previous_.text) + " and " +
                 quoted(token_.text) + ".",
             token_.text == "and" || token_.text == "or" ? kLogicHint : kProductHint);
    }
  }

  // A minus belongs to the number it precedes and to the operand of an operator that binds as
  // tightly: (−2)·x/y, x/(−y)·z, x^(−y)·z. Elsewhere it is that of the whole term: −x·y is −(x·y).
  // The value is the same either way; this way, printing needs no parentheses.
  bool take_sign() {
    const bool tight = next_.kind == Token::Number ||
                       (!pending_.empty() && pending_.back().precedence >= kProduct);
    pending_.push_back({Pending::Sign, tight ? kSign : kSum, nullptr, token_.offset});
    return true;
  }

  bool take_infix() {
    const int precedence = operation(token_.infix->op).precedence;
    const auto goes_first = [&](const Pending& p) {
      return p.precedence > precedence || (p.precedence == precedence && precedence != kPower);
    };
    while (!pending_.empty() && goes_first(pending_.back())) {
      if (pending_.back().precedence == kComparison) {
        fail(token_.offset, "comparisons cannot be chained.",
             "Write select(a < b, b < c, 0) for 'a < b and b < c'.");
      }
      reduce();
    }
    pending_.push_back({Pending::Binary, precedence, token_.infix, token_.offset});
    return true;
  }

  bool take_comma() {
    reduce_to_parenthesis();
    if (pending_.empty() || pending_.back().kind != Pending::Call) {
      fail(token_.offset, "this ',' is not between the arguments of a function.",
           "Decimals are written with a point.");
    }
    ++calls_.back().num_arguments;
    return true;
  }

  bool open_call() {
    Call call{.name = token_.text, .offset = token_.offset};
    const std::string_view base = without_quotes(call.name);
    call.function = find_function(call.name);
    if (call.function == nullptr) {
      call.table = graph_.find_table(base);
      call.order = static_cast<int>(std::min<std::size_t>(call.name.size() - base.size(), 1000));
      if (call.table == nullptr) report_unknown_function(call);
    }
    advance();
    pending_.push_back({Pending::Call, 0, nullptr, token_.offset});
    calls_.push_back(call);
    return true;
  }

  bool close() {
    reduce_to_parenthesis();
    if (pending_.empty()) fail(token_.offset, "this ')' closes nothing.");
    const Pending open = pending_.back();
    pending_.pop_back();
    if (open.kind == Pending::Group) {
      values_.back().offset = open.offset;
    } else {
      finish_call(calls_.back());
      calls_.pop_back();
    }
    return false;
  }

  void finish_call(const Call& call) {
    const std::size_t n = call.num_arguments;
    if (n != call.arity() && (call.function != nullptr || call.table != nullptr)) {
      report(call.offset, "expr.argument-count",
             std::string(call.name) + " takes " + std::to_string(call.arity()) +
                 (call.arity() == 1 ? " argument" : " arguments") + ", found " + std::to_string(n) +
                 ".");
    }
    const Value* x = values_.data() + values_.size() - n;
    Expr e = 1;
    if (mistakes_.empty()) {
      e = call.table != nullptr ? of_table(call, x[0].e)
                                : combine(call.function->op, call.offset, x, n);
    }
    values_.erase(values_.end() - static_cast<std::ptrdiff_t>(n), values_.end());
    values_.push_back({e, call.offset});
  }

  void reduce_to_parenthesis() {
    while (!pending_.empty() && pending_.back().precedence > 0) reduce();
  }

  // Applies the last sign or operator to its operands.
  void reduce() {
    const Pending last = pending_.back();
    pending_.pop_back();
    if (last.kind == Pending::Sign) {
      values_.back() = {combine(Op::Neg, last.offset, &values_.back(), 1), last.offset};
      return;
    }
    Value* x = values_.data() + values_.size() - 2;
    const std::size_t offset = x[0].offset;
    if (last.infix->swapped) std::swap(x[0], x[1]);
    Expr e = combine(last.infix->op, last.offset, x, 2);
    if (last.infix->negated) e = 1 - e;
    values_.pop_back();
    values_.back() = {adopt(e), offset};
  }

  Expr combine(Op op, std::size_t offset, const Value* x, std::size_t n) {
    if (!mistakes_.empty()) return 1;
    if (op == Op::Div && x[1].e.is_constant(0)) {
      report(x[1].offset, "expr.division-by-zero", "the divisor is zero.");
      return 1;
    }
    if (op == Op::Pow && x[0].e.is_constant(0) && x[1].e.is_constant() && x[1].e.value() < 0) {
      report(x[0].offset, "expr.division-by-zero", "zero has no negative powers.");
      return 1;
    }
    try {
      return adopt(apply(op, x[0].e, n > 1 ? x[1].e : Expr(), n > 2 ? x[2].e : Expr()));
    } catch (const Error& error) {
      const Diagnostic& d = error.diagnostics().front();
      report(offset, d.id, d.message, d.hint);
      return 1;
    }
  }

  Expr of_table(const Call& call, Expr x) {
    const Expr e = call.table->derivative(x, call.order);
    if (!e.is_constant() || std::isfinite(e.value())) return adopt(e);
    report(call.offset, "expr.not-finite",
           "the value of table " + quoted(call.name) + " is not a finite number here.");
    return 1;
  }

  // A node of this graph, so that an operation never sees plain numbers alone: of those, apply
  // refuses results that are not finite.
  Expr adopt(Expr e) { return {graph_, graph_.adopt(e)}; }

  Expr resolve(std::string_view name) {
    if (const auto it = scope_.names.find(name); it != scope_.names.end()) return adopt(it->second);
    if (const Expr* symbol = graph_.find_symbol(name)) return *symbol;
    const bool function = find_function(name) != nullptr;
    if (function || graph_.find_table(without_quotes(name)) != nullptr) {
      report(token_.offset, "expr.syntax",
             quoted(name) + " is a " + (function ? "function" : "table") +
                 "; its argument in parentheses is missing.");
    } else if (scope_.make_symbols && is_valid_name(name) && lookalike_hint(name).empty()) {
      return graph_.symbol(name);
    } else {
      report_unknown_name(name);
    }
    return 1;
  }

  void report_unknown_name(std::string_view name) {
    if (!unknown_.insert(name).second) return;
    std::vector<std::string> names = graph_.symbol_names();
    for (const auto& [alias, e] : scope_.names) names.push_back(alias);
    names.emplace_back("pi");
    const std::string lookalike = lookalike_hint(name);
    report(token_.offset, "expr.unknown-name", "unknown name " + quoted(name) + ".",
           lookalike.empty() ? hint_for(name, names) : lookalike);
    note_unknown(name);
  }

  void report_unknown_function(const Call& call) {
    if (!unknown_.insert(call.name).second) return;
    if (scope_.names.contains(call.name) || graph_.find_symbol(call.name) != nullptr) {
      report(call.offset, "expr.unknown-name", quoted(call.name) + " is not a function.",
             kProductHint);
      note_unknown(call.name);
      return;
    }
    std::vector<std::string> names = graph_.table_names();
    for (const Operation& entry : operations::kTable) {
      if (find_function(entry.name) != nullptr) names.emplace_back(entry.name);
    }
    names.emplace_back("pow");
    report(call.offset, "expr.unknown-name", "unknown function " + quoted(call.name) + ".",
           hint_for(call.name, names));
    note_unknown(call.name);
  }

  void note_unknown(std::string_view name) {
    mistakes_.back().cause = Cause::UnknownName;
    mistakes_.back().named = name;
  }

  // The nearest of the known names, or all of them when there are few.
  static std::string hint_for(std::string_view name, const std::vector<std::string>& known) {
    constexpr std::size_t kFew = 12;
    if (const std::string near = suggest(name, known); !near.empty()) {
      return "Did you mean '" + near + "'?";
    }
    if (known.size() > kFew) return {};
    std::string hint;
    for (const std::string& k : known) hint += (hint.empty() ? "Known are " : ", ") + k;
    return hint + '.';
  }

  // A mistake after which reading can go on; the values no longer matter.
  void report(std::size_t offset, std::string_view id, std::string message, std::string hint = {}) {
    mistakes_.push_back(make_diagnostic(text_, offset, id, std::move(message), std::move(hint)));
    if (mistakes_.size() >= kMostMistakes) {
      throw Error("expr.syntax", "there are too many mistakes to go on.");
    }
  }

  [[noreturn]] void fail(std::size_t offset, std::string message, std::string hint = {}) const {
    throw Error(
        {make_diagnostic(text_, offset, "expr.syntax", std::move(message), std::move(hint))});
  }

  [[noreturn]] void fail_without_operand() const {
    if (previous_.text.empty() && token_.kind == Token::End) fail(0, "the expression is empty.");
    fail(token_.offset,
         "expected a number, a name or '(', but " +
             (token_.kind == Token::End ? "the text ends." : "found " + quoted(token_.text) + "."));
  }

  Graph& graph_;
  std::string_view text_;
  const Scope& scope_;
  Lexer lexer_;
  Token previous_, token_, next_;
  std::vector<Value> values_;
  std::vector<Pending> pending_;
  std::vector<Call> calls_;
  std::vector<Diagnostic> mistakes_;
  std::set<std::string_view> unknown_;
};

}  // namespace

Expr parse(Graph& graph, std::string_view text, const Scope& scope) {
  return Parser(graph, text, scope).parse();
}

}  // namespace koppel
