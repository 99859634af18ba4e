// What an event does to a state: changes of parameters, impacts and impulses.
#pragma once

#include <optional>
#include <string>

#include <koppel/analysis/evaluator.hpp>

namespace koppel {

// Changes state.p and state.v. Returns a sentence where that is impossible.
std::optional<std::string> happen(const Equations::Event& event, const Evaluator& evaluator,
                                  State& state);

}  // namespace koppel
