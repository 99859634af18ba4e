#include <koppel/analysis/motion/driven_motion.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>

namespace koppel {
namespace {

using Eigen::VectorXd;

constexpr double kDriveRankTolerance = 1e-9;

struct Motion {
  State state;
  std::vector<double> v_rate;
};

// Velocities and accelerations where q is known.
void complete(const Evaluator& evaluator, Motion& m) {
  const Eigen::MatrixXd C = dense::view(evaluator.all_constraints(m.state));
  const VectorXd right =
      -dense::concatenate({dense::view(evaluator.g_t(m.state)), dense::view(evaluator.b(m.state))});
  m.state.v = dense::to_vector(dense::solve_least_norm(C, right, kDriveRankTolerance));
  m.v_rate = dense::to_vector(
      dense::solve_least_norm(C, -dense::view(evaluator.all_gamma(m.state)), kDriveRankTolerance));
}

// q after a time h: q + h K (v + h v̇/2), then closed.
bool advance(const Evaluator& evaluator, Motion& m, double h) {
  Motion next = m;
  const VectorXd mean = dense::view(m.state.v) + 0.5 * h * dense::view(m.v_rate);
  const VectorXd step = h * (dense::view(evaluator.K(m.state)) * mean);
  dense::view(next.state.q) += step;
  next.state.t += h;
  const VectorXd predicted = dense::view(next.state.q);
  if (!close_positions(evaluator, next.state)) return false;
  // A correction larger than the prediction has left the branch.
  const VectorXd correction = dense::view(next.state.q) - predicted;
  if (correction.norm() > 0.5 * step.norm() + 1e-9) return false;
  complete(evaluator, next);
  m = std::move(next);
  return true;
}

}  // namespace

DrivenMotion solve_driven_motion(const Evaluator& evaluator, const State& start,
                                 const DrivenMotionOptions& options) {
  DrivenMotion result;
  const RankReport rank = analyze_rank(evaluator, start);
  if (rank.degrees_of_freedom != 0) {
    result.text = fmt::format(
        "{} of the mechanism's motions are not driven: kinematics alone does not determine it.",
        rank.degrees_of_freedom);
    return result;
  }
  Motion m{start, {}};
  complete(evaluator, m);
  const double interval = (options.end - start.t) / std::max(options.num_samples - 1, 1);
  for (int i = 0;; ++i) {
    const RankReport here = analyze_rank(evaluator, m.state, {.here_only = true});
    result.smallest_pivot = std::min(result.smallest_pivot, here.smallest_pivot);
    result.states.push_back(m.state);
    result.v_rates.push_back(m.v_rate);
    if (i + 1 >= options.num_samples) break;
    const double until = start.t + (i + 1) * interval;
    double h = until - m.state.t;
    while (m.state.t < until - 0.5 * options.smallest_step) {
      if (advance(evaluator, m, std::min(h, until - m.state.t))) {
        h *= 2;
        continue;
      }
      h = std::min(h, until - m.state.t) / 2;
      if (h < options.smallest_step) {
        result.text = fmt::format("the mechanism jams at t = {:.6g}: it cannot follow its drives.",
                                  m.state.t);
        return result;
      }
    }
    m.state.t = until;
  }
  result.is_complete = true;
  result.text = fmt::format("{} samples.", result.states.size());
  return result;
}

}  // namespace koppel
