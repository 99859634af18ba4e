// Reductions that find multipliers first, or with the accelerations.
#include <cmath>

#include <koppel/formulation/reduction.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// With M = L Lᵀ and W = L⁻¹Cᵀ:
//   C M⁻¹Cᵀ λ = WᵀW λ = C M⁻¹f + γ,     v̇ = M⁻¹(f − Cᵀλ).                                 (1)
// W P = Q [R; 0] gives RᵀR for the matrix, and with it the rank, without squaring its condition.
class MassInverse : public Reduction {
 public:
  bool prepare(const MatrixXd& M, const MatrixXd& C) override {
    mass_.compute(M);
    if (mass_.info() != Eigen::Success) return false;
    C_ = C;
    if (C.rows() == 0) return true;
    W_ = C.transpose();
    mass_.matrixL().solveInPlace(W_);
    qr_.compute(W_);
    const auto pivots = qr_.matrixR().diagonal();
    Index found = 0;
    while (found < pivots.size() &&
           std::abs(pivots[found]) > kRankThreshold * std::abs(pivots[0])) {
      ++found;
    }
    if (rank_ < 0) rank_ = found;
    return found >= rank_;
  }

  bool acceleration(const VectorXd& f, const VectorXd& gamma, VectorXd& v_rate,
                    VectorXd& lambda) override {
    v_rate = f;
    mass_.solveInPlace(v_rate);
    lambda.setZero();
    if (C_.rows() == 0) return true;
    right_ = gamma;
    right_.noalias() += C_ * v_rate;
    const auto& order = qr_.colsPermutation().indices();
    const auto R =
        qr_.matrixR().topLeftCorner(rank_, rank_).template triangularView<Eigen::Upper>();
    s_.resize(rank_);
    for (Index i = 0; i < rank_; ++i) s_[i] = right_[order[i]];
    R.transpose().solveInPlace(s_);
    R.solveInPlace(s_);
    for (Index i = 0; i < rank_; ++i) lambda[order[i]] = s_[i];
    v_rate = f;
    v_rate.noalias() -= C_.transpose() * lambda;
    mass_.solveInPlace(v_rate);
    return true;
  }

 private:
  Index rank_ = -1;
  Eigen::LLT<MatrixXd> mass_;
  MatrixXd C_, W_;
  Eigen::ColPivHouseholderQR<MatrixXd> qr_;
  VectorXd right_, s_;
};

// Forces λ = λ* + α (C v̇ + γ), solved together with M v̇ = f − Cᵀλ:
//   [M   Cᵀ  ] [v̇]   [ f          ]
//   [C  −1/α ] [λ] = [−γ − λ*/α   ]                                                        (2)
// which is (M + α CᵀC) v̇ = f − Cᵀ(λ* + αγ) without its bad condition. λ* = 0 for the penalty
// method, whose error is of the order of 1/α. The augmented Lagrangian repeats (2) with λ* = λ,
// which divides the error by α each time. The matrix is regular also where constraints repeat each
// other, and in singular configurations.
class Penalty : public Reduction {
 public:
  Penalty(double factor, bool is_corrected) : factor_(factor), is_corrected_(is_corrected) {}

  bool prepare(const MatrixXd& M, const MatrixXd& C) override {
    const Index n = M.rows(), m = C.rows();
    // The mean keeps α a smooth function of the position.
    alpha_ = factor_ * M.trace() / static_cast<double>(n);
    matrix_.setZero(n + m, n + m);
    matrix_.topLeftCorner(n, n) = M;
    matrix_.bottomLeftCorner(m, n) = C;
    matrix_.topRightCorner(n, m) = C.transpose();
    matrix_.bottomRightCorner(m, m).diagonal().setConstant(-1 / alpha_);
    solver_.compute(matrix_);
    return alpha_ > 0;
  }

  bool acceleration(const VectorXd& f, const VectorXd& gamma, VectorXd& v_rate,
                    VectorXd& lambda) override {
    constexpr int kMaxCorrections = 50;
    const Index n = f.size(), m = gamma.size();
    right_.resize(n + m);
    lambda.setZero();
    double last = INFINITY;
    for (int k = 0; k < kMaxCorrections; ++k) {
      right_.head(n) = f;
      right_.tail(m) = -gamma - lambda / alpha_;
      solution_ = solver_.solve(right_);
      v_rate = solution_.head(n);
      const double change = m == 0 ? 0 : (solution_.tail(m) - lambda).lpNorm<Eigen::Infinity>();
      lambda = solution_.tail(m);
      if (!is_corrected_ || m == 0) return true;
      // Corrections shrink down to round-off; there they stay.
      const double reached = change / (1 + lambda.lpNorm<Eigen::Infinity>());
      if (reached < 1e-13 || (change > 0.5 * last && reached < 1e-7)) return true;
      last = change;
    }
    return false;  // a singular configuration: some multiplier grows without end
  }

 private:
  double factor_, alpha_ = 0;
  bool is_corrected_;
  MatrixXd matrix_;
  Eigen::PartialPivLU<MatrixXd> solver_;
  VectorXd right_, solution_;
};

}  // namespace

std::unique_ptr<Reduction> make_mass_inverse() { return std::make_unique<MassInverse>(); }
std::unique_ptr<Reduction> make_penalty(double factor) {
  return std::make_unique<Penalty>(factor, false);
}
std::unique_ptr<Reduction> make_augmented_lagrangian(double factor) {
  return std::make_unique<Penalty>(factor, true);
}

}  // namespace koppel
