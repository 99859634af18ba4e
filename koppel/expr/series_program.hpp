// A Program with, for each instruction, the recurrence that gives its higher coefficients.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/operations.hpp>
#include <koppel/expr/program.hpp>
#include <koppel/expr/series.hpp>

namespace koppel {

struct SeriesInstruction {
  const TaylorRule* rule = nullptr;  // null: constant in time, nothing to do beyond order 0
  ValueId a = 0, b = 0, c = 0;       // what the kernel reads: operands, or a companion as c
};

// Instructions that are evaluated at one order: k + lead in stage k.
struct SeriesGroup {
  int lead = 0;
  std::vector<std::uint32_t> instructions;
  std::vector<std::uint32_t> zeros;  // instead of evaluating, the coefficient is set to 0
};

struct SeriesProgram {
  Program program;                       // inputs: variables, then parameters
  std::vector<char> is_read;             // for each input
  std::vector<SeriesInstruction> rules;  // one an instruction of the program
  std::vector<SeriesGroup> groups;       // every instruction once, leads descending
  std::vector<SeriesGroup> later;        // the same from stage 1 on, without what is 0 then
  std::vector<SeriesGroup> corrections;  // what must be evaluated again after a stage is solved
};

SeriesProgram lower_series(std::span<const Expr> variables, std::span<const Expr> parameters,
                           std::span<const Expr> outputs, const SeriesStages& stages = {});

}  // namespace koppel
