#include <koppel/analysis/algebra/quadrics.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>

namespace koppel::quadrics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Forms = std::vector<MatrixXd>;

VectorXd values_at(const Forms& Q, const VectorXd& z) {
  VectorXd values(static_cast<Index>(Q.size()));
  for (std::size_t k = 0; k < Q.size(); ++k) values[static_cast<Index>(k)] = z.dot(Q[k] * z);
  return values;
}

MatrixXd gradients_at(const Forms& Q, const VectorXd& z) {
  MatrixXd J(static_cast<Index>(Q.size()), z.size());
  for (std::size_t k = 0; k < Q.size(); ++k) {
    J.row(static_cast<Index>(k)) = 2 * (Q[k] * z).transpose();
  }
  return J;
}

// The real roots of a z₁² + 2 b z₁ z₂ + c z₂² = 0 as directions.
std::vector<VectorXd> roots_of(const MatrixXd& Q) {
  constexpr double kDouble = 1e-7;  // a discriminant below is 0, of entries near 1
  const double a = Q(0, 0), b = Q(0, 1), c = Q(1, 1);
  const double discriminant = b * b - a * c;
  if (discriminant < -kDouble) return {};
  const double root = std::sqrt(std::max(0.0, discriminant));
  // z₁ : z₂ is w : a and c : w, with the w that has no cancellation.
  const double w = b >= 0 ? -(b + root) : -(b - root);
  std::vector<VectorXd> out;
  for (const Eigen::Vector2d& z : {Eigen::Vector2d(w, a), Eigen::Vector2d(c, w)}) {
    if (z.norm() > kDouble) out.emplace_back(z.normalized());
  }
  return out;
}

// Levenberg-Marquardt on the unit sphere; false where it does not converge.
bool solve(const Forms& Q, VectorXd& z) {
  constexpr int kMost = 60;
  constexpr double kSolved = 1e-13;
  double damping = 1e-2;
  VectorXd values = values_at(Q, z);
  for (int i = 0; i < kMost && values.norm() > kSolved; ++i) {
    const MatrixXd J = gradients_at(Q, z);
    const MatrixXd A =
        J.transpose() * J + damping * values.norm() * MatrixXd::Identity(z.size(), z.size());
    const VectorXd next = (z - A.ldlt().solve(J.transpose() * values)).normalized();
    const VectorXd next_values = values_at(Q, next);
    if (next_values.norm() < values.norm()) {
      z = next;
      values = next_values;
      damping = std::max(damping / 4, 1e-6);
    } else {
      damping *= 8;
    }
  }
  return values.norm() <= 1e-11;
}

// The linear space of tangents around one of them, or the one alone.
MatrixXd space_around(const Forms& Q, const VectorXd& z) {
  constexpr double kRank = 1e-5, kZero = 1e-8;
  MatrixXd U = dense::null_space(gradients_at(Q, z), kRank);
  for (const MatrixXd& form : Q) {
    if ((U.transpose() * form * U).cwiseAbs().maxCoeff() > kZero) return z;
  }
  return U.cols() == 0 ? MatrixXd(z) : U;
}

}  // namespace

std::vector<MatrixXd> independent(const std::vector<MatrixXd>& forms, double terms) {
  constexpr double kVanishes = 1e-8;
  const Index d = forms.empty() ? 0 : forms[0].rows();
  MatrixXd all(static_cast<Index>(forms.size()), d * d);
  for (std::size_t k = 0; k < forms.size(); ++k) {
    all.row(static_cast<Index>(k)) = forms[k].reshaped().transpose();
  }
  const dense::Singular svd = dense::singular_values(all, dense::Vectors::Thin);
  std::vector<MatrixXd> out;
  for (Index k = 0; k < svd.s.size(); ++k) {
    if (!(svd.s[k] > kVanishes * terms)) break;
    out.emplace_back(svd.V.col(k).reshaped(d, d));
  }
  return out;
}

std::vector<MatrixXd> common_zeros(const Forms& Q) {
  std::vector<MatrixXd> spaces;
  const auto add = [&](const MatrixXd& U) {
    constexpr double kSame = 1e-4;
    for (const MatrixXd& other : spaces) {
      if (other.cols() == U.cols() && (U - other * (other.transpose() * U)).norm() < kSame) return;
    }
    spaces.push_back(U);
  };
  if (Q.empty()) return {};
  const Index d = Q[0].rows();
  if (d == 2) {
    for (const VectorXd& z : roots_of(Q[0])) {
      if (values_at(Q, z).norm() < 1e-6) add(z);
    }
    return spaces;
  }
  std::mt19937 random(1);
  constexpr int kStarts = 200;
  for (int i = 0; i < kStarts; ++i) {
    VectorXd z(d);
    for (double& x : z) x = 2 * (static_cast<double>(random()) / 4294967296.0) - 1;
    z.normalize();
    if (solve(Q, z)) add(space_around(Q, z));
  }
  return spaces;
}

}  // namespace koppel::quadrics
