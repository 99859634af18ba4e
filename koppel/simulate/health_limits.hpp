// Beyond what a run is doubtful, and beyond what it has failed: the table of health_watch.hpp, in
// one place for all who judge runs.
#pragma once

#include <optional>
#include <string>

#include <koppel/results/health.hpp>

namespace koppel {

struct HealthLimits {
  double energy = 0, position = 0, velocity = 0;  // relative
};

struct HealthRules {
  std::optional<double> tolerance = {};  // of adaptive steps; none: steps are fixed
  double loosen = 1;                     // all limits but that of growth times this
  bool needs_multipliers = false;        // for power, by methods that find them less accurately

  // At a time, after so many steps.
  HealthLimits doubtful(double t, double steps) const;
  HealthLimits failed(double steps) const;  // of energy: a gain
};

inline constexpr double kFastest = 3e8;  // m/s, the speed of light

// What a run differs by from rest and from nothing: below these, nothing moves.
inline constexpr double kSlowRate = 1e-6;  // per second, or m/s
// Of the energy that moved, what a mechanism has at 1 mm/s and what is lost in rounding.
double least_energy(double unit_kinetic, double potential);

// In a sentence that begins with `when`; `row` is the constraint. Not of growth.
std::string describe(const Health::Reason& reason, const std::string& when, const std::string& row);

}  // namespace koppel
