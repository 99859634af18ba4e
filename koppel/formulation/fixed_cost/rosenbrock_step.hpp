// A step of fixed cost and order 2: the W-method ROS2 [Verwer, Spee, Blom & Hundsdorfer 1999] for
// constrained motion. For ẏ = F(y), with any matrix A,
//
//   (I − γhA) k₁ = F(y₀),    (I − γhA) k₂ = F(y₀ + h k₁) − 2 k₁,    y₁ = y₀ + h (3/2 k₁ + 1/2 k₂)
//   (1)
//
// Order. With A₁, A₂ in the two stages, k₁ = F + γhA₁F + O(h²) and
// k₂ = −F + h F′F − 2γhA₁F − γhA₂F + O(h²), hence
//
//   y₁ = y₀ + hF + h²/2 F′F + (γ/2) h² (A₁ − A₂) F + O(h³):                                 (2)
//
// order 2 for every A₁ = A₂ + O(h), whatever they are. With A = F′ and γ = 1 − 1/√2, (1) is
// L-stable: its stability function (1 + (1 − 2γ)z + (1/2 − 2γ + γ²)z²)/(1 − γz)² vanishes at ∞.
// With A = 0 it is Heun's method.
//
// Here y = (q, v, x) and F are the rates with the multipliers eliminated, C v̇ = −γ_c (and
// Baumgarte's terms, where they are stated). A takes the derivatives of stiff forces along the
// constraints, at the start of the step: with J_q = ∂f/∂q, J_v = ∂f/∂v,
//
//   k_q1 = K (v₀ + γh k_v1)
//   [ M − γh J_v − γ²h² J_q K   Cᵀ ] [ k_v1 ]   [ f + γh (J_q K v₀ + f_t) ]
//   [ C                         0  ] [ λ₁   ] = [ −γ_c                    ]                     (3)
//
//   q_s, v_s = q₀ + h k_q1, v₀ + h k_v1;   k_q2 = K_s v_s − 2 k_q1 + γh K k_v2
//   [ M_s − γh J_v − γ²h² J_q K  C_sᵀ ] [ k_v2 ]   [ f_s − 2 M_s k_v1 + γh (J_q (K_s v_s − 2 k_q1)
//   − f_t) ] [ C_s                        0    ] [ λ₂   ] = [ −γ_c,s − 2 C_s k_v1 ]  (4)
//
// (time counts as a state with k_t1 = 1, k_t2 = −1). M and C are those of the stage, which changes
// A by O(h) only. λ = λ₂ is of order 1 at the end of the step.
//
// Projection: positions by one Newton step with the matrix of (4), velocities exactly with M at
// their place. Before it the violation of positions is of the size h³ of a local error; q_s is
// h² away, so that it is of the size h⁵ afterwards.
// Three factorisations a step, two without projection.
#pragma once

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/problem/fixed_cost.hpp>

namespace koppel {

// Of constraints stated by accelerations: Descriptor::Level::Acceleration.
FixedCostTerms make_rosenbrock_step(const Descriptor& descriptor, const FixedCostOptions& options);

}  // namespace koppel
