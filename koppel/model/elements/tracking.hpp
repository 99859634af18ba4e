// Tracking: a point of a body, its orientation, or any outputs follow a signal that may jump, by
// forces that fixed-cost steps choose (formulation/fixed_cost/tracking.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct TrackingElement {
  static constexpr ElementInfo kInfo{
      "tracking", "forces that make a point, an orientation or outputs follow a signal"};

  std::optional<Place> point = {}, orientation = {};
  Numbers output = {};
  Numbers follows = {};
  Word form{-1};  // of the signal of an orientation
  Word method{0};
  std::optional<Expr> rho0 = {}, rho1 = {};
  std::optional<Expr> force = {}, acceleration = {}, speed = {}, response = {};
  bool uncompensated = false;
  std::optional<Expr> active = {};
  // In place of `orientation`, in space: several bodies, of which one has the weight 1 and the
  // others 0 at a time. Of no model file.
  struct Weighed {
    int body;
    Expr weight;
  };
  std::vector<Weighed> turned = {};

  static const std::vector<Field<TrackingElement>>& fields();
  // Adds states `name.force_x` …, of an orientation `name.torque_x` …, of one output `name.force`.
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
