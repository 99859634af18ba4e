// The verdict on the inputs of an inverse solution: verified where the mechanism, simulated forward
// with them, keeps its outputs on their references up to a bound (verify.hpp). Where it does not,
// how deviations grow along the motion says whether the mechanism is why (growth.hpp).
#pragma once

#include <koppel/control/checks/verify.hpp>
#include <koppel/control/motion/computed_motion.hpp>

namespace koppel {

// From `start` to `end` with these inputs; the bound is relative to the path of the references.
Verification find_verdict(const Model& model, const ComputedMotion& motion, const RankReport& rank,
                          const State& start, const InputPieces& inputs, double end, double bound);

}  // namespace koppel
