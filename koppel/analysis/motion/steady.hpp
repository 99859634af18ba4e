// Steady motion: all velocities stay as they are, and so does everything around them.
//
// A vehicle that goes straight on, a wheel or a rotor at constant speed, a governor that turns with
// its arms at rest: coordinates grow as q̇ = K(q) v with v constant, but nothing depends on those
// that grow. The motion is a relative equilibrium, and small deviations from it obey a linear
// system with constant coefficients (linearize.hpp) whose eigenvalues say how they grow. Which
// coordinates do not matter need not be known: it is tested that, along the motion,
//   v̇ = 0,  ẋ = 0,   g = 0,  G v + g_t = 0,  a v + b = 0,   λ, μ and A are constant,          (1)
// at the start and at places that the motion reaches while the fastest velocity moves its
// coordinate by up to 4 (metres or radians).
//
// Velocities have to be such that they are constant: relative ones of joints are as a rule (`joint`
// coordinates), those of absolute coordinates only where bodies go straight on without turning.
#pragma once

#include <string>

#include <koppel/analysis/motion/linearize.hpp>

namespace koppel {

struct SteadyMotion {
  bool is_steady = false;
  bool is_at_rest = false;  // all velocities are zero: an equilibrium
  std::string text;         // why it is not steady
  LinearSystem system;      // about it
};

// `start` is assembled.
SteadyMotion find_steady_motion(const Evaluator& evaluator, const State& start);

}  // namespace koppel
