// Servo problems with their index reduced by two, as residuals for implicit integrators. With
// S = (∂s/∂q) K the outputs obey ṡ = S v + s_t and s̈ = S v̇ + σ, and the references γ are known with
// their derivatives.
//
// `minimal-extension` [Yang 2017, ch. 5]: servo constraints are stated on all three levels, and as
// many rates become unknowns of their own. With positions q = (q₁, q₂) and velocities v = (v₁, v₂)
// such that ∂s/∂q₂ and S₂ are regular, and w for v̇₂,
//   q̇₁ = (K v)₁,   M (v̇₁, w) = f − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b,
//   s = γ,   S v + s_t = γ̇,   S (v̇₁, w) + σ = γ̈.                                             (1)
// No equation says that q̇₂ is (K v)₂ or that v̇₂ is w: that follows. Where outputs are coordinates,
// (1) is the form in dependent (or redundant) coordinates with those eliminated.
//
// `projection` [Blajer & Kolodziejczyk 2004]: the equations of motion are projected onto the
// directions that the servo constraints leave free, Dᵀ(M v̇ − f + Gᵀλ) = 0 with S D = 0, and onto
// the others, S M⁻¹(f − Gᵀλ) + σ = γ̈. Neither D nor M⁻¹ is needed: the first says that M v̇ − f +
// Gᵀλ = −Sᵀκ for some κ, the second that accelerations α with M α = f − Gᵀλ satisfy S α + σ = γ̈,
//   q̇ = K v,   M v̇ = f − Gᵀλ − aᵀμ − Sᵀκ,   0 = g,   0 = a v + b,
//   M α = f − Gᵀλ − aᵀμ,   S α + σ = γ̈,   s = γ.                                            (2)
// On the exact solution κ vanishes; in a discrete one it is of the order of the step.
//
// Both have index 3 where the servo problem has 5. y = (q, v, x, λ, μ, w, u); for (2) w holds α and
// κ.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <koppel/analysis/evaluator.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

struct ReducedServo {
  Problem problem;
  std::vector<int> dependent_q, dependent_v;  // of `minimal-extension`: q₂ and v₂
};

// State is where q₂ and v₂ are chosen, by pivoting; it gives the values of parameters too. Throws
// Error `control.dependent-outputs` where the outputs are not independent there.
ReducedServo make_reduced_servo(const Equations& equations, std::string_view method,
                                const State& state, std::span<const int> leave_out,
                                CompileOptions options = {});

// y at a state with known accelerations, multipliers (of rows that are kept) and inputs.
std::vector<double> start_values(const ReducedServo& servo, const State& state,
                                 std::span<const double> v_rate,
                                 std::span<const double> multipliers, std::span<const double> u);

}  // namespace koppel
