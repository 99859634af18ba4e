// Common zeros of quadratic forms: the directions z with zᵀ Q_k z = 0 for all k. For sources of
// this folder only.
//
// In two dimensions they are the roots of one quadratic equation. Otherwise Levenberg and
// Marquardt's method runs from 200 fixed starting points, and zeros with small basins may be
// missed.
#pragma once

#include <vector>

#include <Eigen/Dense>

namespace koppel::quadrics {

// Independent forms with the same zeros, entries near 1; `terms` is the size of what the entries
// are sums of, to tell round-off.
std::vector<Eigen::MatrixXd> independent(const std::vector<Eigen::MatrixXd>& forms, double terms);

// Orthonormal bases of the linear spaces that the zeros fill, one column for zeros that are alone
// or part of a curved cone.
std::vector<Eigen::MatrixXd> common_zeros(const std::vector<Eigen::MatrixXd>& Q);

}  // namespace koppel::quadrics
