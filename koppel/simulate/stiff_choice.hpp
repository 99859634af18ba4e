// Which derivatives of forces a step of fixed cost can do without: those that do not matter for
// its stability at the given step [Burgermeister, Arnold & Esterl 2006, section 2; Schiela &
// Bornemann 2003]. Decided before the run.
//
// At places of a trial motion (with all derivatives; up to 2000 steps) the equations are linearised
// along the constraints. With a basis N of C N = 0, δq = K N z, δv = N ż, and for a part k of the
// forces  M̄ = NᵀM N,  Q_k = M̄⁻¹ Nᵀ (∂f_k/∂q) K N,  V_k = M̄⁻¹ Nᵀ (∂f_k/∂v) N,
//
//   z̈ = Σ Q_k z + Σ V_k ż,                                                                  (1)
//
// a step of the method, with Q_k, V_k left out of its Jacobian for some k, is a linear map of
// (z, ż). The rate at which it lets motions grow is ln ρ / h, ρ being its spectral radius. From the
// smallest on, Q_k and V_k are left out one by one, as long as that rate stays below what it is
// with all of them (or 0) by no more than 1e-3/s, at the step and at one and a half times the step,
// at all places. Left out of (1) are the derivatives of M, K and of constraint forces, which no
// step here takes.
#pragma once

#include <string>

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

struct StiffChoice {
  std::string stiff;     // as in stiff_parts.hpp
  std::string left_out;  // the others
  double h = 0;
  int num_places = 0;

  std::string text() const;  // in a sentence
};

// The integrator has the variant stiff=auto. Throws Error `simulate.no-parts` where the equations
// do not say what their forces are made of.
StiffChoice choose_stiff(const Problem& problem, const Descriptor& descriptor,
                         const Integrator& integrator, const Start& start, double h, double end,
                         Projection projection);

}  // namespace koppel
