// Rows between the steps of a servo problem extended to index 1 (extended_twice.cpp). Dense output
// interpolates: with backward Euler by lines. The differential unknowns z have no more than that;
// all others are solved for, from F_a(t, z, y_a) = 0, with the interpolated values as a start, so
// that a row between steps is as exact as one at a step. Without internal dynamics there is no z,
// and rows do not depend on the steps at all.
#pragma once

#include <memory>
#include <span>

#include <koppel/problem/problem.hpp>

namespace koppel {

class AlgebraicRows {
 public:
  // References are kept. `end` is the last time: a breakpoint there is approached from below.
  AlgebraicRows(const Problem& problem, double end);
  ~AlgebraicRows();

  // False where Newton's method does not converge; y is then left as it was.
  bool solve(double t, std::span<double> y);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppel
