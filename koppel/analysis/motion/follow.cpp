#include <koppel/analysis/motion/follow.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/branches.hpp>
#include <koppel/analysis/rank/rank.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTangentRankTolerance = 1e-6;  // near a singular place both tangents are seen

// The tangent nearest to a direction, its largest rate 1.
VectorXd tangent(const Evaluator& evaluator, const State& state, const VectorXd& direction) {
  const MatrixXd C = dense::view(evaluator.all_constraints(state));
  const MatrixXd N = dense::null_space(C, kTangentRankTolerance);
  VectorXd v =
      direction.size() == 0 ? VectorXd(N.col(0)) : VectorXd(N * (N.transpose() * direction));
  const MatrixXd K = dense::view(evaluator.K(state));
  const double fastest = std::max((K * v).cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
  return v / std::max(fastest, 1e-300);
}

}  // namespace

FreeMotion follow_freedom(const Evaluator& evaluator, const State& start,
                          const FollowOptions& options) {
  FreeMotion motion;
  const RankReport rank = analyze_rank(evaluator, start);
  const int dof = rank.degrees_of_freedom;
  if (dof != 1) {
    motion.text = fmt::format(
        "the mechanism has {} freedoms; one that has a single freedom can be followed.", dof);
    return motion;
  }
  State state = start;
  // The way the velocities of the start point, where there are some.
  VectorXd v = dense::view(start.v);
  v = tangent(evaluator, state, v.norm() > 1e-9 ? v : VectorXd());
  if (rank.is_singular()) {
    // Along the branch that the velocities choose, or the first.
    const Branches branches = find_branches(evaluator, start, rank);
    const int chosen = std::max(0, choose_branch(evaluator, branches, state));
    if (branches.all.empty()) {
      motion.text = "the start is singular, and no motion leads away from it.";
      return motion;
    }
    const Matrix& tangents = branches.all[static_cast<std::size_t>(chosen)].tangents;
    v = tangent(evaluator, state, dense::view(tangents).col(0));
  }
  const double interval = options.length / std::max(options.num_samples - 1, 1);
  for (int i = 0; i < options.num_samples; ++i) {
    state.v = dense::to_vector(v);
    motion.states.push_back(state);
    if (i + 1 == options.num_samples) break;
    double left = interval, h = interval;
    while (left > 1e-9) {
      h = std::min(h, left);
      State next = state;
      const VectorXd step = h * (dense::view(evaluator.K(state)) * v);
      dense::view(next.q) += step;
      const VectorXd predicted = dense::view(next.q);
      const bool closes = close_positions(evaluator, next);
      // A correction as large as the step has left the branch.
      if (closes && (dense::view(next.q) - predicted).norm() < 0.3 * step.norm()) {
        state = std::move(next);
        v = tangent(evaluator, state, v);
        left -= h;
        h *= 2;
        continue;
      }
      h /= 2;
      if (h < 1e-7) {
        motion.text = fmt::format("the motion cannot be followed beyond a length of {:.4g}.",
                                  (i + 1) * interval - left);
        return motion;
      }
    }
  }
  motion.is_complete = true;
  motion.text = fmt::format("{} places.", motion.states.size());
  return motion;
}

}  // namespace koppel
