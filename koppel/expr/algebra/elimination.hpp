// Linear systems of expressions, A x = b, solved in the graph by elimination in a fixed order.
//
//   Matrix of expressions ─▶ Elimination ─▶ x as expressions, for any number of right-hand sides
//
// The result is straight-line code of +, −, · and one quotient a pivot: no loops, no branches, the
// same operations for all values. Compiled once, it serves steps of fixed cost, in process and in
// exported C. Entries that are zero by structure cost nothing, numbers are folded, and systems that
// share a part (a leading block, a right-hand side) share its elimination, because equal
// expressions of a graph are one node. Where A is symmetric, or a part of it is, one of two
// symmetric entries is computed.
//
// There is no pivoting. Pivots stand on the diagonal in the order given; saddle_point_order gives
// one that is safe for all values of a whole class of matrices.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/substitution.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

class Graph;

// A square matrix that is being written: entries are added up.
class ExprMatrix {
 public:
  explicit ExprMatrix(int size) : rows_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(rows_.size()); }
  const std::map<int, Expr>& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  Expr at(int i, int j) const;

  void add(int i, int j, Expr value);
  // scale · A, or scale · Aᵀ, with its first entry at (i, j).
  void add(const SparseExpr& A, int i, int j, Expr scale = 1);
  void add_transposed(const SparseExpr& A, int i, int j, Expr scale = 1);

 private:
  std::vector<std::map<int, Expr>> rows_;
};

// An order of pivots for
//   [ A  Bᵀ ]
//   [ C −E  ]     A of size n, B and C of one pattern, E diagonal and not negative.       (1)
// The degree (the number of entries that an elimination touches) is kept low, but a row of C waits
// until all the unknowns it has entries for are eliminated. For symmetric A, positive definite, and
// B = C of full rank, every Schur complement of (1) then is −(E + C A⁻¹ Cᵀ) for rows of C that have
// lost all their entries, which is negative definite: no pivot can vanish, whatever the values
// [Vanderbei 1995].
std::vector<int> saddle_point_order(const ExprMatrix& matrix, int n);

class Elimination {
 public:
  // `order` holds every index once.
  Elimination(const ExprMatrix& matrix, std::span<const int> order);

  int size() const { return static_cast<int>(order_.size()); }
  std::vector<Expr> solve(std::span<const Expr> b) const;
  // In the order of elimination.
  const std::vector<Expr>& pivots() const { return pivots_; }

  // For many right-hand sides with one matrix: gives symbols to the entries of the factors that are
  // not numbers, so that solve() is in terms of these from now on. The factors become L D U with
  // ones on both diagonals, which leaves fewest entries (one for two symmetric ones) and the
  // shortest chain of operations.
  struct Entries {
    std::vector<Expr> symbols, values;
  };
  Entries name_entries(Graph& graph, std::string_view name);
  // The same for all entries, numbers too, so that nothing is left to be folded: solve() then does
  // what `substitution` does.
  struct AllEntries : Entries {
    Substitution substitution;
  };
  AllEntries name_all_entries(Graph& graph, std::string_view name);

 private:
  struct Entry {
    int index;
    Expr value;
  };
  // Calls f for the entries of L D U one after the other, which it may change.
  template <typename F>
  void for_each_entry_of_ldu(F&& f);

  std::vector<int> order_;
  std::vector<Expr> pivots_, inverse_;     // and their reciprocals
  std::vector<std::vector<Entry>> L_, U_;  // columns of L and rows of U, without the diagonal
  bool has_unit_U_ = false;                // U is divided by the pivots of its rows
};

}  // namespace koppel
