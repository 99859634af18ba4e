// The algebraic Riccati equation by the matrix sign function [Roberts 1980].
//
// For the Hamiltonian H = [A, −B R⁻¹ Bᵀ; −Q, −Aᵀ], without eigenvalues on the imaginary axis, the
// iteration Z ← (c Z + (c Z)⁻¹)/2 with c = |det Z|^(−1/2n) converges to W = sign(H). The stable
// subspace of H, the range of [I; P], is the null space of W + I:
//   [W₁₂; W₂₂ + I] P = −[W₁₁ + I; W₂₁].
#pragma once

#include <optional>

#include <Eigen/Dense>

namespace koppel {

// P of AᵀP + P A − P G P + Q = 0 with A − G P stable; nothing where there is none.
std::optional<Eigen::MatrixXd> solve_riccati(const Eigen::MatrixXd& A, const Eigen::MatrixXd& G,
                                             const Eigen::MatrixXd& Q);

}  // namespace koppel
