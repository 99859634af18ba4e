// A dense matrix of numbers, by columns: what the analyses take and give. Sources compute with
// Eigen through analysis/algebra/dense.hpp; headers do not need it.
#pragma once

#include <cstddef>
#include <vector>

namespace koppel {

struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  // entry (i, j) at i + j·rows

  Matrix() = default;
  Matrix(int rows_, int columns_)
      : rows(rows_),
        columns(columns_),
        values(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_), 0.0) {}

  double& operator()(int i, int j) { return values[index(i, j)]; }
  double operator()(int i, int j) const { return values[index(i, j)]; }

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(j) * static_cast<std::size_t>(rows);
  }
};

}  // namespace koppel
