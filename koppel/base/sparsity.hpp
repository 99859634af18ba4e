// The pattern of a sparse matrix, in compressed columns (what KLU and Eigen take).
#pragma once

#include <vector>

namespace koppel {

// The entries of column j are k = column_start[j] … column_start[j+1]−1, in rows row[k], ascending.
struct Sparsity {
  int num_rows = 0;
  int num_columns = 0;
  std::vector<int> column_start{0};
  std::vector<int> row;

  int num_entries() const { return static_cast<int>(row.size()); }
};

}  // namespace koppel
