#include <koppel/problem/projector.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

SparseExpr kept_rows(const Equations& e, std::span<const int> kept) {
  std::vector<int> number(e.num_rows(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    number[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
  }
  SparseExpr C{{static_cast<int>(kept.size()), static_cast<int>(e.num_v()), {0}, {}}, {}};
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    const auto take = [&](const SparseExpr& A, std::size_t first) {
      if (A.pattern.num_columns == 0) return;
      for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int row = number[first + static_cast<std::size_t>(A.pattern.row[at])];
        if (row < 0) continue;
        C.pattern.row.push_back(row);
        C.values.push_back(A.values[at]);
      }
    };
    take(e.G, 0);
    take(e.a, e.num_g());
    C.pattern.column_start.push_back(C.pattern.num_entries());
  }
  return C;
}

namespace {

// t, q, v, p, u.
std::vector<Expr> inputs_of(const Equations& e) {
  std::vector<Expr> inputs = {e.t};
  for (const auto* part : {&e.q, &e.v, &e.p, &e.u}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return inputs;
}

// Entries of a matrix in any order, sorted by column and row.
class Entries {
 public:
  void add(int row, int column, Expr value) { entries_.push_back({column, row, value}); }
  void add(const SparseExpr& A, int first_row, int first_column, bool transposed = false) {
    for (int j = 0; j < A.pattern.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = A.pattern.column_start[column]; k < A.pattern.column_start[column + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int i = A.pattern.row[at];
        add(first_row + (transposed ? j : i), first_column + (transposed ? i : j), A.values[at]);
      }
    }
  }
  SparseExpr make(int size) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    SparseExpr A{{size, size, {0}, {}}, {}};
    std::size_t next = 0;
    for (int j = 0; j < size; ++j) {
      for (; next < entries_.size() && entries_[next].column == j; ++next) {
        A.pattern.row.push_back(entries_[next].row);
        A.values.push_back(entries_[next].value);
      }
      A.pattern.column_start.push_back(A.pattern.num_entries());
    }
    return A;
  }

 private:
  struct Entry {
    int column, row;
    Expr value;
  };
  std::vector<Entry> entries_;
};

SparseExpr projection_matrix(const Equations& e, std::span<const int> kept) {
  if (kept.empty()) return {};
  const int n = static_cast<int>(e.num_v()), m = static_cast<int>(kept.size());
  const SparseExpr C = kept_rows(e, kept);
  Entries entries;
  entries.add(*e.M, 0, 0);
  entries.add(C, n, 0);
  entries.add(C, 0, n, true);
  return entries.make(n + m);
}

// [1 dᵀ; h_q 0], where d are the directions in which invariants are restored: h_q, and for a
// counted coordinate that coordinate alone, so that the others stay on the constraints.
SparseExpr invariant_matrix(const Equations& e) {
  const int n = static_cast<int>(e.num_q()), m = static_cast<int>(e.h.size());
  Entries entries;
  if (m > 0) {
    const SparseExpr h_q = jacobian(e.h, e.q);
    std::vector<int> only(static_cast<std::size_t>(m), -1);
    for (const Equations::Counted& counted : e.counted) {
      only[static_cast<std::size_t>(counted.h)] = counted.q;
    }
    for (int i = 0; i < n; ++i) entries.add(i, i, 1);
    entries.add(h_q, n, 0);
    for (int j = 0; j < n; ++j) {
      for (int k = h_q.pattern.column_start[static_cast<std::size_t>(j)];
           k < h_q.pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
        const int i = h_q.pattern.row[static_cast<std::size_t>(k)];
        const int alone = only[static_cast<std::size_t>(i)];
        if (alone >= 0 && alone != j) continue;
        entries.add(j, n + i, h_q.values[static_cast<std::size_t>(k)]);
      }
    }
  }
  return entries.make(m > 0 ? n + m : 0);
}

std::vector<Expr> residuals_of(const Equations& e) {
  std::vector<Expr> out = e.g;
  const std::vector<Expr> Gv = multiply(e.G, e.v), av = multiply(e.a, e.v);
  for (std::size_t i = 0; i < e.num_g(); ++i) out.push_back(Gv[i] + e.g_t[i]);
  for (std::size_t i = 0; i < e.num_a(); ++i) out.push_back(av[i] + e.b[i]);
  return out;
}

std::vector<Expr> concatenate(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::vector<Expr> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

double largest(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

Projector::Projector(const Equations& e, std::span<const int> kept, std::span<const double> p,
                     std::span<const double> u, CompileOptions options)
    : num_q_(e.num_q()),
      num_v_(e.num_v()),
      num_g_(e.num_g()),
      num_a_(e.num_a()),
      num_h_(e.h.size()),
      num_rows_(kept.size()),
      kept_(kept.begin(), kept.end()),
      given_(p.begin(), p.end()),
      residuals_(inputs_of(e), residuals_of(e), options),
      matrices_(inputs_of(e), concatenate(projection_matrix(e, kept).values, e.K.values), options),
      invariants_(inputs_of(e), concatenate(e.h, invariant_matrix(e).values), options) {
  given_.insert(given_.end(), u.begin(), u.end());
  matrix_pattern_ = projection_matrix(e, kept).pattern;
  invariant_pattern_ = invariant_matrix(e).pattern;
  for (int j = 0; j < e.K.pattern.num_columns; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (int k = e.K.pattern.column_start[column]; k < e.K.pattern.column_start[column + 1]; ++k) {
      K_row_.push_back(e.K.pattern.row[static_cast<std::size_t>(k)]);
      K_column_.push_back(j);
    }
  }
}

Projector::Workspace Projector::make_workspace() const {
  Workspace work{std::vector<double>(matrices_.num_inputs()),
                 residuals_.make_workspace(),
                 matrices_.make_workspace(),
                 invariants_.make_workspace(),
                 std::vector<double>(residuals_.num_outputs()),
                 std::vector<double>(matrices_.num_outputs()),
                 std::vector<double>(invariants_.num_outputs()),
                 std::vector<double>(std::max(num_v_ + num_rows_, num_q_ + num_h_)),
                 std::vector<double>(num_q_),
                 std::vector<double>(num_v_),
                 LinearSolver<double>(matrix_pattern_),
                 LinearSolver<double>(invariant_pattern_),
                 0};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void Projector::put(double t, std::span<const double> q, std::span<const double> v,
                    Workspace& work) const {
  work.in[0] = t;
  std::copy(q.begin(), q.end(), work.in.begin() + 1);
  std::copy(v.begin(), v.end(), work.in.begin() + 1 + static_cast<std::ptrdiff_t>(num_q_));
}

bool Projector::factor(Workspace& work) const {
  matrices_.evaluate(work.in, work.matrix, work.matrices);
  ++work.num_factorizations;
  return work.solver.factor(std::span<const double>(work.matrix)
                                .first(static_cast<std::size_t>(matrix_pattern_.num_entries())));
}

void Projector::restore_invariants(double t, std::span<double> q, Workspace& work) const {
  if (num_h_ == 0) return;
  put(t, q, work.v, work);
  invariants_.evaluate(work.in, work.invariant_values, work.invariants);
  const std::span<const double> values = work.invariant_values;
  const std::span<double> right = std::span(work.right).first(num_q_ + num_h_);
  std::fill(right.begin(), right.end(), 0.0);
  for (std::size_t i = 0; i < num_h_; ++i) right[num_q_ + i] = -values[i];
  if (!work.invariant_solver.factor(values.subspan(num_h_))) return;
  work.invariant_solver.solve(right);
  for (std::size_t i = 0; i < num_q_; ++i) q[i] += right[i];
}

bool Projector::project(double t, std::span<double> q, std::span<double> v, Projection mode,
                        Workspace& work) const {
  if (mode == Projection::None || !is_needed()) return true;
  // Far more than Newton's method needs from the end of a step.
  const int max_iterations = mode == Projection::Once ? 1 : 15;
  std::copy(v.begin(), v.end(), work.v.begin());
  const std::span<double> right = std::span(work.right).first(num_v_ + num_rows_);
  // First of all: constraints may depend on a coordinate that an invariant gives.
  restore_invariants(t, q, work);
  bool is_closed = num_rows_ == 0;
  double last = INFINITY;
  for (int iteration = 0; num_rows_ > 0 && iteration < max_iterations; ++iteration) {
    put(t, q, v, work);
    residuals_.evaluate(work.in, work.values, work.residuals);
    std::fill(right.begin(), right.end(), 0.0);
    double residual = 0;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      const auto row = static_cast<std::size_t>(kept_[i]);
      if (row >= num_g_) continue;
      right[num_v_ + i] = -work.values[row];
      residual = std::max(residual, std::abs(work.values[row]));
    }
    if (!std::isfinite(residual)) return false;
    constexpr double kRoundOff = 1e-15;
    if (iteration > 0 && (residual < kRoundOff || residual > 0.5 * last)) {
      is_closed = residual < 1e-9;  // no better is to be had in this arithmetic
      break;
    }
    last = residual;
    if (!factor(work)) return false;
    work.solver.solve(right);
    std::copy(q.begin(), q.end(), work.q.begin());
    const double* K = work.matrix.data() + matrix_pattern_.num_entries();
    for (std::size_t k = 0; k < K_row_.size(); ++k) {
      work.q[static_cast<std::size_t>(K_row_[k])] +=
          K[k] * right[static_cast<std::size_t>(K_column_[k])];
    }
    std::copy(work.q.begin(), work.q.end(), q.begin());
    restore_invariants(t, q, work);
  }
  if (mode == Projection::Once) is_closed = true;
  if (!is_closed) return false;
  if (num_rows_ == 0) return true;

  // Velocities. Their rows are those of the new position; the matrix of the last one serves, since
  // it only measures what is near. A second step takes away what it left.
  const int rounds = mode == Projection::Once ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    put(t, q, v, work);
    residuals_.evaluate(work.in, work.values, work.residuals);
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t i = 0; i < num_rows_; ++i) {
      right[num_v_ + i] = -work.values[num_g_ + static_cast<std::size_t>(kept_[i])];
    }
    work.solver.solve(right);
    for (std::size_t i = 0; i < num_v_; ++i) v[i] += right[i];
  }
  return largest(v) < INFINITY;
}

Projector::Violation Projector::violation(double t, std::span<const double> q,
                                          std::span<const double> v, Workspace& work) const {
  const Residuals all = residuals(t, q, v, work);
  return {largest(all.position), largest(all.velocity)};
}

Projector::Residuals Projector::residuals(double t, std::span<const double> q,
                                          std::span<const double> v, Workspace& work) const {
  put(t, q, v, work);
  residuals_.evaluate(work.in, work.values, work.residuals);
  const std::span<const double> values = work.values;
  return {values.first(num_g_), values.subspan(num_g_)};
}

}  // namespace koppel
