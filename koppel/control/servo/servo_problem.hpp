// The servo problem: motion and inputs such that the outputs follow their references,
//   q̇ = K v,   M v̇ = f(q, v, t, u) − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b,   ẋ = r,
//   0 = s(q) − y_d(t),                                                                    (1)
// with the inputs u among the unknowns. As a Problem it has the series form: the Taylor stages of
// (1) through its offsets, at any index (5 for most cranes). y = (q, v, x, λ, μ, u).
#pragma once

#include <span>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/analysis/structure/regularity.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/interval.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

struct ServoProblem {
  Problem problem;
  Dae dae;  // with what was hidden in it (hidden_equations.hpp)
  Structure structure;
  int index = 0;  // of (1); that of `structure` is lower where something was hidden

  // How often the reference of servo constraint i is differentiated.
  std::vector<int> order_of_reference;

  // Values to choose at the start beyond those that follow from the outputs: the order of the
  // internal dynamics.
  int num_free = 0;
};

// Of equations without redundant rows (equations/leave_out.hpp). State gives the values of
// parameters; breakpoints are looked for in `range`. Throws Error `control.no-outputs`,
// `control.no-inputs`, `control.too-many-outputs`, `control.too-many-inputs` and
// `control.no-influence`.
ServoProblem make_servo_problem(const Shared<Equations>& equations, const State& state,
                                CompileOptions options = {}, Interval range = {});

// The times at which a servo problem is not smooth. Where the pieces of a reference agree in all
// derivatives, as the halves of a polynomial that is written from both ends, there is nothing to
// stop at.
std::vector<double> servo_breakpoints(const Equations& equations, std::span<const double> p,
                                      Interval range);

}  // namespace koppel
