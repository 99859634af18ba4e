// A smooth Coulomb friction in a joint: −torque tanh(rate/velocity) about its angle, and the same
// with `force` along its position. The velocity is in the unit of each rate.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Friction {
  static constexpr ElementInfo kInfo{"friction",
                                     "`-torque*tanh(rate/velocity)` about the angle of a joint, "
                                     "`-force*tanh(rate/velocity)` along its position"};

  std::optional<Coordinate> joint = {};
  std::optional<Expr> torque = {}, force = {};  // one of them, or both
  std::optional<Expr> velocity = {};
  bool stiff = false;

  static const std::vector<Field<Friction>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
