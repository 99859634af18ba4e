// Discrete gradients: D̄f(x₀, x₁) with
//
//   D̄f · (x₁ − x₀) = f(x₁) − f(x₀)   exactly,     D̄f = ∇f((x₀ + x₁)/2) + O(|x₁ − x₀|²),       (1)
//
// symmetric in x₀ and x₁ [Gonzalez 1996]. Made operation by operation, by a chain rule for
// differences in place of derivatives: with Δa = a₁ − a₀ and ā = (a₀ + a₁)/2,
//
//   Δ(a b) = b̄ Δa + ā Δb,     Δ(a/b) = (Δa − (a/b)‾ Δb)/b̄,     Δφ(a) = (φ(a₁) − φ(a₀))/Δa · Δa. (2)
//
// So the gradient of a quadratic function is that at the midpoint, and a function of quadratic
// functions (of distances, say) keeps their symmetries, as (1) alone would not. Where Δa is so
// small that the quotient in (2) would be round-off, φ′(ā) is as exact. Conditions in select have
// no differences; where the branches change within the step, what (2) misses is added along (Δa,
// Δb).
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {

// By x; x0 and x1 are the values of the symbols x at the two ends.
std::vector<Expr> discrete_gradient(Expr f, std::span<const Expr> x, std::span<const Expr> x0,
                                    std::span<const Expr> x1);

// D̄f_i by rows; entries that vanish identically are left out.
SparseExpr discrete_jacobian(std::span<const Expr> f, std::span<const Expr> x,
                             std::span<const Expr> x0, std::span<const Expr> x1);

}  // namespace koppel
