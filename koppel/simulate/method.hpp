// How a model is simulated: coordinates, a formulation with its stabilisation, and an integrator
// with its options. What the user types is read into it once, at the edge; what was chosen is
// printed from it.
#pragma once

#include <string>

#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

// Empty or open: to be chosen.
struct Method {
  std::string coordinates;
  Formulation formulation;
  Integrator integrator;
  Projection projection =
      Projection::Full;  // after each step, of right-hand sides; fixed-cost steps project once
  double baumgarte = 0;  // α = β = this over the step, in Baumgarte's method; 0: 0.2
};

inline bool is_open(const std::string& coordinates) {
  return coordinates.empty() || coordinates == "auto";
}

}  // namespace koppel
