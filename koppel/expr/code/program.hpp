// Program: expressions lowered to a list of elementary instructions, ready to be interpreted or
// written as C. One lowering serves the tape, native code, Taylor series and exports, so that all
// of them perform the same floating-point operations.
//
// Values are numbered: first the inputs, then the constants, then one value an instruction, in an
// order in which operands come first. A Program does not refer to the graph it was made from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/graph/expr.hpp>
#include <koppel/expr/graph/table.hpp>

namespace koppel {

using ValueId = std::uint32_t;

struct Instruction {
  Op op = Op::Neg;
  // Table: the order of derivative. Functions: 0 for those of libm, 1 for those of koppel/runtime
  // in their place (own_functions.hpp), which are slower and have the same bits on every machine.
  std::uint8_t variant = 0;
  ValueId a = 0;
  ValueId b = 0;  // Table: its index in Program::tables
  ValueId c = 0;
};

struct Program {
  std::vector<std::string> inputs;  // names
  std::vector<double> constants;
  std::vector<Instruction> code;
  std::vector<ValueId> outputs;
  struct NamedTable {
    std::string name;
    TableData data;
  };
  std::vector<NamedTable> tables;

  std::size_t num_inputs() const { return inputs.size(); }
  // The first value that is an instruction's.
  std::size_t num_leaves() const { return inputs.size() + constants.size(); }
  std::size_t num_values() const { return num_leaves() + code.size(); }
  bool is_input(ValueId v) const { return v < inputs.size(); }
  bool is_constant(ValueId v) const { return !is_input(v) && v < num_leaves(); }
  double constant(ValueId v) const { return constants[v - inputs.size()]; }
};

// Calls f(operand) for every operand of an instruction that is a value; f may change it.
template <typename I, typename F>
void for_each_operand(I& instruction, F&& f);

// Integer powers become products, in the fewest steps that halving gives (x^5 = x (x²)²), so that
// every backend computes them alike. Inputs must be distinct symbols and contain every symbol of
// the outputs; else Error `expr.bad-input`, `expr.unbound-symbol`. Sine and cosine of one angle are
// neighbours. With `fixed_cost`, functions of libm are those of koppel/runtime (own_functions.hpp).
Program lower(std::span<const Expr> inputs, std::span<const Expr> outputs, bool fixed_cost = false);

int arity_of(Op op);

template <typename I, typename F>
void for_each_operand(I& instruction, F&& f) {
  const int n = arity_of(instruction.op);
  if (n > 0) f(instruction.a);
  if (n > 1) f(instruction.b);
  if (n > 2) f(instruction.c);
}

}  // namespace koppel
