// The functions of koppel/runtime in the place of libm's, by operation: with the same bits on every
// machine. A Program that is lowered with `fixed_cost` calls them (Instruction::variant).
#pragma once

#include <koppel/expr/code/program.hpp>

namespace koppel {

using NumberFunction = double(double a, double b, double c);

// Whether it is one of libm's. (The root and absolute values are exact everywhere.)
constexpr bool has_own_function(Op op) {
  switch (op) {
    case Op::Exp:
    case Op::Log:
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Asin:
    case Op::Acos:
    case Op::Atan:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh:
    case Op::Pow:
    case Op::Atan2: return true;
    default: return false;
  }
}
// Null: there is none.
NumberFunction* own_function(Op op);

// Whether an instruction calls one of them.
inline bool is_own(const Instruction& i) { return i.variant > 0 && i.op != Op::Table; }

inline bool is_turn(Op op) { return op == Op::Sin || op == Op::Cos; }

// Whether two instructions are the sine and the cosine of one angle, both of libm or both our own:
// every generator computes them together.
inline bool are_of_one_angle(const Instruction& i, const Instruction& k) {
  return is_turn(i.op) && is_turn(k.op) && i.op != k.op && i.a == k.a && i.variant == k.variant;
}

// What an instruction other than a table's computes.
NumberFunction* function_of(const Instruction& i);

// Sine and cosine of libm in one call, which has the bits of two.
using TurnFunction = void(double x, double* sine, double* cosine);
extern TurnFunction* const library_turn;

}  // namespace koppel
