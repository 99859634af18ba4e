// How fast motion may fade by what forces do to velocities, without eigenvalues of the motion.
//
// With the accelerations P f that forces f cause along the constraints C δv̇ = 0,
//   M P f + Cᵀλ = f,   C P f = 0,                                                           (1)
// and B = P ∂f/∂v, deviations of velocities obey δv̇ = B δv + what positions do. Where damping is
// symmetric and springs hold, no motion decays faster than the spectral radius of B: a mode z has
//   λ² zᵀM z = λ zᵀ(∂f/∂v)z + zᵀ(∂f/∂q)K z,     so that  −Re λ ≤ −zᵀ(∂f/∂v)z / zᵀM z ≤ ρ(B).
// In general it is the size of decay to expect. In any norm
//   ρ(B) ≤ ‖Bᵏ‖^(1/k),                                                                      (2)
// and with k = 16 units of coordinates matter little. Damping acts along few directions: with
// ∂f/∂v = L R of a low rank, R P L has the spectral radius of B = P L R and takes its place in (2).
#pragma once

#include <optional>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// (2), in 1/s. Nothing where (1) has no solution: motion without mass.
std::optional<double> decay_bound(const Evaluator& evaluator, const State& state);

}  // namespace koppel
