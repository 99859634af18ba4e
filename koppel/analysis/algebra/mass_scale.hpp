// What counts as no mass. Masses and moments of inertia are of different units: a mechanism of
// micrometres has moments of 1e-12 of its masses, which are no less real, and one of kilometres
// masses of 1e-6 of its moments. So each motion is compared with those of its kind.
#pragma once

#include <span>

#include <Eigen/Core>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Of the diagonal of a matrix of masses, for each unknown: the largest of all; or that among those
// of the same unit, where that is less than 1e-4 of it. 1 where all are 0.
Eigen::VectorXd largest_of_kind(std::span<const Equations::Unknown> about,
                                const Eigen::VectorXd& diagonal);

// Lengths of very small and very large mechanisms are counted in their own size: for velocities
// that are rates of lengths that size, 1 for others and for mechanisms between a centimetre and 100
// m.
Eigen::VectorXd units_of_velocities(const Equations& equations, const State& state);

// A part of the largest mass, given to motions that have less.
inline constexpr double kMassless = 1e-6;

}  // namespace koppel
