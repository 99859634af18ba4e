// The rank of the constraints near a state, and the equations that repeat others by name.
//
// The matrix is C = [G; a]; degrees of freedom are n_v − rank C. Rows and columns of C have
// different units (metres, squares of metres, direction cosines; metres and radians a second), so
// C is equilibrated first [Ruiz 2001], by the sizes its entries have near the state: the rank then
// depends neither on units nor on masses, and a row that vanishes at the state shows. It is found
// by QR with column pivoting; a diagonal entry below `tolerance` times the first counts as 0.
//
// Let the columns of Y span {y : yᵀC = 0}. A set S of rows can be taken away without loss of rank
// exactly when the rows Y_S are linearly independent. There are two answers to which.
//
// For people, `redundant` blames the fewest owners, greedily: the owner with the largest rank of
// Y_owner first, the last one among equals, because it closed the loop.
//
// For calculations, `redundant_rows` are those without which the others are as far from being
// dependent as can be, here and hence as long as possible along the motion. With the rows that are
// left, C_R, the volume that decides whether [M C_Rᵀ; C_R 0] is regular is, for rows of length 1 in
// the metric of masses,
//   √det(C_R M⁻¹ C_Rᵀ) / Π_R ‖c_i‖ ∼ |det Y_S| Π_S ‖c_i‖,      ‖c_i‖² = Σ_j c_ij² / m_jj.   (1)
// Rows are taken away by pivoting: again and again the one with the largest ‖c_i‖ ‖Y_i‖, the last
// among those within 10 % of it, which round-off must not decide between.
//
// Rows that are dependent at the state alone repeat nothing: the state is singular, and no equation
// may be left out for it. So where the rank at the state is below the number of rows, it is taken
// at consistent neighbours as well (neighbours.hpp); the largest counts, and Y is that of the
// neighbour that has it. Where no neighbour has more, an equation can still hold the mechanism: two
// rods stretched between their pivots, x² = 0. What repeats others does not, so that for every
// velocity v that satisfies the constraints
//   yᵀ γ(q, v) = 0      with g̈ = G v̇ + γ.                                               (2)
// Otherwise the constraints are degenerate.
//
// Cost: O(n³) in the number of velocities and rows, dense. From 400 rows on, Y and the smallest
// singular value beside it come from a sparse factorisation of C Cᵀ, at a cost close to linear in
// the number of bodies where each is joined to a few others; the tolerance is then 1e-6, and
// `smallest_pivot` that singular value.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct RankOptions {
  double tolerance = 1e-8;
  bool here_only = false;  // no neighbours: the rank at the state
};

// The equations of one owner (a joint, a constraint) that repeat what others say.
struct Redundancy {
  std::string owner;
  int num_equations = 0;             // that the owner has
  std::vector<std::string> rows;     // of them, those that repeat
  std::vector<std::string> repeats;  // the other owners that together say the same
  std::string text;                  // all this and what to do, in words
};

struct RankReport {
  int rank = 0;  // the largest at the state and near it
  int rank_here = 0;
  int num_rows = 0;
  int degrees_of_freedom = 0;  // n_v − rank
  // Dependent equations at the state and near it that hold the mechanism nevertheless, (2).
  bool is_degenerate = false;
  // At the state: diagonal entry number `rank` over the first. Near the tolerance, the
  // configuration is nearly singular and its degrees of freedom are about to change.
  double smallest_pivot = 1;
  std::vector<double> pivots;       // all of them over the first, descending; of small systems only
  std::vector<int> redundant_rows;  // to be left out, in [g; a], ascending
  std::vector<Redundancy> redundant;  // as many; not always the same

  bool is_singular() const { return rank_here < rank; }
  // Freedoms that meet at a singular state: tangents of its branches and their sums.
  int freedoms_here() const { return degrees_of_freedom + rank - rank_here; }
  bool is_near_singular(double limit = 1e-5) const { return smallest_pivot < limit; }
};

// The rank at and near a state that satisfies the constraints.
RankReport analyze_rank(const Evaluator& evaluator, const State& state,
                        const RankOptions& options = {});

}  // namespace koppel
