// The equations of motion with their structure (positions apart from velocities, masses apart from
// forces), of which fixed-cost steps are made, with what is stated in the place of g = 0:
//
//   Acceleration  0 = C v̇ + γ + 2α (C v + c) + β² g          (for rows of a: α (a v + b), no g)
//   Velocity      0 = C v + c + α g
//
// C = [G; a], c = [g_t; b].
#pragma once

#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/formulation/formulation.hpp>

namespace koppel {

struct Descriptor {
  enum class Level { Acceleration, Velocity };

  Shared<Equations> equations;
  std::vector<Expr> lambda;  // symbols of all multipliers: forces may depend on them
  State state;               // values of parameters and inputs; q, v where set-up may look
  Level level = Level::Acceleration;
  double alpha = 0, beta = 0;
  bool closes_positions = false;  // one Newton step onto g = 0 belongs to the formulation
};

// As formulate() has it, of the same arguments.
Descriptor make_descriptor(const Shared<Equations>& equations, const Formulation& formulation,
                           const State& state, const FormulationOptions& options = {});

}  // namespace koppel
