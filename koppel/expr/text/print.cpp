#include <koppel/expr/text/print.hpp>

#include <cmath>
#include <numbers>
#include <ostream>

#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/writer.hpp>

namespace koppel {
namespace {

class TextWriter : public Writer {
 public:
  using Writer::Writer;

  std::string symbol(std::string_view name) const override { return std::string(name); }

  std::string number(double value) const override {
    if (std::abs(value) == std::numbers::pi) return value < 0 ? "-pi" : "pi";
    return shortest(value);
  }

 protected:
  std::array<std::string_view, 2> parentheses() const override { return {"(", ")"}; }

  int number_precedence(double value) const override { return value < 0 ? kSign : kAtom; }

  int form_precedence(const Form& form) const override {
    // −x·y is −(x·y): with a product, a minus is that of a term of a sum.
    if (form.op == Op::Neg) return precedence(form.operand[0]) >= kPower ? kSign : kSum;
    return operation(form.op).precedence;
  }

  void lay_out(const Form& form, int) override {
    const auto& [a, b, c] = form.operand;
    switch (form.op) {
      case Op::Neg: put("-"); return put(a, starts_with_number(a) ? kPower : kProduct);
      case Op::Add: return infix(a, kSum, " + ", b, kProduct);
      case Op::Sub: return infix(a, kSum, " - ", b, kProduct);
      case Op::Mul:
        return infix(a, kProduct, " * ", b, a.is_constant() && takes_factor(b) ? kProduct : kSign);
      case Op::Div: return infix(a, kProduct, " / ", b, kSign);
      case Op::Pow: return infix(a, kAtom, "^", b, exponent_need());
      case Op::Less: return infix(a, kSum, " < ", b, kSum);
      case Op::LessEqual: return infix(a, kSum, " <= ", b, kSum);
      case Op::Equal: return infix(a, kSum, " == ", b, kSum);
      default: put_function(form);
    }
    for (int i = 0; i < operation(form.op).arity; ++i) {
      if (i > 0) put(", ");
      put(form.operand[static_cast<std::size_t>(i)], kAny);
    }
    put(")");
  }

  // What stands before the first operand of a function or table.
  virtual void put_function(const Form& form) {
    if (form.op == Op::Table) {
      put(table_name(form.e));
      put(std::string_view("'''").substr(0, table_derivative(form.e)));
    } else {
      put(operation(form.op).name);
    }
    put("(");
  }
  // Powers of powers need no parentheses: they are read from the right.
  virtual int exponent_need() const { return kSign; }

 private:
  void infix(Expr a, int need_a, std::string_view op, Expr b, int need_b) {
    put(a, need_a);
    put(op);
    put(b, need_b);
  }

  // Whether 2·(x·y) may be written 2·x·y: it is so read as (2·x)·y, and the number moves outwards
  // again unless it merges with x.
  bool takes_factor(Expr product) const {
    if (!shows_product(product)) return false;
    while (shows_product(product)) product = arrange(product).operand[0];
    const bool has_number = product.is(Op::Mul) && product.operand(0).is_constant();
    return !(product.is_constant() || product.is(Op::Neg) || product.is(Op::Div) || has_number);
  }
};

// As text, but for some functions and for powers, which MATLAB reads from the left.
class MatlabWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  void put_function(const Form& form) override {
    constexpr std::string_view kOrders[] = {", 0, ", ", 1, ", ", 2, ", ", 3, "};
    if (form.op == Op::Table) {
      put("koppel_table(");
      put(table_name(form.e));
      return put(kOrders[table_derivative(form.e)]);
    }
    const Operation& op = operation(form.op);
    put(op.matlab != nullptr ? op.matlab : op.name);
    put("(");
  }
  int exponent_need() const override { return kAtom; }
};

std::string print(Writer& writer, Expr e) {
  writer.write(e);
  return writer.take();
}

}  // namespace

std::unique_ptr<Writer> make_text_writer(std::size_t max_bytes) {
  return std::make_unique<TextWriter>(max_bytes);
}

std::unique_ptr<Writer> make_matlab_writer(std::size_t max_bytes) {
  return std::make_unique<MatlabWriter>(max_bytes);
}

std::string to_text(Expr e, std::size_t max_bytes) {
  return print(*make_text_writer(max_bytes), e);
}

std::string to_latex(Expr e, std::size_t max_bytes) {
  return print(*make_latex_writer(max_bytes), e);
}

std::ostream& operator<<(std::ostream& stream, Expr e) { return stream << to_text(e); }

}  // namespace koppel
