// The solution of a servo problem without internal dynamics, time by time. There nothing is
// integrated: the stages k < 0 of the Taylor series (series_system.hpp) determine all states and
// multipliers from the outputs and their derivatives, stage 0 the inputs, to round-off. The stages
// above it predict where Newton's method starts at the next time, so that the same branch is
// followed.
//
//   FlatSolution solution(problem);
//   solution.start(point, end);              // at point.t, or the first time after it that can be
//   solved solution.move_to(t); solution.get(y);
//
// A motion is followed in steps over which the series is a good prediction, however far apart the
// times are that are asked for. Cost: a fixed number of stages for each time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

class FlatSolution {
 public:
  using Status = SeriesSolver::Status;

  // `end` is the last time that will be asked for: a breakpoint there is approached from below.
  // `extra` is the number of coefficients of the inputs beside their values.
  FlatSolution(const ServoProblem& servo, double end, int extra = 4);

  // The point is a guess. Where its time cannot be solved, because the equations are singular there
  // (a cable without load, say), the first time after it that can; up to `latest`.
  Status start(const Evaluator& evaluator, const State& guess, double latest);
  // Forward in time.
  Status move_to(double t);

  // The first place where positions, velocities or further states, which no finite input makes
  // jump, would have to: forces are not smooth there, and the outputs depend on their derivatives.
  struct MotionJump {
    double t = 0;
    std::size_t place = 0;  // in y
    double size = 0;
  };
  const std::optional<MotionJump>& jump() const { return jump_; }

  double time() const { return t_; }
  // y of the problem.
  void get(std::span<double> y) const;
  // Derivatives of the inputs: u_i⁽ᵏ⁾/k! for k < num_input_coefficients().
  int num_input_coefficients() const;
  double input_coefficient(int i, int k) const;

  // A derivative of an unknown; 0 where unknown < 0.
  double value(const SeriesTerms::Place& place) const;
  // The point with all derivatives that occur in the equations.
  DaePoint point() const;
  long num_steps() const { return num_steps_; }
  int order() const { return here_.order(); }

 private:
  Status try_start(const DaePoint& guess);
  Status try_multipliers(DaePoint guess);
  Status try_inputs(DaePoint guess);
  double longest_step() const;
  bool is_short(double h) const;
  Status try_step(double t);
  void take_step(double t);
  bool is_continuous() const;
  bool crosses_breakpoint(double t) const;
  double missed(std::size_t place, double h) const;
  std::optional<MotionJump> find_jump(double t) const;
  bool is_noise(const MotionJump& jump, double h);
  // Times at breakpoints are one of the pieces beside it.
  double nudged(double t) const;

  const ServoProblem& servo_;
  const SeriesSystem& system_;
  double end_;
  SeriesSolver here_, there_;
  std::vector<double> predicted_;  // x_j at the end of the step
  std::optional<MotionJump> jump_;
  bool watches_jumps_ = true;
  double t_ = 0;
  long num_steps_ = 0;
};

}  // namespace koppel
