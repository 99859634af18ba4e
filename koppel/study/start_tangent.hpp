// How the assembled start of a model depends on its parameters.
//
// Positions minimise the distance from the expected start subject to what must hold (assembly.hpp),
// velocities likewise. With ρ, ρ₀ and ρ̇₀ of expected_start.hpp and F the masses of coordinates that
// move no body, both are stationary points of
//
//   ½ ‖ρ(q, p) − ρ₀(p)‖² + ½ (q − q₀)ᵀF (q − q₀) + ηᵀc(q, p)                                (1)
//   ½ ‖ρ̇(q, v, p) − ρ̇₀(q, p)‖² + ½ (v − v₀)ᵀF (v − v₀) + ζᵀd(q, v, p)                       (2)
//
// with c = 0: the constraints, the invariants and the initial values that are met; d = 0 the same
// for rates. The derivative of (q, v) by p follows from that of all these equations, exactly, and
// is the one of least norm where constraints repeat each other.
#pragma once

#include <koppel/base/matrix.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// ∂(q, v, x)/∂p by columns, at an assembled start of equations that were derived from the model.
Matrix start_tangent(const Model& model, const Equations& equations, const State& start);

}  // namespace koppel
