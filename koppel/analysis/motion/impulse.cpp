#include <koppel/analysis/motion/impulse.hpp>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kImpulseRankTolerance = 1e-10;

// The rows of (1): [M Cᵀ; C 0] (Δv, Λ) = (right, below), Λ of least norm where rows repeat others.
VectorXd solve_jump(const MatrixXd& M, const MatrixXd& C, const VectorXd& right,
                    const VectorXd& below) {
  const Index n = M.rows(), m = C.rows();
  MatrixXd A = MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = M;
  A.topRightCorner(n, m) = C.transpose();
  A.bottomLeftCorner(m, n) = C;
  const dense::Equilibration scale = dense::equilibrate(A);
  const VectorXd b = dense::concatenate({right, below});
  const VectorXd x =
      dense::solve_least_norm(scale.rows.asDiagonal() * A * scale.columns.asDiagonal(),
                              scale.rows.cwiseProduct(b), kImpulseRankTolerance);
  return scale.columns.cwiseProduct(x).head(n);
}

MatrixXd motions_of(const Evaluator& evaluator, const State& state, std::span<const Expr> rates) {
  const Equations& e = evaluator.equations;
  const Matrix J = MatrixFunction(e, jacobian(rates, e.v))(state);
  return dense::view(J);
}

// What unit impulses would do to each rate if there were no constraints: what W is small against
// where constraints allow no motion.
VectorXd mobility_of(const MatrixXd& M, const MatrixXd& J) {
  VectorXd out(J.rows());
  for (Index i = 0; i < J.rows(); ++i) {
    const VectorXd jump = solve_jump(M, MatrixXd(0, M.cols()), J.row(i).transpose(), VectorXd(0));
    out[i] = J.row(i).dot(jump);
  }
  return out;
}

// (2) for W positive semidefinite; nothing where there is no solution. `mobility` is the size that
// the diagonal of W has at most.
std::optional<VectorXd> solve_complementarity(const MatrixXd& W, const VectorXd& b,
                                              const VectorXd& mobility) {
  constexpr double kImmobile = 1e-12, kReached = 1e-9;
  const Index n = b.size();
  const double size = b.cwiseAbs().maxCoeff();
  std::vector<char> acts(static_cast<std::size_t>(n), 0);
  VectorXd P = VectorXd::Zero(n);
  for (Index k = 0; k < 100 * n; ++k) {
    const VectorXd w = W * P + b;
    const double largest = P.cwiseAbs().maxCoeff();
    Index change = -1;
    for (Index i = 0; i < n && change < 0; ++i) {
      const bool is_active = acts[static_cast<std::size_t>(i)];
      if (is_active ? P[i] < -kReached * largest : w[i] < -kReached * size) change = i;
    }
    if (change < 0) {
      const bool is_reached = (w.array() >= -1e3 * kReached * size).all();
      return is_reached ? std::optional(P) : std::nullopt;
    }
    char& active = acts[static_cast<std::size_t>(change)];
    if (!active && !(W(change, change) > kImmobile * mobility[change])) return {};
    active = !active;
    std::vector<Index> some;
    for (Index i = 0; i < n; ++i) {
      if (acts[static_cast<std::size_t>(i)]) some.push_back(i);
    }
    P.setZero();
    if (!some.empty()) {
      P(some) = dense::solve_least_norm(W(some, some), -b(some), kImpulseRankTolerance);
    }
  }
  return {};
}

}  // namespace

std::vector<double> velocities_after_impulse(const Evaluator& evaluator, const State& state,
                                             std::span<const Expr> rates,
                                             std::span<const double> P) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const MatrixXd J = motions_of(evaluator, state, rates);
  const VectorXd force =
      J.transpose() * Eigen::Map<const VectorXd>(P.data(), static_cast<Index>(P.size()));
  const VectorXd jump = solve_jump(dense::view(M), dense::view(C), force, VectorXd::Zero(C.rows));
  return dense::to_vector(dense::view(state.v) + jump);
}

namespace {

// The state's velocities after this momentum and impulses of the constraints.
std::vector<double> velocities_after(const Evaluator& evaluator, const State& state,
                                     const VectorXd& momentum) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const std::vector<double> g_rate = evaluator.g_rate(state), a_rate = evaluator.a_rate(state);
  const VectorXd lacking = -dense::concatenate({dense::view(g_rate), dense::view(a_rate)});
  const VectorXd jump = solve_jump(dense::view(M), dense::view(C), momentum, lacking);
  return dense::to_vector(dense::view(state.v) + jump);
}

}  // namespace

std::vector<double> velocities_after_jump(const Evaluator& evaluator, const State& state) {
  return velocities_after(evaluator, state,
                          VectorXd::Zero(static_cast<Index>(evaluator.equations->num_v())));
}

std::vector<double> velocities_after_change(const Evaluator& evaluator, const State& before,
                                            const State& state) {
  const Equations& e = evaluator.equations;
  VectorXd momentum = VectorXd::Zero(static_cast<Index>(e.num_v()));
  for (const Inertia& inertia : e.kinematics->inertias) {
    const VectorFunction velocities(e, inertia.w);
    const std::vector<double> was = velocities(before), is = velocities(state);
    std::vector<Expr> lost;
    for (std::size_t i = 0; i < was.size(); ++i) lost.emplace_back(was[i] - is[i]);
    const std::vector<double> p = VectorFunction(e, inertia.times(lost))(state);
    momentum += motions_of(evaluator, state, inertia.w).transpose() * dense::view(p);
  }
  return velocities_after(evaluator, state, momentum);
}

std::optional<std::vector<double>> velocities_after_impacts(const Evaluator& evaluator,
                                                            const State& state,
                                                            std::span<const Expr> rates,
                                                            std::span<const double> e,
                                                            std::span<const int> sides) {
  const Matrix M = (*evaluator.M)(state), C = evaluator.all_constraints(state);
  const auto count = static_cast<Index>(rates.size());
  MatrixXd J = motions_of(evaluator, state, rates);
  VectorXd before = dense::view(VectorFunction(evaluator.equations, rates)(state));
  for (Index i = 0; i < count; ++i) {
    if (sides[static_cast<std::size_t>(i)] <= 0) continue;
    J.row(i) *= -1;
    before[i] *= -1;
  }
  MatrixXd jumps(M.rows, count);  // of v, by unit impulses
  for (Index i = 0; i < count; ++i) {
    jumps.col(i) =
        solve_jump(dense::view(M), dense::view(C), J.row(i).transpose(), VectorXd::Zero(C.rows));
  }
  VectorXd b = before;
  for (Index i = 0; i < count; ++i) {
    if (b[i] < 0) b[i] *= 1 + e[static_cast<std::size_t>(i)];
  }
  const auto P = solve_complementarity(J * jumps, b, mobility_of(dense::view(M), J));
  if (!P) return {};
  return dense::to_vector(dense::view(state.v) + jumps * *P);
}

}  // namespace koppel
