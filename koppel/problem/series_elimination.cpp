#include <koppel/problem/series_elimination.hpp>

#include <string>

#include <koppel/expr/elimination.hpp>

namespace koppel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// J with the unknowns in a new order, and their partners in the same: those with an entry on the
// diagonal first.
struct Arranged {
  ExprMatrix matrix;
  std::vector<int> number;  // of each unknown
  int num_first = 0;
};

Arranged arrange(const std::vector<int>& partner, const SparseExpr& J) {
  const int n = J.pattern.num_rows;
  std::vector<char> is_first(at(n), false);
  const auto for_each_entry = [&](auto&& f) {
    for (int j = 0; j < n; ++j) {
      for (int k = J.pattern.column_start[at(j)]; k < J.pattern.column_start[at(j) + 1]; ++k) {
        f(partner[at(J.pattern.row[at(k)])], j, J.values[at(k)]);
      }
    }
  };
  for_each_entry([&](int i, int j, Expr value) {
    if (i == j && !value.is_constant(0)) is_first[at(j)] = true;
  });
  Arranged out{ExprMatrix(n), std::vector<int>(at(n)), 0};
  int next = 0;
  for (const bool first : {true, false}) {
    for (int j = 0; j < n; ++j) {
      if (is_first[at(j)] == first) out.number[at(j)] = next++;
    }
    if (first) out.num_first = next;
  }
  for_each_entry([&](int i, int j, Expr value) {
    out.matrix.add(out.number[at(i)], out.number[at(j)], value);
  });
  return out;
}

// The backward error of the solution of A x = b, summed over the rows, for one b of the size of A:
//   Σ_i |Σ_j a_ij x_j − b_i| / (Σ_j |a_ij| |x_j| + b_i),     b_i = Σ_j |a_ij|.
// It is large where entries grow, and also where rows of constraints are nearly dependent: their
// Schur complement has the square of their condition, and the error shows in their own rows,
// which the large multipliers do not enter.
Expr measure_defect(const ExprMatrix& A, const Elimination& elimination) {
  std::vector<Expr> b(at(A.size()));
  for (int i = 0; i < A.size(); ++i) {
    for (const auto& [j, value] : A.row(i)) b[at(i)] += abs(value);
  }
  const std::vector<Expr> x = elimination.solve(b);
  Expr sum = 0;
  for (int i = 0; i < A.size(); ++i) {
    Expr difference = -b[at(i)], size = b[at(i)];
    for (const auto& [j, value] : A.row(i)) {
      difference += value * x[at(j)];
      size += abs(value) * abs(x[at(j)]);
    }
    sum += abs(difference) / size;
  }
  return sum;
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

std::optional<SeriesElimination> eliminate(const Dae& dae, const SparseExpr& J) {
  const std::size_t n = dae.unknowns.size();
  if (!is_paired(dae.partner, n)) return std::nullopt;
  const Arranged arranged = arrange(dae.partner, J);
  Elimination elimination(arranged.matrix, saddle_point_order(arranged.matrix, arranged.num_first));

  SeriesElimination out;
  out.defect = measure_defect(arranged.matrix, elimination);
  out.row_scales.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const Expr size = max(1, abs(dae.unknowns[j].derivative[0]));
    for (int k = J.pattern.column_start[j]; k < J.pattern.column_start[j + 1]; ++k) {
      Expr& scale = out.row_scales[at(J.pattern.row[at(k)])];
      const Expr entry = size * abs(J.values[at(k)]);
      scale = scale.is_constant(0) ? entry : max(scale, entry);
    }
  }

  Elimination::Entries entries = elimination.name_entries(*dae.graph, "series.entry");
  out.entries = std::move(entries.values);
  out.solution.entries = std::move(entries.symbols);
  std::vector<Expr> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    out.solution.b.push_back(dae.graph->symbol("series.b[" + std::to_string(i) + ']'));
    b[at(arranged.number[at(dae.partner[i])])] = out.solution.b.back();
  }
  const std::vector<Expr> X = elimination.solve(b);
  for (std::size_t j = 0; j < n; ++j) out.solution.X.push_back(X[at(arranged.number[j])]);
  return out;
}

}  // namespace koppel
