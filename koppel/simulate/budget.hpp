// What a step of fixed cost costs and how long it may be, before anything runs: operations by kind,
// the time they take, the load at a step, the largest stable step of every method, and the bound of
// the constraints' drift.
//
// Stability is that of the model linearised at the start. A pair of eigenvalues s, s̄ is the motion
// q̈ = −a q − b q̇ with a = |s|², b = −2 Re s; a real eigenvalue is a = 0, b = −s. The limits are
// those of euler_step.hpp,
//
//   explicit Euler  h a ≤ b   (h b ≤ 2 where a = 0)      J1  h² a ≤ 2 h b + 4
//   J2, exact       none                                 J3  h² a ≤ 4 − 2 h b
//
//   rattle          h |Im s| ≤ 2
//
// Motions that grow by themselves (Re s > 0) are left out. This is necessary, not sufficient: other
// places of the motion may be stiffer, and constraints and their feedback are not in it. So the
// step itself is looked at in two ways. Its own derivative at the start, by differences, says by
// how much a step multiplies the smallest error, constraints and feedback included. And a trial run
// to the end says whether constraints hold and energy is kept. How wrong the fixed order of pivots
// is at the start is told too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/formulation/fixed_cost/projection_bound.hpp>
#include <koppel/model/model.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

struct OperationCounts {
  long additions = 0, products = 0, quotients = 0, roots = 0, functions = 0, others = 0;
  long total() const { return additions + products + quotients + roots + functions + others; }
};
OperationCounts count_operations(const Program& program);

struct StableStep {
  std::string method;                  // "explicit-euler", "J1", …
  std::optional<double> largest_step;  // none: any
  bool is_refuted = false;             // the method of the budget, whose step or trial is unstable
};

struct Budget {
  std::string model, coordinates, formulation, integrator;
  double step = 0;
  int num_unknowns = 0;  // velocities and multipliers, of the linear system
  int num_factorizations = 0;
  OperationCounts operations;
  std::string stiff;             // the partition of the Jacobian; empty: there is none
  long operations_of_all = 0;    // with derivatives of all forces
  double estimated_seconds = 0;  // of a step in native code
  double measured_seconds = 0;   // as it runs here
  double load = 0;               // of one core
  std::vector<StableStep> stable;
  double growth = 0;          // by which a step multiplies errors at the start, at most
  double natural_growth = 0;  // by which the motion itself does
  MethodTrial trial;
  // Where positions are projected: the largest along a trial motion, up to drift_end.
  std::optional<ProjectionConstants> drift;
  double drift_end = 0;
  double pivot_error = 0;  // of a solution that should be 1
  std::vector<std::string> warnings;
};

// Needs a step and an integrator of fixed cost; throws what prepare() does, and Error
// `budget.needs-step`, `budget.wrong-integrator`.
Budget make_budget(const Model& model, SimulateOptions options);

std::string to_text(const Budget& budget);
std::string to_json(const Budget& budget);

// The largest stable step of linear-implicit for an eigenvalue; infinite: any.
double largest_stable_step(FixedCostOptions::Jacobian jacobian, double a, double b);

}  // namespace koppel
