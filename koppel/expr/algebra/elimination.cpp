#include <koppel/expr/algebra/elimination.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

Expr ExprMatrix::at(int i, int j) const {
  const auto found = row(i).find(j);
  return found == row(i).end() ? Expr(0) : found->second;
}

void ExprMatrix::add(int i, int j, Expr value) {
  if (value.is_constant(0)) return;
  rows_[static_cast<std::size_t>(i)][j] += value;
}

void ExprMatrix::add(const SparseExpr& A, int i, int j, Expr scale) {
  for (int column = 0; column < A.pattern.num_columns; ++column) {
    const auto c = static_cast<std::size_t>(column);
    for (int k = A.pattern.column_start[c]; k < A.pattern.column_start[c + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      add(i + A.pattern.row[at], j + column, scale * A.values[at]);
    }
  }
}

void ExprMatrix::add_transposed(const SparseExpr& A, int i, int j, Expr scale) {
  for (int column = 0; column < A.pattern.num_columns; ++column) {
    const auto c = static_cast<std::size_t>(column);
    for (int k = A.pattern.column_start[c]; k < A.pattern.column_start[c + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      add(i + column, j + A.pattern.row[at], scale * A.values[at]);
    }
  }
}

std::vector<int> saddle_point_order(const ExprMatrix& matrix, int n) {
  const int size = matrix.size();
  std::vector<std::set<int>> neighbours(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    for (const auto& [j, value] : matrix.row(i)) {
      if (i == j) continue;
      neighbours[static_cast<std::size_t>(i)].insert(j);
      neighbours[static_cast<std::size_t>(j)].insert(i);
    }
  }
  // How many unknowns with index below n a row of C still waits for; fill does not add to it,
  // because the first elimination of a neighbour makes the diagonal negative and later ones keep
  // it.
  std::vector<int> waits(static_cast<std::size_t>(size), 0);
  for (int i = n; i < size; ++i) {
    for (const int j : neighbours[static_cast<std::size_t>(i)]) {
      waits[static_cast<std::size_t>(i)] += j < n;
    }
  }
  const std::vector<std::set<int>> original = neighbours;

  std::vector<char> is_done(static_cast<std::size_t>(size), 0);
  std::vector<int> order;
  while (static_cast<int>(order.size()) < size) {
    int best = -1;
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (is_done[at] || waits[at] > 0) continue;
      if (best < 0 || neighbours[at].size() < neighbours[static_cast<std::size_t>(best)].size()) {
        best = i;
      }
    }
    const auto pivot = static_cast<std::size_t>(best);
    is_done[pivot] = 1;
    order.push_back(best);
    const std::set<int> touched = std::move(neighbours[pivot]);
    for (const int i : touched) {
      std::set<int>& mine = neighbours[static_cast<std::size_t>(i)];
      mine.erase(best);
      for (const int j : touched) {
        if (j != i) mine.insert(j);
      }
    }
    if (best >= n) continue;
    for (const int i : original[pivot]) {
      if (i >= n) --waits[static_cast<std::size_t>(i)];
    }
  }
  return order;
}

// With P A Pᵀ = L U by rows: in step k,
//   l_ik = a_ik / u_kk,     a_ij ← a_ij − l_ik u_kj     for i, j > k.                      (1)
// Where a_ik = a_ki, a_jk = a_kj and a_ij = a_ji, both entries of (1) are equal after it too; the
// expressions of one are then taken for both.
Elimination::Elimination(const ExprMatrix& matrix, std::span<const int> order)
    : order_(order.begin(), order.end()), L_(order.size()), U_(order.size()) {
  const std::size_t n = order.size();
  std::vector<int> position(n);
  for (std::size_t k = 0; k < n; ++k)
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  // Entries at (row, column) in the new numbers; the same by columns for the rows below a pivot.
  std::vector<std::map<int, Expr>> rows(n);
  std::vector<std::set<int>> columns(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [j, value] : matrix.row(static_cast<int>(i))) {
      if (value.is_constant(0)) continue;
      const int r = position[i], c = position[static_cast<std::size_t>(j)];
      rows[static_cast<std::size_t>(r)][c] = value;
      columns[static_cast<std::size_t>(c)].insert(r);
    }
  }
  const auto entry = [&](int i, int j) -> Expr {
    const auto found = rows[static_cast<std::size_t>(i)].find(j);
    return found == rows[static_cast<std::size_t>(i)].end() ? Expr(0) : found->second;
  };
  std::vector<char> is_symmetric(n);  // whether a_ik = a_ki, for the current k
  std::vector<Expr> factor(n);
  for (int k = 0; k < static_cast<int>(n); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Expr pivot = entry(k, k);
    pivots_.push_back(pivot);
    inverse_.push_back(1 / pivot);
    std::vector<int> below, right;
    for (const int i : columns[at]) {
      if (i > k) below.push_back(i);
    }
    for (const auto& [j, value] : rows[at]) {
      if (j <= k) continue;
      right.push_back(j);
      U_[at].push_back({j, value});
    }
    for (const int i : below) {
      const auto r = static_cast<std::size_t>(i);
      is_symmetric[r] = entry(i, k) == entry(k, i);
      factor[r] = entry(i, k) * inverse_[at];
      L_[at].push_back({i, factor[r]});
    }
    // The upper of two entries first, so that the lower can take its expression.
    std::vector<std::pair<std::pair<int, int>, Expr>> updated;
    for (const int i : below) {
      for (const int j : right) {
        const auto r = static_cast<std::size_t>(i);
        if (i > j && is_symmetric[r] && is_symmetric[static_cast<std::size_t>(j)] &&
            columns[at].contains(j) && entry(i, j) == entry(j, i)) {
          const Expr above = entry(i, j) - factor[static_cast<std::size_t>(j)] * entry(k, i);
          updated.push_back({{i, j}, above});
        } else {
          updated.push_back({{i, j}, entry(i, j) - factor[r] * entry(k, j)});
        }
      }
    }
    for (const auto& [place, value] : updated) {
      const auto& [i, j] = place;
      if (value.is_constant(0)) {
        rows[static_cast<std::size_t>(i)].erase(j);
        columns[static_cast<std::size_t>(j)].erase(i);
        continue;
      }
      rows[static_cast<std::size_t>(i)][j] = value;
      columns[static_cast<std::size_t>(j)].insert(i);
    }
  }
}

