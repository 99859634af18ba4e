// Quotients with one divisor as products with its reciprocal: a division takes as long as several
// products. For code whose speed counts more than the last bit.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// Where three quotients or more below these expressions have one divisor d that is not a number,
// they become products with 1/d. A quotient has then an error of up to 1.5 units in the last place
// instead of 0.5, and is not finite where 1/d overflows (|d| below 1e-308). Time O(n).
//
// The result is to be evaluated: what is made of it further on (sums, derivatives) applies
// identities again, which write a product with 1/d as a quotient.
std::vector<Expr> share_reciprocals(std::span<const Expr> expressions);

}  // namespace koppel
