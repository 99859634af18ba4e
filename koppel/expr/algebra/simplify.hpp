// Deeper rewriting than the identities that are applied when a node is made.
//
//   x y + 2 y x                       3 x y
//   x y / (x z)                       y/z
//   m l² sin²(q) + m l² cos²(q)       m l²
//   a b + a c                         a (b + c)
//   (a + b)² − a² − 2 a b − b²        0
//
// Sums become lists of number-weighted monomials and products lists of powers; like terms are
// collected, powers of one base merged, sin² + cos² = 1 and cosh² − sinh² = 1 applied under any
// common cofactor, small products of sums multiplied out where terms then meet, and common factors
// pulled out. As with the identities, both sides agree wherever both are defined, up to rounding;
// √(x²) stays |x|; nothing becomes a non-finite number.
//
// A rewriting is tried and kept only if it leaves no more operations, where what is shared counts
// once; the result is the argument itself or has fewer. Passes are made until they gain nothing:
// simplify(simplify(e)) == simplify(e), but for expressions on which 32 passes are not enough, such
// as polynomials of degree 1000 on their way to Horner's form. Several expressions are simplified
// together: what they share stays shared.
//
// Cost: a few passes, each O(n log n) in the number of nodes; no recursion over the expression.
// Mostly 0.5 to 30 µs an operation. Trials that are not kept remain in the graph as unused nodes.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

Expr simplify(Expr e);
std::vector<Expr> simplify(std::span<const Expr> expressions);

}  // namespace koppel
