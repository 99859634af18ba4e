#include <koppel/control/bounded.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <koppel/problem/linear_solver.hpp>

namespace koppel {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// (1) in numbers: φ and F_a are the residual for ẏ = 0, by rows with a rate (with the sign turned)
// and without.
class System {
 public:
  explicit System(const Problem& problem)
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

  Vector F(double t, const Vector& y) {
    Vector out(n_);
    residual_.evaluate(t, span(y), zero_, {out.data(), static_cast<std::size_t>(n_)}, work_);
    return out;
  }
  Matrix F_y(double t, const Vector& y) {
    residual_.jacobian(t, span(y), zero_, by_y_, by_rate_, work_);
    Matrix out = Matrix::Zero(n_, n_);
    for (int j = 0; j < n_; ++j) {
      each_entry(j, [&](int row, std::size_t k) { out(row, j) += by_y_[k]; });
    }
    return out;
  }
  // Calls visit(row, column, ∂F/∂y).
  template <typename Visit>
  void visit_F_y(double t, const Vector& y, Visit&& visit) {
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
  std::span<const double> span(const Vector& y) const {
    return {y.data(), static_cast<std::size_t>(n_)};
  }

  const Residual& residual_;
  const std::vector<double>& breaks_;
  Residual::Workspace work_;
  int n_;
  std::vector<double> zero_, by_y_, by_rate_;
  std::vector<int> z_, algebraic_, rate_rows_, algebraic_rows_;
};

constexpr int kMaxIterations = 30;
constexpr double kEnough = 1e-12;  // relative change of the last iteration

bool is_small(const Vector& change, const Vector& y, double enough) {
  for (Index i = 0; i < change.size(); ++i) {
    if (!(std::abs(change[i]) <= enough * std::max(1.0, std::abs(y[i])))) return false;
  }
  return true;
}

// Newton's method for the given rows and columns. False: no convergence.
bool solve(System& system, double t, const std::vector<int>& rows, const std::vector<int>& columns,
           Vector& y) {
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vector F = system.F(t, y)(rows);
    const Matrix J = system.F_y(t, y)(rows, columns);
    const Vector change = J.partialPivLu().solve(F);
    if (!change.allFinite()) return false;
    y(columns) -= change;
    if (is_small(change, y(columns), 1e-11)) return true;
  }
  return false;
}

// δy = Y δz on F_a = 0, and A = φ_y Y.
Matrix linearize(System& system, double t, const Vector& y) {
  const Matrix J = system.F_y(t, y);
  const Matrix by_algebraic = J(system.algebraic_rows(), system.algebraic());
  const Matrix by_z = J(system.algebraic_rows(), system.z());
  const Matrix Y = -by_algebraic.partialPivLu().solve(by_z);
  return -J(system.rate_rows(), system.z()) - J(system.rate_rows(), system.algebraic()) * Y;
}

// Left eigenvectors for eigenvalues on one side (sign −1: stable) as rows: of each complex pair the
// real and the imaginary part. Nothing where an eigenvalue is on neither side.
Matrix left_eigenvectors(const Matrix& A, int sign, bool& is_hyperbolic) {
  const Eigen::EigenSolver<Matrix> solver(A.transpose());
  const auto& values = solver.eigenvalues();
  const double least = 1e-6 * std::max(1.0, values.cwiseAbs().maxCoeff());
  Matrix out(0, A.rows());
  for (Index k = 0; k < values.size(); ++k) {
    if (std::abs(values[k].real()) <= least) is_hyperbolic = false;
    if (sign * values[k].real() <= 0 || values[k].imag() < 0) continue;
    const auto add = [&](const Vector& row) {
      out.conservativeResize(out.rows() + 1, Eigen::NoChange);
      out.row(out.rows() - 1) = row.normalized().transpose();
    };
    add(solver.eigenvectors().col(k).real());
    if (values[k].imag() > 0) add(solver.eigenvectors().col(k).imag());
  }
  return out;
}

struct End {
  Vector y;  // the equilibrium
  Matrix L;
};

// Newton's method on all points of a grid: nodes, and middles between them.
class Collocation {
 public:
  Collocation(System& system, const std::vector<double>& nodes, const End& first, const End& last)
      : system_(system), first_(first), last_(last) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (n > 0) t_.push_back((nodes[n - 1] + nodes[n]) / 2);
      t_.push_back(nodes[n]);
    }
    n_ = system.size();
  }

  // The equilibria, with a line between, and what F_a makes of that.
  bool guess() {
    Vector y = first_.y;
    for (const double t : t_) {
      const double part = (t - t_.front()) / (t_.back() - t_.front());
      for (const int j : system_.z()) y[j] = (1 - part) * first_.y[j] + part * last_.y[j];
      if (!solve(system_, time(t), system_.algebraic_rows(), system_.algebraic(), y)) return false;
      y_.push_back(y);
    }
    return true;
  }
  // The solution of a coarser grid at its nodes and middles, which are the nodes here.
  bool guess(const std::vector<Vector>& coarse) {
    for (std::size_t p = 0; p < t_.size(); ++p) {
      if (p % 2 == 0) {
        y_.push_back(coarse[p / 2]);
      } else {
        y_.emplace_back(0.5 * (coarse[p / 2] + coarse[p / 2 + 1]));
      }
    }
    return true;
  }

  bool run() {
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      assemble();
      Eigen::SparseMatrix<double> A(static_cast<Index>(size()), static_cast<Index>(size()));
      A.setFromTriplets(entries_.begin(), entries_.end());
      Sparsity pattern;
      pattern.num_rows = pattern.num_columns = static_cast<int>(size());
      pattern.column_start.assign(A.outerIndexPtr(), A.outerIndexPtr() + A.cols() + 1);
      pattern.row.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
      LinearSolver<double> solver(pattern);
      if (!solver.factor({A.valuePtr(), static_cast<std::size_t>(A.nonZeros())})) return false;
      solver.solve({right_.data(), size()});
      if (!right_.allFinite()) return false;
      bool is_done = true;
      for (std::size_t p = 0; p < t_.size(); ++p) {
        const Vector change = right_.segment(static_cast<Index>(p) * n_, n_);
        y_[p] -= change;
        is_done = is_done && is_small(change, y_[p], 1e3 * kEnough);
      }
      if (is_done) return true;
    }
    return false;
  }

  const std::vector<double>& t() const { return t_; }
  const std::vector<Vector>& y() const { return y_; }

 private:
  std::size_t size() const { return t_.size() * static_cast<std::size_t>(n_); }
  double time(double t) const { return system_.inside(t, t_.back()); }
  void put(Index row, std::size_t point, int column, double value) {
    entries_.emplace_back(row, static_cast<Index>(point) * n_ + column, value);
  }

  // Rows: F_a at all points; (3) by intervals; (2).
  void assemble() {
    const auto n_a = static_cast<Index>(system_.algebraic_rows().size());
    const auto n_z = static_cast<Index>(system_.order());
    const auto num_points = static_cast<Index>(t_.size());
    entries_.clear();
    right_ = Vector::Zero(static_cast<Index>(size()));
    std::vector<Index> place(static_cast<std::size_t>(n_), -1), rate(place);
    for (Index a = 0; a < n_a; ++a) {
      place[static_cast<std::size_t>(system_.algebraic_rows()[static_cast<std::size_t>(a)])] = a;
    }
    for (Index k = 0; k < n_z; ++k) {
      rate[static_cast<std::size_t>(system_.rate_rows()[static_cast<std::size_t>(k)])] = k;
    }
    const Index first_interval = num_points * n_a, num_intervals = (num_points - 1) / 2;
    const auto row_of = [&](Index interval, Index which, Index k) {
      return first_interval + (2 * interval + which) * n_z + k;
    };
    // The weight of f at a point in the equation `which` of an interval of length h.
    const auto weight = [](int which, int place_in, double h) {
      if (which == 0) return -h / 6 * (place_in == 1 ? 4 : 1);
      return place_in == 1 ? 0.0 : (place_in == 0 ? -h / 8 : h / 8);
    };
    for (Index p = 0; p < num_points; ++p) {
      const auto point = static_cast<std::size_t>(p);
      const double t = time(t_[point]);
      const Vector F = system_.F(t, y_[point]);
      for (Index a = 0; a < n_a; ++a) {
        right_[p * n_a + a] = F[system_.algebraic_rows()[static_cast<std::size_t>(a)]];
      }
      // The intervals that the point belongs to, and its place in them.
      std::vector<std::pair<Index, int>> in;
      if (p % 2 == 1) {
        in.emplace_back(p / 2, 1);
      } else {
        if (p > 0) in.emplace_back(p / 2 - 1, 2);
        if (p / 2 < num_intervals) in.emplace_back(p / 2, 0);
      }
      for (const auto& [interval, place_in] : in) {
        const double h = t_[static_cast<std::size_t>(2 * interval + 2)] -
                         t_[static_cast<std::size_t>(2 * interval)];
        for (Index k = 0; k < n_z; ++k) {
          const int j = system_.z()[static_cast<std::size_t>(k)];
          const double f = -F[system_.rate_rows()[static_cast<std::size_t>(k)]];
          const double by_z[2] = {place_in == 0   ? -1.0
                                  : place_in == 2 ? 1.0
                                                  : 0.0,
                                  place_in == 1 ? 1.0 : -0.5};
          for (int which = 0; which < 2; ++which) {
            const Index row = row_of(interval, which, k);
            right_[row] += by_z[which] * y_[point][j] + weight(which, place_in, h) * f;
            put(row, point, j, by_z[which]);
          }
        }
      }
      system_.visit_F_y(t, y_[point], [&](int row, int column, double value) {
        const auto r = static_cast<std::size_t>(row);
        if (place[r] >= 0) put(p * n_a + place[r], point, column, value);
        if (rate[r] < 0) return;
        for (const auto& [interval, place_in] : in) {
          const double h = t_[static_cast<std::size_t>(2 * interval + 2)] -
                           t_[static_cast<std::size_t>(2 * interval)];
          for (int which = 0; which < 2; ++which) {
            put(row_of(interval, which, rate[r]), point, column,
                -weight(which, place_in, h) * value);
          }
        }
      });
    }
    Index row = row_of(num_intervals, 0, 0);
    add_end(first_, 0, row);
    add_end(last_, t_.size() - 1, row);
  }

  void add_end(const End& end, std::size_t point, Index& row) {
    for (Index i = 0; i < end.L.rows(); ++i, ++row) {
      for (std::size_t k = 0; k < system_.z().size(); ++k) {
        const int j = system_.z()[k];
        right_[row] += end.L(i, static_cast<Index>(k)) * (y_[point][j] - end.y[j]);
        put(row, point, j, end.L(i, static_cast<Index>(k)));
      }
    }
  }

  System& system_;
  const End &first_, &last_;
  Index n_ = 0;
  std::vector<double> t_;
  std::vector<Vector> y_;
  std::vector<Eigen::Triplet<double>> entries_;
  Vector right_;
};

