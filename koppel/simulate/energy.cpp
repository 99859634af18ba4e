#include <koppel/simulate/energy.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {
namespace {

bool vanish(const std::vector<Expr>& values) {
  return std::all_of(values.begin(), values.end(), [](Expr e) { return e.is_constant(0); });
}

}  // namespace

bool is_conservative(const Equations& e, const Observation& observation,
                     const Trajectory& trajectory, const State& given) {
  if (!vanish(e.g_t) || !vanish(e.b)) return false;
  Expr power = 0;
  for (std::size_t i = 0; i < e.v.size(); ++i) power += e.v[i] * e.f[i];
  const std::vector<Expr> energies = {e.kinetic, e.potential};
  const std::vector<Expr> rates = rate_of(e, energies);
  const std::vector<Expr> terms = {power, rates[0], rates[1]};
  const VectorFunction function(e, terms);

  constexpr std::size_t kLooks = 16;
  constexpr double kRoundOff = 1e-9;
  double sum = 0, scale = 0;
  State state = given;
  for (const std::size_t row : thin_evenly(trajectory.num_rows(), kLooks)) {
    state.t = trajectory.time()[row];
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      state.q[i] = trajectory.column(observation.columns_of_q()[i])[row];
    }
    for (std::size_t i = 0; i < state.v.size(); ++i) {
      state.v[i] = trajectory.column(observation.first_velocity() + i)[row];
    }
    for (std::size_t i = 0; i < state.x.size(); ++i) {
      state.x[i] = trajectory.column(observation.first_velocity() + state.v.size() + i)[row];
    }
    const std::vector<double> values = function(state);
    sum = std::max(sum, std::abs(values[0] + values[1] + values[2]));
    for (const double value : values) scale = std::max(scale, std::abs(value));
  }
  return sum <= kRoundOff * scale;
}

double energy_drift(const Observation& observation, const Trajectory& trajectory) {
  if (trajectory.empty()) return 0;
  const auto energy = trajectory.column(observation.energy_column());
  const auto kinetic = trajectory.column(observation.kinetic_column());
  double drift = 0, scale = 0;
  for (const double value : energy) {
    drift = std::max(drift, std::abs(value - energy[0]));
    scale = std::max(scale, std::abs(value));
  }
  const auto [least, most] = std::minmax_element(kinetic.begin(), kinetic.end());
  scale = std::max(scale, *most - *least);
  return scale > 0 ? drift / scale : 0;
}

}  // namespace koppel
