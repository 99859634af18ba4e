// A step of the classical Runge–Kutta method of order 4 as expressions of fixed cost, with the
// multipliers eliminated (rate_terms.hpp) and one Newton step onto the constraints at its end:
//
//   k₁ = φ(t, y)                  k₂ = φ(t + h/2, y + h/2 k₁)
//   k₃ = φ(t + h/2, y + h/2 k₂)   k₄ = φ(t + h, y + h k₃)
//   y₁ = P(t + h, y + h/6 (k₁ + 2 (k₂ + k₃) + k₄))                                          (1)
//
// What depends on the parameters only is the same node in all four stages, and computed once.
#pragma once

#include <vector>

#include <koppel/formulation/fixed_cost/rate_terms.hpp>

namespace koppel {

// y₁ of (1), of the symbols t, q, v, x, u, p and of h.
std::vector<Expr> make_runge_kutta_step(const Descriptor& descriptor, const RateTerms& rates,
                                        Expr h);

}  // namespace koppel
