// Dae: a square system of differential-algebraic equations F_i(t, x_j, x_j′, …) = 0 with a symbol
// for every derivative that occurs. What structural analysis works on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct Dae {
  struct Unknown {
    std::string name;
    std::vector<Expr> derivative;  // symbols of x, x′, x″, … as far as they occur
  };

  std::shared_ptr<Graph> graph;
  Expr t;
  std::vector<Expr> given;  // parameters, and inputs that are not unknown
  std::vector<Unknown> unknowns;
  std::vector<NamedExpr> residuals;
  // For each equation the unknown that it is the equation of: a motion's coordinate or velocity, a
  // constraint's multiplier; −1 where it is of none. Eliminated in these pairs, multipliers last, a
  // mechanism needs no other pivots (elimination.hpp).
  std::vector<int> partner;
};

struct DaeOptions {
  // Whether servo constraints s(q) − reference(t) = 0 are equations and the inputs unknown.
  bool with_servo = true;
  std::vector<int> leave_out;  // rows of [g; a], with their multipliers (redundant ones)
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

// The symbol of multiplier i of a kind: "lambda" by the rows of g, "mu" by those of a. All that is
// made of the same equations has the same ones.
Expr multiplier_symbol(Graph& graph, const char* kind, std::size_t i);

// Numbers for all symbols of a Dae.
struct DaePoint {
  double t = 0;
  std::vector<double> given;
  std::vector<std::vector<double>> unknowns;  // by unknown and order of derivative
};

// The point of a consistent state, with accelerations and multipliers from the equations. Where
// inputs are unknown, they, the accelerations and multipliers are those of least norm that satisfy
// the equations of motion and all constraints differentiated twice. Higher derivatives are 0.
DaePoint make_point(const Dae& dae, const Evaluator& evaluator, const State& state);

}  // namespace koppel
