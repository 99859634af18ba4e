// Where a mechanism is after a position that its constraints prescribe has jumped, as in an impact
// that takes no time.
//
// Bodies go to the nearest position that satisfies the constraints, in the mean of all masses
// (placement.hpp), from where they were. Their velocities, of the centres of mass and of turning in
// space, change by impulses of the constraints alone: by as little kinetic energy of the difference
// as possible. Both are the same in all coordinates. A model without bodies is measured in the
// metric of its masses.
#pragma once

#include <koppel/analysis/assembly/assembly.hpp>

namespace koppel {

// At time t, from the state just before; initial values do not count.
Assembly assemble_after_jump(const Evaluator& evaluator, const Placement& placement,
                             const State& before, double t);

}  // namespace koppel
