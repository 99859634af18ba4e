// The assumptions under which the minimal extension is proved to have index 3 [Yang 2017, sections
// 5.1.2 and 5.4], in numbers at a point.
//
// They are stated for outputs x that are coordinates, q = (p, x), with masses M₁(p), M₂,
// constraints h(p) = 0 (m₁ of them) and Φ(p, x) = 0 (m₂), a inputs that act on p alone, and H₁ =
// ∂h/∂p, G₁ = ∂Φ/∂p, G₂ = ∂Φ/∂x:
//   1 (where there is no h)  m ≤ a ≤ n − a, G₂ of full rank, and (1) regular,
//   2                        G₂ of full rank, m₂ ≤ a, 2a + m₁ ≤ n, a < n − m,
//   3                        (1) regular:   ⎡ M₁ −B₁ᵀ H₁ᵀ ⎤
//                                           ⎢ Z₁            ⎥   Z₁ = ∂z/∂p, z = P₂ᵀ(f₂ − M₂ ÿ_d),
//                                           ⎢ G₁            ⎥   G₂ P₂ = 0.                    (1)
//                                           ⎣ H₁            ⎦
// z vanishes, f₂ − M₂ ÿ_d = G₂ᵀλ, and with that Z₁ = P₂ᵀ ∂(f₂ − G₂ᵀλ)/∂p for fixed λ.
// They are sufficient, not necessary: cranes with pulleys violate them and can be solved.
#pragma once

#include <string>
#include <vector>

#include <koppel/control/servo/flat.hpp>

namespace koppel {

// A sentence for each one that does not hold at the start of the solution. Nothing is said where
// the equations are not of this form.
std::vector<std::string> violated_assumptions(const Equations& equations, const State& state,
                                              const ServoProblem& servo,
                                              const FlatSolution& solution);

}  // namespace koppel
