// Forces μ that make outputs s(q) of a mechanism follow targets z, which may jump, chosen anew in
// every fixed-cost step.
//
// A step is linear in forces that are constant during it: with B = ∂f/∂μ, its first system gives
// accelerations w = w₀ + W μ, where W are the solutions for the columns of B. Joints, loops and
// stiff forces are in them. With S = (∂s/∂q) K, the rates of the outputs become
//
//   σ₁ = S (v + h w₀) + h E μ,     E = S W.                                                (1)
//
// For an explicit step, E = S P Sᵀ with the constrained inverse P of M: E⁻¹ is the effective mass
// of what is held. Directions in which joints block have E = 0. They are left alone: in place of
// E⁻¹ stands R = E (E² + ε²)⁻¹, in units of the mean effective mass of each tracking, applied once
// more to what is left. So several trackings that cannot all have what they want miss it least in
// the norm of their effective masses. ε is 1e-5, and grows where E becomes small altogether,
// against the size e that is usual in this mechanism. Of the difference d to the target counts
//
//   d' = E R d,                                                                             (2)
//
// the part that can be gone, and of it only what comes before a dead point (reach.hpp).
//
// *Outputs and orientations.* σ are rates of outputs, and d = z − s; or the angular velocity of a
// body, with s = 0 and z the rotation vector that is left to turn (model/rotation_signal.hpp). S is
// Bᵀ, since the forces have the power μᵀσ.
//
// *Automatic.* The speed towards the target is the largest that can still be braked, and falls with
// the distance at the end, over the response time τ [Workman, Kosut & Franklin 1987]:
//
//   σ* = |d'|/τ for |d'| ≤ a τ²,   else √(2a (|d'| − a τ²/2)),                              (3)
//
// at most the speed limit, with the rate of the target added as far as it is known. a is the limit
// of acceleration, and what the force limit F brakes with less a reserve: ¾ (F nᵀE n − nᵀS w₀)
// along n = d'/|d'|. The same law, with the way to it, holds for speeds towards a dead point. The
// change of speed in a step is at most h times the limit of acceleration. μ follows from (1) with
// h Ṡ v added, the change of σ that comes from the way being curved, and is brought within F
// (force_limits.hpp).
//
// *Single-stage optimal control* [Lipovac 2020, ch. 4], extended to joints and loops. In a step
// from t₀ to t₁, ½|s − z|²(t₁) + ½∫|s − z|² + ½ρ₀∫|μ|² + ½ρ₁∫|μ̇|² is made stationary. The adjoint
// equations, with G λ_v = 0 where the mechanism has constraints, λ_v(t₁) = 0 and λ_p(t₁) = Sᵀ(s −
// z)(t₁), stepped backwards by Euler's rule, give
//
//   φ = −S λ_v(t₀) = −h E [(s − z)(t₁) + h (s − z)(t₀)],   (s − z)(t₁) = s + h S v − z(t₁),    (4)
//
// which falls to zero linearly in the step. The control equation −ρ₁ μ̈ + ρ₀ μ = φ (1 − (t − t₀)/h)
// has the solutions, with θ = h √(ρ₀/ρ₁),
//
//   L2       μ(t₀) = φ/ρ₀                                          ρ₁ = 0
//   Neumann  μ(t₁) = φ tanh(θ/2)/(ρ₀ θ)                            μ̇(t₀) = μ̇(t₁) = 0
//   Mixed    μ(t₁) = μ(t₀)/cosh θ + φ (tanh θ/θ − 1/cosh θ)/ρ₀     μ(t₀) given, μ̇(t₁) = 0   (5)
//
// of which the source takes approximations by B-splines. Forces that the adjoint equations do not
// see are cancelled: −E⁻¹ S w₀ is added to μ (the second variant of its section 4.3).
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/formulation/fixed_cost/reach.hpp>

namespace koppel {

// (5): μ = keep μ(t₀) + gain φ/ρ₀.
struct ControlSolution {
  Expr keep, gain;
};
ControlSolution solve_control_equation(TrackingMethod method, Expr theta);

// Symbols of the forces, of all trackings one after the other.
std::vector<Expr> tracking_forces(const Equations& equations);

// What forces do in a step: w = w₀ + W μ, with the multipliers of W, and the matrix S (its columns
// are the rows of (1)) at the place where the step states its constraints. There, what they block
// is blocked exactly.
struct StepResponse {
  SparseExpr S;
  std::vector<Expr> w0;
  std::vector<std::vector<Expr>> W, reactions;
  MobilityChange mobility_change;
};

// The forces in a step of length h. `state` is the start, where set-up may look.
std::vector<Expr> follow_targets(const Equations& equations, const State& state, Expr h,
                                 const StepResponse& response);

}  // namespace koppel
