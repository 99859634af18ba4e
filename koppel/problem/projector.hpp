// Projection onto the constraints, in the mass metric: the nearest (q, v) that satisfies them.
//
// Positions, by Newton's method from q:                       Velocities, linear:
//   [M Cᵀ] [ δ ]   [ 0 ]                                       [M Cᵀ] [δv]   [ 0         ]
//   [C 0 ] [ η ] = [−g ],    q ← q + K δ,       (1)            [C 0 ] [η ] = [−(C v + c) ]  (2)
// with C = G for positions and [G; a] for velocities, c = g_t and b. One matrix, with all rows,
// serves both: nonholonomic rows have residual 0 in (1). Invariants h(q) = 0 are restored after
// (1), each by the shortest way in q, counted coordinates by themselves. Rows that repeat others
// are left out, like their multipliers.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/problem/given.hpp>
#include <koppel/problem/linear_solver.hpp>

namespace koppel {

enum class Projection {
  None,
  Once,  // one step of Newton's method for positions, and velocities, with one factorisation
  Full,  // to round-off
};
// As people write them: none, once, full.
std::string_view name_of(Projection projection);
std::optional<Projection> read_projection(std::string_view text);

struct ProjectorTerms {
  Expr t;
  std::vector<Expr> q, v;
  Given given;
  std::vector<Expr> position, velocity;  // g; ġ and a v + b: of all rows
  std::vector<int> kept;                 // the rows of [g; a] that count
  SparseExpr matrix;                     // of (1), by these rows
  SparseExpr K;
  std::vector<Expr> h;
  SparseExpr invariant_matrix;  // [1 dᵀ; h_q 0], where d are the directions that restore h
};

class Projector {
 public:
  struct Workspace {
    std::vector<double> in;  // t, q, v, given
    koppel::Workspace residuals, matrices, invariants;
    std::vector<double> values, matrix, invariant_values, right, q, v;
    LinearSolver<double> solver;
    LinearSolver<double> invariant_solver;
    int num_factorizations = 0;
  };

  explicit Projector(const ProjectorTerms& terms, CompileOptions options = {});

  bool is_needed() const { return num_rows_ > 0 || num_h_ > 0; }
  Workspace make_workspace() const;

  // Moves q and v. False where Newton's method did not converge or the matrix is singular.
  bool project(double t, std::span<double> q, std::span<double> v, Projection mode,
               Workspace& work) const;

  struct Violation {
    double position = 0, velocity = 0;  // the largest, of all rows
  };
  Violation violation(double t, std::span<const double> q, std::span<const double> v,
                      Workspace& work) const;
  // g, then ġ and a v + b, of all rows; those that repeat others included.
  struct Residuals {
    std::span<const double> position, velocity;  // in the workspace
  };
  Residuals residuals(double t, std::span<const double> q, std::span<const double> v,
                      Workspace& work) const;

 private:
  void put(double t, std::span<const double> q, std::span<const double> v, Workspace& work) const;
  bool factor(Workspace& work) const;
  void restore_invariants(double t, std::span<double> q, Workspace& work) const;

  std::size_t num_q_, num_v_, num_g_, num_h_, num_rows_;
  std::vector<int> kept_;
  std::vector<double> given_;
  Sparsity matrix_pattern_, invariant_pattern_;
  std::vector<int> K_row_, K_column_;
  Function residuals_;   // g, C v + c
  Function matrices_;    // the matrix of (1), K
  Function invariants_;  // h and [1 h_qᵀ; h_q 0]
};

}  // namespace koppel
