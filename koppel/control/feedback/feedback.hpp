// Feedback about a motion that inverse dynamics found. With x = (q, v, states), and x_d(t), u_d(t)
// the motion and its inputs,
//   u = u_d(t) − F(t) (x − x_d(t)),                                                        (1)
// kept within the limits of the inputs. The nominal mechanism follows as without feedback; a
// disturbed start or a wrong mass is answered.
//
// `lqr`: at times along the motion the constrained motion is linearised
// (analysis/motion/linearize.hpp),
//   ż = A z + B δu,  δx = S z,  δy = C z,   y = (s, ṡ) the outputs and their rates,        (2)
// and F = R⁻¹Bᵀ P S⁺, where P is the stabilising solution of the Riccati equation
//   AᵀP + P A − P B R⁻¹ Bᵀ P + Q = 0                                                       (3)
// with frozen coefficients. S⁺ makes F independent of which coordinates z are. Weights by Bryson's
// rule: one over the square of what is tolerable, of outputs and of inputs.
//
// `pd`: a spring and a damper between the outputs and their references,
//   δu = (S_y M⁻¹ B)⁻¹ (−ω² δs − 2ω δṡ).                                                   (4)
// It needs inputs that act on all outputs directly (realization.hpp); cranes have none such.
#pragma once

#include <string>
#include <vector>

#include <koppel/control/motion/computed_motion.hpp>

namespace koppel {

struct FeedbackOptions {
  std::string kind = "lqr";  // lqr, pd
  // Tolerable deviations: of an output, as a part of its range; of an input, as a part of its
  // largest value.
  double accuracy = 0.01, effort = 0.1;
  double response = 0;  // s: how fast deviations should die away; 0: a twentieth of the motion
  int nodes = 40;       // times at which F is computed; linear between them

  // Throws Error `control.bad-option`.
  void validate() const;
};

// The inputs (1), as expressions of t, q, v and x of the equations. `start` has the parameters.
// Throws Error `control.no-feedback` with the reason where there is none.
std::vector<Expr> make_feedback(const ComputedMotion& motion, const State& start,
                                const FeedbackOptions& options);

}  // namespace koppel
