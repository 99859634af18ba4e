// Coordinates of the null space. With N a basis of it, C N = 0, and θ(c) any solution of C θ = −c,
//
//   v = N ν + θ(c),     v̇ = N ν̇ + θ(γ),                                                   (1)
//   NᵀM N ν̇ = Nᵀ(f − M θ(γ))                                                              (2)
//
// [Kurz, Burkhardt & Eberhard 2011, eqs. 14–16, 24–31]. In (2) Cᵀλ has vanished; afterwards
// Cᵀλ = f − M v̇. The bases differ in N, θ and in which ν belongs to a given v:
//
//   partition   C = [C_i C_d],  N = [1; −C_d⁻¹C_i],  θ(c) = [0; −C_d⁻¹c],        ν = v_i
//   qr          Cᵀ = Q₁R,       N = Q₂,              θ(c) = −Q₁R⁻ᵀc,             ν = Nᵀv
//   svd         Cᵀ = U₁ΣVᵀ,     N = U₂,              θ(c) = −U₁Σ⁻¹Vᵀc,           ν = Nᵀv
//
// In all of them rates of position satisfy ġ = 0 to round-off, whatever the drift of v.
#include <algorithm>
#include <cmath>

#include <koppel/formulation/reduction.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// How many of these, descending, count.
template <typename Values>
Index count_rank(const Values& values) {
  Index rank = 0;
  while (rank < values.size() && std::abs(values[rank]) > kRankThreshold * std::abs(values[0])) {
    ++rank;
  }
  return rank;
}

using Qr = Eigen::ColPivHouseholderQR<MatrixXd>;

// The regular part of R.
auto triangle(const Qr& qr, Index rank) {
  return qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
}

class NullSpace : public Reduction {
 public:
  bool prepare(const MatrixXd& M, const MatrixXd& C) final {
    M_ = M;
    if (C.rows() == 0) {
      rank_ = 0;
      N_.setIdentity(M.rows(), M.rows());
    } else if (!decompose(C)) {
      return false;
    }
    if (theta_.size() == 0) theta_.resize(M.rows());
    MN_.noalias() = M_ * N_;
    reduced_.noalias() = N_.transpose() * MN_;
    if (reduced_.size() == 0) return true;
    mass_.compute(reduced_);
    return mass_.info() == Eigen::Success;
  }

  void velocity(const VectorXd& c, VectorXd& v) final {
    if (rank_ == 0) return;
    particular(c, theta_);
    independent(v, nu_);
    v.noalias() = N_ * nu_;
    v += theta_;
  }

  bool acceleration(const VectorXd& f, const VectorXd& gamma, VectorXd& v_rate,
                    VectorXd& lambda) final {
    theta_.setZero();
    if (rank_ > 0) particular(gamma, theta_);
    force_ = f;
    force_.noalias() -= M_ * theta_;
    nu_.noalias() = N_.transpose() * force_;
    if (nu_.size() > 0) mass_.solveInPlace(nu_);
    v_rate.noalias() = N_ * nu_;
    v_rate += theta_;
    force_ = f;
    force_.noalias() -= M_ * v_rate;
    lambda.setZero();
    if (rank_ > 0) multipliers(force_, lambda);
    return true;
  }

 protected:
  // Sets N_; false where the rank falls, or the choice does not serve.
  virtual bool decompose(const MatrixXd& C) = 0;
  virtual void particular(const VectorXd& c, VectorXd& theta) = 0;
  virtual void independent(const VectorXd& v, VectorXd& nu) { nu.noalias() = N_.transpose() * v; }
  // Cᵀλ = r, where it has a solution.
  virtual void multipliers(const VectorXd& r, VectorXd& lambda) = 0;

  Index rank_ = -1;  // of the first position
  MatrixXd N_;

 private:
  MatrixXd M_, MN_, reduced_;
  Eigen::LLT<MatrixXd> mass_;
  VectorXd theta_, force_, nu_;
};

// Orthonormal bases. From one position to the next C changes little, so a decomposition is not made
// anew but updated: with orthonormal V from the last one (r columns, r the rank of C),
//   Cᵀ V = Q [R; 0],     N = Q₂,     θ(c) = −Q₁R⁻ᵀVᵀc,     Cᵀλ = r  ⇐  λ = V R⁻¹Q₁ᵀr           (3)
// costs one decomposition without pivoting. Where the least diagonal entry of R has fallen far
// below what it was with a new V, V is chosen again.
class OrthogonalSpace : public NullSpace {
  auto R() const {
    return qr_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
  }

 protected:
  bool decompose(const MatrixXd& C) final {
    if (rank_ < 0) return choose_anew(C);
    if (rank_ == C.rows()) {  // else λ is not unique, and would jump with every choice
      factor(C);
      if (least_diagonal() > kWorse * least_) return true;
    }
    return choose_anew(C);
  }

