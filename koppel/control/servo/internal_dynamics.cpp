#include <koppel/control/servo/internal_dynamics.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {
namespace {

// F₀, F₁, F₂ in numbers. (Orders above 2 do not occur in equations of motion.)
std::vector<Eigen::MatrixXd> jacobians(const Dae& dae, const DaePoint& point) {
  std::vector<Expr> residuals, inputs = {dae.t};
  std::vector<double> values = {point.t};
  for (const NamedExpr& residual : dae.residuals) residuals.push_back(residual.value);
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    const auto& symbols = dae.unknowns[j].derivative;
    inputs.insert(inputs.end(), symbols.begin(), symbols.end());
    values.insert(values.end(), point.unknowns[j].begin(), point.unknowns[j].end());
  }
  inputs.insert(inputs.end(), dae.given.begin(), dae.given.end());
  values.insert(values.end(), point.given.begin(), point.given.end());

  const auto n = static_cast<Eigen::Index>(residuals.size());
  std::vector<Eigen::MatrixXd> F(3, Eigen::MatrixXd::Zero(n, n));
  for (std::size_t l = 0; l < F.size(); ++l) {
    std::vector<Expr> symbols;
    std::vector<Eigen::Index> column;
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      if (l >= dae.unknowns[j].derivative.size()) continue;
      symbols.push_back(dae.unknowns[j].derivative[l]);
      column.push_back(static_cast<Eigen::Index>(j));
    }
    const SparseExpr J = jacobian(residuals, symbols);
    const std::vector<double> entries = Function(inputs, J.values)(values);
    for (std::size_t c = 0; c < column.size(); ++c) {
      for (int k = J.pattern.column_start[c]; k < J.pattern.column_start[c + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        F[l](J.pattern.row[at], column[c]) = entries[at];
      }
    }
  }
  return F;
}

}  // namespace

bool InternalDynamics::is_unstable() const {
  double largest = 0;
  for (const auto& s : eigenvalues) largest = std::max(largest, std::abs(s));
  return !eigenvalues.empty() && eigenvalues[0].real() > kRoundOff * std::max(1.0, largest);
}

bool InternalDynamics::is_marginal() const {
  double largest = 0;
  for (const auto& s : eigenvalues) largest = std::max(largest, std::abs(s));
  return !is_unstable() && !eigenvalues.empty() &&
         eigenvalues[0].real() > -kRoundOff * std::max(1.0, largest);
}

std::string describe(const InternalDynamics& found) {
  std::string eigenvalues;
  for (const auto& e : found.eigenvalues) {
    if (e.imag() < 0) continue;  // one of each pair
    eigenvalues += eigenvalues.empty() ? "" : ", ";
    eigenvalues += e.imag() > 0 ? fmt::format("{:.4g} ± {:.4g}i", e.real(), e.imag())
                                : fmt::format("{:.4g}", e.real());
  }
  return fmt::format(
      "internal dynamics of order {} are left when the outputs follow their references; "
      "linearised at the start, their eigenvalues are {} 1/s",
      found.order, eigenvalues);
}

InternalDynamics find_internal_dynamics(const ServoProblem& servo, const DaePoint& point) {
  InternalDynamics out;
  out.order = servo.num_free;
  if (out.order <= 0) return out;
  for (const FreeValue& value : check_regularity(servo.dae, servo.structure, point).free) {
    out.free.push_back(value.name);
  }
  // (2) as a pencil A − s E of first order, rows scaled: their units differ.
  std::vector<Eigen::MatrixXd> F = jacobians(servo.dae, point);
  const Eigen::Index n = F[0].rows();
  for (Eigen::Index i = 0; i < n; ++i) {
    double largest = 0;
    for (const auto& of : F) largest = std::max(largest, of.row(i).cwiseAbs().maxCoeff());
    for (auto& of : F) of.row(i) /= largest;
  }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n), E = A;
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -F[0];
  A.bottomRightCorner(n, n) = -F[1];
  E.topLeftCorner(n, n).setIdentity();
  E.bottomRightCorner(n, n) = F[2];
  // Infinite eigenvalues of index ν come out of round-off at about eps^(−1/ν): the finite ones are
  // the smallest. Those of 1/s, with E and A exchanged, would be the largest.
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(A, E, false);
  std::vector<std::complex<double>> all;
  for (Eigen::Index i = 0; i < 2 * n; ++i) {
    const std::complex<double> alpha = solver.alphas()[i];
    const double beta = solver.betas()[i];
    if (std::abs(alpha) > 1e14 * std::abs(beta)) continue;
    all.push_back(alpha / beta);
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
  all.resize(std::min(all.size(), static_cast<std::size_t>(out.order)));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.real() > b.real(); });
  out.eigenvalues = std::move(all);
  return out;
}

}  // namespace koppel
