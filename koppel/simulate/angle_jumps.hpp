// Angles in forces that jump while a run goes on. Roll and yaw jump by half a turn where pitch
// passes a right angle, and every atan2 has a cut: a force that uses such an angle jumps with it,
// and no method is exact across a jump that it does not know of.
//
// In each step the arguments (y, x) of every atan2 that forces use are sampled on the dense output.
// Where the angle θ of two samples differs by more than a right angle, bisection finds out whether
// it jumps there; where |θ| has a maximum near π, a search finds it. Steps that control their error
// may end just where a force jumps: there the two sides are those of two steps. What counts in the
// end is whether the forces differ on the two sides of that time, by as much when looked at from
// nearer: sin(yaw) does not jump at the cut.
//
// Costs nothing for models without atan2 in their forces; else some evaluations of its arguments in
// every step.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/results/health.hpp>

namespace koppel {

class AngleJumps {
 public:
  // A reference to the evaluator is kept.
  AngleJumps(const Evaluator& evaluator, const State& start);

  // An accepted step of a problem with parameters `p`. Only the first jump is looked for.
  void note(const Step& step, const Problem& problem, std::span<const double> p);
  // The first jump, as a reason to doubt.
  const std::optional<Health::Reason>& found() const { return found_; }

 private:
  struct Sample {
    double t;
    std::vector<double> angles;
  };

  // A time from four distances, the first the largest.
  static constexpr std::array<double, 4> kAway = {0.2, 0.1, 0.05, 0.003125};  // of a step
  using Side = std::array<State, 4>;

  State at(double t);
  Side side(double t, double sign);
  Sample sample(double t);
  Sample sample(const State& state) const;
  void look_at_start();
  void look_between(std::size_t k, const Sample& a, const Sample& b);
  void look_around(std::size_t k, double from, double to);
  void judge(double t, const Side& before, const Side& after);
  std::vector<double> forces(const State& state) const;
  std::vector<std::string> forces_that_jump(const State& before, const State& after,
                                            double least) const;

  const Evaluator& evaluator_;
  State state_;
  std::vector<double> y_;
  std::optional<VectorFunction> arguments_;  // y and x of each atan2, in turn
  std::size_t num_angles_ = 0;
  const Step* step_ = nullptr;
  const Problem* problem_ = nullptr;
  std::optional<Side> last_;  // before the end of the last step
  std::optional<State> last_end_;
  double longest_ = 0;  // of the steps: those at a jump may be as short as round-off
  std::optional<Health::Reason> found_;
};

// An event that happened in a state where its function jumps with an angle, yaw − 2 at ±180 deg,
// and does not pass through zero; nothing: it does.
std::optional<Health::Reason> reason_of_jumping_event(const Equations& equations,
                                                      const Equations::Event& event,
                                                      const State& at);

}  // namespace koppel
