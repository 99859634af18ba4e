// A smooth Coulomb friction in a joint: −torque tanh(rate/velocity).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Friction {
  static constexpr ElementInfo kInfo{"friction", "`-torque*tanh(rate/velocity)` in a joint"};

  std::optional<Coordinate> joint = {};
  std::optional<Expr> torque = {}, force = {};  // one of them
  std::optional<Expr> velocity = {};
  bool stiff = false;

  static const std::vector<Field<Friction>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
