#include <koppel/integrate/taylor_plan.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppel {
namespace {

// Coefficients are round-off where those of half the order show a radius larger by this factor.
const double kLostFactor = std::log(1.5);

// (1) up to a second, (2) above.
double step_for(int p, double log_radius, double tolerance) {
  double h = std::exp((std::log(tolerance) + (p + 1) * log_radius) / p);
  if (h > 1) h = std::max(1.0, std::exp(std::log(tolerance) / (p + 1) + log_radius));
  // Beyond the radius of convergence no tolerance helps.
  return std::min(0.9 * std::exp(log_radius), h);
}

}  // namespace

int taylor_order(const SeriesSystem& system, int wanted, double tolerance) {
  // The sums alone are cheapest at −½ log(tolerance), where h = e⁻² ρ; a step also costs a
  // factorisation, its plan and its projection, so that longer ones pay. This order makes them
  // h = e^(−1/0.87) ρ = 0.32 ρ at every tolerance. With machine code still higher orders would take
  // up to 10 % less time, but at loose tolerances their steps lead over switches of the state.
  if (wanted <= 0) wanted = static_cast<int>(std::lround(-0.87 * std::log(tolerance)));
  return std::clamp(wanted, system.max_d() + 4, Series::kMaxOrder);
}

TaylorPlanner::TaylorPlanner(const IntegrateOptions& options, const Problem& problem)
    : options_(options),
      counts_(static_cast<std::size_t>(problem.series->num_unknowns())),
      weight_(counts_.size()) {
  const SeriesTerms& terms = problem.series->terms();
  for (std::size_t j = 0; j < counts_.size(); ++j) counts_[j] = terms.structure.d[j] > 0;
  for (int i = 0; i < problem.num_differential(); ++i) {
    counts_[static_cast<std::size_t>(terms.y[static_cast<std::size_t>(i)].unknown)] = true;
  }
}

void TaylorPlanner::set_weights(const SeriesSolver& at) {
  for (int j = 0; j < at.num_unknowns(); ++j) {
    if (!counts(j)) continue;
    const int rate = std::max(0, at.offset(j) - 1);
    weight_[static_cast<std::size_t>(j)] =
        1 / std::max(std::abs(at.coefficient(j, rate)), options_.absolute_scale);
  }
}

// log m_k.
double TaylorPlanner::log_norm(const SeriesSolver& at, int k) const {
  double largest = 0;
  for (int j = 0; j < at.num_unknowns(); ++j) {
    if (!counts(j)) continue;
    const int rate = at.offset(j) - 1;  // z_j is the derivative of this order
    double factor = weight_[static_cast<std::size_t>(j)];
    for (int i = 1; i <= rate; ++i) factor *= k + i;  // (k + rate)!/k!
    if (rate < 0) factor /= k;                        // (3)
    largest = std::max(largest, factor * std::abs(at.coefficient(j, k + rate)));
  }
  return std::log(largest);
}

// log ρ from the coefficients up to order k.
double TaylorPlanner::log_radius(const SeriesSolver& at, int k) const {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kSeen && k - i > 0; ++i) {
    least = std::min(least, -log_norm(at, k - i) / (k - i));
  }
  return least;
}

TaylorPlan TaylorPlanner::make(const SeriesSolver& at, bool may_be_lost) {
  const int p = at.last_stage() + 1;
  if (options_.step) return {*options_.step, p, false, *options_.step};
  const double tolerance = kSafety * options_.tolerance;
  set_weights(at);
  const double high = log_radius(at, p);
  TaylorPlan plan{step_for(p, high, tolerance), p, false, 0};
  if (may_be_lost) {
    const double low = log_radius(at, p / 2 + 1);
    plan.is_lost = low > high + kLostFactor;
    plan.h_clean = step_for(p, low, tolerance);
    // Low orders, which are clean, may allow more than the high ones with their round-off.
    for (int k = p - 1; plan.is_lost && k > kSeen; --k) {
      const double h = step_for(k, log_radius(at, k), tolerance);
      if (h <= plan.h) continue;
      plan.h = h;
      plan.order = k;
    }
  }
  if (options_.max_step > 0) {
    plan.h = std::min(plan.h, options_.max_step);
    plan.h_clean = std::min(plan.h_clean, options_.max_step);
  }
  return plan;
}

}  // namespace koppel
