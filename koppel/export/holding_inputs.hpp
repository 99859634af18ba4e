// Inputs that hold a mechanism where it starts, so that a page need not begin with a load that
// falls.
//
// At rest (v = 0, v̇ = 0) the equations of motion are 0 = f(q, 0, u) − Gᵀλ, and f is linear in the
// inputs of nearly all models: with f = f₀ + B u
//   [B  −Gᵀ] (u, λ) = −f₀                                                                  (1)
// of which the solution with the least squares is taken. A few numbers, once.
#pragma once

#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Where there are none, or they are beyond the limits of the inputs: zero, or the limit next to it.
std::vector<double> holding_inputs(const Equations& equations, const State& state);

}  // namespace koppel
