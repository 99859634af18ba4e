// Substitution: the solution of a factorised linear system, L D U x = b with ones on the diagonals
// of L and U, in numbers. The operations, and their order, are those of Elimination::solve after
// name_entries (elimination.hpp): a graph's straight-line code and this loop give the same bits.
#pragma once

#include <cstdint>
#include <vector>

namespace koppel {

struct Substitution {
  struct Term {
    std::uint32_t index, entry;
  };
  // Of each pivot, in the order of elimination: its row and column of the matrix, the ends of its
  // terms, and the entry that is the pivot's inverse.
  struct Pivot {
    std::uint32_t row, column, lower_end, upper_end, inverse;
  };
  std::vector<Pivot> pivots;
  std::vector<Term> lower, upper;  // columns of L, rows of U

  // x may not be b; y is of the same size, to work with. Does not allocate.
  void solve(const double* entries, const double* b, double* x, double* y) const noexcept {
    const std::size_t n = pivots.size();
    for (std::size_t k = 0; k < n; ++k) y[k] = b[pivots[k].row];
    const Term* term = lower.data();
    for (std::size_t k = 0; k < n; ++k) {
      const double at = y[k];
      for (const Term* const end = lower.data() + pivots[k].lower_end; term != end; ++term) {
        y[term->index] -= entries[term->entry] * at;
      }
    }
    for (std::size_t k = n; k-- > 0;) {
      double value = y[k] * entries[pivots[k].inverse];
      term = upper.data() + (k > 0 ? pivots[k - 1].upper_end : 0);
      for (const Term* const end = upper.data() + pivots[k].upper_end; term != end; ++term) {
        value -= entries[term->entry] * y[term->index];
      }
      y[k] = x[pivots[k].column] = value;
    }
  }
};

}  // namespace koppel
