#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <koppel/base/text.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/writer.hpp>

namespace koppel {
namespace {

// In the order of Unicode from U+03B1 on; LaTeX has no omicron.
constexpr std::array<std::string_view, 25> kGreek = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "",     "pi",   "rho",   "varsigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
constexpr std::array<std::string_view, 11> kGreekCapitals = {
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_one_character(std::string_view word) {
  return std::count_if(word.begin(), word.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) == 1;
}

// theta or θ as \theta, m as m, 12 as 12, mass as \mathrm{mass}.
std::string latex_word(std::string_view word) {
  if (contains(kGreek, word) || contains(kGreekCapitals, word)) return '\\' + std::string(word);
  if (word.size() == 2 && is_one_character(word)) {
    const auto code =
        (static_cast<unsigned>(word[0]) & 0x1F) << 6 | (static_cast<unsigned>(word[1]) & 0x3F);
    const std::size_t i = code - 0x3B1;
    if (i < kGreek.size() && !kGreek[i].empty()) return '\\' + std::string(kGreek[i]);
  }
  if (is_one_character(word) && word != "_") return std::string(word);
  if (std::all_of(word.begin(), word.end(), is_digit)) return std::string(word);
  std::string out = "\\mathrm{";
  for (const char c : word) {
    if (std::string_view("_#$%&{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + '}';
}

// crane.q_a[2]'' in its parts: the word crane.q, the subscripts a and 2, two quotes.
struct NameParts {
  std::string_view word;
  std::vector<std::string_view> subscripts;
  std::size_t num_quotes = 0;
};

NameParts split_name(std::string_view name) {
  NameParts parts;
  const std::size_t quotes = std::min(name.find('\''), name.size());
  parts.num_quotes = name.size() - quotes;
  name = name.substr(0, quotes);
  std::size_t end = std::min(name.find_first_of("_[", 1), name.size());
  parts.word = name.substr(0, end);
  while (end < name.size()) {
    const std::size_t begin = name.find_first_not_of("_[]", end);
    if (begin == name.npos) break;
    end = std::min(name.find_first_of("_[]", begin), name.size());
    parts.subscripts.push_back(name.substr(begin, end - begin));
  }
  // q12 is q with the subscript 12.
  const std::size_t digits = parts.word.find_last_not_of("0123456789") + 1;
  if (digits > 0 && digits < parts.word.size() && parts.word[digits - 1] != '.') {
    parts.subscripts.insert(parts.subscripts.begin(), parts.word.substr(digits));
    parts.word = parts.word.substr(0, digits);
  }
  return parts;
}

class LatexWriter final : public Writer {
 public:
  using Writer::Writer;

  std::string symbol(std::string_view name) const override {
    const NameParts parts = split_name(name);
    std::string out = latex_word(parts.word);
    if (parts.num_quotes == 1) out = "\\dot{" + out + '}';
    if (parts.num_quotes == 2) out = "\\ddot{" + out + '}';
    for (std::size_t i = 0; i < parts.subscripts.size(); ++i) {
      out += (i == 0 ? "_{" : ",") + latex_word(parts.subscripts[i]);
    }
    if (!parts.subscripts.empty()) out += '}';
    if (parts.num_quotes > 2) out += "^{(" + std::to_string(parts.num_quotes) + ")}";
    return out;
  }

  std::string number(double value) const override {
    if (std::abs(value) == std::numbers::pi) return value < 0 ? "-\\pi" : "\\pi";
    const std::string text = shortest(value);
    const std::size_t e = text.find('e');
    if (e == text.npos) return text;
    const std::string mantissa = text.substr(0, e);
    const std::string power = "10^{" + text.substr(e + 1) + '}';
    if (mantissa == "1" || mantissa == "-1") return (mantissa == "1" ? "" : "-") + power;
    return mantissa + " \\cdot " + power;
  }

 protected:
  std::array<std::string_view, 2> parentheses() const override { return {"\\left(", "\\right)"}; }

  int number_precedence(double value) const override {
    if (shortest(value).find('e') != std::string::npos) return kProduct;
    return value < 0 ? kSign : kAtom;
  }

  int form_precedence(const Form& form) const override {
    switch (form.op) {
      case Op::Neg: return kSum;
      case Op::Div: return kPower;  // a fraction
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal: return kAtom;  // in brackets
      default: return operation(form.op).precedence;
    }
  }

  void lay_out(const Form& form, int need) override {
    if (form.op == Op::Table) return lay_out_table(form);
    if (form.op == Op::Mul && starts_with_number(form.operand[1])) {
      return follow("$a \\cdot $b", form);
    }
    std::string_view pattern = operation(form.op).latex;
    // A condition by itself needs no brackets.
    constexpr std::string_view kOpen = "\\left[", kClose = "\\right]";
    if (need <= kComparison && pattern.starts_with(kOpen)) {
      pattern = pattern.substr(kOpen.size(), pattern.size() - kOpen.size() - kClose.size());
    }
    follow(pattern, form);
  }

 private:
  void lay_out_table(const Form& form) {
    append(symbol(table_name(form.e)));
    put(std::string_view("'''").substr(0, table_derivative(form.e)));
    follow("\\left($a\\right)", form);
  }

  // Puts the pattern's text and, for $a, $b and $c, the operands.
  void follow(std::string_view pattern, const Form& form) {
    while (!pattern.empty()) {
      const std::size_t end = std::min(pattern.find('$'), pattern.size());
      if (end > 0) put(pattern.substr(0, end));
      if (end == pattern.size()) return;
      const auto i = static_cast<std::size_t>(pattern[end + 1] - 'a');
      put(form.operand[i], need_of(form.op, i));
      pattern.remove_prefix(end + 2);
    }
  }

  static int need_of(Op op, std::size_t i) {
    switch (op) {
      case Op::Add:
      case Op::Sub: return i == 0 ? kSum : kProduct;
      case Op::Mul:
      case Op::Neg: return kProduct;
      case Op::Pow: return i == 0 ? kAtom : kAny;
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal: return kSum;
      default: return kAny;  // braces and parentheses of its own
    }
  }
};

}  // namespace

std::unique_ptr<Writer> make_latex_writer(std::size_t max_bytes) {
  return std::make_unique<LatexWriter>(max_bytes);
}

}  // namespace koppel