std::vector<Expr> Elimination::solve(std::span<const Expr> b) const {
  const std::size_t n = order_.size();
  std::vector<Expr> y(n), x(n);
  for (std::size_t k = 0; k < n; ++k) y[k] = b[static_cast<std::size_t>(order_[k])];
  for (std::size_t k = 0; k < n; ++k) {
    for (const Entry& l : L_[k]) y[static_cast<std::size_t>(l.index)] -= l.value * y[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    if (has_unit_U_) y[k] *= inverse_[k];
    for (const Entry& u : U_[k]) y[k] -= u.value * y[static_cast<std::size_t>(u.index)];
    if (!has_unit_U_) y[k] *= inverse_[k];
  }
  for (std::size_t k = 0; k < n; ++k) x[static_cast<std::size_t>(order_[k])] = y[k];
  return x;
}

template <typename F>
void Elimination::for_each_entry_of_ldu(F&& f) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    for (Entry& u : U_[k]) f(u.value *= inverse_[k]);
    for (Entry& l : L_[k]) f(l.value);
    f(inverse_[k]);
  }
  has_unit_U_ = true;
}

Elimination::Entries Elimination::name_entries(Graph& graph, std::string_view name) {
  Entries entries;
  std::unordered_map<NodeId, Expr> named;
  for_each_entry_of_ldu([&](Expr& value) {
    if (value.is_constant()) return;
    const auto [it, is_new] = named.try_emplace(value.id());
    if (is_new) {
      it->second = graph.symbol(std::string(name) + '[' + std::to_string(named.size() - 1) + ']');
      entries.symbols.push_back(it->second);
      entries.values.push_back(value);
    }
    value = it->second;
  });
  return entries;
}

Elimination::AllEntries Elimination::name_all_entries(Graph& graph, std::string_view name) {
  AllEntries entries;
  std::unordered_map<NodeId, std::uint32_t> number;  // of a symbol
  std::unordered_map<NodeId, Expr> named;
  std::map<double, Expr> named_numbers;
  for_each_entry_of_ldu([&](Expr& value) {
    Expr& symbol = value.is_constant() ? named_numbers[value.value()] : named[value.id()];
    if (symbol.is_constant()) {
      const std::size_t n = entries.symbols.size();
      symbol = graph.symbol(std::string(name) + '[' + std::to_string(n) + ']');
      number[symbol.id()] = static_cast<std::uint32_t>(n);
      entries.symbols.push_back(symbol);
      entries.values.push_back(value);
    }
    value = symbol;
  });
  const auto add = [&](const std::vector<Entry>& from, std::vector<Substitution::Term>& to) {
    for (const Entry& e : from) {
      to.push_back({static_cast<std::uint32_t>(e.index), number.at(e.value.id())});
    }
    return static_cast<std::uint32_t>(to.size());
  };
  Substitution& out = entries.substitution;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const auto place = static_cast<std::uint32_t>(order_[k]);
    const std::uint32_t lower_end = add(L_[k], out.lower), upper_end = add(U_[k], out.upper);
    out.pivots.push_back({place, place, lower_end, upper_end, number.at(inverse_[k].id())});
  }
  return entries;
}

}  // namespace koppel
