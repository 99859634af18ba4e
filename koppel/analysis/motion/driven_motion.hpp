// Kinematic analysis: the motion of a mechanism whose constraints leave no freedom, without
// dynamics. At every time
//   g(q, t) = 0,   h(q) = 0,   G v = −g_t,   G v̇ = −gamma,
// q by Newton's method from a prediction with v and v̇, in as many smaller steps as it takes.
// Equations that repeat each other are allowed as long as they agree.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct DrivenMotionOptions {
  double end = 1;
  int num_samples = 101;  // equally spaced, both ends included; at least 2
  double smallest_step = 1e-9;
};

struct DrivenMotion {
  bool is_complete = false;
  std::vector<State> states;
  std::vector<std::vector<double>> v_rates;
  double smallest_pivot = 1;  // of the rank, over the motion: see RankReport
  std::string text;
};

// From an assembled state, whose time is the start.
DrivenMotion solve_driven_motion(const Evaluator& evaluator, const State& start,
                                 const DrivenMotionOptions& options = {});

}  // namespace koppel
