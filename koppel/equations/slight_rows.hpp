// Rows of joints that say next to nothing. The second hinge of a door, with its axis misaligned by
// 1e-9 of the door's height, has rows of 1e-9 in joint coordinates; in absolute ones the same rows
// are of size 1 and differ from those of the first hinge by 1e-9. Scaled up, such rows would hold
// the door in some coordinate sets and repeat what is said in others.
#pragma once

#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// How much the rows of joints say, of what they would say in general: how far their residual moves
// between poses of any kind, in lengths of the bodies that they join or in radians. 1 for rows of
// [g; a] that are not slight. Two evaluations of g where some are; none else.
std::vector<double> slightness(const Evaluator& evaluator, const State& state);

// A row that is no more is nothing but errors of the data, and repeats what others say.
inline constexpr double kNothing = 2e-8;

// The entries of G, 0 in rows that are nothing.
std::vector<double> position_constraints(const Evaluator& evaluator, const State& state);

}  // namespace koppel
