// A x = b for square matrices of one pattern, factorised again and again: dense with partial
// pivoting where that is fastest (small or full matrices), KLU where it is sparse. KLU orders the
// pattern once, pivots when it must, and refactorises with the same pivots otherwise.
//
// The solver is a workspace: it belongs to one thread. factor and solve do not allocate, except for
// KLU's new pivots.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include <koppel/base/sparsity.hpp>

namespace koppel {

template <typename Scalar>
class LinearSolver {
 public:
  explicit LinearSolver(const Sparsity& pattern);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;

  int size() const;
  bool is_sparse() const;

  // Values in the order of the pattern. False where the matrix is singular (or not finite).
  bool factor(std::span<const Scalar> values);
  // The smallest pivot over the largest, of the last factorisation with rows scaled: near 0, the
  // matrix is nearly singular.
  double quality() const;
  // In place; after factor().
  void solve(std::span<Scalar> b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class LinearSolver<double>;
extern template class LinearSolver<std::complex<double>>;

}  // namespace koppel
