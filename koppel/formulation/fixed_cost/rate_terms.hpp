// The rates of a constrained motion, and the projection onto its constraints, as expressions of
// fixed cost: an ODE with the multipliers eliminated, for solvers outside.
//
//   [ M  Cᵀ ] [ v̇ ]   [  f ]
//   [ C  0  ] [ λ ] = [ −γ ],     q̇ = K v,     ẋ = r                                       (1)
//
// A solver lets the constraints drift from what they must be, w = C v + c = 0 and g = 0. Where it
// cannot project, feedback holds them, with a gain ω = kHold/h that follows the solver's own step
// h:
//
//   [ M  Cᵀ ] [ v̇ ]   [    f     ]              [ M  Cᵀ ] [ δ ]   [  0  ]
//   [ C  0  ] [ λ ] = [ −γ − ω w ],             [ C  0  ] [ · ] = [ −g  ],
//
//   q̇ = K (v + ω δ)    so that    ẇ = −ω w,  ġ = w − ω g                                  (2)
//
// with the matrix of (1). Both die away within some 1/kHold steps, whatever the solver; the
// disturbance is no larger than the error that it takes away, and ω h is small enough for any
// method that is stable at all [Ascher, Chin & Reich 1994, on feedback of invariants].
#pragma once

#include <vector>

#include <koppel/formulation/fixed_cost/descriptor.hpp>

namespace koppel {

// Of the symbols t, q, v, x, u, p.
struct RateTerms {
  std::vector<Expr> rate;  // q̇, v̇, ẋ of (1)
  std::vector<Expr> held;  // the same of (2); also of the symbol step.h, infinite: no feedback
  std::vector<Expr> multipliers;
  std::vector<Expr> projected;  // q, v after one Newton step for positions and one for velocities
  std::vector<Expr> violation;  // g, then C v + c
};

// A tenth of what is wrong is taken away in a step. Explicit multistep methods of high order are
// stable up to about 0.3.
inline constexpr double kHold = 0.1;

RateTerms make_rate_terms(const Descriptor& descriptor);

}  // namespace koppel
