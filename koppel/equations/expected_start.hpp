// The expected start of placement.hpp as expressions of the parameters: for code that assembles a
// model anew when its parameters change. The distance (1) there is ½ ‖ρ(q) − ρ₀‖²; instead of the
// principal directions of a body's second moments E, its rows are those of R L with E = L Lᵀ:
//   Σₖ eₖ |dₖ − dₖ₀|² = tr((R − R₀) E (R − R₀)ᵀ) = ‖(R − R₀) L‖².                          (1)
#pragma once

#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

struct ExpectedStart {
  // The guess, of parameters; a coordinate whose guess only the assembly knows is its own symbol.
  std::vector<Expr> q, v, x;
  std::vector<Expr> rows;         // ρ, of q and parameters
  std::vector<Expr> target;       // ρ₀, of parameters
  std::vector<Expr> target_rate;  // expected dρ/dt: ċ₀ and ω₀ × d; of q and parameters
  std::vector<char> is_free;      // for each q: measured in the metric of masses, as is its rate
  Expr weight = 0;                // the largest weight of a row, under a root
};

// In the coordinates of equations that were derived from the model.
ExpectedStart make_expected_start(const Model& model, const Equations& equations);

}  // namespace koppel
