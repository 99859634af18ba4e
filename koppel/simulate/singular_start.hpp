// Starts in a singular configuration, where branches of the motion meet, and close to one.
//
// The initial velocities choose the branch. Where they do not, there is no one motion to compute,
// and the start is refused with what there is to choose from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/analysis/rank/departure.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

struct SingularStart {
  std::optional<Departure> departure;  // the first stretch of the motion
  std::vector<std::string> notes;      // for people
};

// With a departure, `state` is then its end and `rank` the rank there. Throws Error
// `simulate.singular-start`.
SingularStart leave_singular_start(const Evaluator& evaluator, State& state, RankReport& rank);
// Refuses a start that needs a departure, for steps that cannot make it: Error
// `simulate.singular-start`.
[[noreturn]] void refuse_departure();

// A departure as a step of a problem.
class FirstStep : public Step {
 public:
  FirstStep(const Problem& problem, const Evaluator& evaluator, const Departure& departure)
      : Step(departure.begin.t, departure.end.t),
        problem_(problem),
        evaluator_(evaluator),
        departure_(departure) {}
  void evaluate(double t, std::span<double> y) const override;

 private:
  const Problem& problem_;
  const Evaluator& evaluator_;
  const Departure& departure_;
};

}  // namespace koppel
