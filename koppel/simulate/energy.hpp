// The balance of energy. With T(q, v), V(q) and M v̇ = f − Gᵀλ − aᵀμ, ġ = G v + g_t = 0, a v + b =
// 0,
//
//   d(T + V)/dt = ∂T/∂v v̇ + (rest, at v̇ = 0),     ∂T/∂v = M v where T is quadratic in v
//               = vᵀf + (rest) + g_tᵀλ + bᵀμ.                                             (1)
//
// A mechanism is conservative where (1) vanishes along its motion.
#pragma once

#include <koppel/equations/equations.hpp>
#include <koppel/results/observe.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

// Whether nothing puts energy in or takes it out: constraints do not move by themselves, and (1)
// vanishes, relative to its terms, at some rows of a trajectory.
bool is_conservative(const Equations& equations, const Observation& observation,
                     const Trajectory& trajectory, const State& given);

// The largest |E − E₀| over the largest of |E|, |E₀| and the range of the kinetic energy.
double energy_drift(const Observation& observation, const Trajectory& trajectory);

}  // namespace koppel
