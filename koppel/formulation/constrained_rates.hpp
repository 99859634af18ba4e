// The rates of a constrained mechanism by a reduction (reduction.hpp):
//
//   q̇ = K ṽ,     v̇ and λ from M v̇ = f(ṽ) − Cᵀλ, C v̇ + γ(ṽ) = 0,     ẋ = r(ṽ)              (1)
//
// where ṽ is the velocity that the reduction makes of v: v itself, or the nearest, in its sense,
// that satisfies C v + c = 0. C = [G; a], c = [g_t; b], γ = [gamma; alpha], with feedback where the
// formulation wants it. Compiled in two parts: what depends on the position, and the rest, which is
// evaluated at ṽ.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <koppel/problem/right_hand_side.hpp>

namespace koppel {

class Reduction;

struct ConstrainedTerms {
  Expr t;
  std::vector<Expr> q, v, x;
  SparseExpr K, M, C;
  std::vector<Expr> c, f, gamma, r;
  Given given;
};

// Its z is (v̇, λ).
std::shared_ptr<const RateFunction> make_constrained_rates(
    const ConstrainedTerms& terms, std::function<std::unique_ptr<Reduction>()> reduction,
    CompileOptions options = {});

}  // namespace koppel
