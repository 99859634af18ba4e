// The projection onto the constraints as a map, with its derivatives at a point (q, v) of them. For
// sources of this folder only.
//
// With S the columns of [M Cᵀ; C 0]⁻¹ that turn residuals into corrections (projector.hpp),
//
//   δq ← δq − K S (g_q δq + g_p δp),     δv ← δv − S (ġ_q δq + ġ_v δv + ġ_p δp)             (1)
//
// where the second has the δq of the first, ġ stands for [ġ; a v + b], and rows of a have no g.
// What changes follow the constraints exactly then. Where a step ends off the constraints by its
// own error, (1) neglects the curvature of that way: the product of two errors of the step.
#pragma once

#include <span>
#include <vector>

#include <koppel/problem/projector.hpp>

namespace koppel {

class ProjectionMap {
 public:
  explicit ProjectionMap(const ProjectorTerms& terms, CompileOptions options = {});

  struct Workspace {
    Projector::Workspace projector;
    std::vector<double> in;  // t, q, v, given, then δq, δv, δp or weights of g and ġ
    std::vector<double> matrix, changes, weighted, right, row_weights;
    koppel::Workspace matrices, forward, backward;
    LinearSolver<double> solver;
  };
  Workspace make_workspace() const;
  bool is_needed() const { return projector_.is_needed(); }

  bool project(double t, std::span<double> q, std::span<double> v, std::span<const double> given,
               Workspace& work) const;
  // Puts the workspace at a point; false where the matrix is singular.
  bool stand_at(double t, std::span<const double> q, std::span<const double> v,
                std::span<const double> given, Workspace& work) const;
  void tangent(std::span<double> dq, std::span<double> dv, std::span<const double> dgiven,
               Workspace& work) const;
  void adjoint(std::span<double> w_q, std::span<double> w_v, std::span<double> w_given,
               Workspace& work) const;

 private:
  // The rows' changes at δq, δv, δp.
  void find_changes(std::span<const double> dq, std::span<const double> dv,
                    std::span<const double> dgiven, Workspace& work) const;
  // Takes the weights of g and ġ away from those of what they depend on.
  void take_back(std::span<double> w_q, std::span<double> w_v, std::span<double> w_given,
                 Workspace& work) const;

  struct Entry {
    std::size_t row, column;
  };
  Projector projector_;
  std::size_t num_q_, num_v_, num_given_, num_rows_, num_g_;  // of the rows that are kept
  Sparsity pattern_;
  std::vector<Entry> K_;
  Function matrices_;  // of t, q, v, given: the matrix, K
  Function forward_;   // and of δq, δv, δp: the changes of g and ġ
  Function backward_;  // of t, q, v, given and weights of g and ġ: of q, v, given
};

}  // namespace koppel
