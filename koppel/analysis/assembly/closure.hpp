// Positions that satisfy the constraints and initial values, near a guess. For sources of this
// folder only.
//
// A guess may lie where Newton's method and its like stand still without a solution: placed
// symmetrically, a rod between two cranks has a gap whose gradient vanishes, though it can close to
// either side. And sets of coordinates that start from the same poses may end in different ways to
// assemble the mechanism. So where the guess is rough (no way is found from it, or the way is far),
// ways are looked for from beside it as well: q ± s K v for some fixed v in general position. The
// nearest of all ways counts. Of ways that are equally near, the one counts in which the first body
// that makes a difference is farther along x, then y, then z, and last its directions. Both
// criteria are of bodies and the same in all coordinates.
#pragma once

#include <koppel/analysis/assembly/distance.hpp>
#include <koppel/analysis/assembly/wishes.hpp>

namespace koppel {

// The equations c(q) = 0 of positions.
class Positions {
 public:
  Positions(const Evaluator& evaluator, const Wishes* fixed, const Wishes* soft)
      : evaluator_(evaluator), wishes_{fixed, soft} {}

  Eigen::VectorXd residual(const State& s) const;
  sparse::SparseMatrix by_q(const State& s) const;
  // What the rows are measured by: what they would be with all coordinates off by their own size,
  // lengths by the largest of them, angles and directions by 1. Rows of mechanisms between
  // centimetres and hundreds of metres are measured as they are.
  Eigen::VectorXd sizes(const State& s) const;
  Eigen::VectorXd sizes_of_coordinates(const State& s) const;
  Gap gap(Eigen::Index row, double size) const;
  const Evaluator& evaluator() const { return evaluator_; }

 private:
  Eigen::VectorXd wish(std::size_t k, const State& s) const;
  sparse::SparseMatrix wish_by_q(std::size_t k, const State& s) const;

  const Evaluator& evaluator_;
  const Wishes* wishes_[2];
};

// The largest of rows by their sizes.
double largest_part(const Eigen::VectorXd& rows, const Eigen::VectorXd& sizes);

// Where a soft wish pulls: ½ w² ‖residual‖² beside the distance.
struct AssemblyPull {
  const Wishes* wishes = nullptr;
  double weight = 0;

  double energy(const State& s) const;
  PullRows rows(const State& s) const;
};

// Moves state.q to where the equations hold, by the metric; true where they do.
bool close(const Positions& positions, const Metric& metric, const AssemblyOptions& options,
           State& state, int& iterations);

// From a closed state: steps along the null space of the closed equations that reduce the distance,
// each followed by closing again. Gauss-Newton in that null space: far from the minimum a step has
// to reduce the distance; near it, where the distance is flat to round-off, steps that become
// shorter tell more.
void approach(const Positions& positions, const StartDistance& distance, const AssemblyPull& pull,
              const AssemblyOptions& options, State& state, int& iterations);

// The way to assemble that is nearest to the guess, among those found from it and, where it is
// rough, from beside it. False where none is found; `state` is then where the gap is smallest.
bool find_nearest(const Positions& positions, const StartDistance& distance,
                  const AssemblyPull& pull, const State& guess, const AssemblyOptions& options,
                  State& state, int& iterations);

}  // namespace koppel
