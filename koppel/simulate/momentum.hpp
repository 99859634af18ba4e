// Conserved momenta. A coordinate q_j with q̇_j = v_j is cyclic where neither energies nor
// constraints depend on it, and no constraint acts on it; then
//
//   p_j = ∂T/∂v_j                                                                         (1)
//
// is constant along motions without other forces.
#pragma once

#include <optional>

#include <koppel/simulate/simulate.hpp>

namespace koppel {

// The largest |p_j − p_j(0)| over the largest |p_j|, of all cyclic coordinates of a conservative
// motion; nothing where there are none.
std::optional<double> momentum_error(const Simulation& simulation);

}  // namespace koppel
