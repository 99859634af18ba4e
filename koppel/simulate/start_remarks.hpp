// What a user should know before a run begins, because it is seldom meant: an event that is behind
// the start, inputs that nothing sets, a mechanism that nothing moves, coordinates that are
// singular where the motion starts.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// Of the event functions.
std::vector<double> event_values(const Evaluator& evaluator, const State& state);

// Sides of the event functions at the start (start.sides of integrator.hpp), and what is to be said
// about them. An impact whose function is zero there begins on the side that it turns back to: it
// happens at once unless the motion leads away.
struct EventSides {
  std::vector<int> sides;
  std::vector<std::string> remarks;
};
EventSides find_sides(const Evaluator& evaluator, const State& start);

// About inputs, forces and freedoms.
std::vector<std::string> remarks_on_start(const Model& model, const Evaluator& evaluator,
                                          const State& start, const RankReport& rank);

// Throws Error `simulate.singular-coordinates` where rates of coordinates are not determined by
// velocities, or next to it: Cardan angles with the second one a right angle.
void check_coordinates(const Model& model, const Evaluator& evaluator, const State& start);

// About events that did not happen; `names` are those that did.
std::vector<std::string> remarks_on_end(const Evaluator& evaluator, const State& end,
                                        const std::vector<std::string>& names);

}  // namespace koppel
