// What events that happen together do to a state: changes of parameters, impacts and impulses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// "event 'a'", "events 'a' and 'b'", "events 'a', 'b' and 'c'".
std::string names_of(std::span<const Equations::Event> all, std::span<const int> events);

// The numbers of the events that have just happened, by the sides of their functions (Outcome);
// these become sides as others are.
std::vector<int> take_happened(std::span<int> sides);

// Changes state.p and state.v; all that happens follows from the state before. `sides` of all event
// functions are those after it. Returns a sentence where that is impossible.
std::optional<std::string> happen(std::span<const int> events, std::span<const int> sides,
                                  const Evaluator& evaluator, State& state);

}  // namespace koppel
