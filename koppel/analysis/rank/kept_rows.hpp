// How far the constraints that are kept are from depending on each other, where others are left out
// because they repeat them.
#pragma once

#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Along a motion. With the rows cᵢ of C = [G; a] in parts of the largest length that each has had,
// C Cᵀ = L D Lᵀ for those that are kept, and √dᵢ is the distance of row i from the span of those
// before it. Sparse, without pivoting: the order is one that keeps L sparse.
class KeptRows {
 public:
  // The least √dᵢ at a state; 0 where rows depend on each other to round-off.
  double pivot(const Evaluator& evaluator, const State& state, const std::vector<int>& left_out);

 private:
  std::vector<double> lengths_;  // of all rows, the largest so far
};

}  // namespace koppel
