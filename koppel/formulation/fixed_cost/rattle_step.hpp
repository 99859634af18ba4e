// A step of fixed cost and order 2 that is symmetric, so that energy neither grows nor decays where
// the forces are not stiff: RATTLE [Andersen 1983] with as many linear solves as it takes, for the
// whole descriptor form.
//
// The motion is split into a kick (velocities change in place), a drift (positions move with frozen
// velocities) and the change of further states; their steps are composed symmetrically [Hairer,
// Lubich & Wanner 2006, II.5, VII.1.4],
//
//   x_h = X(h/2; x₀, q₀, v₀, t₀),   v_h = V(h/2; v₀, q₀, x_h, t₀),   q₁ = D(h; q₀, v_h),
//   v₁ = V(h/2; v_h, q₁, x_h, t₁),  x₁ = X(h/2; x_h, q₁, v₁, t₁),                           (1)
//
// with λ of the first kick such that q₁ satisfies its constraints, and λ₁ of the second such that
// v₁ does. Each part is the linear-implicit midpoint rule. For ẏ = F(y) that is
//
//   (I − ½τ F′(y₀)) (y₁ − y₀) = τ F(y₀),                                                    (2)
//
// of order 2, and where F is quadratic in y (Kahan's method) its own adjoint: F(y₀) + ½F′(y₀)(y₁ −
// y₀) is then symmetric in y₀ and y₁. Forces of inertia, linear dampers and gyroscopic torques are
// quadratic in v, the rates of quaternions are linear in q. So (1) is symmetric and of order 2 in
// all coordinates, its error of energy for conservative motion bounded [HLW, XI]. In natural
// coordinates (M constant, K = 1) it is RATTLE itself, and symplectic. Written out:
//
//   V   (M − (h/4) f_v) w + Cᵀλ = f  at its place,   v ← v + (h/2) w                        (3)
//   D   (1 − (h/2) ∂(K v)/∂q) Δ = h K v,   q₁ = q₀ + Δ, invariants restored                 (4)
//
// (where forces depend on reactions, f_v is that with λ of the kick before). λ of the first kick
// follows from ρ(v_h) = 0 with
//
//   ρ(v) = [ g(q₁(v), t₁) / h ;  a v + b at ((q₀ + q₁(v))/2, t + h/2) ].                    (5)
//
// No iteration: with R = ∂ρ/∂v at v₀, exactly, two solves with one matrix,
//
//   [ M − (h/4) f_v  Cᵀ ] [ w ]   [ f            ]        [ same ] [ δw ]   [ 0             ]
//   [ R              0  ] [ λ ] = [ −(2/h) ρ(v₀) ],       [      ] [ δλ ] = [ −(2/h) ρ(v_h) ],  (6)
//
// v_h = v₀ + (h/2) w after the first and v₀ + (h/2)(w + δw) after the second. The first is a Newton
// step from v₀, which is O(h) away: q₁ violates g by O(h⁴) then. The second has R wrong by O(h²):
// O(h⁶) at the end. More corrections of this kind, where they are asked for, gain h² each: for
// mechanisms that move faster than their step is meant for. v₁ satisfies its constraints exactly:
//
//   C w + (2/h) (C v_h + c) = 0 at (q₁, t₁) in (3).                                         (7)
//
// Reactions of the two kicks are off by O(h) in opposite directions. Their mean is what the step
// gives: of order 2 in its middle, h/2 behind at its end. Two factorisations a step, and small ones
// for x and quaternions. For q̈ = −a q − b q̇ stable where h²a ≤ 4 + h²b²/4: a stiff damper is no
// trouble, a stiff spring is. The stiff variants are rosenbrock and linear-implicit.
#pragma once

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/problem/fixed_cost.hpp>

namespace koppel {

// Of constraints whose positions and velocities both hold: formulation ggl, or none at all.
FixedCostTerms make_rattle_step(const Descriptor& descriptor, const FixedCostOptions& options);

}  // namespace koppel
