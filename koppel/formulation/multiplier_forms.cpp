// The reduction that finds multipliers first.
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

}  // namespace

std::unique_ptr<Reduction> make_mass_inverse() { return std::make_unique<MassInverse>(); }

}  // namespace koppel
