// A Program with, for each instruction, the recurrence that gives its higher coefficients.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/operations.hpp>
#include <koppel/expr/program.hpp>

namespace koppel {

struct SeriesInstruction {
  const TaylorRule* rule = nullptr;  // null: constant in time, nothing to do beyond order 0
  ValueId a = 0, b = 0, c = 0;       // what the kernel reads: operands, or a companion as c
};

struct SeriesProgram {
  Program program;                       // inputs: variables, then parameters
  std::vector<SeriesInstruction> rules;  // one an instruction of the program
};

SeriesProgram lower_series(std::span<const Expr> variables, std::span<const Expr> parameters,
                           std::span<const Expr> outputs);

}  // namespace koppel
