// StayWatch: sees a motion that stays at a switch of a law that jumps, as where friction by sign(v)
// sticks. The laws on both sides lead back to the switch, so that every step leads over it, and
// steps shrink to about the tolerance divided by the jump of the rates.
//
// With the argument σ of a switch that is at zero, over a span of steps:
//   - no step changes a position or velocity by more than a thousand tolerances, and 1e-4 of it,
//   - σ goes back and forth: Σ|σ₁ − σ₀| is more than fifty times its range R = max σ − min σ. Ends
//     of steps need not be on both sides: their stages are,
//   - zero is not farther away than R,
//   - forces on the two sides of zero differ however near these are: bisection along the line
//     through the states with the extreme values of σ ends in neighbours. A law that is merely
//     stiff does not jump.
// A motion that swings through a jump changes velocities by more in a step unless its swings are
// about as small as the tolerance.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

class StayWatch {
 public:
  // A reference to the evaluator is kept. Costs nothing before the first step is noted.
  StayWatch(const Evaluator& evaluator, const State& start, const IntegrateOptions& options)
      : evaluator_(evaluator),
        state_(start),
        tolerance_(options.tolerance),
        scale_(options.absolute_scale) {}

  // An accepted step of a problem with parameters `p`. Costs two evaluations of the arguments.
  void note(const Step& step, const Problem& problem, std::span<const double> p);
  // The argument at whose zero the motion stayed in the steps since the last call; empty: none.
  std::string end_span();

 private:
  // Of an argument, in a span.
  struct Course {
    double path = 0, low = 0, high = 0;
    State lowest, highest;
  };
  void find_arguments();
  State at(const Step& step, double t, const Problem& problem);
  bool is_short(const State& before, const State& after) const;
  bool jumps_at_zero(std::size_t k) const;

  const Evaluator& evaluator_;
  bool has_looked_ = false;  // for arguments
  State state_;
  double tolerance_, scale_;
  std::vector<double> y_;
  std::vector<std::string> names_;
  std::optional<VectorFunction> arguments_;  // σ of each switch
  std::vector<Course> courses_;              // empty: a span begins
  bool are_short_ = true;                    // all steps of the span
};

}  // namespace koppel
