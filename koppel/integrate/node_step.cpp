#include <koppel/integrate/node_step.hpp>

#include <algorithm>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/hermite.hpp>

namespace koppel {
namespace {

const RightHandSide* rates_of(const Problem& problem) {
  if (problem.rhs) return &*problem.rhs;
  return problem.rates ? &*problem.rates : nullptr;
}

}  // namespace

NodeStep::NodeStep(const Problem& problem, const Outcome& start, bool has_mean_multipliers)
    : Step(start.t, start.t),
      problem_(problem),
      rates_(rates_of(problem)),
      has_mean_multipliers_(has_mean_multipliers),
      num_differential_(static_cast<std::size_t>(problem.num_differential())),
      num_multipliers_(static_cast<std::size_t>(problem.num_lambda + problem.num_mu)) {
  if (rates_ != nullptr) work_.emplace(rates_->make_workspace());
  node0_.y = node1_.y = start.y;
  node0_.rate = node1_.rate = rate_ = std::vector<double>(num_differential_);
  node1_.is_solved = true;  // a start is consistent
}

void NodeStep::begin(double t_start) {
  std::swap(node0_, node1_);
  t0 = t_start;
}

void NodeStep::end(double t_end, std::span<const double> y) {
  t1 = t_end;
  std::copy(y.begin(), y.end(), node1_.y.begin());
  node1_.is_solved = node1_.has_rate = false;
}

void NodeStep::read_multipliers(std::span<double> y) const {
  const auto z = work_->z();
  const auto num_v = static_cast<std::size_t>(problem_.num_v);
  if (z.size() < num_v + num_multipliers_) return;
  std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(num_v), num_multipliers_,
              y.begin() + static_cast<std::ptrdiff_t>(num_differential_));
}

void NodeStep::solve(double t, Node& node) const {
  if (rates_ == nullptr || node.has_rate) return;
  node.has_rate =
      rates_->evaluate(t, std::span(node.y).first(num_differential_), node.rate, *work_);
  if (node.has_rate && has_mean_multipliers_ && !node.is_solved) read_multipliers(node.y);
  node.is_solved = true;
}

bool NodeStep::accelerations(double t, std::span<const double> y, std::span<double> v_rate) const {
  if (rates_ == nullptr || !rates_->evaluate(t, y.first(num_differential_), rate_, *work_)) {
    return false;
  }
  std::copy_n(rate_.begin() + problem_.num_q, v_rate.size(), v_rate.begin());
  return true;
}

void NodeStep::move(double dt, std::span<double> y) const {
  for (std::size_t i = 0; i < num_differential_; ++i) y[i] += dt * rate_[i];
}

void NodeStep::evaluate(double t, std::span<double> y) const {
  if (t == t0 || t == t1) {
    Node& node = t == t0 ? node0_ : node1_;
    if (has_mean_multipliers_ && !node.is_solved && num_multipliers_ > 0) solve(t, node);
    std::copy(node.y.begin(), node.y.end(), y.begin());
    return;
  }
  solve(t0, node0_);
  solve(t1, node1_);
  const double h = t1 - t0, x = (t - t0) / h;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = node0_.y[i] + x * (node1_.y[i] - node0_.y[i]);
  }
  if (!node0_.has_rate || !node1_.has_rate) return;
  hermite(x, h, node0_.y, node1_.y, node0_.rate, node1_.rate, y.first(num_differential_));
  if (num_multipliers_ > 0 && rates_->evaluate(t, y.first(num_differential_), rate_, *work_)) {
    read_multipliers(y);
  }
}

}  // namespace koppel
