// What is looked at in the rows of an inverse solution while they come: that outputs follow their
// references, that expressions under `positive` are, and how well the equations are satisfied.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {

class SolutionChecks {
 public:
  SolutionChecks(const Equations& equations, const ServoProblem& servo, std::span<const double> p);

  // At a time and positions. A sentence where a branch is wrong.
  std::optional<std::string> check(double t, std::span<const double> q);
  // All equations at a point of the servo problem.
  void note_residual(const DaePoint& point);

  double max_servo_error() const { return max_servo_error_; }  // |s − y_d|
  double time_of_servo_error() const { return time_of_servo_error_; }
  double max_residual() const { return max_residual_; }

 private:
  const Equations& e_;
  std::vector<double> p_;
  Function rows_, residual_;
  Workspace row_work_, residual_work_;
  std::vector<double> in_, row_out_, residual_out_;
  double max_servo_error_ = 0, time_of_servo_error_ = 0, max_residual_ = 0;
};

}  // namespace koppel
