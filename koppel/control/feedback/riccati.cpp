#include <koppel/control/feedback/riccati.hpp>

#include <cmath>

#include <koppel/analysis/algebra/factors.hpp>

namespace koppel {

std::optional<Eigen::MatrixXd> solve_riccati(const Eigen::MatrixXd& A, const Eigen::MatrixXd& G,
                                             const Eigen::MatrixXd& Q) {
  const Eigen::Index n = A.rows();
  Eigen::MatrixXd Z(2 * n, 2 * n);
  Z << A, -G, -Q, -A.transpose();
  constexpr int kMost = 100;
  constexpr double kConverged = 1e-13;  // relative; convergence is quadratic
  bool is_done = false;
  for (int i = 0; i < kMost && !is_done; ++i) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(Z);
    // The determinant itself would overflow.
    const double log_det = lu.matrixLU().diagonal().cwiseAbs().array().log().sum();
    const double c = std::exp(-log_det / static_cast<double>(2 * n));
    if (!std::isfinite(c)) return {};
    const Eigen::MatrixXd next = 0.5 * (c * Z + lu.inverse() / c);
    const double change = (next - Z).lpNorm<1>() / next.lpNorm<1>();
    Z = next;
    is_done = change < kConverged || (change < 1e-9 && i > 30);
  }
  if (!is_done || !Z.allFinite()) return {};
  Eigen::MatrixXd left(2 * n, n), right(2 * n, n);
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  left << Z.topRightCorner(n, n), Z.bottomRightCorner(n, n) + I;
  right << Z.topLeftCorner(n, n) + I, Z.bottomLeftCorner(n, n);
  Eigen::MatrixXd P = -dense::solve_least_squares(left, right);
  P = 0.5 * (P + P.transpose()).eval();
  const Eigen::MatrixXd residual = A.transpose() * P + P * A - P * G * P + Q;
  constexpr double kSmall = 1e-6;  // relative to its terms
  const double size = (P * A).norm() + (P * G * P).norm() + Q.norm();
  if (!(residual.norm() <= kSmall * size)) return {};
  return P;
}

}  // namespace koppel
