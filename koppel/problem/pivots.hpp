// An order of pivots for straight-line elimination, found with numbers.
//
// Elimination in the graph (expr/algebra/elimination.hpp) cannot look at values while it runs, so
// the order has to be right before. It is judged at a few sample points: a pivot that is zero or
// pure cancellation there is none. That says nothing certain about other points; who uses the order
// checks the backward error of each factorisation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/base/sparsity.hpp>

namespace koppel {

struct PivotOrder {
  // The k-th pivot is the entry (row[k], column[k]).
  std::vector<int> row, column;
};

// Values of the pattern's entries at the sample points, one vector a point.
using MatrixSamples = std::span<const std::vector<double>>;

// The number of products that elimination in this order takes; nothing where a pivot is lost by
// cancellation at a sample point. With the size
//   m_ij = |a_ij| + Σ_k |l_ik u_kj|
// of the terms that a pivot a_ij is the sum of, it is lost where |a_ij − Σ_k l_ik u_kj| < 1e-9
// m_ij. That does not depend on units.
std::optional<long> count_products(const PivotOrder& order, const Sparsity& pattern,
                                   MatrixSamples samples);

// Markowitz's rule: of the entries that are not smaller than a tenth of the largest of their column
// (rows scaled to 1), at every sample point, the one whose elimination touches fewest others.
// Nothing where the matrix is singular at a sample point. Cost: O(n entries), with the fill.
std::optional<PivotOrder> find_pivots(const Sparsity& pattern, MatrixSamples samples);

}  // namespace koppel
