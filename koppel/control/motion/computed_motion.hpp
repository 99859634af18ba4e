// A motion that inverse dynamics computed: the rows of its trajectory with the equations that they
// satisfy.
#pragma once

#include <optional>

#include <koppel/equations/evaluator.hpp>
#include <koppel/results/observe.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct ComputedMotion {
  Trajectory trajectory;
  Shared<Equations> equations;
  State start;  // of the motion, with the values of parameters
  std::optional<Observation> observation;
};

}  // namespace koppel
