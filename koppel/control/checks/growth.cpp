#include <koppel/control/checks/growth.hpp>

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/control/motion/prescribed_motion.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;

// ∂s/∂q
MatrixFunction outputs_by_position(const Equations& e) {
  std::vector<Expr> outputs;
  for (const NamedExpr& s : e.s) outputs.push_back(s.value);
  return {e, jacobian(outputs, e.q)};
}

}  // namespace

DeviationGrowth find_growth(const ComputedMotion& motion, const State& start) {
  constexpr std::size_t kNodes = 200;
  const PrescribedMotion path(motion, start);
  const std::vector<std::size_t> rows = thin_evenly(path.time().size(), kNodes);
  const Evaluator evaluator(motion.equations);
  const Linearizer linearizer(evaluator);
  const MatrixFunction by_position = outputs_by_position(motion.equations);

  const LinearSystem first = linearizer.at(path.at(rows[0]));
  MatrixXd deviation = dense::view(first.S);
  const double T = path.time().back() - path.time().front();
  const auto num_v = static_cast<Eigen::Index>(first.z.v.size());
  deviation.middleCols(static_cast<Eigen::Index>(first.z.q.size()), num_v) /= T;

  DeviationGrowth out{1, path.time().front()};
  MatrixXd R = dense::view(linearizer.rates(path.at(rows[0])));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const State state = path.at(rows[k]);
    const double h = state.t - path.time()[rows[k - 1]];
    const MatrixXd next = dense::view(linearizer.rates(state));
    deviation = MatrixXd(0.5 * h * (R + next)).exp() * deviation;  // (1)
    R = next;
    const MatrixXd C = dense::view(by_position(state));
    const double size = (C * deviation.topRows(C.cols())).norm();
    if (!(size <= out.factor)) out = {size, state.t};
    if (!deviation.allFinite()) break;
  }
  return out;
}

}  // namespace koppel
