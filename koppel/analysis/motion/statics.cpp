#include <koppel/analysis/motion/statics.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/assembly/assembly.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// f, r and what (2) needs of their derivatives.
class Loads {
 public:
  explicit Loads(const Evaluator& evaluator)
      : evaluator_(evaluator),
        multipliers_(make_multipliers(evaluator.equations)),
        by_q_(evaluator.equations, jacobian(unbalanced(), evaluator.equations->q), multipliers_),
        by_x_(evaluator.equations, jacobian(unbalanced(), evaluator.equations->x), multipliers_),
        r_q_(evaluator.equations, jacobian(evaluator.equations->r, evaluator.equations->q)),
        r_x_(evaluator.equations, jacobian(evaluator.equations->r, evaluator.equations->x)) {}

  struct Step {
    VectorXd v, x, multipliers;
  };

  // Eq. (2), with the states x beside: (I/τ − ∂r/∂x) δx − (∂r/∂q) K δ = r.
  Step step(const State& s, const VectorXd& multipliers, double tau) const {
    const MatrixXd C = dense::view(evaluator_.all_constraints(s));
    const MatrixXd K = dense::view(evaluator_.K(s));
    MatrixXd M = dense::view((*evaluator_.M)(s));
    const std::vector<double> values = dense::to_vector(multipliers);
    const Index n = M.rows(), m = C.rows(), k = static_cast<Index>(s.x.size());
    const double top = n == 0 ? 1 : M.diagonal().cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; ++i)
      M(i, i) += M(i, i) > 1e-6 * top ? 0 : 1e-6 * std::max(top, 1e-300);
    MatrixXd A = MatrixXd::Zero(n + k + m, n + k + m);
    VectorXd b(n + k + m);
    A.topLeftCorner(n, n) = M / tau - dense::view(by_q_(s, values)) * K;
    A.block(0, n, n, k) = -dense::view(by_x_(s, values));
    A.block(n, 0, k, n) = -dense::view(r_q_(s)) * K;
    A.block(n, n, k, k) = MatrixXd::Identity(k, k) / tau - MatrixXd(dense::view(r_x_(s)));
    A.topRightCorner(n, m) = C.transpose();
    A.bottomLeftCorner(m, n) = C;
    const auto n_g = static_cast<Index>(evaluator_.equations->num_g());
    b << dense::view(evaluator_.f(s)), dense::view(evaluator_.r(s)), -dense::view(evaluator_.g(s)),
        VectorXd::Zero(m - n_g);
    const dense::Equilibration scale = dense::equilibrate(A);
    const VectorXd solution = scale.columns.cwiseProduct(
        dense::solve_least_norm(scale.rows.asDiagonal() * A * scale.columns.asDiagonal(),
                                scale.rows.cwiseProduct(b), 1e-12));
    return {solution.head(n), solution.segment(n, k), solution.tail(m)};
  }

  // The forces that multipliers of least squares do not balance, and r; `scale` is the largest
  // force.
  VectorXd residual(const State& s, VectorXd& multipliers, double& scale) const {
    const VectorXd f = dense::view(evaluator_.f(s)), r = dense::view(evaluator_.r(s));
    const MatrixXd C = dense::view(evaluator_.all_constraints(s));
    VectorXd rest = f;
    if (C.rows() > 0) {
      multipliers = dense::LeastNorm(C.transpose(), 1e-10).solve(f);
      rest -= C.transpose() * multipliers;
    }
    scale =
        std::max({f.size() == 0 ? 0 : f.cwiseAbs().maxCoeff(),
                  multipliers.size() == 0 ? 0 : (C.transpose() * multipliers).cwiseAbs().maxCoeff(),
                  round_off_force(s, multipliers)});
    return dense::concatenate({rest, r});
  }

 private:
  // Where all forces vanish, what their round-off is a part of: forces of displacements as large as
  // the coordinates, by 1e-4.
  double round_off_force(const State& s, const VectorXd& multipliers) const {
    const std::vector<double> stiffness = by_q_.values(s, dense::to_vector(multipliers));
    if (stiffness.empty()) return 1e-300;
    const double force =
        dense::view(stiffness).cwiseAbs().maxCoeff() * dense::view(s.q).cwiseAbs().maxCoeff();
    return std::isfinite(force) ? std::max(1e-4 * force, 1e-300) : 1e-300;
  }

  static std::vector<Expr> make_multipliers(const Equations& e) {
    std::vector<Expr> symbols;
    for (std::size_t i = 0; i < e.num_rows(); ++i) {
      symbols.push_back(e.graph->symbol("multiplier.static[" + std::to_string(i) + "]"));
    }
    return symbols;
  }
  // f − Gᵀλ − aᵀμ.
  std::vector<Expr> unbalanced() const {
    const Equations& e = evaluator_.equations;
    const std::span<const Expr> all = multipliers_;
    const auto by_g = multiply_transposed(e.G, all.first(e.num_g()));
    const auto by_a = multiply_transposed(e.a, all.subspan(e.num_g()));
    std::vector<Expr> rest = e.f;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= by_g[i] + by_a[i];
    return rest;
  }

  const Evaluator& evaluator_;
  std::vector<Expr> multipliers_;
  MatrixFunction by_q_, by_x_, r_q_, r_x_;
};

}  // namespace

Equilibrium find_equilibrium(const Evaluator& evaluator, const State& start,
                             const StaticsOptions& options) {
  const Loads loads(evaluator);
  Equilibrium result;
  State s = start;
  std::fill(s.v.begin(), s.v.end(), 0.0);
  const auto num_multipliers = static_cast<Index>(evaluator.equations->num_rows());
  VectorXd multipliers = VectorXd::Zero(num_multipliers);
  double scale = 1;
  VectorXd rest = loads.residual(s, multipliers, scale);
  double size = rest.norm(), tau = 0.01;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    if (size <= options.tolerance * scale && result.iterations > 0) {
      result.is_found = true;
      break;
    }
    const Loads::Step step = loads.step(s, multipliers, tau);
    State trial = s;
    dense::view(trial.q) += dense::view(evaluator.K(s)) * step.v;
    dense::view(trial.x) += step.x;
    // No step longer than what a linearisation can be trusted for.
    const double reach = step.v.size() == 0 ? 0 : step.v.cwiseAbs().maxCoeff();
    const bool closes = std::isfinite(reach) && reach < 1 && close_positions(evaluator, trial);
    VectorXd trial_multipliers = multipliers;
    double trial_scale = scale;
    const VectorXd trial_rest =
        closes ? loads.residual(trial, trial_multipliers, trial_scale) : VectorXd();
    if (!closes || !trial_rest.allFinite() || trial_rest.norm() > 2 * size + options.tolerance) {
      tau *= 0.25;
      if (tau < 1e-12) break;
      continue;
    }
    const double before = size;
    s = std::move(trial);
    multipliers = trial_multipliers;
    scale = trial_scale;
    size = trial_rest.norm();
    tau = std::min(tau * std::clamp(before / std::max(size, 1e-300), 1.0, 10.0) * 1.2, 1e12);
  }
  result.residual = size;
  const auto n_g = static_cast<Index>(evaluator.equations->num_g());
  result.lambda = dense::to_vector(multipliers.head(n_g));
  result.mu = dense::to_vector(multipliers.tail(num_multipliers - n_g));
  result.state = std::move(s);
  result.text = result.is_found ? fmt::format("in equilibrium after {} steps.", result.iterations)
                                : fmt::format(
                                      "no equilibrium found near the start: forces of {:.3g} stay "
                                      "unbalanced after {} steps.",
                                      size, result.iterations);
  return result;
}

}  // namespace koppel
