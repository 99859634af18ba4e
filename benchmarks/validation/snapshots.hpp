// Cranes at several times in one picture: the snapshots of [Yang 2017, chapter 6].
#pragma once

#include <string>

#include <koppel/results/trajectory.hpp>

#include "benchmarks/validation/figure.hpp"

namespace koppel::problems {

// Of a model whose columns are those of models/; none for others.
benchmarks::Figure make_snapshots(const std::string& model, const std::string& title,
                                  const Trajectory& motion);

}  // namespace koppel::problems
