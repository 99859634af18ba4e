// The pieces of the power of forces (problem/energy_balance.hpp) that a step passes: contacts that
// close, bumps of a road, relays.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <koppel/problem/energy_balance.hpp>

namespace koppel {

class PowerPieces {
 public:
  // y at a time of the step, as far as the power depends on it.
  using At = std::function<std::span<const double>(double t)>;

  // A reference is kept.
  explicit PowerPieces(const EnergyBalance& energy);

  // When the step passes from piece to piece, ascending, and its end. A force that acts for a short
  // part of the step only, between two of these times, may have been stepped over.
  const std::vector<double>& find_corners(double t0, double t1, const At& at);

 private:
  double find_corner(std::size_t argument, double value, double t0, double t1, const At& at);

  const EnergyBalance& energy_;
  EnergyBalance::Workspace work_;
  std::vector<double> at_start_, at_end_, between_;  // arguments of switches
  std::vector<double> corners_;
};

}  // namespace koppel
