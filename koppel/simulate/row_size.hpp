// The size of constraints: what g_i would be with all coordinates off by their own size, so that
// violations can be told relative to the mechanism.
#pragma once

#include <span>
#include <vector>

#include <koppel/problem/problem.hpp>

namespace koppel {

// By how much coordinates and velocities are moved, of their size, to learn the size of rows.
inline constexpr double kBeside = 0.3;
// All values are moved differently, none in parallel: x₁ − x₂ shall not stay as it is.
double beside(std::size_t i);

// Of the rows of g that the problem keeps, at a consistent state; all positive.
std::vector<double> row_sizes(const Problem& problem, double t, std::span<const double> y);

}  // namespace koppel
