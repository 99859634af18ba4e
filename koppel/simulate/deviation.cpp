#include <koppel/simulate/deviation.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace koppel {
namespace {

// Columns of both, by name.
struct Pair {
  std::size_t a, b;
};
std::vector<Pair> shared_columns(const Trajectory& a, const Trajectory& b, Group group) {
  std::vector<Pair> out;
  for (std::size_t i = 0; i < a.num_columns(); ++i) {
    if (a.columns()[i].group != group) continue;
    const int j = b.find(a.columns()[i].name);
    if (j > 0) out.push_back({i, static_cast<std::size_t>(j)});
  }
  return out;
}

// Values that stay below this, in their unit, are zero but for round-off.
constexpr double kLeast = 1e-6;

}  // namespace

bool share_outputs(const Trajectory& a, const Trajectory& b) {
  return !shared_columns(a, b, Group::Outputs).empty();
}

std::vector<double> deviations(const Trajectory& a, const Trajectory& b, Group group) {
  const std::vector<Pair> pairs = shared_columns(a, b, group);
  if (pairs.empty()) return {};
  std::map<std::string, double> scale;
  for (const Pair& pair : pairs) {
    const ColumnStatistics size = b.statistics(pair.b);
    double& largest = scale[b.columns()[pair.b].unit];
    largest = std::max({largest, std::abs(size.min), std::abs(size.max)});
  }
  std::vector<double> out;
  for (std::size_t row = 0; row < std::min(a.num_rows(), b.num_rows()); ++row) {
    if (a.time()[row] != b.time()[row]) break;  // the last row of a run that failed
    out.push_back(0);
    for (const Pair& pair : pairs) {
      const double size = std::max(scale[b.columns()[pair.b].unit], kLeast);
      const double error = std::abs(a.column(pair.a)[row] - b.column(pair.b)[row]);
      out.back() = std::max(out.back(), error / size);
    }
  }
  return out;
}

}  // namespace koppel
