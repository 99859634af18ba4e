// Parameters by which a run has no derivatives, or none that its steps know of: refused, by name,
// before there are numbers. For sources of this folder only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/study/switch_times.hpp>

namespace koppel {

// The directions δp of parameters with these names.
struct NamedDirections {
  const std::vector<std::vector<double>>& by_p;
  const std::vector<std::string>& names;
};

// Where constraints repeat each other at these values alone, there is no start beside it: no δq
// with g_q δq + g_p δp = 0. And singular configurations that the motion passes may be there at
// these values alone: beside them it turns back, or takes the other branch. Throws Error
// `study.contradiction`.
void refuse_contradictions(const Equations& equations, const State& start,
                           const std::vector<State>& passed, const NamedDirections& directions);

// Fixed-cost steps meet the switches of laws of time where they end: where rates jump at these, no
// derivative by their times is known. Throws Error `study.integrator`.
void refuse_switch_times(std::span<const SwitchTime> switches, const NamedDirections& directions);

}  // namespace koppel
