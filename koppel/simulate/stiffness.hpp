// Whether some motion dies away within a small part of the run, and is much faster than all that
// lasts, seen from the start: pure decay, or an oscillation of a stiff spring that is damped.
//
// The exact answer is in the eigenvalues of the linearised motion (linearize.hpp), which cost
// second derivatives and a dense eigenvalue problem. Most mechanisms are spared that: without
// damping nothing decays, and none decays much faster than decay_bound.hpp says.
#pragma once

#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

struct Stiffness {
  bool is_stiff = false;
  double fastest_decay = 0;  // 1/s; of a problem that is not stiff perhaps the bound
};

Stiffness find_stiffness(const Model& model, const Evaluator& evaluator, const State& start,
                         double end);

// Whether any force depends on a rate, or states of the user's own may relax.
bool has_damping(const Model& model);

}  // namespace koppel
