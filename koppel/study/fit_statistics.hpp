// What the residuals of a fit say about the noise of columns and about parameters. For sources of
// this folder only.
//
// With residuals r_i = (y_i − d_i)/σ_c of columns c and their derivatives J = U S Vᵀ by the
// parameters, a fit brings Σ r_i² of a column of N_c values with noise σ_c from N_c down to
//
//   E Σ_{i∈c} r_i² = N_c − h_c = ν_c,   h_c = Σ_{i∈c} Σ_k U_ik²                                (1)
//
// on average: h_c is its share of the parameters. So noise that is not known is estimated by
// σ_c² = Σ (y_i − d_i)²/ν_c, with ν_c degrees of freedom. With noise that is known the covariance
// of the parameters is Φ = (JᵀJ)⁻¹. Where estimates of noise weigh the columns it is larger
// [Kenward & Roger 1997],
//
//   C = Φ + Σ_c (4/ν_c) Φ (F_c − F_c Φ F_c) Φ,   F_c = Σ_{i∈c} J_iᵀ J_i, (2)
//
// and the variance of a parameter has degrees of freedom of its own [Satterthwaite 1946], from
// what the columns contribute to it:
//
//   Φ_jj = Σ_c V_jc,   V_jc = (Φ F_c Φ)_jj,   ν_j = Φ_jj² / Σ_c V_jc²/ν_c                       (3)
//
// with ν_c infinite where the noise is given.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <koppel/analysis/algebra/factors.hpp>

namespace koppel {

class FitStatistics {
 public:
  // J by parameters relative to their sizes, the column of each of its rows, and whether the noise
  // of a column is given.
  FitStatistics(const Eigen::MatrixXd& J, std::span<const std::size_t> column_of,
                std::vector<bool> is_given);

  // Directions that the residuals see less than this, relative to the one they see best: not at
  // all.
  static constexpr double kBlind = 1e-8;
  const dense::Singular& svd() const { return svd_; }
  bool is_seen(Eigen::Index direction) const;

  double degrees_of_column(std::size_t c) const { return columns_[c].degrees; }  // ν_c
  const Eigen::MatrixXd& plain_covariance() const { return Phi_; }  // Φ, of what is seen
  Eigen::MatrixXd covariance() const;                               // C
  double degrees_of_parameter(Eigen::Index j) const;                // ν_j

 private:
  struct Column {
    bool is_given = false;
    double degrees = 0;
    Eigen::MatrixXd F;
    // Its noise is estimated, and not by values that parameters are found from alone.
    bool is_estimated() const { return !is_given && degrees > 1e-9; }
  };
  dense::Singular svd_;
  Eigen::MatrixXd Phi_;
  std::vector<Column> columns_;
};

// What parameters are measured by: themselves, or 1 where they are 0.
Eigen::VectorXd sizes_of(std::span<const double> parameters);

// The 97.5 % point of Student's distribution, to three digits; infinite below one degree of
// freedom.
double student(double degrees);

}  // namespace koppel
