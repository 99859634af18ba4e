// How far a state is from the expected start, for assembly. For sources of this folder only.
//
// With a placement of bodies (placement.hpp), its D: a sum of squares ½ ‖ρ(q) − ρ₀‖² of rows that
// depend on where the bodies are and not on the coordinates, and for coordinates that move no body
// ½ δᵀM δ. Its second derivative is taken as ρ_qᵀρ_q [Gauss & Newton]. Velocities are measured by
// the kinetic energy of the difference, ½ ‖ρ_q K v + ρ_t − ρ̇₀‖².
// Without one, ½ ‖q − q₀‖²_W in the metric of masses at the guess (metric.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <koppel/analysis/algebra/metric.hpp>
#include <koppel/equations/placement.hpp>

namespace koppel {

class StartDistance {
 public:
  StartDistance(const Evaluator& evaluator, const Placement& placement, const State& guess);

  double squared(const State& state) const;
  std::shared_ptr<const Metric> metric_at(const State& state) const;
  // One in which light bodies weigh nearly as much as heavy ones, for rough starts: a light body is
  // bent before a heavy one moves.
  std::shared_ptr<const Metric> even_metric_at(const State& state) const;
  // The δq with which the metric's matrix times δq is the gradient.
  Eigen::VectorXd offset(const State& state, const Metric& metric) const;

  // Whether these velocities are those that are expected at the start.
  bool expects(const State& state) const;
  // ½ vᵀW v − cᵀv at a position, as W and the v₀ with W v₀ = c.
  struct OfVelocities {
    sparse::SparseMatrix W;
    Eigen::VectorXd v0;
  };
  OfVelocities of_velocities(const State& position) const;

  // What a wish weighs against it: the square root of the largest mass or moment.
  double weight() const;
  // Whether a coordinate, or the rate of one, is itself what the distance is measured in.
  bool is_measured(Expr symbol) const;

  // The largest of all moves, in words: "body 'rod' turned by 0.02 rad". Empty: below a millionth
  // of the mechanism's size, or of a turn.
  std::string largest_move(const State& state) const;
  // The same as a number: of the mechanism's size, or in radians.
  double largest_relative_move(const State& state) const;
  // Whether a body is its own mirror image there: lengths and angles of points and vectors allow
  // that, no motion does.
  bool has_mirrored(const State& state) const;
  // Where the bodies are, in the rows of the distance: the same in all coordinates. Without bodies
  // the coordinates themselves.
  Eigen::VectorXd place_of(const State& state) const;

 private:
  // The rows, each three of them a vector, made when first needed.
  struct Rows {
    std::vector<Expr> values;
    VectorFunction value, rate;
    Eigen::VectorXd target;
    double weight;           // the root of the largest mass or moment
    std::vector<char> free;  // for each q: no body moves with it
  };
  Rows make_rows() const;
  struct Move {
    double relative = 0;
    std::string text;
  };
  Move find_largest_move(const State& state) const;
  const Rows& rows() const;
  Eigen::VectorXd moved(const State& state) const;
  sparse::SparseMatrix rows_q(const State& state) const;
  std::shared_ptr<const Metric> metric_of(const sparse::SparseMatrix& J, const State& state) const;
  Eigen::VectorXd expected_rates(const Eigen::VectorXd& rows) const;
  // M of the coordinates that move no body, by q and by v.
  struct FreeMass {
    sparse::SparseMatrix q, v;
  };
  const FreeMass& free_mass() const;
  // The metric of masses, where there are no bodies.
  const std::shared_ptr<const Metric>& masses() const;

  const Evaluator& evaluator_;
  const Placement& placement_;
  State guess_;
  mutable std::optional<Rows> rows_;
  mutable std::optional<MatrixFunction> rows_q_;
  mutable std::optional<FreeMass> free_mass_;
  mutable std::shared_ptr<const Metric> masses_;
};

}  // namespace koppel