  void particular(const VectorXd& c, VectorXd& theta) final {
    take(c, s_);
    s_ *= -1;
    R().adjoint().solveInPlace(s_);
    theta.head(rank_) = s_;
    theta.tail(theta.size() - rank_).setZero();
    for (Index k = rank_; k-- > 0;) reflect(k, theta);  // Q
  }

  void multipliers(const VectorXd& r, VectorXd& lambda) final {
    turned_ = r;
    for (Index k = 0; k < rank_; ++k) reflect(k, turned_);  // Qᵀ
    s_ = turned_.head(rank_);
    R().solveInPlace(s_);
    give(s_, lambda);
  }

  // V for this C; returns the rank.
  virtual Index choose(const MatrixXd& C) = 0;
  virtual void combine(const MatrixXd& C, MatrixXd& B) const = 0;    // B = CᵀV
  virtual void take(const VectorXd& c, VectorXd& s) const = 0;       // s = Vᵀc
  virtual void give(const VectorXd& s, VectorXd& lambda) const = 0;  // λ = V s

 private:
  static constexpr double kWorse = 0.1;

  double least_diagonal() const {
    return qr_.matrixQR().diagonal().head(rank_).cwiseAbs().minCoeff();
  }

  bool choose_anew(const MatrixXd& C) {
    const Index found = choose(C);
    if (rank_ < 0) rank_ = found;
    if (found < rank_) return false;
    factor(C);
    least_ = least_diagonal();
    return true;
  }

  // Householder's reflection H_k of Q = H₁ … H_r. Eigen's own sequences of them allocate.
  template <typename Columns>
  void reflect(Index k, Columns& x) {
    const Index below = x.rows() - k;
    x.bottomRows(below).applyHouseholderOnTheLeft(qr_.matrixQR().col(k).tail(below - 1),
                                                  qr_.hCoeffs()[k], workspace_.data());
  }

  void factor(const MatrixXd& C) {
    const Index n = C.cols();
    workspace_.resize(n);
    B_.resize(n, rank_);
    combine(C, B_);
    qr_.compute(B_);
    N_.setZero(n, n - rank_);
    N_.bottomRows(n - rank_).setIdentity();
    for (Index k = rank_; k-- > 0;) reflect(k, N_);
  }

  MatrixXd B_;
  Eigen::HouseholderQR<MatrixXd> qr_;
  VectorXd s_, turned_;
  Eigen::RowVectorXd workspace_;
  double least_ = 0;
};

// V are columns of 1, by pivoting: of rows that repeat others, the first ones count.
class QrSpace : public OrthogonalSpace {
 protected:
  Index choose(const MatrixXd& C) override {
    transposed_ = C.transpose();
    pivoted_.compute(transposed_);
    return count_rank(pivoted_.matrixR().diagonal());
  }
  void combine(const MatrixXd& C, MatrixXd& B) const override {
    for (Index i = 0; i < rank_; ++i) B.col(i) = C.row(order()[i]);
  }
  void take(const VectorXd& c, VectorXd& s) const override {
    s.resize(rank_);
    for (Index i = 0; i < rank_; ++i) s[i] = c[order()[i]];
  }
  void give(const VectorXd& s, VectorXd& lambda) const override {
    for (Index i = 0; i < rank_; ++i) lambda[order()[i]] = s[i];
  }

 private:
  const Eigen::VectorXi& order() const { return pivoted_.colsPermutation().indices(); }

  MatrixXd transposed_;
  Qr pivoted_;
};

// V are the right singular vectors of Cᵀ; R is Σ where they are those of this position. λ is of
// least norm where rows repeat others.
class SvdSpace : public OrthogonalSpace {
 protected:
  Index choose(const MatrixXd& C) override {
    transposed_ = C.transpose();
    svd_.compute(transposed_, Eigen::ComputeThinU | Eigen::ComputeFullV);
    const Index found = count_rank(svd_.singularValues());
    V_ = svd_.matrixV().leftCols(rank_ < 0 ? found : std::min(rank_, found));
    return found;
  }
  void combine(const MatrixXd& C, MatrixXd& B) const override { B.noalias() = C.transpose() * V_; }
  void take(const VectorXd& c, VectorXd& s) const override { s.noalias() = V_.transpose() * c; }
  void give(const VectorXd& s, VectorXd& lambda) const override { lambda.noalias() = V_ * s; }

 private:
  MatrixXd transposed_, V_;
  Eigen::JacobiSVD<MatrixXd> svd_;
};

// C_d P = Q [R; 0]. Where the choice is free, pivoting C itself makes it: the columns that come
// first are the dependent ones. It is made again when C_d has become much worse than it was. A
// choice by name is kept but near positions where C_d is singular, which are passed with another
// one. The rates of two choices differ by no more than the violation of C v + c = 0 does.
class Partition : public NullSpace {
 public:
  explicit Partition(std::vector<int> independent)
      : given_(independent.begin(), independent.end()) {}

