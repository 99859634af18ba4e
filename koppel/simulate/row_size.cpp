#include <koppel/simulate/row_size.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppel {

double beside(std::size_t i) {
  const double golden = 0.618033988749895 * static_cast<double>(i);
  return kBeside * (i % 2 == 0 ? 1 : -1) * (1 + 0.6 * (golden - std::floor(golden)));
}

// The largest of two places.
std::vector<double> row_sizes(const Problem& problem, double t, std::span<const double> y) {
  const std::span<const double> q = problem.q(y), v = problem.v(y);
  Projector::Workspace work = problem.projector->make_workspace();
  const auto here = problem.projector->residuals(t, q, v, work).position;
  const std::vector<double> g(here.begin(), here.end());
  constexpr double kSmall = 0.1;  // rad, m: angles near 0 say nothing of the mechanism's size
  double mean = 0;
  for (const double value : q) mean += std::abs(value) / static_cast<double>(q.size());
  mean = std::max(mean, kSmall);
  std::vector<double> out(g.size(), 0.0), moved(q.size());
  for (const double side : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      moved[i] = q[i] + side * beside(i) * std::max(std::abs(q[i]), mean);
    }
    const auto there = problem.projector->residuals(t, moved, v, work).position;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double change = std::abs(there[i] - g[i]) / kBeside;
      if (std::isfinite(change)) out[i] = std::max(out[i], change);
    }
  }
  // A row that is round-off altogether, 1e-16 sin q, says nothing.
  constexpr double kRoundOff = 8 * std::numeric_limits<double>::epsilon();
  for (double& size : out) size = size > kRoundOff ? size : 1;
  return out;
}

}  // namespace koppel
