// J x = b for Newton matrices of constrained steps, with the multipliers eliminated by a null space
// [Yang 2017, section 3.2]. With the rows that have multipliers first,
//   J = [A  B]      A, B: rows of the motion;     B = Q [R; 0],  P = the last columns of Q,  PᵀB =
//   0:
//       [C  0]
//   [PᵀA] u = [Pᵀb₁]      R λ = Q₁ᵀ(b₁ − A u).                                              (1)
//   [ C ]     [ b₂ ]
// The iteration no longer depends on how multipliers are scaled. Dense, O(n³).
//
// A workspace: it belongs to one thread, and does not allocate after construction.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <koppel/base/sparsity.hpp>

namespace koppel {

class NullSpaceSolver {
 public:
  NullSpaceSolver(const Sparsity& pattern, std::span<const char> is_multiplier);
  ~NullSpaceSolver();
  NullSpaceSolver(NullSpaceSolver&&) noexcept;
  NullSpaceSolver& operator=(NullSpaceSolver&&) noexcept;

  // Values in the order of the pattern. False where B has not full rank, or (1) is singular.
  bool factor(std::span<const double> values);
  void solve(std::span<double> b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppel
