#include <koppel/control/bounded/algebraic_rows.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/control/bounded/index_one_system.hpp>
#include <koppel/problem/linear_solver.hpp>

namespace koppel {

struct AlgebraicRows::Impl {
  Impl(const Problem& problem, double last)
      : system(problem), end(last), row_place(static_cast<std::size_t>(system.size()), -1) {
    const auto& rows = system.algebraic_rows();
    const auto& columns = system.algebraic();
    column_place = row_place;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      row_place[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
      column_place[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
    }
    Sparsity pattern;
    pattern.num_rows = pattern.num_columns = static_cast<int>(rows.size());
    pattern.column_start.assign(columns.size() + 1, 0);
    visit(0, Eigen::VectorXd::Zero(system.size()), [&](int row, int column, double) {
      pattern.row.push_back(row);
      pattern.column_start[static_cast<std::size_t>(column) + 1] =
          static_cast<int>(pattern.row.size());
    });
    for (std::size_t k = 1; k < pattern.column_start.size(); ++k) {
      pattern.column_start[k] = std::max(pattern.column_start[k], pattern.column_start[k - 1]);
    }
    solver.emplace(pattern);
  }

  // ∂F_a/∂y_a, by columns.
  template <typename Visit>
  void visit(double t, const Eigen::VectorXd& y, Visit&& each) {
    system.visit_F_y(t, y, [&](int row, int column, double value) {
      const int i = row_place[static_cast<std::size_t>(row)];
      const int j = column_place[static_cast<std::size_t>(column)];
      if (i >= 0 && j >= 0) each(i, j, value);
    });
  }

  // The largest change, relative; negative where there is none.
  double improve(double t, Eigen::VectorXd& y) {
    values.clear();
    visit(t, y, [&](int, int, double value) { values.push_back(value); });
    if (!solver->factor(values)) return -1;
    const Eigen::VectorXd F = system.F(t, y);
    change.clear();
    for (const int row : system.algebraic_rows()) change.push_back(F[row]);
    solver->solve(change);
    double largest = 0;
    for (std::size_t k = 0; k < change.size(); ++k) {
      double& of = y[system.algebraic()[k]];
      of -= change[k];
      if (!std::isfinite(of)) return -1;
      largest = std::max(largest, std::abs(change[k]) / std::max(1.0, std::abs(of)));
    }
    return largest;
  }

  IndexOneSystem system;
  double end;
  std::vector<int> row_place, column_place;  // among those of F_a and y_a; −1: not there
  std::optional<LinearSolver<double>> solver;
  std::vector<double> values, change;
};

AlgebraicRows::AlgebraicRows(const Problem& problem, double end)
    : impl_(std::make_unique<Impl>(problem, end)) {}

AlgebraicRows::~AlgebraicRows() = default;

bool AlgebraicRows::solve(double t, std::span<double> y) {
  constexpr int kMaxIterations = 12;
  // Newton's method converges quadratically: after a change of this size the next is round-off.
  constexpr double kEnough = 1e-8;
  Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<long>(y.size()));
  const double inside = impl_->system.inside(t, impl_->end);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double changed = impl_->improve(inside, at);
    if (changed < 0) return false;
    if (changed > kEnough) continue;
    std::copy(at.begin(), at.end(), y.begin());
    return true;
  }
  return false;
}

}  // namespace koppel
