#include <koppel/problem/series_elimination.hpp>

#include <numeric>
#include <string>

#include <koppel/base/at.hpp>
#include <koppel/expr/algebra/elimination.hpp>

namespace koppel {
namespace {

// Larger systems are left to a solver with loops: straight-line code of them is long, and takes
// long to make.
constexpr std::size_t kMostUnknowns = 400;
constexpr long kMostProducts = 20'000;

template <typename F>
void for_each_entry(const SparseExpr& J, F&& f) {
  for (int j = 0; j < J.pattern.num_columns; ++j) {
    for (int k = J.pattern.column_start[at(j)]; k < J.pattern.column_start[at(j) + 1]; ++k) {
      f(J.pattern.row[at(k)], j, J.values[at(k)]);
    }
  }
}

// Pivots where partners meet: unknowns with an entry there first, so that multipliers are last.
PivotOrder order_of_partners(const std::vector<int>& partner, const SparseExpr& J) {
  const int n = J.pattern.num_rows;
  std::vector<char> is_first(at(n), false);
  for_each_entry(J, [&](int i, int j, Expr value) {
    if (partner[at(i)] == j && !value.is_constant(0)) is_first[at(j)] = true;
  });
  std::vector<int> number(at(n)), unknown;
  int num_first = 0;
  for (const bool first : {true, false}) {
    for (int j = 0; j < n; ++j) {
      if (is_first[at(j)] != first) continue;
      number[at(j)] = static_cast<int>(unknown.size());
      unknown.push_back(j);
    }
    if (first) num_first = static_cast<int>(unknown.size());
  }
  ExprMatrix matrix(n);
  for_each_entry(J, [&](int i, int j, Expr value) {
    matrix.add(number[at(partner[at(i)])], number[at(j)], value);
  });
  std::vector<int> equation(at(n));  // of each unknown
  for (int i = 0; i < n; ++i) equation[at(partner[at(i)])] = i;
  PivotOrder order;
  for (const int k : saddle_point_order(matrix, num_first)) {
    order.column.push_back(unknown[at(k)]);
    order.row.push_back(equation[at(order.column.back())]);
  }
  return order;
}

// The places of equations and unknowns in the order of their pivots.
struct Places {
  std::vector<int> of_row, of_column;
};

Places find_places(const PivotOrder& order) {
  Places places{std::vector<int>(order.row.size()), std::vector<int>(order.row.size())};
  for (std::size_t k = 0; k < order.row.size(); ++k) {
    places.of_row[at(order.row[k])] = static_cast<int>(k);
    places.of_column[at(order.column[k])] = static_cast<int>(k);
  }
  return places;
}

bool is_paired(const std::vector<int>& partner, std::size_t n) {
  if (partner.size() != n) return false;
  std::vector<char> is_taken(n, false);
  for (const int j : partner) {
    if (j < 0 || is_taken[at(j)]) return false;
    is_taken[at(j)] = true;
  }
  return true;
}

}  // namespace

std::optional<SeriesElimination> eliminate(const Dae& dae, const SparseExpr& J,
                                           MatrixSamples samples) {
  const std::size_t n = dae.unknowns.size();
  if (n > kMostUnknowns || !is_paired(dae.partner, n) || samples.empty()) return std::nullopt;
  std::optional<PivotOrder> order = order_of_partners(dae.partner, J);
  std::optional<long> cost = count_products(*order, J.pattern, samples);
  if (!cost) {
    order = find_pivots(J.pattern, samples);
    if (order) cost = count_products(*order, J.pattern, samples);
  }
  if (!cost || *cost > kMostProducts) return std::nullopt;
  const Places places = find_places(*order);
  ExprMatrix matrix(static_cast<int>(n));
  for_each_entry(J, [&](int i, int j, Expr value) {
    matrix.add(places.of_row[at(i)], places.of_column[at(j)], value);
  });
  std::vector<int> in_order(n);
  std::iota(in_order.begin(), in_order.end(), 0);
  Elimination elimination(matrix, in_order);

  SeriesElimination out;
  Elimination::AllEntries entries = elimination.name_all_entries(*dae.graph, "series.entry");
  out.entries = std::move(entries.values);
  out.solution.entries = std::move(entries.symbols);
  out.solution.substitution = std::move(entries.substitution);
  for (std::size_t k = 0; k < n; ++k) {
    Substitution::Pivot& pivot = out.solution.substitution.pivots[k];
    pivot.row = static_cast<std::uint32_t>(order->row[k]);
    pivot.column = static_cast<std::uint32_t>(order->column[k]);
  }
  std::vector<Expr> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    out.solution.b.push_back(dae.graph->symbol("series.b[" + std::to_string(i) + ']'));
    b[at(places.of_row[i])] = out.solution.b.back();
  }
  const std::vector<Expr> X = elimination.solve(b);
  for (std::size_t j = 0; j < n; ++j) out.solution.X.push_back(X[at(places.of_column[j])]);
  return out;
}

}  // namespace koppel
