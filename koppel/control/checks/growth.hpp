// How small deviations grow along a motion when the mechanism is left to its inputs. Linearised
// about the motion, deviations δ = (δq, δv, δx) obey δ̇ = R(t) δ (linearize.hpp), and in steps h
//   δ(t + h) = exp(h (R(t) + R(t + h))/2) δ(t),                                              (1)
// of order 2. They begin as S z with z of unit size, where velocities count by the time T of the
// motion, δv T. A mass that nothing holds then has a growth of √2, an oscillation about as much,
// and a mechanism with the unstable eigenvalue a some exp(a T)/2. What counts is how far the
// outputs are moved.
#pragma once

#include <koppel/control/motion/computed_motion.hpp>

namespace koppel {

struct DeviationGrowth {
  double factor = 1;
  double at = 0;  // when
};

// The motion has rows, and its mechanism has accelerations (no motion without mass).
DeviationGrowth find_growth(const ComputedMotion& motion, const State& start);

}  // namespace koppel
