#include <koppel/formulation/projector_terms.hpp>

#include <algorithm>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/sparse_entries.hpp>

namespace koppel {

namespace {

SparseExpr projection_matrix(const Equations& e) {
  if (e.rows.empty()) return {};
  const int n = static_cast<int>(e.num_v()), m = static_cast<int>(e.num_rows());
  const SparseExpr C = constraint_matrix(e);
  SparseEntries entries;
  entries.add(*e.M, 0, 0);
  entries.add(C, n, 0);
  entries.add(C, 0, n, true);
  return entries.make(n + m, n + m);
}

// [1 dᵀ; h_q 0], where d are the directions in which invariants are restored: h_q, and for a
// counted coordinate that coordinate alone, so that the others stay on the constraints.
SparseExpr invariant_matrix(const Equations& e) {
  const int n = static_cast<int>(e.num_q()), m = static_cast<int>(e.h.size());
  SparseEntries entries;
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
  const int size = m > 0 ? n + m : 0;
  return entries.make(size, size);
}

// Residuals of all rows, by their numbers: those that were left out stand among the others.
void add_rows(const Equations& e, ProjectorTerms& out) {
  std::size_t num_g = e.num_g();
  for (const Equations::LeftOut& left : e.left_out) {
    if (left.row.level == Equations::Row::Level::Position) ++num_g;
  }
  out.position.resize(num_g);
  out.velocity.resize(e.num_rows() + e.left_out.size());
  const auto put = [&](const Equations::Row& row, Expr position, Expr velocity) {
    const auto i = static_cast<std::size_t>(row.number);
    if (i < num_g) out.position[i] = position;
    out.velocity[i] = velocity;
  };
  const std::vector<Expr> rates = constraint_rates(e);
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    put(e.rows[i], i < e.num_g() ? e.g[i] : Expr(0), rates[i]);
    out.kept.push_back(e.rows[i].number);
  }
  for (const Equations::LeftOut& left : e.left_out) put(left.row, left.position, left.velocity);
}

}  // namespace

ProjectorTerms make_projector_terms(const Equations& e, std::span<const double> p,
                                    std::span<const double> u) {
  ProjectorTerms out;
  out.t = e.t;
  out.q = e.q;
  out.v = e.v;
  out.given.symbols = e.p;
  out.given.symbols.insert(out.given.symbols.end(), e.u.begin(), e.u.end());
  out.given.values.assign(p.begin(), p.end());
  out.given.values.insert(out.given.values.end(), u.begin(), u.end());
  add_rows(e, out);
  out.matrix = projection_matrix(e);
  out.K = e.K;
  out.h = e.h;
  out.invariant_matrix = invariant_matrix(e);
  return out;
}

}  // namespace koppel
