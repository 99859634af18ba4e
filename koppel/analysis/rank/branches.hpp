// The branches of a singular configuration: where several families of motion meet, and their
// tangents.
//
// At the state, C = [G; a] has a null space N of more dimensions than the mechanism has freedoms
// near it, and a left null space Y. A curve q(s) of solutions with the velocity v = v_p + N z
// (v_p = 0 where nothing moves with time) has accelerations with C v̇ = −γ(q, v), so that
//   Q_k(z) = y_kᵀ γ(q, v_p + N z) = 0      for all columns y_k of Y:                     (1)
// quadratic equations for the tangents, homogeneous in (1, z). In two dimensions their roots are
// those of one quadratic equation; otherwise they are found by Newton's method from many fixed
// starting points, so that in large null spaces one may be missed. Tangents that fill a linear
// space are one branch. Each is confirmed by a step along it after which the constraints are closed
// again close to where the step led.
//
// Dense, O(n³) in velocities and rows, and d²/2 evaluations of γ for d dimensions of N.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct Branch {
  Matrix tangents;            // n_v × freedoms: its velocities are `drive` plus a combination
  std::vector<double> drive;  // v_p; 0 where nothing moves with time
  State beside;               // a state on it
  RankReport rank;            // there
  std::string text;           // the largest rates, in words
};

struct Branches {
  std::vector<Branch> all;
  bool is_complete = true;  // false: too many unknowns, or higher orders decide
};

// At a state where analyze_rank(...).is_singular().
Branches find_branches(const Evaluator& evaluator, const State& state, const RankReport& rank);

// The branch that the velocities of the state are along, and no other; or the only one on which the
// wishes for rates can be had. −1: none or several, or at rest. Moves the velocities onto it.
int choose_branch(const Evaluator& evaluator, const Branches& branches, State& state);

// The owners of equations that are dependent at a state.
std::vector<std::string> dependent_owners(const Evaluator& evaluator, const State& state);
// "the start is a singular configuration: 2 freedoms meet there, …".
std::string describe_singular(const Evaluator& evaluator, const State& state,
                              const RankReport& rank);
// The same where analyze_rank(...).is_degenerate.
std::string describe_degenerate(const Evaluator& evaluator, const State& state);
// "Branches, by their rates: …".
std::string describe(const Branches& branches);

}  // namespace koppel
