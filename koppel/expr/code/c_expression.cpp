#include <koppel/expr/code/c_expression.hpp>

#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

// "sqrt($a)" becomes "sqrtf($a)", and "(double)($a < $b)" "(float)($a < $b)".
std::string in_single_precision(std::string_view spelling) {
  constexpr std::string_view kCast = "(double)";
  if (spelling.starts_with(kCast)) return "(float)" + std::string(spelling.substr(kCast.size()));
  const std::size_t open = spelling.find('(');
  std::string out(spelling);
  if (open != std::string_view::npos && open > 0) out.insert(open, 1, 'f');
  return out;
}

}  // namespace

std::string emit_c_tables(const Program& program, std::string_view name, bool is_float,
                          std::string_view mark) {
  std::string out;
  for (std::size_t i = 0; i < program.tables.size(); ++i) {
    out += "static " + std::string(mark) + (is_float ? "const float " : "const double ");
    out += std::string(name) + "_table" + std::to_string(i) + "[] = {";
    const char* separator = "";
    for (const double number : program.tables[i].data.data()) {
      out += separator + c_number(number, is_float);
      separator = ", ";
    }
    out += "};\n";
  }
  return out;
}

std::string c_expression(const Program& program, std::string_view name, const Instruction& i,
                         std::string_view a, std::string_view b, std::string_view c, bool is_float,
                         bool is_for_card) {
  if (i.op == Op::Table) {
    return "koppel_table(" + std::string(name) + "_table" + std::to_string(i.b) + ", " +
           std::to_string(program.tables[i.b].data.num_points()) + ", " +
           std::to_string(i.variant) + ", " + std::string(a) + ')';
  }
  std::string spelling = operation(i.op).c;
  const bool is_in_float = is_turn(i.op) || i.op == Op::Tan;  // of trig_float.h
  if (is_own(i) && (!is_float || is_for_card || is_in_float)) {
    spelling = "koppel_" + spelling;
  } else if (is_float) {
    spelling = in_single_precision(spelling);
  }
  const std::string_view operands[] = {a, b, c};
  std::string out;
  for (const char* p = spelling.c_str(); *p != '\0'; ++p) {
    if (*p == '$') {
      out += operands[*++p - 'a'];
    } else {
      out += *p;
    }
  }
  return out;
}

}  // namespace koppel
