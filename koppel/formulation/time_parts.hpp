// The parts of expressions that depend on time and given symbols only.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// All of them, operands before what uses them.
std::vector<Expr> time_parts(std::span<const Expr> expressions, Expr t,
                             std::span<const Expr> given);

// Those that are no part of another one.
std::vector<Expr> largest_time_parts(std::span<const Expr> expressions, Expr t,
                                     std::span<const Expr> given);

}  // namespace koppel