 protected:
  bool decompose(const MatrixXd& C) override {
    if ((given_.empty() ? keep_choice(C) : take_given(C)) < kRankThreshold) return false;

    // N_d = −C_d⁻¹C_i by columns.
    N_.setZero(C.cols(), C.cols() - rank_);
    for (Index k = 0; k < N_.cols(); ++k) {
      const Index i = independent_[static_cast<std::size_t>(k)];
      N_(i, k) = 1;
      right_ = -C.col(i);
      solve_dependent([&](Index row, double value) { N_(row, k) = value; });
    }
    return true;
  }

  void particular(const VectorXd& c, VectorXd& theta) override {
    theta.setZero();
    right_ = -c;
    solve_dependent([&](Index row, double value) { theta[row] = value; });
  }

  void independent(const VectorXd& v, VectorXd& nu) override {
    nu.resize(N_.cols());
    for (Index k = 0; k < nu.size(); ++k) nu[k] = v[independent_[static_cast<std::size_t>(k)]];
  }

  // C_dᵀλ = r_d: λ = Q₁R⁻ᵀPᵀr_d. The other rows of Cᵀλ = r follow.
  void multipliers(const VectorXd& r, VectorXd& lambda) override {
    const auto& order = qr_.colsPermutation().indices();
    s_.resize(rank_);
    for (Index i = 0; i < rank_; ++i) s_[i] = r[dependent_[static_cast<std::size_t>(order[i])]];
    triangle(qr_, rank_).adjoint().solveInPlace(s_);
    lambda.noalias() = Q_.leftCols(rank_) * s_;
  }

 private:
  static constexpr double kWorse = 0.3;

  // The quality of the choice that is made.
  double keep_choice(const MatrixXd& C) {
    const double quality = rank_ < 0 ? -1 : factor(C);
    if (quality >= kWorse * quality_) return quality;
    choose(C);
    return quality_ = factor(C);
  }

  double take_given(const MatrixXd& C) {
    rank_ = C.cols() - static_cast<Index>(given_.size());
    set_given(C);
    const double quality = factor(C);
    if (quality >= kWorse) return quality;
    choose(C);
    const double best = factor(C);
    if (quality < kWorse * best) return best;
    set_given(C);
    return factor(C);
  }

  void set_given(const MatrixXd& C) {
    independent_ = given_;
    complete(C.cols());
  }

  void choose(const MatrixXd& C) {
    all_.compute(C);
    const Index found = count_rank(all_.matrixR().diagonal());
    if (rank_ < 0) rank_ = found;
    const auto& order = all_.colsPermutation().indices();
    independent_.clear();
    for (Index i = rank_; i < C.cols(); ++i) independent_.push_back(order[i]);
    std::sort(independent_.begin(), independent_.end());
    complete(C.cols());
  }

  void complete(Index n) {
    dependent_.clear();
    for (Index i = 0; i < n; ++i) {
      if (!std::binary_search(independent_.begin(), independent_.end(), i)) dependent_.push_back(i);
    }
  }

  // The smallest pivot of C_d over the largest.
  double factor(const MatrixXd& C) {
    if (C.rows() < rank_) return 0;
    chosen_.resize(C.rows(), rank_);
    for (Index k = 0; k < rank_; ++k) {
      chosen_.col(k) = C.col(dependent_[static_cast<std::size_t>(k)]);
    }
    if (rank_ == 0) return 1;
    qr_.compute(chosen_);
    qr_.householderQ().evalTo(Q_, workspace_);
    const auto pivots = qr_.matrixR().diagonal();
    return std::abs(pivots[rank_ - 1]) / std::abs(pivots[0]);
  }

  // C_d x = right_, in the sense of least squares where rows repeat others.
  template <typename Take>
  void solve_dependent(Take&& take) {
    s_.noalias() = Q_.leftCols(rank_).transpose() * right_;
    triangle(qr_, rank_).solveInPlace(s_);
    const auto& order = qr_.colsPermutation().indices();
    for (Index i = 0; i < rank_; ++i) {
      take(dependent_[static_cast<std::size_t>(order[i])], s_[i]);
    }
  }

  std::vector<Index> given_, independent_, dependent_;
  double quality_ = 0;  // of C_d when it was chosen
  MatrixXd chosen_, Q_;
  Qr qr_, all_;
  VectorXd right_, s_, workspace_;
};

}  // namespace

std::unique_ptr<Reduction> make_qr() { return std::make_unique<QrSpace>(); }
std::unique_ptr<Reduction> make_svd() { return std::make_unique<SvdSpace>(); }
std::unique_ptr<Reduction> make_partition(std::vector<int> independent) {
  std::sort(independent.begin(), independent.end());
  return std::make_unique<Partition>(std::move(independent));
}

}  // namespace koppel
