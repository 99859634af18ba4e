#include <koppel/simulate/health_limits.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppel {
namespace {

// Bounds of the table in health_watch.hpp.
constexpr double kPerTolerance = 1000;
constexpr double kLeastPosition = 1e-9, kLeastVelocity = 1e-8;  // round-off of large mechanisms
constexpr double kEnergy = 1e-2, kPosition = 1e-3, kVelocity = 1e-2;
constexpr double kEnergyFails = 0.5, kPositionFails = 0.1, kVelocityFails = 1;
constexpr double kMultipliers = 100;  // wider, where power is that of multipliers
// Where nothing has mass and no force acts, all that moves is the round-off of multipliers.
constexpr double kFaintest = 1e-20;  // J, twice what a molecule has at room temperature
// Energy that starts from rest is known after k steps to 1/k of itself, by methods of order 1.
constexpr double kStarting = 100, kStartingFails = 10;  // steps

}  // namespace

HealthLimits HealthRules::doubtful(double t, double steps) const {
  const auto limit = [&](double least, double most, double wider = 1) {
    const double grows = tolerance ? wider * kPerTolerance * *tolerance * (1 + t) : most;
    return loosen * std::clamp(grows, least, most);
  };
  return {limit(kLeastPosition, kEnergy, needs_multipliers ? kMultipliers : 1) * (1 + kStarting / steps),
          limit(kLeastPosition, kPosition), limit(kLeastVelocity, kVelocity)};
}

HealthLimits HealthRules::failed(double steps) const {
  return {loosen * kEnergyFails * (1 + kStartingFails / steps), loosen * kPositionFails,
          loosen * kVelocityFails};
}

double least_energy(double unit_kinetic, double potential) {
  return std::max({1e-6 * unit_kinetic, 1e-7 * potential, kFaintest});
}

std::string describe(const Health::Reason& reason, const std::string& when,
                     const std::string& row) {
  const std::string amount = fmt::format("{:.3g} %", 100 * std::abs(reason.value));
  const std::string limit = fmt::format("(limit {:.3g} %)", 100 * reason.limit);
  if (reason.what == Health::What::Energy) {
    return fmt::format(
        "{} the energy balance is off by up to {} {}: the motion {} energy that no force, drive "
        "or impact {}.",
        when, amount, limit, reason.value > 0 ? "has" : "lacks",
        reason.value > 0 ? "gave it" : "took");
  }
  const bool is_position = reason.what == Health::What::Position;
  return fmt::format("{} constraint '{}' is violated{} by up to {} of {} {}.", when, row,
                     is_position ? "" : " by the velocities", amount,
                     is_position ? "the mechanism's size" : "its speed", limit);
}

}  // namespace koppel
