// Symbols that are not unknowns (parameters, inputs), and their values.
#pragma once

#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

struct Given {
  std::vector<Expr> symbols;
  std::vector<double> values;
};

}  // namespace koppel
