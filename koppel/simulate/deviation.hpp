// How far two runs of a mechanism are apart, by the columns that both have: outputs, or other ones
// that are the same in all coordinates.
#pragma once

#include <vector>

#include <koppel/results/trajectory.hpp>

namespace koppel {

bool share_outputs(const Trajectory& a, const Trajectory& b);

// The largest deviation in a column of the group at each sample of both, relative to the largest
// value of columns of its unit in b. Empty where they share none.
std::vector<double> deviations(const Trajectory& a, const Trajectory& b,
                               Group group = Group::Outputs);

}  // namespace koppel
