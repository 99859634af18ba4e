// The rates of a constrained motion, and the projection onto its constraints, as expressions of
// fixed cost: an ODE with the multipliers eliminated, for solvers outside.
//
//   [ M  Cᵀ ] [ v̇ ]   [  f ]
//   [ C  0  ] [ λ ] = [ −γ ],     q̇ = K v,     ẋ = r                                       (1)
#pragma once

#include <vector>

#include <koppel/problem/descriptor.hpp>

namespace koppel {

// Of the symbols t, q, v, x, u, p.
struct RateTerms {
  std::vector<Expr> rate;       // q̇, v̇, ẋ
  std::vector<Expr> projected;  // q, v after one Newton step for positions and one for velocities
  std::vector<Expr> violation;  // g, then C v + c
};

RateTerms make_rate_terms(const Descriptor& descriptor);

}  // namespace koppel
