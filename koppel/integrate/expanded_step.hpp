// What a step may say besides its values: the expansion that it follows. Integrators that have one,
// `taylor`, show steps that are also these.
#pragma once

#include <koppel/problem/series_solver.hpp>

namespace koppel {

class ExpandedStep {
 public:
  virtual ~ExpandedStep() = default;
  // All its coefficients belong to the polynomials of the step, from its beginning; null: there is
  // none.
  virtual const SeriesSolver* expansion() const = 0;
};

}  // namespace koppel
