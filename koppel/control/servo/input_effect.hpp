// What inputs do at an instant. With B = ∂f/∂u and the constraints C = [G; a], as far as they are
// kept, unit inputs change accelerations and multipliers by X and Λ,
//   M X + Cᵀ Λ = B,   C X = 0,                                                              (1)
// and the accelerations of the outputs, s̈ = S v̇ + …, by P = S X, with S = (∂s/∂q) K.
#pragma once

#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Compiled once, for any number of states. Keeps a reference to the evaluator.
class InputEffect {
 public:
  // By the rows of [g; a] that are kept.
  InputEffect(const Evaluator& evaluator, std::vector<int> rows);

  struct At {
    Matrix X, Lambda, P;
    Matrix S;
  };
  // Λ by the rows that are kept; where these are not independent, the ones of least norm.
  At operator()(const State& state) const;

 private:
  const Evaluator& evaluator_;
  std::vector<int> kept_;
  MatrixFunction S_, B_;
};

}  // namespace koppel
