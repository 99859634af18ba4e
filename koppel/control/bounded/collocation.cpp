#include <koppel/control/bounded/collocation.hpp>

#include <koppel/problem/linear_solver.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kMaxIterations = 30;
// Of the last change, relative. Newton's method converges quadratically: the error is far below.
constexpr double kEnough = 1e-9;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

bool is_small(const VectorXd& change, const VectorXd& y, double enough) {
  for (Index i = 0; i < change.size(); ++i) {
    if (!(std::abs(change[i]) <= enough * std::max(1.0, std::abs(y[i])))) return false;
  }
  return true;
}

// The weights of z and of f = φ at a point in the two equations (3) of an interval.
double weight_of_z(int which, int place) {
  if (which == 0) return place - 1;
  return place == 1 ? 1 : -0.5;
}
double weight_of_f(int which, int place, double h) {
  if (which == 0) return -h / 6 * (place == 1 ? 4 : 1);
  return h / 8 * (place - 1);
}

}  // namespace

bool solve_rows(IndexOneSystem& system, double t, const std::vector<int>& rows,
                const std::vector<int>& columns, VectorXd& y) {
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const VectorXd F = system.F(t, y)(rows);
    const Eigen::MatrixXd J = system.F_y(t, y)(rows, columns);
    const VectorXd change = J.partialPivLu().solve(F);
    if (!change.allFinite()) return false;
    y(columns) -= change;
    if (is_small(change, y(columns), kEnough)) return true;
  }
  return false;
}

Collocation::Collocation(IndexOneSystem& system, const std::vector<double>& nodes,
                         const CollocationEnd& first, const CollocationEnd& last)
    : system_(system),
      first_(first),
      last_(last),
      n_(system.size()),
      n_a_(static_cast<Index>(system.algebraic_rows().size())),
      n_z_(system.order()),
      algebraic_place_(at(n_), -1),
      rate_place_(at(n_), -1) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (n > 0) t_.push_back((nodes[n - 1] + nodes[n]) / 2);
    t_.push_back(nodes[n]);
  }
  for (Index a = 0; a < n_a_; ++a) algebraic_place_[at(system.algebraic_rows()[at(a)])] = a;
  for (Index k = 0; k < n_z_; ++k) rate_place_[at(system.rate_rows()[at(k)])] = k;
}

bool Collocation::guess() {
  VectorXd y = first_.y;
  for (std::size_t p = 0; p < t_.size(); ++p) {
    const double part = (t_[p] - t_.front()) / (t_.back() - t_.front());
    for (const int j : system_.z()) y[j] = (1 - part) * first_.y[j] + part * last_.y[j];
    if (!solve_rows(system_, time(p), system_.algebraic_rows(), system_.algebraic(), y)) {
      return false;
    }
    y_.push_back(y);
  }
  return true;
}

void Collocation::guess(const std::vector<VectorXd>& coarse) {
  for (std::size_t p = 0; p < t_.size(); ++p) {
    if (p % 2 == 0) {
      y_.push_back(coarse[p / 2]);
    } else {
      y_.emplace_back(0.5 * (coarse[p / 2] + coarse[p / 2 + 1]));
    }
  }
}

bool Collocation::solve() {
  const Index size = n_ * static_cast<Index>(t_.size());
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    assemble();
    Eigen::SparseMatrix<double> A(size, size);
    A.setFromTriplets(entries_.begin(), entries_.end());
    Sparsity pattern;
    pattern.num_rows = pattern.num_columns = static_cast<int>(size);
    pattern.column_start.assign(A.outerIndexPtr(), A.outerIndexPtr() + size + 1);
    pattern.row.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
    LinearSolver<double> solver(pattern);
    if (!solver.factor({A.valuePtr(), at(A.nonZeros())})) return false;
    solver.solve({right_.data(), at(size)});
    if (!right_.allFinite()) return false;
    bool is_done = true;
    for (std::size_t p = 0; p < t_.size(); ++p) {
      const VectorXd change = right_.segment(static_cast<Index>(p) * n_, n_);
      y_[p] -= change;
      is_done = is_done && is_small(change, y_[p], kEnough);
    }
    if (is_done) return true;
  }
  return false;
}

std::vector<Collocation::Membership> Collocation::intervals_of(Index point) const {
  std::vector<Membership> out;
  const auto add = [&](Index interval, int place) {
    out.push_back({interval, place, t_[at(2 * interval + 2)] - t_[at(2 * interval)]});
  };
  if (point % 2 == 1) {
    add(point / 2, 1);
    return out;
  }
  if (point > 0) add(point / 2 - 1, 2);
  if (at(point) + 1 < t_.size()) add(point / 2, 0);
  return out;
}

// Rows: F_a at all points; (3) by intervals; the ends.
Index Collocation::row_of(Index interval, int which, Index k) const {
  return static_cast<Index>(t_.size()) * n_a_ + (2 * interval + which) * n_z_ + k;
}

void Collocation::put(Index row, Index point, int column, double value) {
  entries_.emplace_back(row, point * n_ + column, value);
}

void Collocation::assemble() {
  const auto num_points = static_cast<Index>(t_.size());
  entries_.clear();
  right_ = VectorXd::Zero(num_points * n_);
  for (Index p = 0; p < num_points; ++p) {
    const std::vector<Membership> in = intervals_of(p);
    add_values(p, in);
    add_derivatives(p, in);
  }
  Index row = row_of((num_points - 1) / 2, 0, 0);
  add_end(first_, 0, row);
  add_end(last_, num_points - 1, row);
}

void Collocation::add_values(Index p, const std::vector<Membership>& in) {
  const VectorXd& y = y_[at(p)];
  const VectorXd F = system_.F(time(at(p)), y);
  for (Index a = 0; a < n_a_; ++a) right_[p * n_a_ + a] = F[system_.algebraic_rows()[at(a)]];
  for (const Membership& m : in) {
    for (Index k = 0; k < n_z_; ++k) {
      const double z = y[system_.z()[at(k)]], f = -F[system_.rate_rows()[at(k)]];
      for (const int which : {0, 1}) {
        right_[row_of(m.interval, which, k)] +=
            weight_of_z(which, m.place) * z + weight_of_f(which, m.place, m.h) * f;
      }
    }
  }
}

void Collocation::add_derivatives(Index p, const std::vector<Membership>& in) {
  for (const Membership& m : in) {
    for (Index k = 0; k < n_z_; ++k) {
      for (const int which : {0, 1}) {
        put(row_of(m.interval, which, k), p, system_.z()[at(k)], weight_of_z(which, m.place));
      }
    }
  }
  system_.visit_F_y(time(at(p)), y_[at(p)], [&](int row, int column, double value) {
    if (const Index a = algebraic_place_[at(row)]; a >= 0) put(p * n_a_ + a, p, column, value);
    const Index k = rate_place_[at(row)];
    if (k < 0) return;
    for (const Membership& m : in) {
      for (const int which : {0, 1}) {
        put(row_of(m.interval, which, k), p, column, -weight_of_f(which, m.place, m.h) * value);
      }
    }
  });
}

void Collocation::add_end(const CollocationEnd& end, Index point, Index& row) {
  for (Index i = 0; i < end.L.rows(); ++i, ++row) {
    for (Index k = 0; k < n_z_; ++k) {
      const int j = system_.z()[at(k)];
      right_[row] += end.L(i, k) * (y_[at(point)][j] - end.y[j]);
      put(row, point, j, end.L(i, k));
    }
  }
}

}  // namespace koppel
