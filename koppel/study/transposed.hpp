// The transpose of a sparse matrix: its pattern, and where its values come from. For sources of
// this folder only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <koppel/base/sparsity.hpp>

namespace koppel {

struct Transposed {
  Sparsity pattern;
  std::vector<int> from;  // entry of the matrix for each entry of its transpose

  Transposed() = default;
  // The entries of the transpose by columns are those of the matrix by rows.
  explicit Transposed(const Sparsity& matrix) {
    std::vector<std::vector<std::pair<int, int>>> rows(static_cast<std::size_t>(matrix.num_rows));
    for (int j = 0; j < matrix.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = matrix.column_start[column]; k < matrix.column_start[column + 1]; ++k) {
        const int row = matrix.row[static_cast<std::size_t>(k)];
        rows[static_cast<std::size_t>(row)].emplace_back(j, k);
      }
    }
    pattern.num_rows = matrix.num_columns;
    pattern.num_columns = matrix.num_rows;
    for (const auto& row : rows) {
      for (const auto& [column, entry] : row) {
        pattern.row.push_back(column);
        from.push_back(entry);
      }
      pattern.column_start.push_back(pattern.num_entries());
    }
  }

  void take(std::span<const double> values, std::span<double> transposed) const {
    for (std::size_t k = 0; k < from.size(); ++k) {
      transposed[k] = values[static_cast<std::size_t>(from[k])];
    }
  }
};

}  // namespace koppel
