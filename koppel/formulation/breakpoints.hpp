// The times at which expressions are not smooth: corners of tables of time, and where conditions,
// minima and absolute values of time switch. What depends on anything but t and parameters is left
// to the integrator.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/algebra/interval.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// Ascending; each is the first number at which the other side holds. Of two neighbours the second
// is left out: integrations go on from the number after a breakpoint. Arguments that are linear in
// t are solved for all times; others where they switch within `range`.
std::vector<double> find_breakpoints(std::span<const Expr> expressions, Expr t,
                                     std::span<const Expr> parameters,
                                     std::span<const double> values, Interval range = {});

}  // namespace koppel
