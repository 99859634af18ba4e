// Motions that move no mass and that no constraint forbids: nothing determines their accelerations.
// They are the null vectors of [M; G; a].
//
// Along a tree without constraints M is found column by column from the momentum ∂T/∂v, whose
// expression grows linearly with the bodies, and eliminated from the outermost body inwards; the
// pivots are those of the recursion for the accelerations. A pivot that is round-off of the mass
// carried by its joint belongs to such a motion.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// By the velocity that has the largest part in each, ascending; empty: there are none.
std::vector<std::string> find_massless(const Evaluator& evaluator, const State& state);

// "'rod.angle'", "'a.x' and 'a.y'", …: what moves with such velocities.
std::string name_motions(const std::vector<std::string>& velocities);

}  // namespace koppel
