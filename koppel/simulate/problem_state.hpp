// The unknowns of a problem as a state. For sources of this folder only.
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

// (q, v, x) of y at a time; multipliers, parameters and inputs stay.
inline void take_motion(const Problem& problem, double t, std::span<const double> y, State& state) {
  const auto take = [&](std::vector<double>& values, int first, int count) {
    values.assign(y.begin() + first, y.begin() + first + count);
  };
  state.t = t;
  take(state.q, 0, problem.num_q);
  take(state.v, problem.num_q, problem.num_v);
  take(state.x, problem.num_q + problem.num_v, problem.num_x);
}

}  // namespace koppel
