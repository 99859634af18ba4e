// Servo problems with their index reduced, as residuals for implicit integrators. With S = (∂s/∂q)
// K the outputs obey ṡ = S v + s_t and s̈ = S v̇ + σ, and the references y_d are known with their
// derivatives.
//
// `minimal-extension` [Yang 2017, ch. 5]: servo constraints are stated on all three levels, and as
// many rates become unknowns of their own. With positions q = (q₁, q₂) and velocities v = (v₁, v₂)
// such that ∂s/∂q₂ and S₂ are regular, and w for v̇₂,
//   q̇₁ = (K v)₁,   M (v̇₁, w) = f − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b,
//   s = y_d,   S v + s_t = ẏ_d,   S (v̇₁, w) + σ = ÿ_d.                                         (1)
// No equation says that q̇₂ is (K v)₂ or that v̇₂ is w: that follows. Where outputs are coordinates,
// (1) is the form in dependent (or redundant) coordinates with those eliminated.
//
// `minimal-extension:twice`: all equations are differentiated as often as the structure demands
// (extended_twice.cpp). Index 1, and without internal dynamics purely algebraic.
//
// `projection` [Blajer & Kolodziejczyk 2004]: the equations of motion are projected onto the
// directions that the servo constraints leave free, Dᵀ(M v̇ − f + Gᵀλ) = 0 with S D = 0, and onto
// the others, S M⁻¹(f − Gᵀλ) + σ = ÿ_d. Neither D nor M⁻¹ is needed: the first says that M v̇ − f +
// Gᵀλ = −Sᵀκ for some κ, the second that accelerations α with M α = f − Gᵀλ satisfy S α + σ = ÿ_d,
//   q̇ = K v,   M v̇ = f − Gᵀλ − aᵀμ − Sᵀκ,   0 = g,   0 = a v + b,
//   M α = f − Gᵀλ − aᵀμ,   S α + σ = ÿ_d,   s = y_d.                                         (2)
// On the exact solution κ vanishes; in a discrete one it is of the order of the step.
//
// `projection:null-space` leaves free what servo and other constraints allow, [S; G] D = 0: the
// projected equations have no λ, which follows with α from those of motion,
//   q̇₁ = (K v)₁,   M v̇ = f − Gᵀλ̄ − Sᵀκ,   0 = g,   s = y_d,   S v + s_t = ẏ_d,
//   M α = f − Gᵀλ,   G α + γ = 0,   S α + σ = ÿ_d.                                        (3)
// λ̄ and κ say that the projected equations hold along D only.
//
// All but the second have index 3 where the servo problem has 5, and 5 where it has 7: backward
// differences with fixed steps still converge there, Runge-Kutta methods do not. y = (q, v, x, λ,
// μ, w, u), where w holds what a form has beside the unknowns of the servo problem.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <koppel/control/servo/flat.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

// A residual, and where its unknowns are among the derivatives of those of the servo problem.
struct ReducedForm {
  ResidualTerms residual;
  std::vector<SeriesTerms::Place> start;  // unknown < 0: the value is 0 at the start
};

struct ReducedServo {
  Problem problem;
  int index = 0;              // 1 of `minimal-extension:twice`, else 2 less than before, at least 3
  std::vector<double> start;  // y where the solution is
};

struct ServoTerms;  // servo_terms.hpp

// A row of the table of methods that reduce; variants stand behind a colon.
struct ReducedMethod {
  std::string_view name;
  ReducedForm (*make)(const ServoTerms& terms, const FlatSolution& solution);
  bool has_assumptions = false;    // of assumptions.hpp
  bool is_differentiated = false;  // index 1; inputs may be more than outputs
};
std::span<const ReducedMethod> reduced_methods();
const ReducedMethod* find_reduced_method(std::string_view name);  // null: there is none
// The one that serves every index and number of inputs.
const ReducedMethod& most_general_method();

// The solution, at its start, is where unknowns are chosen by pivoting and where y begins. Throws
// Error `control.dependent-outputs`, `control.massless-output`,
// `control.massless-motion`, `control.shared-inputs`.
ReducedServo make_reduced_servo(const Equations& equations, const ReducedMethod& method,
                                const State& state, const ServoProblem& servo,
                                const FlatSolution& solution, CompileOptions options = {});

}  // namespace koppel
