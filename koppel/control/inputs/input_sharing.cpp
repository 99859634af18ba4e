#include <koppel/control/inputs/input_sharing.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/structure/input_weights.hpp>
#include <koppel/control/inputs/least_norm_program.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRank = 1e-10;
// Violations below this part of a weight are round-off.
constexpr double kKept = 1e-8;

}  // namespace

InputSharing::InputSharing(const Evaluator& evaluator, const ServoProblem& servo,
                           const State& state)
    : evaluator_(evaluator),
      effect_(evaluator, servo.problem.rows),
      state_(state),
      weight_(input_weights(evaluator.equations)) {
  const Equations& e = evaluator.equations;
  if (e.u.size() <= e.s.size()) return;
  state_.u.resize(e.u.size());
  make_rows(servo);
  if (rows_.empty()) return;
  if (depends_on(jacobian(e.f, e.u).values, e.u)) {
    obstacle_ = "forces are not linear in the inputs";
    return;
  }
  const InputEffect::At effect = effect_(state_);
  const MatrixXd W = dense::view(weight_).asDiagonal();
  const MatrixXd X = dense::view(effect.X) * W;
  const MatrixXd N = dense::null_space(dense::view(effect.P) * W, kRank);
  constexpr double kNoMotion = 1e-8;
  if ((X * N).norm() > kNoMotion * X.norm()) {
    obstacle_ = "other shares would change the internal dynamics";
    return;
  }
  is_needed_ = true;
}

void InputSharing::make_rows(const ServoProblem& servo) {
  const Equations& e = evaluator_.equations;
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    const std::string name(e.u[i].name());
    const int input = static_cast<int>(i);
    const auto& [owner, unit, min, max] = e.about.u[i];
    if (std::isfinite(min)) rows_.push_back({input, -1, 1, min, name});
    if (std::isfinite(max)) rows_.push_back({input, -1, -1, max, name});
  }
  const std::vector<int>& kept = servo.problem.rows;
  num_kept_ = kept.size();
  for (std::size_t i = 0; i < num_kept_; ++i) {
    const Equations::Row& row = e.rows[static_cast<std::size_t>(kept[i])];
    if (row.pulls) rows_.push_back({-1, static_cast<int>(i), 1, 0, row.name});
  }
}

// How far beyond its bound; negative: within it.
double InputSharing::excess(const Row& row, std::span<const double> multipliers,
                            std::span<const double> u) const {
  const double value = row.input >= 0 ? u[static_cast<std::size_t>(row.input)]
                                      : multipliers[static_cast<std::size_t>(row.multiplier)];
  return row.sign * (row.bound - value);
}

void InputSharing::apply(double t, std::span<double> y) {
  active_.clear();
  violation_ = {t, -1, 0};
  const std::size_t q = state_.q.size(), v = state_.v.size(), x = state_.x.size();
  const auto multipliers = y.subspan(q + v + x, num_kept_);
  const auto u = y.last(weight_.size());
  const auto is_beyond = [&](const Row& row) { return excess(row, multipliers, u) > 0; };
  if (!is_needed_ || std::none_of(rows_.begin(), rows_.end(), is_beyond)) return;

  state_.t = t;
  std::copy_n(y.begin(), q, state_.q.begin());
  std::copy_n(y.begin() + static_cast<long>(q), v, state_.v.begin());
  std::copy_n(y.begin() + static_cast<long>(q + v), x, state_.x.begin());
  state_.u.assign(u.begin(), u.end());
  const InputEffect::At effect = effect_(state_);
  const auto W = dense::view(weight_).asDiagonal();
  const MatrixXd N = W * dense::null_space(dense::view(effect.P) * W, kRank);
  const MatrixXd by_multiplier = dense::view(effect.Lambda) * N;

  const auto count = static_cast<Index>(rows_.size());
  MatrixXd A(count, N.cols());
  VectorXd b(count), size(count);
  for (Index i = 0; i < count; ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    if (row.input >= 0) {
      size[i] = weight_[static_cast<std::size_t>(row.input)];
      A.row(i) = row.sign / size[i] * N.row(row.input);
    } else {
      // What the inputs' weights make of this multiplier.
      size[i] = (dense::view(effect.Lambda).row(row.multiplier) * W).norm();
      if (size[i] == 0) size[i] = 1;
      A.row(i) = row.sign / size[i] * by_multiplier.row(row.multiplier);
    }
    b[i] = excess(row, multipliers, u) / size[i];
  }
  const LeastNorm found = solve_relaxed(A, b);
  if (!found.is_found) return;
  const VectorXd change = N * found.x, forces = by_multiplier * found.x;
  for (Index i = 0; i < change.size(); ++i) u[static_cast<std::size_t>(i)] += change[i];
  for (Index i = 0; i < forces.size(); ++i) multipliers[static_cast<std::size_t>(i)] += forces[i];
  active_.assign(found.active.begin(), found.active.end());
  // What a limit holds is on it, not round-off beside it.
  for (const Index i : found.active) {
    if (found.violation[i] > kKept) continue;
    const Row& row = rows_[static_cast<std::size_t>(i)];
    (row.input >= 0 ? u[static_cast<std::size_t>(row.input)]
                    : multipliers[static_cast<std::size_t>(row.multiplier)]) = row.bound;
  }
  Index worst = 0;
  if (found.violation.size() > 0 && found.violation.maxCoeff(&worst) > kKept) {
    violation_ = {t, static_cast<int>(worst), found.violation[worst] * size[worst]};
  }
}

std::vector<Excess> InputSharing::unavoidable(std::span<const Violation> violations) const {
  std::vector<Excess> out;
  bool is_inside = false;
  for (const Violation& v : violations) {
    if (v.row < 0) {
      is_inside = false;
      continue;
    }
    const Row& row = rows_[static_cast<std::size_t>(v.row)];
    if (!is_inside) out.push_back({row.name, v.t, v.t, row.bound, 0, v.t});
    is_inside = true;
    Excess& last = out.back();
    last.to = v.t;
    if (v.size > last.worst) last = {row.name, last.from, v.t, row.bound, v.size, v.t};
  }
  return out;
}

std::string describe_unavoidable(const Excess& e) {
  return fmt::format(
      "no inputs within their limits follow the references from t = {:.6g} s to {:.6g} s. The "
      "least "
      "violation is largest at t = {:.6g} s: '{}' is beyond {:g} by {:.6g}.",
      e.from, e.to, e.at, e.name, e.bound, e.worst);
}

}  // namespace koppel