// Times and breakpoints, no farther apart than a part of the whole.
std::vector<double> make_grid(const std::vector<double>& times, const std::vector<double>& breaks) {
  std::vector<double> marks = times;
  for (const double b : breaks) {
    if (b > times.front() && b < times.back()) marks.push_back(b);
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  constexpr double kParts = 100;
  const double longest = (marks.back() - marks.front()) / kParts;
  std::vector<double> grid = {marks.front()};
  for (std::size_t i = 1; i < marks.size(); ++i) {
    const double length = marks[i] - marks[i - 1];
    const int count = std::max(1, static_cast<int>(std::ceil(length / longest - 1e-9)));
    for (int k = 1; k < count; ++k) grid.push_back(marks[i - 1] + length * k / count);
    grid.push_back(marks[i]);
  }
  return grid;
}

// Of points that both have; the finer one has twice as many intervals, and a sixteenth of the
// error.
double distance(const std::vector<Vector>& coarse, const std::vector<Vector>& fine) {
  Vector largest = Vector::Ones(coarse[0].size()), apart = Vector::Zero(coarse[0].size());
  for (std::size_t p = 0; p < coarse.size(); p += 2) {
    largest = largest.cwiseMax(fine[2 * p].cwiseAbs());
    apart = apart.cwiseMax((coarse[p] - fine[2 * p]).cwiseAbs());
  }
  return apart.cwiseQuotient(largest).maxCoeff() / 15;
}

}  // namespace

