// The walk over an expression that text and LaTeX share. Internal to print.cpp and latex.cpp.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

// An operation as it is written, which is not always as it is stored: −2 + x as x − 2, x·x as x²,
// x·(y·z) as y·z·x. The parser makes the same node of both.
struct Form {
  Expr e;
  Op op;
  std::array<Expr, 3> operand;
};

// Precedences as in operations.hpp, with two more for operands: any, and those that are one word.
inline constexpr int kAny = 0;
inline constexpr int kComparison = 1, kSum = 2, kProduct = 3, kSign = 4, kPower = 5, kAtom = 6;

class Writer {
 public:
  explicit Writer(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  virtual ~Writer() = default;

  // Names that stand for nodes, as they are to be written.
  std::unordered_map<NodeId, std::string> names;
  // The same of tables, by their own names.
  std::unordered_map<std::string, std::string> table_names;

  // Appends the expression, itself written out even when it has a name.
  void write(Expr e);
  // Throws Error `expr.text-too-long`.
  void append(std::string_view text);
  std::string take() { return std::move(out_); }

  virtual std::string symbol(std::string_view name) const = 0;
  virtual std::string number(double value) const = 0;

 protected:
  virtual std::array<std::string_view, 2> parentheses() const = 0;
  virtual int number_precedence(double value) const = 0;
  virtual int form_precedence(const Form& form) const = 0;
  // Puts the pieces of the form in order. `need` is the precedence that its place asks for.
  virtual void lay_out(const Form& form, int need) = 0;

  void put(std::string_view literal) { pieces_.push_back({literal, 0, kAny}); }
  // An operand, in parentheses when it binds less than `need`.
  void put(Expr operand, int need) { pieces_.push_back({{}, operand, need}); }

  Form arrange(Expr e) const;
  int precedence(Expr e) const;
  bool is_named(Expr e) const;
  // Of a table's node: its name as it is to be written, and how often it is differentiated.
  std::string_view table_name(Expr e) const;
  static std::size_t table_derivative(Expr e);
  // Whether it is written as a product, not as a name or a square.
  bool shows_product(Expr e) const;
  // Whether a product or power starts with a number when written.
  bool starts_with_number(Expr e) const;

 private:
  struct Piece {
    std::string_view literal;  // null: the operand
    Expr operand;
    int need;
  };

  void expand(Expr e, int need);

  std::size_t max_bytes_;
  std::string out_;
  std::vector<Piece> pieces_;  // of one form
  std::vector<Piece> stack_;   // to be written, the next last
};

std::unique_ptr<Writer> make_text_writer(std::size_t max_bytes);
std::unique_ptr<Writer> make_latex_writer(std::size_t max_bytes);
std::unique_ptr<Writer> make_matlab_writer(std::size_t max_bytes);

// The shortest text that reads back as the same number.
std::string shortest(double value);

}  // namespace koppel
