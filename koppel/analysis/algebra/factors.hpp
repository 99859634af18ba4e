// Decompositions of dense matrices, compiled once: as templates each costs the compiler seconds in
// every source that uses it. For sources only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

namespace koppel::dense {

// A x = b by complete orthogonal decomposition: the x of least norm among those of least squares.
class LeastNorm {
 public:
  // Pivots below this part of the largest count as 0; without it, below round-off.
  explicit LeastNorm(const Eigen::MatrixXd& A);
  LeastNorm(const Eigen::MatrixXd& A, double threshold);
  ~LeastNorm();

  Eigen::Index rank() const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

// A x = b of a square matrix by elimination with one refinement, at a fifth of the cost of
// LeastNorm; nothing where 1/(‖A‖ ‖A⁻¹‖), as estimated, is below `threshold`.
std::optional<Eigen::VectorXd> solve_regular(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                             double threshold);

// The x of least squares of A x = b, where the columns of A are independent.
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);

// Columns of A that are independent, those farthest from depending on the others first: as many as
// its rank, with pivots above a part of the largest (0: above round-off).
std::vector<int> independent_columns(const Eigen::MatrixXd& A, double threshold = 0);

// A = U diag(s) Vᵀ, s descending, by rotations.
struct Singular {
  Eigen::VectorXd s;
  Eigen::MatrixXd U, V;
};
enum class Vectors { Thin, Full };
Singular singular_values(const Eigen::MatrixXd& A, Vectors vectors);

struct Eigenvalues {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
Eigenvalues eigenvalues(const Eigen::MatrixXd& A);
Eigenvalues eigenvalues_only(const Eigen::MatrixXd& A);

}  // namespace koppel::dense
