#include <koppel/problem/pivots.hpp>

#include <algorithm>
#include <cmath>
#include <random>

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

// Values at two points, by columns; a third of the entries are zeros that stay zeros.
std::vector<std::vector<double>> random_samples(std::mt19937& random, int n) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::vector<double>> samples(2, std::vector<double>(static_cast<std::size_t>(n * n)));
  for (std::size_t k = 0; k < samples[0].size(); ++k) {
    const bool is_zero = random() % 3 == 0;
    const double size = random() % 4 == 0 ? 1e-3 : 1;  // pivots must be chosen by size too
    for (auto& sample : samples) sample[k] = is_zero ? 0 : size * uniform(random);
  }
  return samples;
}

// Gauss's elimination as in a textbook, on a full matrix with rows of largest entry 1: the least
// part of a pivot in its column, and the products that a sparse one would need. Entries that cancel
// out count as there.
struct Elimination {
  double least_part = 1;
  long products = 0;
};
Elimination eliminate(const std::vector<double>& by_columns, int n, const PivotOrder& order) {
  const auto N = static_cast<std::size_t>(n);
  std::vector<std::vector<double>> A(N, std::vector<double>(N));
  std::vector<std::vector<char>> is_there(N, std::vector<char>(N));
  for (std::size_t i = 0; i < N; ++i) {
    double largest = 0;
    for (std::size_t j = 0; j < N; ++j)
      largest = std::max(largest, std::abs(by_columns[j * N + i]));
    for (std::size_t j = 0; j < N; ++j) {
      A[i][j] = by_columns[j * N + i] / largest;
      is_there[i][j] = A[i][j] != 0;
    }
  }
  std::vector<char> is_done(N), is_used(N);  // rows and columns
  Elimination out;
  for (std::size_t k = 0; k < N; ++k) {
    const auto p = static_cast<std::size_t>(order.row[k]),
               c = static_cast<std::size_t>(order.column[k]);
    double largest = 0;
    long rows = 0, columns = 0;
    for (std::size_t i = 0; i < N; ++i) {
      if (is_done[i]) continue;
      largest = std::max(largest, std::abs(A[i][c]));
      rows += is_there[i][c];
    }
    for (std::size_t j = 0; j < N; ++j) columns += !is_used[j] && is_there[p][j];
    out.least_part = std::min(out.least_part, std::abs(A[p][c]) / largest);
    out.products += rows * columns;
    is_done[p] = is_used[c] = true;
    for (std::size_t i = 0; i < N; ++i) {
      if (is_done[i] || !is_there[i][c]) continue;
      const double factor = A[i][c] / A[p][c];
      for (std::size_t j = 0; j < N; ++j) {
        if (is_used[j] || !is_there[p][j]) continue;
        A[i][j] -= factor * A[p][j];
        is_there[i][j] = true;
      }
    }
  }
  return out;
}

// No pivot is below a tenth of its column, at any point; and few products are needed, seldom more
// than along the diagonal.
TEST(Pivots, OfRandomMatricesAreLargeAndCheap) {
  std::mt19937 random(17);
  int found = 0, cheaper = 0;
  for (int k = 0; k < 200; ++k) {
    const int n = 3 + k % 5;
    const auto samples = random_samples(random, n);
    const auto order = find_pivots(full(n), samples);
    if (!order) continue;
    ++found;
    long products = 0;
    for (const auto& sample : samples) {
      const Elimination done = eliminate(sample, n, *order);
      EXPECT_GE(done.least_part, 0.1 * (1 - 1e-12)) << k;
      products = done.products;
    }
    EXPECT_EQ(count_products(*order, full(n), samples), products) << k;
    PivotOrder plain;
    for (int j = 0; j < n; ++j) plain.row.push_back(j), plain.column.push_back(j);
    const auto by_diagonal = count_products(plain, full(n), samples);
    if (by_diagonal && products < *by_diagonal) ++cheaper;
    EXPECT_TRUE(!by_diagonal || 10 * products <= 13 * *by_diagonal) << k;
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(cheaper, found / 4);
}

}  // namespace
}  // namespace koppel
