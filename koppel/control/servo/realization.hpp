// How servo constraints are realised [Blajer & Kolodziejczyk 2004]: by inputs that act along the
// outputs, or only through the motion of the rest. With S = (∂s/∂q) K and B = ∂f/∂u, restricted to
// motions that the constraints allow, the accelerations of the outputs depend on the inputs by
//   s̈ = P u + …,     P = S X,   where   M X + Gᵀ Λ = B,   G X = 0.                        (1)
// Full rank of P: orthogonal, index 3 as in any fully actuated system. Rank 0: tangential; between:
// mixed; the index is above 3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct Realization {
  enum class Kind { Orthogonal, Mixed, Tangential } kind = Kind::Tangential;
  int rank = 0;
  int num_outputs = 0;
  std::vector<double> singular_values;  // of P, with rows and columns scaled to 1; descending
};

// At a state that satisfies the constraints. Nothing where accelerations are not determined:
// motions without mass.
std::optional<Realization> find_realization(const Evaluator& evaluator, const State& state);

const char* name_of(Realization::Kind kind);  // "orthogonal", …

}  // namespace koppel
