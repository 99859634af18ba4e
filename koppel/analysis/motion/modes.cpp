// Eigenvalues of linear systems, with shapes in the coordinates.
#include <algorithm>
#include <numbers>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/motion/linearize.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

// `z`: the eigenvector.
Mode make_mode(const LinearSystem& system, std::complex<double> eigenvalue, const VectorXcd& z) {
  Mode mode;
  mode.eigenvalue = eigenvalue;
  const double size = std::abs(eigenvalue);
  mode.frequency = size / (2 * std::numbers::pi);
  mode.damping_ratio = size > 0 ? -eigenvalue.real() / size : 0;
  VectorXcd shape = dense::view(system.S).topRows(system.num_q).cast<std::complex<double>>() * z;
  if (shape.size() > 0) {
    Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    if (std::abs(shape[largest]) > 0) shape /= std::complex<double>(shape[largest]);
  }
  mode.shape.assign(shape.begin(), shape.end());
  return mode;
}

void sort_by_frequency(std::vector<Mode>& modes) {
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
}

// Factors d with which the rows and columns of D⁻¹ A D have norms of like size: units no longer
// count. [Parlett & Reinsch 1969]
VectorXd balance(const MatrixXd& A) {
  VectorXd d = VectorXd::Ones(A.rows());
  for (int sweep = 0; sweep < 10; ++sweep) {
    for (Index i = 0; i < A.rows(); ++i) {
      double column = 0, row = 0;
      for (Index j = 0; j < A.rows(); ++j) {
        if (j == i) continue;
        column += std::abs(A(j, i)) * d[i] / d[j];
        row += std::abs(A(i, j)) * d[j] / d[i];
      }
      if (column > 0 && row > 0) d[i] *= std::sqrt(row / column);
    }
  }
  return d;
}

// One step of inverse iteration from a vector that is near no eigenvector in particular, and one
// more.
VectorXcd eigenvector(const MatrixXd& A, std::complex<double> eigenvalue) {
  const double shift = 1e-10 * (std::abs(eigenvalue) + A.cwiseAbs().maxCoeff());
  MatrixXcd shifted = A.cast<std::complex<double>>();
  shifted.diagonal().array() -= eigenvalue + shift;
  const Eigen::PartialPivLU<MatrixXcd> lu(shifted);
  VectorXcd z(A.rows());
  for (Index i = 0; i < z.size(); ++i) z[i] = 1 + 0.37 * std::sin(1.0 + static_cast<double>(i));
  for (int i = 0; i < 2; ++i) z = lu.solve(z).eval().normalized();
  return z;
}

}  // namespace

std::vector<Mode> find_modes(const LinearSystem& system) {
  std::vector<Mode> modes;
  if (system.A.rows == 0) return modes;
  const dense::Eigenvalues found = dense::eigenvalues(dense::view(system.A));
  for (Index i = 0; i < found.values.size(); ++i) {
    const std::complex<double> eigenvalue = found.values[i];
    if (eigenvalue.imag() < 0) continue;
    modes.push_back(make_mode(system, eigenvalue, found.vectors.col(i)));
  }
  sort_by_frequency(modes);
  return modes;
}

Spectrum find_spectrum(const LinearSystem& system, double zero) {
  Spectrum out;
  if (system.A.rows == 0) return out;
  // Balancing would make round-off as large as what it stands beside.
  constexpr double kRoundOff = 1e-15;
  MatrixXd A = dense::view(system.A);
  const double least = kRoundOff * A.cwiseAbs().maxCoeff();
  A = (A.cwiseAbs().array() > least).select(A, 0.0);
  const VectorXd d = balance(A);
  A = (d.cwiseInverse().asDiagonal() * A * d.asDiagonal()).eval();
  if (A.isZero(0)) return {static_cast<int>(A.rows()), {}};
  MatrixXd rest = A;
  double size = 0;
  while (rest.rows() > 0) {
    const dense::Singular svd = dense::singular_values(rest, dense::Vectors::Full);
    if (size == 0) size = svd.s[0];  // of A
    const Index rank = (svd.s.array() > zero * size).count();
    if (rank == rest.rows()) break;
    out.num_zero += static_cast<int>(rest.rows() - rank);
    const MatrixXd kept = svd.V.leftCols(rank);
    rest = (kept.transpose() * rest * kept).eval();
  }
  if (rest.rows() == 0) return out;
  for (const std::complex<double> eigenvalue : dense::eigenvalues_only(rest).values) {
    if (eigenvalue.imag() < 0) continue;
    out.modes.push_back(make_mode(system, eigenvalue, d.asDiagonal() * eigenvector(A, eigenvalue)));
  }
  sort_by_frequency(out.modes);
  return out;
}

}  // namespace koppel
