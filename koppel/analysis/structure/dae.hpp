// The equations of a mechanism as a Dae, with or without its servo constraints.
#pragma once

#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/dae/dae.hpp>

namespace koppel {

struct DaeOptions {
  // Whether servo constraints s(q) − reference(t) = 0 are equations and the inputs unknown.
  bool with_servo = true;
  // Whether invariants are equations. A coordinate that is counted beside others follows from its
  // invariant in place of its rate; for the others q̇ = K v + (∂h/∂q)ᵀη, 0 = h, where η vanishes.
  bool with_invariants = false;
};

// The descriptor form. Unknowns are q, those of v that are not rates of a coordinate by themselves,
// λ, μ, x, and u where servo constraints are equations. Where q̇_i = v_j, the equation is not
// stated: v_j is the symbol of q_i′. Invariants are left out unless asked for; they follow from the
// rest. More inputs than servo constraints are those of least norm. Throws Error
// `analysis.servo-count` where there are fewer.
Dae make_dae(const Equations& equations, const DaeOptions& options = {});

// The symbol of the multiplier of a row of [g; a]. All that is made of the same equations has the
// same ones, whichever rows are left out.
Expr multiplier_symbol(const Equations& equations, const Equations::Row& row);
// λ, then μ.
std::vector<Expr> multiplier_symbols(const Equations& equations);
// An auxiliary unknown of its own kind.
Expr auxiliary_symbol(Graph& graph, const char* kind, std::size_t i);

// The point of a consistent state, with accelerations and multipliers from the equations. Where
// inputs are unknown, they, the accelerations and multipliers are those of least norm that satisfy
// the equations of motion and all constraints differentiated twice. Higher derivatives are 0.
DaePoint make_point(const Dae& dae, const Evaluator& evaluator, const State& state);

}  // namespace koppel
