// The linear algebra of assembly: steps of positions and velocities that are small in the metric of
// masses. Dense for small mechanisms, sparse for large ones. For sources of this folder only.
//
// Displacements are measured in a given matrix S of q, ‖δq‖² = δqᵀS δq; or by the masses:
// q − q₀ = B z with B = [K  (∂h/∂q)ᵀ] at the guess and ‖q − q₀‖² = zᵀW z, where W = diag(M, w² I)
// and w² is the largest mass; M gets a small part of that where a motion has none.
#pragma once

#include <memory>

#include <koppel/analysis/algebra/sparse.hpp>

namespace koppel {

// A least-squares part beside the distance: ½ ‖R x − r‖².
struct PullRows {
  sparse::SparseMatrix R;
  Eigen::VectorXd r;
};

class Metric {
 public:
  virtual ~Metric() = default;

  // ‖gradient‖ of each row of A = ∂c/∂q.
  virtual Eigen::VectorXd row_lengths(const sparse::SparseMatrix& A) const = 0;
  // The δq that minimises ‖S (A δq + c)‖² + μ ‖δq‖², S = diag(scale).
  virtual Eigen::VectorXd damped_step(const sparse::SparseMatrix& A, const Eigen::VectorXd& scale,
                                      const Eigen::VectorXd& c, double root_mu) const = 0;
  virtual double length(const Eigen::VectorXd& dq) const = 0;
  // The δq with A δq = 0 that minimises ‖offset + δq‖² + ‖R δq − r‖².
  virtual Eigen::VectorXd step_along(const sparse::SparseMatrix& A, const Eigen::VectorXd& offset,
                                     const PullRows& pull) const = 0;
  // S⁻¹ gradient.
  virtual Eigen::VectorXd solve(const Eigen::VectorXd& gradient) const = 0;
};

// The metric of a definite matrix; that of masses at a state; or the Euclidean one of q.
std::unique_ptr<Metric> make_metric(const sparse::SparseMatrix& S);
std::unique_ptr<Metric> make_metric(const Evaluator& evaluator, const State& state);
std::unique_ptr<Metric> make_euclidean_metric(Eigen::Index num_q);

// M at a state, made definite.
sparse::SparseMatrix mass_metric(const Evaluator& evaluator, const State& state);

// The square root of the largest mass.
double largest_weight(const Evaluator& evaluator, const State& state);

// The v that minimises ‖v − v₀‖²_W + ‖R v − r‖² subject to A v = b.
Eigen::VectorXd nearest_velocity(const sparse::SparseMatrix& W, const sparse::SparseMatrix& A,
                                 const Eigen::VectorXd& b, const PullRows& pull,
                                 const Eigen::VectorXd& v0);

}  // namespace koppel
