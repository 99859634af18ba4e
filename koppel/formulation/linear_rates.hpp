// The rates of a mechanism as expressions, for those who need more of them than values: derivatives
// along a motion.
#pragma once

#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/right_hand_side.hpp>

namespace koppel {

// Rates by second rates of the constraints, A z = b with z = (v̇, λ, μ); for trees without
// constraints as they stand, by the recursion. The given symbols are p, then u, with the state's
// values.
RightHandSideTerms make_linear_rates(const Shared<Equations>& equations, const State& state);

}  // namespace koppel
