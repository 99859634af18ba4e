#include <koppel/equations/leave_out.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/equations/evaluator.hpp>

namespace koppel {
namespace {

// Parts of the vectors and matrices over [g; a].
class Remaining {
 public:
  Remaining(std::size_t num_rows, std::span<const int> without) : is_kept_(num_rows, true) {
    for (const int row : without) is_kept_[static_cast<std::size_t>(row)] = false;
  }

  // Of a vector over the rows from `first` on.
  template <typename T>
  void reduce(std::vector<T>& values, std::size_t first) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_kept_[first + i]) values[next++] = values[i];
    }
    values.resize(next);
  }

  // The rows of a matrix, numbered anew.
  void reduce(SparseExpr& A, std::size_t first) const {
    if (A.pattern.num_rows == 0) return;
    std::vector<int> number;
    int count = 0;
    for (int i = 0; i < A.pattern.num_rows; ++i) {
      number.push_back(is_kept_[first + static_cast<std::size_t>(i)] ? count++ : -1);
    }
    SparseExpr out{{count, A.pattern.num_columns, {0}, {}}, {}};
    for (std::size_t j = 0; j + 1 < A.pattern.column_start.size(); ++j) {
      for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int row = number[static_cast<std::size_t>(A.pattern.row[at])];
        if (row < 0) continue;
        out.pattern.row.push_back(row);
        out.values.push_back(A.values[at]);
      }
      out.pattern.column_start.push_back(out.pattern.num_entries());
    }
    A = std::move(out);
  }

 private:
  std::vector<char> is_kept_;
};

}  // namespace

Shared<Equations> leave_out(const Shared<Equations>& equations, std::span<const int> rows) {
  if (rows.empty()) return equations;
  assert(std::is_sorted(rows.begin(), rows.end()));
  Equations out = *equations;
  const std::size_t num_g = out.num_g();
  const std::vector<Expr> position = out.g, velocity = constraint_rates(out);
  for (const int row : rows) {
    const auto i = static_cast<std::size_t>(row);
    out.left_out.push_back({out.rows[i], i < num_g ? position[i] : Expr(0), velocity[i]});
  }
  const Remaining remaining(out.num_rows(), rows);
  remaining.reduce(out.rows, 0);
  for (std::vector<Expr>* part : {&out.g, &out.g_t, &out.gamma}) remaining.reduce(*part, 0);
  remaining.reduce(out.b, num_g);
  remaining.reduce(out.G, 0);
  remaining.reduce(out.a, num_g);
  return out;
}

}  // namespace koppel
