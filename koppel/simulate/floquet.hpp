// Floquet multipliers of a periodic motion: by what small deviations from it have grown after one
// period T.
//
// Along the motion, deviations obey (δq, δv, δx)˙ = A(t) (δq, δv, δx), restricted to those that
// satisfy the constraints (analysis/motion/linearize.hpp). Their fundamental matrix
//   Φ̇ = A(t) Φ,   Φ(0) = S                                                                (1)
// is computed with Gauss's collocation of order 8 over N intervals of equal length, A being taken
// at the nodes of an accurate simulation; N is doubled until the multipliers no longer change. The
// rows of Φ(T) that are independent coordinates and velocities z make the monodromy matrix, whose
// eigenvalues ρ are the multipliers; ln ρ/T are the exponents (their imaginary part up to 2π/T).
//
// The motion is periodic when velocities, states, accelerations and A(t) return: coordinates that
// nothing depends on (how far a wheel has turned) may have grown. Unless given, T is the first
// such time of a simulation; that needs equations without explicit time.
#pragma once

#include <complex>
#include <optional>
#include <string>

#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

struct PeriodicMotion {
  bool is_periodic = false;
  std::string text;  // why not
  double period = 0;
  int num_one = 0;                                // multipliers that are 1
  std::vector<std::complex<double>> multipliers;  // the others; one of each conjugate pair
  std::vector<Mode> modes;                        // of these: exponents, shapes at the start
  double error = 0;                               // estimated, of the multipliers
  std::vector<std::string> coordinates;           // what the shapes are in
  std::string coordinate_set;
};

// In the coordinates of the options; `end` is how far a return is looked for.
PeriodicMotion find_periodic_motion(const Model& model, const SimulateOptions& options,
                                    std::optional<double> period = {});

}  // namespace koppel
