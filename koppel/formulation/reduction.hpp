// Reductions: ways to get accelerations and multipliers from
//
//   M v̇ = f − Cᵀλ,     C v + c = 0,     C v̇ + γ = 0                                       (1)
//
// by dense numeric algebra, O((n + m)³). C has m rows of norm 1 (or 0) and n columns; rows may
// repeat others. Its rank is what is found at the first position. Where it falls later the
// configuration is singular, and there is no answer; what rises above it is round-off or drift.
//
// A reduction is a workspace: it belongs to one thread, and allocates at the first position only.
// For sources of this folder only: it shows Eigen.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Dense>

namespace koppel {

class Reduction {
 public:
  virtual ~Reduction() = default;
  // Decomposes what belongs to a position. False where it is singular.
  virtual bool prepare(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C) = 0;
  // Velocities that satisfy the constraints, where the reduction has its own; else as they are.
  virtual void velocity(const Eigen::VectorXd& /*c*/, Eigen::VectorXd& /*v*/) {}
  virtual bool acceleration(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma,
                            Eigen::VectorXd& v_rate, Eigen::VectorXd& lambda) = 0;
};

// Pivots and singular values below this part of the largest are none.
inline constexpr double kRankThreshold = 1e-10;

// v̇ = M⁻¹(f − Cᵀλ) with λ from C M⁻¹Cᵀ λ = C M⁻¹f + γ: M is inverted.
std::unique_ptr<Reduction> make_mass_inverse();

// Coordinates of the null space of C [Kurz, Burkhardt & Eberhard 2011]. By QR and SVD all of v
// takes part; a partition chooses some of v as independent, by name or by pivoting.
std::unique_ptr<Reduction> make_qr();
std::unique_ptr<Reduction> make_svd();
std::unique_ptr<Reduction> make_partition(std::vector<int> independent);  // none: by pivoting

}  // namespace koppel
