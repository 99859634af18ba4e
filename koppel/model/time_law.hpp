// Time laws: functions of time that go from 0 to 1, for references and drives. A path r(σ) is
// followed with r(c(t)).
//
// Rest to rest, of smoothness n: the polynomial of degree 2n + 1 whose derivatives of orders 1 … n
// vanish at both ends,
//   c(τ) = τⁿ⁺¹ Σ_k C(n+k, k) (1−τ)ᵏ,   k = 0 … n,   τ = t/T.                               (1)
// The sum is that of 1/τⁿ⁺¹ = (1 − (1−τ))⁻⁽ⁿ⁺¹⁾ up to (1−τ)ⁿ, so that c = 1 + O((1−τ)ⁿ⁺¹). All its
// terms are positive: nothing cancels, as powers of τ alone would (at n = 14 they leave 8 digits of
// the highest derivative). Its integral has the value 1/2 and the slope 1 at the end; in the same
// way
//   ∫ c dτ = τⁿ⁺² Σ_k C(n+1+k, k) (n+1−k)/(2(n+1+k)) (1−τ)ᵏ.                                (2)
// n = 4 is 126 τ⁵ − 420 τ⁶ + 540 τ⁷ − 315 τ⁸ + 70 τ⁹ [Blajer & Kolodziejczyk 2004].
//
// Three phases, of smoothness n: the speed grows from 0 by (1) with n − 1 over a time T₀, is
// constant, and falls again [Yang 2017, eqs. 4.126 to 4.128, where n = 4].
//
// Before the start they are 0, after the end 1: all derivatives up to order n are continuous.
#pragma once

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

inline constexpr int kMaxSmoothness = 20;

// From t = 0 to t = T, 0 ≤ n ≤ kMaxSmoothness.
Expr rest_to_rest(Expr t, Expr T, int n);

// With T₀ ≤ T/2 the time of each ramp, 1 ≤ n ≤ kMaxSmoothness.
Expr three_phase(Expr t, Expr T, Expr T0, int n);

}  // namespace koppel
