#include <koppel/problem/pivots.hpp>

#include <gtest/gtest.h>

namespace koppel {
namespace {

// By columns, with every entry, zeros too.
Sparsity full(int n) {
  Sparsity pattern;
  pattern.num_rows = pattern.num_columns = n;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.num_entries());
  }
  return pattern;
}

const PivotOrder kDiagonal{{0, 1, 2}, {0, 1, 2}};

TEST(Pivots, ADiagonalThatServesIsCounted) {
  const std::vector<double> values[] = {{4, 1, 0, 1, 4, 1, 0, 1, 4}};
  // Of pivots with one other entry in row and column, twice, and the last alone: 2·2 + 2·2 + 1.
  EXPECT_EQ(count_products(kDiagonal, full(3), values), 9);
}

TEST(Pivots, OneThatIsZeroOrCancellationDoesNot) {
  const std::vector<double> zero[] = {{0, 1, 0, 1, 0, 0, 0, 0, 1}};
  EXPECT_FALSE(count_products(kDiagonal, full(3), zero));
  // The second pivot is 0.1·0.3/0.1 − 0.3 but for round-off.
  const std::vector<double> lost[] = {{0.1, 0.1, 0, 0.3, 0.3, 1, 0, 1, 0}};
  EXPECT_FALSE(count_products(kDiagonal, full(3), lost));
  // At one of two points.
  const std::vector<double> once[] = {{4, 1, 0, 1, 4, 1, 0, 1, 4}, zero[0]};
  EXPECT_FALSE(count_products(kDiagonal, full(3), once));
}

TEST(Pivots, AreFoundOffTheDiagonalWhereTheyServeAtAllPoints) {
  const std::vector<double> values[] = {{0, 1, 0, 1, 0, 0, 0, 0, 1}, {0, 2, 0, 3, 0, 0, 0, 0, 4}};
  const auto found = find_pivots(full(3), values);
  ASSERT_TRUE(found);
  EXPECT_EQ(count_products(*found, full(3), values), 3);
}

TEST(Pivots, ThereAreNoneInASingularMatrix) {
  const std::vector<double> values[] = {{1, 2, 3, 2, 4, 6, 1, 0, 1}};
  EXPECT_FALSE(find_pivots(full(3), values));
}

}  // namespace
}  // namespace koppel
