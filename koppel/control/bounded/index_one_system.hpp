// A servo problem extended to index 1 (extended_twice.cpp) in numbers, for boundary value problems:
//   ż = φ(t, y),   0 = F_a(t, y),     z a part of y.                                          (1)
// φ and F_a are the residual for ẏ = 0, by rows with a rate (with the sign turned) and without.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include <koppel/problem/problem.hpp>

namespace koppel {

class IndexOneSystem {
 public:
  explicit IndexOneSystem(const Problem& problem)
      : residual_(*problem.residual),
        breaks_(problem.breakpoints),
        work_(residual_.make_workspace()),
        n_(residual_.size()),
        zero_(static_cast<std::size_t>(n_), 0.0),
        by_y_(static_cast<std::size_t>(residual_.pattern().num_entries())),
        by_rate_(by_y_.size()) {
    std::vector<char> has_rate(static_cast<std::size_t>(n_), false);
    residual_.jacobian(0, zero_, zero_, by_y_, by_rate_, work_);
    for (int j = 0; j < n_; ++j) {
      if (residual_.index()[static_cast<std::size_t>(j)] != 0) {
        algebraic_.push_back(j);
        continue;
      }
      z_.push_back(j);
      each_entry(j, [&](int row, std::size_t k) {
        if (by_rate_[k] == 0) return;
        rate_rows_.push_back(row);
        has_rate[static_cast<std::size_t>(row)] = true;
      });
    }
    for (int i = 0; i < n_; ++i) {
      if (!has_rate[static_cast<std::size_t>(i)]) algebraic_rows_.push_back(i);
    }
  }

  int size() const { return n_; }
  int order() const { return static_cast<int>(z_.size()); }
  const std::vector<int>& z() const { return z_; }
  const std::vector<int>& algebraic() const { return algebraic_; }
  const std::vector<int>& rate_rows() const { return rate_rows_; }
  const std::vector<int>& algebraic_rows() const { return algebraic_rows_; }

  Eigen::VectorXd F(double t, const Eigen::VectorXd& y) {
    Eigen::VectorXd out(n_);
    residual_.evaluate(t, span(y), zero_, {out.data(), static_cast<std::size_t>(n_)}, work_);
    return out;
  }
  Eigen::MatrixXd F_y(double t, const Eigen::VectorXd& y) {
    residual_.jacobian(t, span(y), zero_, by_y_, by_rate_, work_);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n_, n_);
    for (int j = 0; j < n_; ++j) {
      each_entry(j, [&](int row, std::size_t k) { out(row, j) += by_y_[k]; });
    }
    return out;
  }
  // Calls visit(row, column, ∂F/∂y).
  template <typename Visit>
  void visit_F_y(double t, const Eigen::VectorXd& y, Visit&& visit) {
    residual_.jacobian(t, span(y), zero_, by_y_, by_rate_, work_);
    for (int j = 0; j < n_; ++j) {
      each_entry(j, [&](int row, std::size_t k) { visit(row, j, by_y_[k]); });
    }
  }

  // A time at which the references have one value.
  double inside(double t, double end) const {
    if (!std::binary_search(breaks_.begin(), breaks_.end(), t)) return t;
    return std::nextafter(t, t < end ? end : -std::numeric_limits<double>::infinity());
  }

 private:
  template <typename Visit>
  void each_entry(int j, Visit&& visit) const {
    const Sparsity& pattern = residual_.pattern();
    const auto column = static_cast<std::size_t>(j);
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      visit(pattern.row[at], at);
    }
  }
  std::span<const double> span(const Eigen::VectorXd& y) const {
    return {y.data(), static_cast<std::size_t>(n_)};
  }

  const Residual& residual_;
  const std::vector<double>& breaks_;
  Residual::Workspace work_;
  int n_;
  std::vector<double> zero_, by_y_, by_rate_;
  std::vector<int> z_, algebraic_, rate_rows_, algebraic_rows_;
};

}  // namespace koppel
