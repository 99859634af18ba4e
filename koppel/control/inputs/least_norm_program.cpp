#include <koppel/control/inputs/least_norm_program.hpp>

#include <algorithm>
#include <limits>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class DualActiveSet {
 public:
  DualActiveSet(const MatrixXd& A, const VectorXd& b) : A_(A), b_(b), x_(VectorXd::Zero(A.cols())) {
    for (Index i = 0; i < A.rows(); ++i) {
      size_.push_back(std::max(A.row(i).norm(), std::numeric_limits<double>::min()));
    }
  }

  bool run() {
    const Index most = 20 * (A_.rows() + A_.cols()) + 20;
    for (Index round = 0; round < most; ++round) {
      const Index row = most_violated();
      if (row < 0) return true;
      if (!add(row)) return false;
    }
    return false;
  }

  LeastNorm result() {
    LeastNorm out;
    out.is_found = true;
    // Once more from the active rows alone: what the steps have left of round-off is gone.
    out.x = active_.empty() ? VectorXd(VectorXd::Zero(A_.cols()))
                            : VectorXd(A_(active_, Eigen::all)
                                           .completeOrthogonalDecomposition()
                                           .solve(VectorXd(b_(active_))));
    out.active = active_;
    std::sort(out.active.begin(), out.active.end());
    return out;
  }

 private:
  // Relative to what the row consists of; −1: none.
  Index most_violated() const {
    constexpr double kRoundOff = 1e-13;
    Index worst = -1;
    double most = 0;
    for (Index i = 0; i < A_.rows(); ++i) {
      if (std::find(active_.begin(), active_.end(), i) != active_.end()) continue;
      const double size = size_[static_cast<std::size_t>(i)];
      const double missing = (b_[i] - A_.row(i).dot(x_)) / size;
      if (missing > kRoundOff * (x_.norm() + std::abs(b_[i]) / size) && missing > most) {
        most = missing;
        worst = i;
      }
    }
    return worst;
  }

  // Along the part d of the row that is orthogonal to the active ones, a = Nᵀr + d: x moves by t d,
  // the multipliers of the active rows by −t r, that of the row by t.
  bool add(Index row) {
    const VectorXd a = A_.row(row).transpose();
    double multiplier = 0;
    for (;;) {
      VectorXd d = a, r;
      if (!active_.empty()) {
        const MatrixXd N = A_(active_, Eigen::all).transpose();
        r = N.colPivHouseholderQr().solve(a);
        d -= N * r;
      }
      Index first = -1;
      double until_drop = kInfinity;
      for (Index j = 0; j < r.size(); ++j) {
        const double t = r[j] > 0 ? multipliers_[static_cast<std::size_t>(j)] / r[j] : kInfinity;
        if (t < until_drop) {
          until_drop = t;
          first = j;
        }
      }
      constexpr double kParallel = 1e-11;
      const double along = d.squaredNorm();
      const bool is_free = d.norm() > kParallel * a.norm();
      const double until_held = is_free ? (b_[row] - a.dot(x_)) / along : kInfinity;
      const double t = std::min(until_drop, until_held);
      if (t == kInfinity) return false;
      if (is_free) x_ += t * d;
      for (Index j = 0; j < r.size(); ++j) multipliers_[static_cast<std::size_t>(j)] -= t * r[j];
      multiplier += t;
      if (until_held <= until_drop) {
        active_.push_back(row);
        multipliers_.push_back(multiplier);
        return true;
      }
      active_.erase(active_.begin() + first);
      multipliers_.erase(multipliers_.begin() + first);
    }
  }

  const MatrixXd& A_;
  const VectorXd& b_;
  VectorXd x_;
  std::vector<double> size_;  // of rows
  std::vector<Index> active_;
  std::vector<double> multipliers_;
};

}  // namespace

LeastNorm solve_least_norm_program(const MatrixXd& A, const VectorXd& b) {
  DualActiveSet method(A, b);
  if (!method.run()) return {};
  return method.result();
}

LeastNorm solve_relaxed(const MatrixXd& A, const VectorXd& b) {
  constexpr double kRho = 1e6;
  MatrixXd extended(A.rows(), A.cols() + A.rows());
  extended << A, MatrixXd::Identity(A.rows(), A.rows()) / kRho;
  LeastNorm out = solve_least_norm_program(extended, b);
  if (!out.is_found) return out;
  out.violation = out.x.tail(A.rows()) / kRho;
  out.x.conservativeResize(A.cols());
  return out;
}

}  // namespace koppel
