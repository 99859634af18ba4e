// What remains of the equations of motion of an inverse solution by time steps:
//   M v̇ − f(q, v, x, t, u) + Gᵀλ + aᵀμ,   ẋ − r,                                          (1)
// in the middle of every step, from the integrator's dense output and its slope there (a central
// difference over a thousandth of the step). Steps satisfy equations of their own; (1) says how far
// these are from the equations of motion, and falls with the order of the method. Steps over a
// corner of a reference are left out: there rates jump.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

struct RowResidual {
  double largest = 0;   // in the units of the equation
  double relative = 0;  // the largest over the largest terms of equations of its unit in any step
  std::string name;     // of the velocity or state whose equation has that
  double t = 0;         // where
};

class ResidualProbe {
 public:
  // References to the evaluator and the problem are kept. `given` has the values of parameters.
  ResidualProbe(const Evaluator& evaluator, const State& given, const Problem& problem,
                std::span<const double> corners);

  void look_at(const Step& step);
  RowResidual find() const;

 private:
  // The size of the terms of one of (1) and what remains, the largest of all steps.
  struct Row {
    double size = 0, remainder = 0, t = 0;
  };
  void take_state(double t, std::span<const double> y);
  double rate(std::size_t i, double distance) const;  // of y_i in the middle
  void note(std::size_t i, std::span<const double> terms);

  const Evaluator& evaluator_;
  const Problem& problem_;
  std::vector<double> corners_;
  State state_;
  std::array<std::vector<double>, 3> y_;  // before, in and after the middle
  std::vector<Row> rows_;                 // of v, then of x
};

}  // namespace koppel
