#include <koppel/formulation/fixed_cost/saddle_builder.hpp>

#include <algorithm>
#include <map>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/tracking.hpp>

namespace koppel {

// A·B of sparse matrices.
SparseExpr product(const SparseExpr& A, const SparseExpr& B) {
  SparseExpr out{{A.pattern.num_rows, B.pattern.num_columns, {0}, {}}, {}};
  for (int j = 0; j < B.pattern.num_columns; ++j) {
    std::map<int, Expr> column;
    const auto c = static_cast<std::size_t>(j);
    for (int k = B.pattern.column_start[c]; k < B.pattern.column_start[c + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto middle = static_cast<std::size_t>(B.pattern.row[at]);
      for (int l = A.pattern.column_start[middle]; l < A.pattern.column_start[middle + 1]; ++l) {
        const auto left = static_cast<std::size_t>(l);
        column[A.pattern.row[left]] += A.values[left] * B.values[at];
      }
    }
    for (const auto& [row, value] : column) {
      if (value.is_constant(0)) continue;
      out.pattern.row.push_back(row);
      out.values.push_back(value);
    }
    out.pattern.column_start.push_back(out.pattern.num_entries());
  }
  return out;
}

Exprs plus(const Exprs& a, Expr scale, const Exprs& b) {
  Exprs out = a;
  for (std::size_t i = 0; i < b.size(); ++i) out[i] += scale * b[i];
  return out;
}

SaddleBuilder::SaddleBuilder(const Descriptor& descriptor)
    : d_(descriptor),
      e_(descriptor.equations),
      n_(static_cast<int>(e_.num_v())),
      m_(static_cast<int>(e_.num_rows())),
      num_g_(e_.num_g()),
      h_(e_.graph->symbol("step.h")),
      C_(constraint_matrix(e_)),
      Kv_(multiply(e_.K, e_.v)) {
  find_rows();
  find_forces();
  find_augmentation();
}

void SaddleBuilder::find_rows() {
  g_ = e_.g;
  g_.resize(e_.num_rows());
  rate_ = constraint_rates(e_);
  gamma_ = e_.gamma;
  const Exprs of_a = rate_of(e_, std::span(rate_).subspan(num_g_));
  gamma_.insert(gamma_.end(), of_a.begin(), of_a.end());
}

// f = f₀ + F λ + B μ: forces that depend on reactions, and those that a step chooses.
void SaddleBuilder::find_forces() {
  f_ = e_.f;
  if (const Exprs mu = tracking_forces(e_); !mu.empty()) {
    B_ = jacobian(f_, mu);
    f_ = substitute(f_, mu, Exprs(mu.size()));
  }
  if (!depends_on(f_, d_.lambda)) return;
  auto form = linear_form(f_, d_.lambda);
  if (!form) {
    throw Error("integrate.not-linear",
                "forces depend nonlinearly on reactions; a fixed-cost step cannot solve that.",
                "Use `integrator = radau5` with `formulation = index3` or ggl.");
  }
  F_ = std::move(form->A);
  f_ = std::move(form->b);
}

// κ in the size of the masses.
void SaddleBuilder::find_augmentation() {
  if (n_ == 0 || m_ == 0) return;
  const MatrixFunction mass(e_, *e_.M);
  Matrix M = mass(d_.state);
  double largest = 0;
  bool is_singular = false;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, M(i, i));
  for (int k = 0; k < n_; ++k) {
    constexpr double kSingular = 1e-9;  // of the mass that eliminations leave
    if (!(M(k, k) > kSingular * largest)) {
      is_singular = true;
      break;
    }
    for (int i = k + 1; i < n_; ++i) {
      for (int j = k + 1; j < n_; ++j) M(i, j) -= M(i, k) * M(k, j) / M(k, k);
    }
  }
  if (!is_singular) return;
  const Matrix C = MatrixFunction(e_, C_)(d_.state);
  for (int i = 0; i < m_; ++i) {
    double squares = 0;
    for (int j = 0; j < n_; ++j) squares += C(i, j) * C(i, j);
    kappa_.push_back(squares > 0 ? largest / squares : 0);
  }
}

Exprs SaddleBuilder::at(const Place& place, const Exprs& values) const {
  if (place.q == e_.q && place.t == e_.t) return values;
  return at(place, e_.v, values);
}

Exprs SaddleBuilder::at(const Place& place, const Exprs& v, const Exprs& values) const {
  Exprs from = e_.q, to = place.q;
  from.push_back(e_.t);
  to.push_back(place.t);
  from.insert(from.end(), e_.v.begin(), e_.v.end());
  to.insert(to.end(), v.begin(), v.end());
  return substitute(values, from, to);
}

SaddleBuilder::Saddle SaddleBuilder::make_saddle(const Place& place, const SparseExpr& rows,
                                                 const SparseExpr& columns,
                                                 bool with_forces) const {
  Saddle s{ExprMatrix(n_ + m_), columns};
  s.matrix.add(at(place, *e_.M), 0, 0);
  if (with_forces) add_stiffness(s.matrix, place);
  s.matrix.add_transposed(s.columns, 0, n_);
  if (with_forces && !F_.values.empty()) {
    s.matrix.add(forces_of_reactions(place), 0, n_, -1);
  }
  s.matrix.add(rows, n_, 0);
  augment(s);
  return s;
}

void SaddleBuilder::augment(Saddle& s) const {
  for (std::size_t i = 0; i < kappa_.size(); ++i) {
    const int row = n_ + static_cast<int>(i);
    const auto lower = s.matrix.row(row);
    for (int k = 0; k < n_; ++k) {
      const Expr c = s.columns.at(static_cast<int>(i), k);
      if (c.is_constant(0)) continue;
      for (const auto& [j, value] : lower) s.matrix.add(k, j, kappa_[i] * (c * value));
    }
  }
}

Exprs SaddleBuilder::solve(const Elimination& elimination, const Saddle& s, const Exprs& upper,
                           const Exprs& lower) const {
  Exprs b = upper;
  b.insert(b.end(), lower.begin(), lower.end());
  for (std::size_t i = 0; i < kappa_.size(); ++i) {
    for (int k = 0; k < n_; ++k) {
      b[static_cast<std::size_t>(k)] +=
          kappa_[i] * (s.columns.at(static_cast<int>(i), k) * lower[i]);
    }
  }
  return elimination.solve(b);
}

Elimination SaddleBuilder::eliminate(const Saddle& s) {
  if (order_.empty()) order_ = saddle_point_order(s.matrix, n_);
  ++num_factorizations_;
  Elimination elimination(s.matrix, order_);
  if (pivots_.empty()) {
    pivots_ = elimination.pivots();
    Exprs sums(static_cast<std::size_t>(n_ + m_));
    for (int i = 0; i < n_ + m_; ++i) {
      for (const auto& [j, value] : s.matrix.row(i)) sums[static_cast<std::size_t>(i)] += value;
    }
    check_ = elimination.solve(sums);
  }
  return elimination;
}

Exprs SaddleBuilder::restore_invariants(const Exprs& q, Expr t) const {
  if (e_.h.empty()) return q;
  const Place place{q, t};
  const SparseExpr h_q = at(place, jacobian(e_.h, e_.q));
  const int count = static_cast<int>(e_.h.size());
  std::vector<int> only(e_.h.size(), -1);  // the coordinate that a row may move; -1: any
  for (const Equations::Counted& counted : e_.counted) {
    only[static_cast<std::size_t>(counted.h)] = counted.q;
  }
  // The directions in which invariants are restored, by coordinate; with them, h_q dᵀ.
  std::vector<std::map<int, Expr>> columns(e_.q.size());
  ExprMatrix normal(count);
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i);
  for (std::size_t c = 0; c < e_.q.size(); ++c) {
    const int first = h_q.pattern.column_start[c], last = h_q.pattern.column_start[c + 1];
    for (int k = first; k < last; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const int row = h_q.pattern.row[entry], of = only[static_cast<std::size_t>(row)];
      if (of >= 0 && of != static_cast<int>(c)) continue;
      columns[c][row] = h_q.values[entry];
      for (int l = first; l < last; ++l) {
        const auto other = static_cast<std::size_t>(l);
        normal.add(h_q.pattern.row[other], row, h_q.values[other] * h_q.values[entry]);
      }
    }
  }
  const Exprs by = Elimination(normal, order).solve(at(place, e_.h));
  Exprs out = q;
  for (std::size_t c = 0; c < out.size(); ++c) {
    for (const auto& [row, value] : columns[c]) out[c] -= value * by[static_cast<std::size_t>(row)];
  }
  return out;
}

