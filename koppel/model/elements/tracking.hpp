// Tracking: a point of a body, or any outputs, follow a signal that may jump, by forces that
// fixed-cost steps choose (formulation/fixed_cost/tracking.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct TrackingElement {
  static constexpr ElementInfo kInfo{"tracking",
                                     "forces that make a point or outputs follow a signal"};

  std::optional<Place> point = {};
  Numbers output = {};
  Numbers follows = {};
  Word method{0};
  std::optional<Expr> rho0 = {}, rho1 = {};
  std::optional<Expr> force = {}, acceleration = {}, speed = {}, response = {};
  bool uncompensated = false;
  std::optional<Expr> active = {};

  static const std::vector<Field<TrackingElement>>& fields();
  // Adds states `name.force_x` …, or `name.force` where there is one output.
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
