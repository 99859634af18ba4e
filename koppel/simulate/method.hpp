// How a model is simulated: coordinates, a formulation and an integrator with its options. What the
// user types is read into it once, at the edge; what was chosen is printed from it.
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
};

inline bool is_open(const std::string& coordinates) {
  return coordinates.empty() || coordinates == "auto";
}

}  // namespace koppel
