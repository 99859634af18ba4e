// Linearisation of constrained motion about a state, and its modes.
//
// At a consistent state with accelerations v̇ and multipliers λ, μ, small deviations obey
//   δq̇ = K δv + (∂(K v)/∂q) δq,
//   M δv̇ + Gᵀδλ + aᵀδμ = −∂(M v̇ − f + Gᵀλ + aᵀμ)/∂(q, v, x) (δq, δv, δx) + (∂f/∂u) δu,     (1)
//   G δv̇ = −∂(G v̇ + gamma)/∂(q, v) (δq, δv), and so for a,
//   δẋ = (∂r/∂…)(…),
// restricted to deviations that satisfy the constraints of positions and velocities. Independent
// coordinates and velocities z are chosen by pivoting; (δq, δv, δx) = S z, and
//   ż = A z + B δu,   δy = C z + D δu.                                                     (2)
// For a state that is no equilibrium this is the linearisation with frozen coefficients.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <koppel/analysis/evaluator.hpp>

namespace koppel {

struct LinearSystem {
  std::vector<std::string> states, inputs, outputs;  // names of z, u, y
  Matrix A, B, C, D;
  Matrix S;  // (δq, δv, δx) = S z
  int num_q = 0;
};

LinearSystem linearize(const Evaluator& evaluator, const State& state);

struct Mode {
  std::complex<double> eigenvalue;
  double frequency = 0;                     // |eigenvalue|/2π, Hz
  double damping_ratio = 0;                 // −Re/|eigenvalue|; 0 for eigenvalue 0
  std::vector<std::complex<double>> shape;  // in q, the largest component 1
};

// One of each conjugate pair (that with positive imaginary part), by frequency.
std::vector<Mode> find_modes(const LinearSystem& system);

}  // namespace koppel
