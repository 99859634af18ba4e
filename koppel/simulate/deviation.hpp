// How far two runs of a mechanism are apart, by the outputs that both have.
#pragma once

#include <vector>

#include <koppel/results/trajectory.hpp>

namespace koppel {

bool share_outputs(const Trajectory& a, const Trajectory& b);

// The largest deviation of an output at each sample of both, relative to the largest value of
// outputs of its unit in b. Empty where they share none.
std::vector<double> deviations(const Trajectory& a, const Trajectory& b);

}  // namespace koppel
