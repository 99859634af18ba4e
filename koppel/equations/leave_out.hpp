// Constraints that repeat others (analysis/rank) make the equations of motion singular. They are
// left out together with their multipliers, once, before anything is made of the equations:
//
//   M v̇ = f − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b     with the remaining rows of [g; a],
//
// and stand in `left_out`, because they must hold all the same.
#pragma once

#include <span>

#include <koppel/equations/equations.hpp>

namespace koppel {

// `rows` of [g; a], ascending. None: the equations themselves. Rows keep their numbers.
Shared<Equations> leave_out(const Shared<Equations>& equations, std::span<const int> rows);

}  // namespace koppel
