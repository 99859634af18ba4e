// Singular configurations that a step of a Taylor series passed: when, and which constraints become
// dependent there.
//
// σ, the smallest singular value of the constraints, is followed along the step with its sign
// (series_dependence.cpp). Where it changes, the time at which it vanishes is found on the
// polynomials, and whether it does: the vectors that belong to it may have turned away instead.
#pragma once

#include <memory>
#include <optional>

#include <koppel/integrate/passage.hpp>
#include <koppel/problem/problem.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

class TaylorPassage {
 public:
  explicit TaylorPassage(const Problem& problem) : problem_(problem) {}

  // Between two consistent points with a step h from `here` to `there`. Allocates where one is
  // found.
  std::optional<SingularPassage> find(SeriesSolver& here, SeriesSolver& there, double h);

 private:
  std::vector<int> dependent_rows(const SeriesSolver& at) const;

  const Problem& problem_;
  std::unique_ptr<SeriesSolver> between_;  // made when it is first needed
};

}  // namespace koppel
