// Where expressions are put together from pieces: tables, select, comparisons, abs, sign, min, max.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// What decides which piece holds, and the values, in ascending order, at which the next one does:
// 0 of a − b for a < b, the breakpoints of a table.
struct Switch {
  Expr argument;
  std::vector<double> at;
};

// Those below f whose arguments depend on x, each once.
std::vector<Switch> switches_of(std::span<const Expr> f, std::span<const Expr> x);

}  // namespace koppel
