#include <koppel/analysis/assembly/neighbours.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <koppel/analysis/algebra/metric.hpp>
#include <koppel/analysis/assembly/assembly.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

// The lower quartile of (1) in neighbours.hpp over the rows that change; 0: none does.
double turn_of(const SparseMatrix& here, const SparseMatrix& there, const VectorXd& ease) {
  const VectorXd size = sparse::row_norms(here * ease.asDiagonal());
  const VectorXd change = sparse::row_norms((there - here) * ease.asDiagonal());
  constexpr double kChange = 1e-12;  // below is round-off
  std::vector<double> turns;
  for (Index i = 0; i < size.size(); ++i) {
    if (change[i] > kChange * size[i])
      turns.push_back(change[i] < size[i] ? change[i] / size[i] : 4);
  }
  if (turns.empty()) return 0;
  const auto quartile = turns.begin() + static_cast<std::ptrdiff_t>((turns.size() - 1) / 4);
  std::nth_element(turns.begin(), quartile, turns.end());
  return *quartile;
}

// The velocity nearest to one, with the motion that time demands or without it.
VectorXd tangent_near(const Evaluator& evaluator, const State& state, const VectorXd& v0,
                      const VectorXd& rates) {
  const PullRows none{SparseMatrix(0, v0.size()), VectorXd()};
  return nearest_velocity(mass_metric(evaluator, state), sparse::all_constraints(evaluator, state),
                          rates, none, v0);
}

bool is_moved_by_time(const Evaluator& evaluator) {
  const std::vector<Expr>& g_t = evaluator.equations->g_t;
  return std::any_of(g_t.begin(), g_t.end(), [](const Expr& e) { return !e.is_constant(0); });
}

}  // namespace

std::vector<double> ease_of_motion(const Evaluator& evaluator, const State& state) {
  constexpr double kMassless = 1e-6;  // of the largest
  VectorXd m = sparse::evaluate(*evaluator.M, state).diagonal().cwiseAbs();
  const double most = m.size() == 0 ? 0 : m.maxCoeff();
  if (!(most > 0)) return std::vector<double>(static_cast<std::size_t>(m.size()), 1.0);
  return dense::to_vector(m.cwiseMax(kMassless * most).cwiseSqrt().cwiseInverse());
}

std::vector<double> varied_velocity(const Evaluator& evaluator, const State& state, int k) {
  std::vector<double> v = ease_of_motion(evaluator, state);
  std::mt19937 random(static_cast<unsigned>(k + 1));
  for (double& x : v) x *= 2 * (static_cast<double>(random()) / 4294967296.0) - 1;
  return v;
}

State moved(const Evaluator& evaluator, State state, const std::vector<double>& v, double s) {
  dense::view(state.q) += s * (sparse::evaluate(evaluator.K, state) * dense::view(v));
  return state;
}

double length_of_turn(const Evaluator& evaluator, const State& state, const std::vector<double>& v,
                      double angle) {
  const VectorXd rate = sparse::evaluate(evaluator.K, state) * dense::view(v);
  const double fastest = rate.size() == 0 ? 0 : rate.cwiseAbs().maxCoeff();
  if (!(fastest > 0)) return 0;
  const SparseMatrix here = sparse::all_constraints(evaluator, state);
  const std::vector<double> ease = ease_of_motion(evaluator, state);
  // From far away inwards: rows that almost vanish at the state turn at once and do not count then.
  const double far = std::max(1.0, dense::view(state.q).cwiseAbs().maxCoeff()) / fastest;
  double s = far;
  constexpr int kMost = 60;
  for (int i = 0; i < kMost; ++i) {
    const SparseMatrix there = sparse::all_constraints(evaluator, moved(evaluator, state, v, s));
    const double turn = there.coeffs().allFinite() ? turn_of(here, there, dense::view(ease)) : 4;
    if (turn == 0) return 0;
    if (turn < 1.2 * angle) return s;
    s *= std::max(0.25, angle / turn);
  }
  return angle * far;  // all rows vanish at the state
}

std::optional<State> find_neighbour(const Evaluator& evaluator, const State& state, int k) {
  constexpr double kAngle = 0.1, kReturned = 0.1;
  constexpr double kLater[] = {1e-2, 1e-1, 1e-3, 3e-2};  // s
  const auto num_rows = static_cast<Index>(evaluator.equations->num_rows());
  const std::vector<double> start = varied_velocity(evaluator, state, k);
  std::vector<double> v = dense::to_vector(
      tangent_near(evaluator, state, dense::view(start), VectorXd::Zero(num_rows)));
  double s = length_of_turn(evaluator, state, v, kAngle);
  const double dt = is_moved_by_time(evaluator) ? kLater[k % 4] : 0;
  VectorXd drive = VectorXd::Zero(dense::view(v).size());
  if (dt > 0) {
    drive = tangent_near(
        evaluator, state, drive,
        -dense::concatenate({dense::view(evaluator.g_t(state)), dense::view(evaluator.b(state))}));
  }
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i, s /= 4) {
    if (!(s > 0) && dt == 0) return {};
    State beside = moved(evaluator, moved(evaluator, state, v, s), dense::to_vector(drive), dt);
    const double wanted = (dense::view(beside.q) - dense::view(state.q)).norm();
    beside.t += dt;
    if (!close_positions(evaluator, beside)) continue;
    const double went = (dense::view(beside.q) - dense::view(state.q)).norm();
    if (dt > 0 || went > kReturned * wanted) return beside;
  }
  return {};
}

}  // namespace koppel