Exprs SaddleBuilder::close_positions(const Elimination& elimination, const Saddle& s,
                                     const Exprs& q, Expr t, const SparseExpr& K,
                                     Exprs& eta) const {
  const Exprs g = at({q, t}, g_);
  Exprs lower(g.size());
  for (std::size_t i = 0; i < g.size(); ++i) lower[i] = -g[i];
  const Exprs solution = solve(elimination, s, Exprs(static_cast<std::size_t>(n_)), lower);
  for (std::size_t i = 0; i < num_g_; ++i) {
    eta.push_back(solution[static_cast<std::size_t>(n_) + i]);
  }
  return plus(q, 1, multiply(K, std::span(solution).first(static_cast<std::size_t>(n_))));
}

Exprs SaddleBuilder::project_velocities(const Elimination& elimination, const Saddle& s,
                                        const Place& place, const Exprs& v) const {
  Exprs lower = at(place, v, rate_);
  for (Expr& x : lower) x = -x;
  const Exprs solution = solve(elimination, s, Exprs(static_cast<std::size_t>(n_)), lower);
  return plus(v, 1, Exprs(solution.begin(), solution.begin() + n_));
}

Exprs SaddleBuilder::project_velocities(const Exprs& q, Expr t, const Exprs& v) {
  const Place place{q, t};
  const Saddle s = make_saddle(place, at(place, C_), false);
  return project_velocities(eliminate(s), s, place, v);
}

SaddleBuilder::Closed SaddleBuilder::close_again(const Exprs& q, Expr t, const Exprs& v) {
  const Place place{q, t};
  const Saddle s = make_saddle(place, at(place, C_), false);
  const Elimination elimination = eliminate(s);
  Exprs unused;
  const SparseExpr K = at(place, e_.K);
  const Exprs once = restore_invariants(close_positions(elimination, s, q, t, K, unused), t);
  const Exprs closed = close_positions(elimination, s, once, t, K, unused);
  return {closed, project_velocities(elimination, s, {closed, t}, v)};
}

}  // namespace koppel