BoundedSolution solve_bounded(const ReducedServo& servo, const std::vector<double>& times,
                              double tolerance) {
  BoundedSolution out;
  System system(servo.problem);
  End ends[2];
  std::vector<int> all(static_cast<std::size_t>(system.size()));
  for (int j = 0; j < system.size(); ++j) all[static_cast<std::size_t>(j)] = j;
  bool is_hyperbolic = true;
  for (int side = 0; side < 2; ++side) {
    Vector y = Eigen::Map<const Vector>(servo.start.data(), system.size());
    const double t = system.inside(side == 0 ? times.front() : times.back(), times.back());
    if (!solve(system, t, all, all, y)) {
      out.text = side == 0 ? "there is no equilibrium at the start" : "there is none at the end";
      return out;
    }
    ends[side] = {y, left_eigenvectors(linearize(system, t, y), side == 0 ? -1 : 1, is_hyperbolic)};
  }
  if (!is_hyperbolic) {
    out.text = "an eigenvalue is 0 or imaginary, so that motions neither grow nor die away";
    return out;
  }
  out.num_stable = static_cast<int>(ends[0].L.rows());
  out.num_unstable = static_cast<int>(ends[1].L.rows());
  if (out.num_stable + out.num_unstable != system.order()) {
    out.text = "the numbers of stable eigenvalues at the start and at the end differ";
    return out;
  }
  std::vector<double> grid = make_grid(times, servo.problem.breakpoints);
  std::vector<Vector> coarse;
  constexpr std::size_t kMaxPoints = 40000;
  while (true) {
    Collocation collocation(system, grid, ends[0], ends[1]);
    if (!(coarse.empty() ? collocation.guess() : collocation.guess(coarse)) || !collocation.run()) {
      out.text = "Newton's method does not converge";
      return out;
    }
    if (!coarse.empty()) out.error = distance(coarse, collocation.y());
    const bool is_enough = !coarse.empty() && out.error <= tolerance;
    coarse = collocation.y();
    if (is_enough || 4 * grid.size() > kMaxPoints) {
      for (std::size_t p = 0; p < coarse.size(); p += 2) {
        out.t.push_back(collocation.t()[p]);
        out.y.emplace_back(coarse[p].data(), coarse[p].data() + coarse[p].size());
      }
      out.num_intervals = static_cast<int>(grid.size()) - 1;
      out.is_found = true;
      return out;
    }
    grid = collocation.t();
  }
}

}  // namespace koppel
