// How smooth references are at their breakpoints. The inputs of a servo problem depend on
// derivatives of a reference y_d,i up to an order c_i, which the structure of the equations gives.
// Where the derivative of that order jumps, inputs jump. Where a lower one does, no finite input
// lets the output follow: it would need an impulse, or worse.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>

namespace koppel {

struct ReferenceJump {
  double t = 0;
  std::size_t servo = 0;  // which reference
  int order = 0;          // of the lowest derivative that jumps
  double size = 0;        // right less left
};

// The lowest derivative, up to order[i], of each reference that jumps at a breakpoint between
// `from` and `to` (both exclusive); ascending in time. `p`: values of the parameters.
std::vector<ReferenceJump> find_jumps(const Equations& equations, std::span<const double> p,
                                      std::span<const double> breakpoints,
                                      std::span<const int> order, double from, double to);

// In words, for an output whose reference is needed up to a derivative at an index.
std::string describe(const ReferenceJump& jump, const std::string& output, int needed, int index);

}  // namespace koppel
