// Sparse counterparts of dense.hpp, for mechanisms with many bodies: cost close to linear in the
// number of bodies where each is joined to a few others. For sources of this folder only.
//
// Small problems are solved densely (is_large), by factorisations that reveal the rank with
// certainty. Here ranks come from a few of the smallest singular values instead.
#pragma once

#include <optional>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/equations/evaluator.hpp>

namespace koppel::sparse {

using SparseMatrix = Eigen::SparseMatrix<double>;  // by columns
using Triplets = std::vector<Eigen::Triplet<double>>;

// Where sparse factorisations begin to pay: the rows of a square matrix.
inline constexpr Eigen::Index kLarge = 400;
inline bool is_large(std::size_t size) { return static_cast<Eigen::Index>(size) > kLarge; }
inline bool is_large(Eigen::Index size) { return size > kLarge; }

SparseMatrix evaluate(const MatrixFunction& function, const State& state);

// Adds the entries of A, moved down and to the right; transposed on request.
void add(Triplets& entries, const SparseMatrix& A, Eigen::Index row, Eigen::Index column);
void add_transposed(Triplets& entries, const SparseMatrix& A, Eigen::Index row,
                    Eigen::Index column);
SparseMatrix from(const Triplets& entries, Eigen::Index rows, Eigen::Index columns);
SparseMatrix identity(Eigen::Index size);
Eigen::VectorXd row_norms(const SparseMatrix& A);

// One above the other; all have the same number of columns.
SparseMatrix stack(std::initializer_list<SparseMatrix> parts);

// [G; a].
SparseMatrix all_constraints(const Evaluator& evaluator, const State& state);

// As dense::equilibrate.
dense::Equilibration equilibrate(const SparseMatrix& A);
SparseMatrix scaled(const SparseMatrix& A, const dense::Equilibration& scale);

// An orthonormal basis of {x : ‖A x‖ ≤ kNullTolerance ‖x‖} for A with entries near 1
// (equilibrated), and the smallest singular value that is left. By subspace iteration with (AᵀA + ε
// I)⁻¹; the squares in AᵀA are why singular values below 1e-7 cannot be told from 0.
struct NullSpace {
  Eigen::MatrixXd basis;
  double next = 1;
};
inline constexpr double kNullTolerance = 1e-6;
NullSpace null_space(const SparseMatrix& A);

// A square matrix factorised, with its smallest singular value estimated by inverse iteration.
class Factors {
 public:
  explicit Factors(const SparseMatrix& A);
  double smallest_singular_value() const { return smallest_; }  // 0: the factorisation broke down
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;        // with one refinement

 private:
  SparseMatrix A_;
  Eigen::SparseLU<SparseMatrix> lu_;
  double smallest_ = 0;
};

// minimise ½ zᵀW z − wᵀz + ½ ‖R z − r‖²  subject to  A z = b,                             (1)
// where rows of A may repeat each other. The method of multipliers [Hestenes 1969] solves
//   [W   Aᵀ   Rᵀ] [z ]   [w      ]
//   [A  −μ I  0 ] [λ⁺] = [b − μ λ]                                                       (2)
//   [R   0   −I ] [ρ ]   [r      ]
// for λ⁺ until A z = b is met as well as it can be. λ so stays in the range of A: of least norm,
// in scaled rows. Rows are scaled to length 1 in the metric of W's diagonal first.
class Saddle {
 public:
  Saddle(const SparseMatrix& W, const SparseMatrix& A, const SparseMatrix& R, double mu = 1e-9);

  struct Solution {
    Eigen::VectorXd z, lambda;
  };
  Solution solve(const Eigen::VectorXd& w, const Eigen::VectorXd& b,
                 const Eigen::VectorXd& r) const;
  // One round only: the Levenberg-Marquardt step with damping μ, for rows of length 1.
  Eigen::VectorXd solve_damped(const Eigen::VectorXd& b) const;
  bool is_regular() const { return is_regular_; }

 private:
  Eigen::VectorXd solve_once(const Eigen::VectorXd& right) const;

  Eigen::Index n_ = 0, m_ = 0, k_ = 0;
  double mu_ = 0;
  Eigen::VectorXd column_, row_;  // the scaling of z and of the rows of A
  SparseMatrix A_, matrix_;       // scaled
  Eigen::SparseLU<SparseMatrix> lu_;
  bool is_regular_ = false;
};

}  // namespace koppel::sparse
