// What is free in a model: inputs, coordinates of the user's own, and states.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct InputElement {
  static constexpr ElementInfo kInfo{"input", "what an actuator applies, with its limits"};

  std::optional<Expr> min = {}, max = {};

  static const std::vector<Field<InputElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct CoordinateElement {
  static constexpr ElementInfo kInfo{"coordinate", "of a Lagrangian model"};

  std::optional<Expr> start = {}, rate = {};
  bool fixed = false;

  static const std::vector<Field<CoordinateElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct StateElement {
  static constexpr ElementInfo kInfo{"state", "a first-order equation"};

  std::optional<Expr> rate = {}, start = {};

  static const std::vector<Field<StateElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
