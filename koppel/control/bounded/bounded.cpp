#include <koppel/control/bounded/bounded.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include <koppel/control/bounded/collocation.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// δy = Y δz on F_a = 0, and A = φ_y Y.
MatrixXd linearize(IndexOneSystem& system, double t, const Vector& y) {
  const MatrixXd J = system.F_y(t, y);
  const MatrixXd by_algebraic = J(system.algebraic_rows(), system.algebraic());
  const MatrixXd by_z = J(system.algebraic_rows(), system.z());
  const MatrixXd Y = -by_algebraic.partialPivLu().solve(by_z);
  return -J(system.rate_rows(), system.z()) - J(system.rate_rows(), system.algebraic()) * Y;
}

// Left eigenvectors for eigenvalues on one side (sign −1: stable) as rows: of each complex pair the
// real and the imaginary part. Nothing where an eigenvalue is on neither side.
MatrixXd left_eigenvectors(const MatrixXd& A, int sign, bool& is_hyperbolic) {
  const Eigen::EigenSolver<MatrixXd> solver(A.transpose());
  const auto& values = solver.eigenvalues();
  const double least = 1e-6 * std::max(1.0, values.cwiseAbs().maxCoeff());
  MatrixXd out(0, A.rows());
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
  IndexOneSystem system(servo.problem);
  CollocationEnd ends[2];
  std::vector<int> all(static_cast<std::size_t>(system.size()));
  for (int j = 0; j < system.size(); ++j) all[static_cast<std::size_t>(j)] = j;
  bool is_hyperbolic = true;
  for (int side = 0; side < 2; ++side) {
    Vector y = Eigen::Map<const Vector>(servo.start.data(), system.size());
    const double t = system.inside(side == 0 ? times.front() : times.back(), times.back());
    if (!solve_rows(system, t, all, all, y)) {
      out.text = side == 0 ? "there is no equilibrium at the start" : "there is no equilibrium at the end";
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
    if (!coarse.empty()) collocation.guess(coarse);
    if ((coarse.empty() && !collocation.guess()) || !collocation.solve()) {
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
