#include <koppel/integrate/implicit_system.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/integrate/advance.hpp>

namespace koppel {
namespace {

// Multipliers are on the level of rates, in index 1 as well: their errors count no more than those
// of h v̇. In an index-3 mechanism velocities are what ġ = 0 determines, one power of h less certain
// than positions.
std::vector<int> make_exponents(const Problem& problem) {
  std::vector<int> exponent;
  for (const int index : problem.residual->index()) exponent.push_back(std::max(0, index - 1));
  for (auto e = exponent.begin() + problem.num_differential(); e != exponent.end(); ++e) {
    *e = std::max(*e, 1);
  }
  if (problem.index == 3) {
    const auto v = exponent.begin() + problem.num_q;
    std::fill(v, v + problem.num_v, 1);
  }
  return exponent;
}

}  // namespace

ImplicitSystem::ImplicitSystem(const Segment& segment, Statistics& statistics)
    : segment_(segment),
      statistics_(statistics),
      residual_(*segment.problem.residual),
      work_(residual_.make_workspace()),
      projector_(make_projector_workspace(segment)),
      exponent_(make_exponents(segment.problem)),
      scale_(exponent_.size(), 1.0),
      weight_(exponent_.size(), 1.0),
      row_rate_(static_cast<std::size_t>(residual_.pattern().num_rows)),
      by_y_(static_cast<std::size_t>(residual_.pattern().num_entries())),
      by_rate_(by_y_.size()),
      values_(by_y_.size()),
      complex_values_(by_y_.size()) {}

bool ImplicitSystem::residual(double t, std::span<const double> y, std::span<const double> y_rate,
                              std::span<double> F) {
  ++statistics_.evaluations;
  residual_.evaluate(t, y, y_rate, F, work_);
  return all_finite(F);
}

bool ImplicitSystem::jacobian(double t, std::span<const double> y, std::span<const double> y_rate) {
  ++statistics_.jacobians;
  residual_.jacobian(t, y, y_rate, by_y_, by_rate_, work_);
  if (!all_finite(by_y_) || !all_finite(by_rate_)) return false;
  weigh_multipliers();
  return true;
}

// w_j = max_i |∂F_i/∂λ_j| / max_k |∂F_i/∂ẏ_k| over the rows that have rates: what a multiplier of
// one newton makes a velocity change by in a second. Only where that is less than 1, in mechanisms
// with heavy parts: no multiplier counts more than its exponent says.
void ImplicitSystem::weigh_multipliers() {
  const Sparsity& pattern = residual_.pattern();
  std::fill(row_rate_.begin(), row_rate_.end(), 0.0);
  for (std::size_t k = 0; k < by_rate_.size(); ++k) {
    double& largest = row_rate_[static_cast<std::size_t>(pattern.row[k])];
    largest = std::max(largest, std::abs(by_rate_[k]));
  }
  for (auto j = static_cast<std::size_t>(segment_.problem.num_differential()); j < weight_.size();
       ++j) {
    double w = 0;
    for (auto k = static_cast<std::size_t>(pattern.column_start[j]);
         k < static_cast<std::size_t>(pattern.column_start[j + 1]); ++k) {
      const double mass = row_rate_[static_cast<std::size_t>(pattern.row[k])];
      if (mass > 0) w = std::max(w, std::abs(by_y_[k]) / mass);
    }
    weight_[j] = w > 0 ? std::min(w, 1.0) : 1;
  }
}

void ImplicitSystem::set_step(double h) {
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    scale_[j] = exponent_[j] == 0 ? 1 : exponent_[j] == 1 ? h : h * h;
  }
}

template <typename Scalar>
bool ImplicitSystem::factor(Scalar c, LinearSolver<Scalar>& solver) {
  ++statistics_.factorizations;
  const std::vector<int>& start = residual_.pattern().column_start;
  std::span<Scalar> values;
  if constexpr (std::is_same_v<Scalar, double>) {
    values = values_;
  } else {
    values = complex_values_;
  }
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    const double factor = 1 / scale_[j];
    for (auto k = static_cast<std::size_t>(start[j]); k < static_cast<std::size_t>(start[j + 1]);
         ++k) {
      values[k] = factor * (c * by_rate_[k] + by_y_[k]);
    }
  }
  return solver.factor(values);
}
template bool ImplicitSystem::factor(double, LinearSolver<double>&);
template bool ImplicitSystem::factor(std::complex<double>, LinearSolver<std::complex<double>>&);

template <typename Scalar>
void ImplicitSystem::solve(const LinearSolver<Scalar>& solver, std::span<Scalar> b) const {
  solver.solve(b);
  for (std::size_t j = 0; j < scale_.size(); ++j) b[j] /= scale_[j];
}
template void ImplicitSystem::solve(const LinearSolver<double>&, std::span<double>) const;
template void ImplicitSystem::solve(const LinearSolver<std::complex<double>>&,
                                    std::span<std::complex<double>>) const;

