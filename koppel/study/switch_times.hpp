// Times at which laws of time switch, and how they move with the parameters: a force that begins at
// t = p₁, say. For sources of this folder only.
//
// Where σ(t, p) passes through zero at τ, dτ = −(∂σ/∂p) dp / (∂σ/∂t). Rates that jump there make
// of a change of the motion [Rozenvasser 1967]
//
//   δ⁺ = δ + (Φ⁻ − Φ⁺) δτ                                                                     (1)
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct SwitchTime {
  double t = 0;
  std::vector<double> by_p;  // dτ/dp
};

// Those of the breakpoints of a run (ascending) that move with a parameter. Throws Error
// `study.jump` where two of them meet that move differently.
std::vector<SwitchTime> find_switch_times(const Equations& equations, std::span<const double> p,
                                          std::span<const double> u,
                                          std::span<const double> breakpoints);

}  // namespace koppel
