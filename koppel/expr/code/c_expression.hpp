// What the emitters of C share: an instruction as an expression, tables as arrays.
#pragma once

#include <string>
#include <string_view>

#include <koppel/expr/code/program.hpp>

namespace koppel {

// The C expression of an instruction with these operands, in the program called `name`. In single
// precision functions are those of <math.h> that end in f; on a card (CStyle) they are our own.
std::string c_expression(const Program& program, std::string_view name, const Instruction& i,
                         std::string_view a, std::string_view b, std::string_view c,
                         bool is_float = false, bool is_for_card = false);

// `static const double NAME_tableI[] = {…};` for every table of the program, with `mark` before
// `const`.
std::string emit_c_tables(const Program& program, std::string_view name, bool is_float = false,
                          std::string_view mark = "");

}  // namespace koppel
