// Events of the model that the motion of an inverse solution comes to. What they do (set a
// parameter, push, stop) is not part of the servo problem: behind them its inputs are those of
// another mechanism.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/results/observe.hpp>

namespace koppel {

class MetEvents {
 public:
  // State gives the values of parameters.
  MetEvents(const Equations& equations, const Observation& observation, const State& state);

  // Looks at the next row. The name of an event whose function has passed through zero since the
  // row before, in its direction.
  std::optional<std::string> look_at(std::span<const double> row);

 private:
  const Equations& e_;
  const Observation& observation_;
  State state_;
  std::optional<VectorFunction> functions_;  // none without events
  std::vector<double> before_;
};

}  // namespace koppel