double ImplicitSystem::norm(std::span<const double> delta, std::span<const double> y) const {
  double norm = 0;
  bool finite = true;
  for (std::size_t j = 0; j < delta.size(); ++j) {
    const double scale = weight_[j] * scale_[j];
    const double size = std::max(scale * std::abs(y[j]), segment_.options.absolute_scale);
    const double ratio = scale * std::abs(delta[j]) / size;
    norm = std::max(norm, ratio);
    finite = finite && std::isfinite(ratio) && std::isfinite(y[j]);
  }
  return finite ? norm : std::numeric_limits<double>::infinity();
}

double ImplicitSystem::relative_rate(std::span<const double> y,
                                     std::span<const double> y_rate) const {
  double largest = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (!is_differential(j)) continue;
    const double size = std::max(std::abs(y[j]), segment_.options.absolute_scale);
    largest = std::max(largest, std::abs(y_rate[j]) / size);
  }
  return largest;
}

bool ImplicitSystem::starting_rates(double t, std::span<double> y, std::span<double> y_rate) {
  std::fill(y_rate.begin(), y_rate.end(), 0.0);
  if (rates_by_right_hand_side(t, y, y_rate) || rates_by_newton(t, y, y_rate)) return true;
  std::fill(y_rate.begin(), y_rate.end(), 0.0);
  return false;
}

bool ImplicitSystem::rates_by_right_hand_side(double t, std::span<double> y,
                                              std::span<double> y_rate) {
  const Problem& problem = segment_.problem;
  if (!problem.rhs) return false;
  const auto n = static_cast<std::size_t>(problem.num_differential());
  RightHandSide::Workspace work = problem.rhs->make_workspace();
  if (!problem.rhs->evaluate(t, y.first(n), y_rate.first(n), work)) return false;
  Multipliers(problem).read(work, y);
  return true;
}

// F(t, y, ẏ) = 0 for the rates of differential variables and the values of algebraic ones of index
// 1, from those equations in which any of them occurs. That is a square system in index 1, and in
// semi-explicit DAEs of higher index.
bool ImplicitSystem::rates_by_newton(double t, std::span<double> y, std::span<double> y_rate) {
  const std::size_t n = size();
  const Sparsity& pattern = residual_.pattern();
  std::vector<double> y_try(y.begin(), y.end()), F(n);
  if (!jacobian(t, y_try, y_rate)) return false;

  const auto is_unknown = [&](std::size_t j) { return residual_.index()[j] <= 1; };
  const auto entry = [&](std::size_t j, std::size_t k) {
    return is_differential(j) ? by_rate_[k] : by_y_[k];
  };
  std::vector<int> row_place(n, -1);
  Sparsity matrix;
  std::vector<std::size_t> unknown, entries;
  for (std::size_t j = 0; j < n; ++j) {
    if (!is_unknown(j)) continue;
    unknown.push_back(j);
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (entry(j, at) != 0) row_place[static_cast<std::size_t>(pattern.row[at])] = 0;
    }
  }
  for (int& place : row_place) {
    if (place == 0) place = matrix.num_rows++;
  }
  matrix.num_columns = static_cast<int>(unknown.size());
  if (matrix.num_rows != matrix.num_columns) return false;
  for (const std::size_t j : unknown) {
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const int row = row_place[static_cast<std::size_t>(pattern.row[at])];
      if (row < 0) continue;
      entries.push_back(at);
      matrix.row.push_back(row);
    }
    matrix.column_start.push_back(matrix.num_entries());
  }

  LinearSolver<double> solver(matrix);
  std::vector<double> values(entries.size()), right(unknown.size());
  for (int iteration = 0; iteration < 20; ++iteration) {
    if (!residual(t, y_try, y_rate, F) || !jacobian(t, y_try, y_rate)) return false;
    std::size_t next = 0;
    for (std::size_t c = 0; c < unknown.size(); ++c) {
      for (int k = matrix.column_start[c]; k < matrix.column_start[c + 1]; ++k, ++next) {
        values[next] = entry(unknown[c], entries[next]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (row_place[i] >= 0) right[static_cast<std::size_t>(row_place[i])] = -F[i];
    }
    if (!solver.factor(values)) return false;
    solver.solve(right);
    double change = 0;
    for (std::size_t c = 0; c < unknown.size(); ++c) {
      double& x = is_differential(unknown[c]) ? y_rate[unknown[c]] : y_try[unknown[c]];
      x += right[c];
      change = std::max(change, std::abs(right[c]) / std::max(std::abs(x), 1.0));
    }
    if (!(change < 1e10)) return false;
    if (change <= 1e-12) {
      std::copy(y_try.begin(), y_try.end(), y.begin());
      return true;
    }
  }
  return false;
}

bool ImplicitSystem::project(double t, std::span<double> y) {
  if (!projector_) return true;
  const Problem& problem = segment_.problem;
  return problem.projector->project(t, problem.q(y), problem.v(y), segment_.options.projection,
                                    *projector_) &&
         all_finite(y);
}

}  // namespace koppel
