// Velocities that the constraints allow, next to given ones.
#pragma once

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// The state as it is, its positions closed, with the velocities v that are nearest in the metric of
// masses of those with G v + g_t = 0 and a v + b = 0.
void close_velocities(const Evaluator& evaluator, State& state);

}  // namespace koppel
