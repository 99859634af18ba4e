// Times at which laws of time switch, and how they move with the parameters: a force that begins at
// t = p₁, say. For sources of this folder only.
//
// Where σ(t, p) passes through zero at τ, dτ = −(∂σ/∂p) dp / (∂σ/∂t). Rates that jump there make
// of a change of the motion [Rozenvasser 1967]
//
//   δ⁺ = δ + (Φ⁻ − Φ⁺) δτ                                                                     (1)
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct SwitchTime {
  double t = 0;              // the first number at which the other side holds
  std::vector<double> by_p;  // dτ/dp
};

// Those of the breakpoints of a run (ascending) that move with a parameter, of the laws and of the
// outputs with these names; all of them where outputs or sides of switches (pieces.hpp) may
// jump with them.
// Throws Error `study.jump` where two of them meet that move differently.
std::vector<SwitchTime> find_switch_times(const Equations& equations,
                                          std::span<const std::string> outputs,
                                          std::span<const double> p, std::span<const double> u,
                                          std::span<const double> breakpoints);

// The last number of the side that ends there: where laws that jump are not seen yet.
inline double just_before(double t) { return std::nextafter(t, -HUGE_VAL); }

}  // namespace koppel
