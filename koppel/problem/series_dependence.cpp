// How close the constraints are to a singular configuration, where some combination of them
// vanishes to first order and the freedoms of the mechanism change.
//
// With G̃ = D⁻¹G, the rows of the constraints scaled to length 1 in the mass metric at the start,
// let σ be the smallest singular value of G̃ M^{−1/2} and u its vector on the side of the
// constraints. The matrix of the stages contains M, G and Gᵀ, whatever the coordinates, and
//   J X = b,   b = D y in the rows of constraints and 0 in the others,
// gives in X a motion x with G̃ x = y and multipliers η = −(G M⁻¹Gᵀ)⁻¹ D y. Hence
//   y ← D η / ‖D η‖                                                                      (1)
// is inverse iteration for u, with ‖D η‖ → 1/σ² and x → n/σ. The vectors change little in a step,
// and the closer the singular configuration the faster (1) converges: one solution with the factors
// that are there serves, a second one where σ is small.
//
// Along a motion σ is followed with its sign by u and n of one point: uᵀG̃(q) n passes through zero
// where the constraints become dependent, and with x = n/σ
//   uᵀG̃(q) x = σ(q)/σ                                                                   (2)
#include <algorithm>
#include <cmath>

#include <koppel/problem/series_solver.hpp>

namespace koppel {

void SeriesSolver::find_rows() {
  const Dae& dae = system_->terms().dae;
  row_of_.assign(c_.size(), -1);
  for (std::size_t i = 0; i < c_.size(); ++i) {
    const int partner = i < dae.partner.size() ? dae.partner[i] : -1;
    if (partner < 0 || c_[i] == 0 || offset(partner) > 0) continue;
    row_of_[i] = static_cast<int>(rows_.size());
    rows_.push_back({static_cast<int>(i), partner, 0});
  }
  u_.assign(rows_.size(), 0.0);
  n_.assign(unknowns_.size(), 0.0);
  other_in_ = J_in_;  // what is given is in it
  other_values_.resize(J_values_.size());
}

// ‖g_i‖² ≈ Σ_j g_ij² / m_jj.
void SeriesSolver::measure_rows() {
  const Sparsity& pattern = system_->pattern();
  const std::vector<int>& partner = system_->terms().dae.partner;
  for (Row& row : rows_) row.size = 0;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    double mass = 0;
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)]);
      if (partner[i] == static_cast<int>(j)) mass = J_values_[static_cast<std::size_t>(e)];
    }
    if (!(mass > 0)) continue;
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const int r = row_of_[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])];
      const double entry = J_values_[static_cast<std::size_t>(e)];
      if (r >= 0) rows_[static_cast<std::size_t>(r)].size += entry * entry / mass;
    }
  }
  for (Row& row : rows_) row.size = row.size > 0 ? std::sqrt(row.size) : 1;
}

double SeriesSolver::find_dependence(const SeriesSolver& near) {
  if (rows_.empty()) return 1;
  const bool is_first = near.rows_.front().size == 0;
  if (is_first) {
    if (is_in_code_) system_->J().evaluate(J_in_, J_values_, J_work_);
    measure_rows();
  } else if (&near != this) {
    for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r].size = near.rows_[r].size;
  }
  // Another combination may be the one that vanishes next: some of every constraint is added.
  constexpr double kOthers = 0.3, kGolden = 0.618033988749895;
  const double others = kOthers / std::sqrt(static_cast<double>(rows_.size()));
  double fraction = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    fraction += kGolden;
    fraction -= std::floor(fraction);
    u_[r] = near.u_[r] + others * (2 * fraction - 1 + (fraction < 0.5 ? -1 : 1));
  }
  const double before = near.sigma_;
  iterate_dependence();
  if (is_first || sigma_ < 0.7 * before) iterate_dependence();
  return sigma_;
}

double SeriesSolver::weigh(const SeriesSolver& near) {
  if (factor() == Status::Ok) return find_dependence(near);
  u_ = near.u_;
  return sigma_ = 0;
}

// (1)
void SeriesSolver::iterate_dependence() {
  std::fill(b_.begin(), b_.end(), 0.0);
  double length = 0;
  for (const double u : u_) length += u * u;
  length = std::sqrt(length);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    b_[static_cast<std::size_t>(rows_[r].equation)] = rows_[r].size * u_[r] / length;
  }
  const double* const X = solve();
  std::copy_n(X, n_.size(), n_.begin());
  length = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    u_[r] = -rows_[r].size * n_[static_cast<std::size_t>(rows_[r].multiplier)];
    length += u_[r] * u_[r];
  }
  length = std::sqrt(length);
  sigma_ = length > 0 && std::isfinite(length) ? 1 / std::sqrt(length) : 0;
  for (double& u : u_) u /= length;
}

// (2); n_ belongs to the vector before the last iteration, which serves as well.
double SeriesSolver::sum_along(const SeriesSolver& other, std::span<const double> J) const {
  const Sparsity& pattern = system_->pattern();
  double sum = 0;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const int r = row_of_[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])];
      if (r < 0) continue;
      const auto row = static_cast<std::size_t>(r);
      sum += other.u_[row] / other.rows_[row].size * J[static_cast<std::size_t>(e)] * other.n_[j];
    }
  }
  return sum;
}

double SeriesSolver::sigma_over(const SeriesSolver& other) {
  if (is_in_code_) system_->J().evaluate(J_in_, J_values_, J_work_);
  return sum_along(other, J_values_);
}

double SeriesSolver::sigma_over(const SeriesSolver& other, double h) {
  std::size_t next = 0;
  other_in_[next++] = time_[0] + h;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Unknown& unknown = unknowns_[j];
    other_in_[next++] = evaluate(static_cast<int>(j), 0, h);
    for (int n = unknown.first; n < unknown.last; ++n) {
      const int l = derivatives_[static_cast<std::size_t>(n)].l;
      other_in_[next++] =
          factorial_[static_cast<std::size_t>(l)] * evaluate(static_cast<int>(j), l, h);
    }
  }
  system_->J().evaluate(other_in_, other_values_, J_work_);
  return sum_along(other, other_values_);
}

// σ > 0 is made of the vectors of each point. Where σ(q) of (2) passes through zero, u goes on and
// n is turned over, or the other way round: cosines of one sign mean that it did not. Vectors that
// changed by much tell nothing.
bool SeriesSolver::may_vanish_before(const SeriesSolver& other) const {
  constexpr double kFollowed = 0.5;  // of the product of cosines
  const auto cosine_of = [](auto a, auto b, auto&& counts) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!counts(i)) continue;
      ab += a[i] * b[i];
      aa += a[i] * a[i];
      bb += b[i] * b[i];
    }
    return ab / std::sqrt(aa * bb);
  };
  const double u = cosine_of(std::span(u_), std::span(other.u_), [](std::size_t) { return true; });
  const double n = cosine_of(std::span(n_), std::span(other.n_), [this](std::size_t j) {
    return unknowns_[j].d > 0;  // no multiplier
  });
  return !rows_.empty() && !(u * n > kFollowed);
}

}  // namespace koppel
