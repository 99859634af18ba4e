// SparseEntries: a matrix of expressions made of entries and blocks in any order.
#pragma once

#include <algorithm>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {

// Each entry is given at most once.
class SparseEntries {
 public:
  void add(int row, int column, Expr value) { entries_.push_back({column, row, value}); }
  // A, or Aᵀ, with its corner there.
  void add(const SparseExpr& A, int first_row, int first_column, bool transposed = false) {
    for (int j = 0; j < A.pattern.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = A.pattern.column_start[column]; k < A.pattern.column_start[column + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int i = A.pattern.row[at];
        add(first_row + (transposed ? j : i), first_column + (transposed ? i : j), A.values[at]);
      }
    }
  }
  SparseExpr make(int num_rows, int num_columns) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    SparseExpr A{{num_rows, num_columns, {0}, {}}, {}};
    std::size_t next = 0;
    for (int j = 0; j < num_columns; ++j) {
      for (; next < entries_.size() && entries_[next].column == j; ++next) {
        A.pattern.row.push_back(entries_[next].row);
        A.values.push_back(entries_[next].value);
      }
      A.pattern.column_start.push_back(A.pattern.num_entries());
    }
    return A;
  }

 private:
  struct Entry {
    int column, row;
    Expr value;
  };
  std::vector<Entry> entries_;
};

}  // namespace koppel
