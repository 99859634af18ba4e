// A second step for pages on which mechanisms can be taken hold of. Hands need linear-implicit
// steps, whose damping is welcome while somebody pulls and a fault while nobody does: an undamped
// pendulum has to go on swinging. While no hand holds anything, the step is one of the model
// without hands, of order 2.
//
// It is taken where it can be trusted, and else the step with hands is, which stands more. After a
// throw a mechanism moves faster than in the trial of the method, and sliders change its stiffness;
// so of every step are asked, with E = T + V,
//
//   max |g(q₁, t₁)| ≤ 1e-10     and     E₁ − E₀ ≤ (T₀ + T₁)/100 + 1e-9 (|E₀| + |E₁|):
//
// the loops are closed as they are while dragged, and nothing grows as it does in unstable steps,
// by some per cent each. What is lost is not asked for: a step of the other kind would lose more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/export/step_model.hpp>

namespace koppel {

// The unknowns, inputs and parameters of its model are the first ones of the model with hands,
// among its multipliers all of them.
struct UnheldStep {
  std::string method;  // the integrator
  Program advance;     // of the layout of its model → its state after, then 1: trusted
  std::size_t num_x, num_inputs, num_parameters;
  std::vector<std::size_t> holding;  // parameters of the model with hands: none holds while all < 0
};

// `model` is that without hands, `held` the step with them. Nothing where energy is not conserved
// by the model, so that damping is no fault, or where no method of order 2 holds.
std::optional<UnheldStep> make_unheld_step(const Model& model, const StepModel& held,
                                           SimulateOptions options);

}  // namespace koppel
