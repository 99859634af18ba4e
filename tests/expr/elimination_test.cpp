#include <koppel/expr/algebra/elimination.hpp>

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>

namespace koppel {
namespace {

// A matrix of symbols with values: [A Cᵀ; C 0], A symmetric and positive definite.
struct System {
  Graph graph;
  std::vector<Expr> symbols;
  std::vector<double> values;
  ExprMatrix matrix{0};
  std::vector<std::vector<double>> numbers;

  Expr add(double value) {
    symbols.push_back(graph.symbol("s[" + std::to_string(symbols.size()) + ']'));
    values.push_back(value);
    return symbols.back();
  }
  void put(int i, int j, Expr e, double value) {
    matrix.add(i, j, e);
    numbers[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = value;
  }
};

void fill(System& s, int n, int m, unsigned seed, bool is_symmetric = true) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::uniform_int_distribution<int> index(0, n - 1);
  const auto size = static_cast<std::size_t>(n + m);
  s.matrix = ExprMatrix(n + m);
  s.numbers.assign(size, std::vector<double>(size, 0.0));
  for (int i = 0; i < n; ++i) {
    const double diagonal = n + 1.0;  // dominant, hence definite
    s.put(i, i, s.add(diagonal), diagonal);
    const int j = (i + 1 + index(random) % (n - 1)) % n;
    if (j == i || !s.matrix.at(i, j).is_constant(0)) continue;
    const double value = entry(random);
    const Expr e = s.add(value);
    s.put(i, j, e, value);
    s.put(j, i, is_symmetric ? e : s.add(value), value);
  }
  for (int i = n; i < n + m; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int j = k == 0 ? i - n : index(random);  // a diagonal: full rank
      if (!s.matrix.at(i, j).is_constant(0)) continue;
      const double value = k == 0 ? 3 : entry(random);
      const Expr e = s.add(value);
      s.put(i, j, e, value);
      s.put(j, i, is_symmetric ? e : s.add(value), value);
    }
  }
}

std::vector<Expr> right_hand_side(System& s) {
  std::vector<Expr> b;
  for (int i = 0; i < s.matrix.size(); ++i) b.push_back(s.add(std::sin(i + 1.0)));
  return b;
}

TEST(Elimination, SolvesSaddlePointSystemsInItsOrderWithoutPivoting) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    System s;
    fill(s, 9, 4, seed, seed % 2 == 0);
    const std::vector<Expr> b = right_hand_side(s);
    const std::vector<int> order = saddle_point_order(s.matrix, 9);
    const std::vector<Expr> x = Elimination(s.matrix, order).solve(b);
    const std::vector<double> found = Function(s.symbols, x)(s.values);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += s.numbers[i][j] * found[j];
      EXPECT_NEAR(sum, std::sin(static_cast<double>(i) + 1), 1e-13)  // the condition is about 100
          << "row " << i << ", seed " << seed;
    }
  }
}

TEST(Elimination, ARowOfConstraintsWaitsForItsUnknowns) {
  System s;
  fill(s, 12, 5, 3);
  const std::vector<int> order = saddle_point_order(s.matrix, 12);
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  for (int i = 12; i < 17; ++i) {
    for (const auto& [j, value] : s.matrix.row(i)) {
      EXPECT_LT(position[static_cast<std::size_t>(j)], position[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(Elimination, SolvesAlikeWithNamesForItsEntries) {
  System s;
  fill(s, 9, 4, 11);
  Elimination plain(s.matrix, saddle_point_order(s.matrix, 9));
  Elimination named = plain;
  const Elimination::Entries entries = named.name_entries(s.graph, "entry");
  std::vector<Expr> b;
  std::vector<double> sides;
  for (int i = 0; i < s.matrix.size(); ++i) {
    b.push_back(s.graph.symbol("b" + std::to_string(i)));
    sides.push_back(std::cos(3.0 * i));
  }
  const Function factors(s.symbols, entries.values);
  std::vector<Expr> of_names = entries.symbols, of_all = s.symbols;
  of_names.insert(of_names.end(), b.begin(), b.end());
  of_all.insert(of_all.end(), b.begin(), b.end());
  std::vector<double> in = factors(s.values), all = s.values;
  in.insert(in.end(), sides.begin(), sides.end());
  all.insert(all.end(), sides.begin(), sides.end());
  const std::vector<double> x = Function(of_names, named.solve(b))(in);
  const std::vector<double> expected = Function(of_all, plain.solve(b))(all);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], expected[i], 1e-13) << i;  // the condition is about 100
  }
}

TEST(Elimination, SubstitutionInNumbersHasTheBitsOfTheExpressions) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    System s;
    fill(s, 9, 4, seed, seed % 2 == 0);
    s.matrix.add(0, 0, 1);  // numbers among the entries
    s.matrix.add(3, 4, -1);
    s.matrix.add(8, 7, 2.5);
    Elimination elimination(s.matrix, saddle_point_order(s.matrix, 9));
    const Elimination::AllEntries entries = elimination.name_all_entries(s.graph, "entry");
    std::vector<Expr> inputs = entries.symbols, b;
    const std::vector<double> factors = Function(s.symbols, entries.values)(s.values);
    std::vector<double> in = factors, sides;
    for (int i = 0; i < s.matrix.size(); ++i) {
      b.push_back(s.graph.symbol("b" + std::to_string(i)));
      sides.push_back(std::cos(3.0 * i + seed));
    }
    inputs.insert(inputs.end(), b.begin(), b.end());
    in.insert(in.end(), sides.begin(), sides.end());
    std::vector<double> x(b.size()), work(b.size());
    entries.substitution.solve(factors.data(), sides.data(), x.data(), work.data());
    EXPECT_EQ(x, Function(inputs, elimination.solve(b))(in)) << "seed " << seed;
  }
}

// Of a full matrix.
std::size_t cost(bool is_symmetric) {
  constexpr int kSize = 16;
  System s;
  s.matrix = ExprMatrix(kSize);
  std::vector<int> order;
  for (int i = 0; i < kSize; ++i) {
    order.push_back(i);
    for (int j = 0; j <= i; ++j) {
      const Expr e = s.add(1);
      s.matrix.add(i, j, e);
      if (i != j) s.matrix.add(j, i, is_symmetric ? e : s.add(1));
    }
  }
  return Function(s.symbols, Elimination(s.matrix, order).pivots()).num_instructions();
}

TEST(Elimination, OfSymmetricMatricesCostsAboutHalf) {
  // n³/6 products for n³/3, and as many quotients.
  EXPECT_LT(static_cast<double>(cost(true)), 0.6 * static_cast<double>(cost(false)));
}

TEST(Elimination, OfTwoSystemsThatShareABlockSharesItsElimination) {
  System s;
  fill(s, 8, 2, 7);
  const std::vector<int> order = saddle_point_order(s.matrix, 8);
  const std::vector<Expr> one = Elimination(s.matrix, order).pivots();
  ExprMatrix other = s.matrix;
  other.add(9, 3, s.add(0.5));  // one row of constraints differs
  std::vector<Expr> both = Elimination(other, order).pivots();
  const std::size_t alone = Function(s.symbols, both).num_instructions();
  both.insert(both.end(), one.begin(), one.end());
  const std::size_t together = Function(s.symbols, both).num_instructions();
  EXPECT_LT(static_cast<double>(together), 1.5 * static_cast<double>(alone));
}

}  // namespace
}  // namespace koppel
