// Time derivatives of outputs at a state, of any order, from the equations themselves: the motion
// through the state is expanded as a Taylor series (series_solver.hpp), the outputs along it, and
//   y⁽ᵏ⁾ = k! y[k].
// No differences are taken, and it does not matter how the state was found.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/problem.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

class Derivatives {
 public:
  // Of the outputs of the equations up to `order`, 1 to 8, along the motion of a problem that was
  // made of them and has a series. Throws Error `results.bad-derivative`.
  Derivatives(Problem problem, const Equations& equations, int order);

  int order() const { return order_; }
  // For each output its derivatives of order 1, 2, …
  const std::vector<std::string>& names() const { return names_; }

  struct Workspace {
    SeriesSolver solver;
    SeriesWorkspace outputs;
  };
  Workspace make_workspace() const;
  // Not a number where the state cannot be expanded.
  void evaluate(double t, std::span<const double> q, std::span<const double> v,
                std::span<const double> x, std::span<double> out, Workspace& work) const;

 private:
  Problem problem_;
  int order_;
  std::size_t num_outputs_;
  std::vector<std::string> names_;
  std::vector<double> given_;
  std::unique_ptr<Series> outputs_;  // of t and all derivatives of the unknowns
};

}  // namespace koppel
