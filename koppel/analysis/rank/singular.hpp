// Singular configurations along a motion: places where the constraints lose rank, so that freedoms
// appear and reactions grow without bound.
//
// With r the rank that C = [G; a] has along most of the motion, the measure is its r-th pivot
// (rank.hpp). It dips to 0 at a singular place, in general like |s − s*|. Each local minimum over
// the given states is located by golden sections between its neighbours, with positions
// interpolated and closed again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct SingularOptions {
  double limit = 1e-3;      // pivots above are no concern
  double tolerance = 1e-7;  // of the place, in intervals between states
};

struct SingularPlace {
  State state;
  double place = 0;  // between states: 12.25 is a quarter of the way from state 12 to state 13
  double pivot = 0;
  std::vector<std::string> owners;  // of the equations that become dependent there
  std::string text;
};

// Small mechanisms only: rank by dense factorisation at every state.
std::vector<SingularPlace> find_singular_places(const Evaluator& evaluator,
                                                std::span<const State> states,
                                                const SingularOptions& options = {});

}  // namespace koppel
