// What the numbers of a solution should satisfy, over the rows of its trajectory: limits of inputs,
// and constraints that act one way only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/results/health.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

// A stretch of time over which a value is beyond its bound. The ends are where the line through
// neighbouring rows crosses the bound.
struct Excess {
  std::string name;
  double from = 0, to = 0;
  double bound = 0;
  double worst = 0, at = 0;  // the value farthest beyond, and its time
};

// Where a column is above (`sign` = 1) or below (−1) the bound. A millionth of the largest value of
// the column does not count: integration is not more accurate.
std::vector<Excess> find_excesses(const Trajectory& trajectory, std::size_t column, double bound,
                                  int sign);

// Inputs beyond their limits, and cables that would have to push or open contacts to pull.
std::vector<Excess> find_limit_violations(const Equations& equations, const Trajectory& trajectory);
std::vector<Excess> find_pushing_cables(const Equations& equations, const Trajectory& trajectory);
// Why a motion with pushing cables is doubtful, and one with inputs beyond their limits; nothing
// without.
std::optional<Health::Reason> reason_of_wrong_way(const std::vector<Excess>& pushing);
std::optional<Health::Reason> reason_of_limits(const std::vector<Excess>& beyond);
// In a sentence each.
std::string describe_limit_violation(const Excess& excess);
std::string describe_pushing_cable(const Excess& excess);

}  // namespace koppel
