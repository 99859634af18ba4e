// Matrix and vectors of numbers seen by Eigen, and the few dense operations that several analyses
// share. For sources of this folder only: no other header includes it.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Dense>

#include <koppel/base/matrix.hpp>

namespace koppel::dense {

inline Eigen::Map<const Eigen::MatrixXd> view(const Matrix& m) {
  return {m.values.data(), m.rows, m.columns};
}
inline Eigen::Map<Eigen::MatrixXd> view(Matrix& m) { return {m.values.data(), m.rows, m.columns}; }
inline Eigen::Map<const Eigen::VectorXd> view(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
inline Eigen::Map<Eigen::VectorXd> view(std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

// max |v_i|; 0 where there is nothing.
inline double largest(const Eigen::VectorXd& v) {
  return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff();
}

Matrix to_matrix(const Eigen::MatrixXd& m);
std::vector<double> to_vector(const Eigen::VectorXd& v);

// One above the other; all have the same number of columns.
Eigen::MatrixXd stack(std::initializer_list<Eigen::MatrixXd> parts);
Eigen::VectorXd concatenate(std::initializer_list<Eigen::VectorXd> parts);

// Factors r, c > 0 with which the rows and columns of diag(r) A diag(c) have Euclidean norm near 1
// [Ruiz 2001]: numbers that differ by their units only become comparable. Rows and columns below
// 1e-13 of the largest entry are round-off and keep the factor of the largest.
struct Equilibration {
  Eigen::VectorXd rows, columns;
};
Equilibration equilibrate(const Eigen::MatrixXd& A);

// The solution of least norm, in the sense of least squares where there is none, of A x = b. Rows
// are scaled to norm 1 first; singular directions below `threshold` count as none.
Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                 double threshold);

// An orthonormal basis of {x : A x = 0}, of A with rows scaled to norm 1.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double threshold);

}  // namespace koppel::dense
